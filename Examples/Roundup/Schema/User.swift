import EntityClient

@Entity final class User {
  @UID @Key("id") var uid: String
  var username: String
  var realname: String?
  var address: String?  // told to an administrator and to the user, and to no one else
  @Relationship(inverse: \Issue.assignedTo) var assigned: [Issue]
  @Relationship(inverse: \Issue.nosy) var watched: [Issue]
  @Key("@etag") var etag: String?
}
