import EntityClient

@Entity final class Priority {
  @UID @Key("id") var uid: String
  var name: String
  var order: Double
  @Key("@etag") var etag: String?
}

@Entity final class Status {
  @UID @Key("id") var uid: String
  var name: String
  var order: Double
  @Relationship(inverse: \Issue.status) var issues: [Issue]
  @Key("@etag") var etag: String?
}
