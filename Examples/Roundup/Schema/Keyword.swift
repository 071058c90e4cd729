import EntityClient

@Entity final class Keyword {
  @UID @Key("id") var uid: String
  @Indexed var name: String
  @Relationship(inverse: \Issue.keywords) var issues: [Issue]
  @Key("@etag") var etag: String?
}
