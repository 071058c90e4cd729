import EntityClient
import EntityTesting
import Testing

// A small schema for side-loaded documents: readers with notes on papers.

@Entity final class Reader {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \Remark.reader) var remarks: [Remark]
  @Relationship(inverse: \HandRemark.reader) var handRemarks: [HandRemark]
}

@Entity final class Remark {
  @UID @Key("id") var uid: Int
  var text: String?
  var reader: Reader
  var topics: [Topic]
}

/// As `Remark`, updated by hand.
@Entity final class HandRemark {
  @UID @Key("id") var uid: Int
  var text: String?
  var reader: Reader
  var topics: [Topic]
}

@Entity final class Topic {
  @UID @Key("id") var uid: String
  var title: String?
  @Relationship(inverse: \Remark.topics) var remarks: [Remark]
  @Relationship(inverse: \HandRemark.topics) var handRemarks: [HandRemark]
}

/// Without uid.
@Entity final class Scrap {
  var text: String?
}

extension Reader: RemoteEntity { static var basePath: String { "readers" } }
extension Remark: RemoteEntity { static var basePath: String { "remarks" } }
extension Topic: RemoteEntity { static var basePath: String { "topics" } }
extension Scrap: RemoteEntity { static var basePath: String { "scraps" } }
extension HandRemark: RemoteEntity {
  static var basePath: String { "hand_remarks" }
  func update(with response: ResponseObject) throws {
    try response.assign("text", to: &text)
    try response.assign("reader", to: &reader)
    try response.assign("topics", to: &topics)
  }
}

let readingEntities: [any ManagedEntity.Type] = [
  Reader.self, Remark.self, HandRemark.self, Topic.self, Scrap.self,
]

extension Trait where Self == ClientTrait {
  static var reading: Self { .client(entities: readingEntities) }
}

extension EntityStore {
  /// How many rows are known by their uid alone.
  func placeholderCount() async throws -> Int {
    try await read { context in
      let readers = try context.fetch(Remark.all).map(\.reader.isPlaceholder)
      let topics = try context.fetch(Remark.all).flatMap { $0.topics.map(\.isPlaceholder) }
      let remarks = try context.fetch(Reader.all).flatMap { $0.remarks.map(\.isPlaceholder) }
      let byHand = try context.fetch(Reader.all).flatMap { $0.handRemarks.map(\.isPlaceholder) }
      let tagged = try context.fetch(Topic.all).flatMap { topic in
        topic.remarks.map(\.isPlaceholder) + topic.handRemarks.map(\.isPlaceholder)
      }
      return (readers + topics + remarks + byHand + tagged).count { $0 }
    }
  }
}
