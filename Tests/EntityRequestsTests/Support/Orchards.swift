package import EntityClient
import TestSchema

// The requests of the entities that all tests share; some are mapped by declaration, and some by hand.

extension Orchard: RemoteEntity {
  package static var basePath: String { "orchards" }
  package static var deletionKey: String? { "deleted" }
}

extension OrchardTree: RemoteEntity { package static var basePath: String { "trees" } }
extension OrchardVisit: RemoteEntity { package static var basePath: String { "visits" } }
extension OrchardRow: RemoteEntity { package static var basePath: String { "rows" } }

extension OrchardTag: RemoteEntity {
  package static var basePath: String { "tags" }
  package static var deletionKey: String? { "deleted" }
}

extension Gardener: RemoteEntity { package static var basePath: String { "gardeners" } }

extension HandOrchard: RemoteEntity {
  package static var basePath: String { "handorchards" }
  package static var deletionKey: String? { "deleted" }

  package func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    try response.assign("trees", to: &trees)
    try response.assign("shed", to: &shed)
  }
}

extension HandTree: RemoteEntity {
  package static var basePath: String { "handtrees" }

  package func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    try response.assign("orchard", to: &orchard)
  }
}

extension HandVisit: RemoteEntity { package static var basePath: String { "handvisits" } }
