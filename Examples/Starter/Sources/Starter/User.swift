import EntityClient

/// A user, as `GET /users` has it: `{"id": 1, "name": "Ada", "email": "ada@example.com", …}`.
@Entity final class User {
  @UID @Key("id") var uid: Int
  var name: String?
  var email: String?
}

extension User: RemoteEntity {
  static var basePath: String { "users" }
}
