import EntityClient
import Foundation

// A small schema whose server answers with XML.

@Entity final class Shelf: RemoteEntity {
  @UID @Key("@id") var uid: Int
  var name: String?
  var width: Double?
  var isOpen: Bool
  var madeAt: Date?
  var link: URL?
  @Key("tags.tag") var labels: [Label]
  @Relationship(inverse: \Volume.shelf, onDelete: .cascade) @Key("volumes.volume") var volumes: [Volume]
  var lamp: Lamp?

  static var basePath: String { "shelves" }
  static var envelope: Envelope? { Envelope(list: "shelves.shelf", item: "shelf") }
}

@Entity final class Volume: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var pages: Int?
  var shelf: Shelf?
  @Relationship(inverse: \Page.volume, onDelete: .cascade) @Key("page") var leaves: [Page]

  static var basePath: String { "volumes" }
}

@Entity final class Label: RemoteEntity {
  @UID @Key("name") var uid: String
  @Key("#text") var text: String?

  static var basePath: String { "labels" }
}

/// Lives in its volume.
@Entity final class Page {
  var number: Int?
  var volume: Volume?
}

/// Updated by hand.
@Entity final class Lamp: RemoteEntity {
  @UID @Key("id") var uid: Int
  var watts: Int?
  @Relationship(inverse: \Bulb.lamp, onDelete: .cascade) var bulbs: [Bulb]

  static var basePath: String { "lamps" }

  func update(with response: ResponseObject) throws {
    try response.assign("watts", to: &watts)
    try response.assign("bulb", to: &bulbs)
  }
}

@Entity final class Bulb: RemoteEntity {
  @UID @Key("id") var uid: Int
  var lamp: Lamp?

  static var basePath: String { "bulbs" }
}

let shelfEntities: [any ManagedEntity.Type] = [
  Shelf.self, Volume.self, Label.self, Page.self, Lamp.self, Bulb.self,
]
