import EntityClient

/// A file; its content is fetched when it is wanted.
@Entity final class Attachment {
  @UID @Key("id") var uid: String
  var name: String
  @Key("type") var contentType: String?
  @Relationship(inverse: \Issue.files) var issues: [Issue]
  @Key("@etag") var etag: String?
}
