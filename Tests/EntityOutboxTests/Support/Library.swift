import EntityClient
import Foundation

/// The service has versions in `ETag`.
@Entity final class Chapter: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var note: String?
  var likes: Int = 0

  static var basePath: String { "chapters" }
  static var outbox: OutboxRules<Chapter> {
    [
      .rest, .ifMatch(.etag),
      .merging(
        .byColumn(
          .merge(\Chapter.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
          .column(\Chapter.Columns.note, .fail), .column(\Chapter.Columns.title, .theirs))),
    ]
  }
}

/// The service has versions in an attribute.
@Entity final class Verse: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var mood: String?
  var version: Int = 0

  static var basePath: String { "verses" }
  static var outbox: OutboxRules<Verse> { [.rest, .ifMatch(.attribute(\.version))] }
}

/// The service is Rails' with optimistic locking.
@Entity final class Story: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var mood: String?
  var lockVersion: Int = 0

  static var basePath: String { "stories" }
  static var outbox: OutboxRules<Story> { [.rest, .ifMatch(.body(\.lockVersion))] }
}

/// The service says which objects it has deleted.
@Entity final class Scroll: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var note: String?

  static var basePath: String { "scrolls" }
  static var deletionKey: String? { "deleted" }
  static var outbox: OutboxRules<Scroll> {
    [.rest, .merging(.byColumn(.column(\Scroll.Columns.text, .theirs), others: .mine))]
  }
}

/// The service has the time of an object's last change.
@Entity final class Leaflet: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var note: String?
  @Key("updated_at") var updatedAt: Date?

  static var basePath: String { "leaflets" }
  static var outbox: OutboxRules<Leaflet> {
    [.rest, .merging(.byColumn(.column(\Leaflet.Columns.note, .newest(by: \Leaflet.Columns.updatedAt))))]
  }
}

/// The same with a mapping by hand, for all properties.
@Entity final class Flyer: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String = ""
  var updatedAt: Date = Date(timeIntervalSince1970: 0)

  static var basePath: String { "flyers" }
  static var outbox: OutboxRules<Flyer> { [.rest, .merging(.newest(by: \Flyer.Columns.updatedAt))] }

  nonisolated func update(with response: ResponseObject) throws {
    try response.assign("updated_at", to: &updatedAt)
    try response.assign("text", to: &text)
  }
}

let libraryEntities: [any ManagedEntity.Type] = [
  Chapter.self, Verse.self, Story.self, Scroll.self, Leaflet.self, Flyer.self,
]
