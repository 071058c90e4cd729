public import EntityClient

/// The requests of users: what a project adds to an entity.
extension User: RemoteEntity {
  public static var basePath: String { "users/" }
}

extension User {
  /// Gets one user.
  public static func user(uid: Int) async throws -> EntityID<User>? { try await get("\(uid)").ids.first }

  /// Sends the e-mail address alone.
  public nonisolated(nonsending) func saveEmail() async throws {
    try await put { try $0.setJSON(dictionary(for: \.email)) }
  }

  /// Creates the user on the server, which gives it its uid.
  public nonisolated(nonsending) func create() async throws {
    try await post { try $0.setJSON(dictionary(for: \.email, \.firstName, \.lastName, \.age, \.active)) }
  }
}
