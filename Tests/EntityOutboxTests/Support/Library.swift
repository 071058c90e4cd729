import EntityClient

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

let libraryEntities: [any ManagedEntity.Type] = [Chapter.self, Verse.self, Story.self]
