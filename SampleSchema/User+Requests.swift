public import EntityClient
public import Foundation

/// The requests of users, as a project adds them to an entity.
extension User: RemoteEntity {
  public static var basePath: String { "users" }
}

extension User {
  /// Gets one user.
  public static func user(uid: Int) async throws -> EntityID<User>? { try await get("\(uid)").ids.first }

  /// Gets the users whose name or e-mail address has a text in it.
  public static func search(_ text: String, limit: Int = 20) async throws -> EntityResponse<User> {
    try await get(query: ["q": text, "page": 1, "per_page": limit])
  }

  /// All users page by page, each committed when it is handed out; whom the server no longer has is deleted with the
  /// last one.
  public static func everyone(perPage: Int = 100) -> EntityPages<User> {
    pages(query: ["page": 1, "per_page": perPage], by: .link, options: .deleteMissing(in: User.all))
  }

  /// Creates the user on the server, which gives it its uid.
  public nonisolated(nonsending) func create() async throws {
    try await post(\.email, \.firstName, \.lastName, \.age, \.active)
  }

  /// Sends the e-mail address alone.
  public nonisolated(nonsending) func saveEmail() async throws {
    try await put(\.email)
  }

  /// Sends the user's own fields, as the form of a web page would.
  public nonisolated(nonsending) func saveProfile() async throws {
    try await patch { try $0.setForm(jsonObject(for: \.firstName, \.lastName, \.bio)) }
  }

  /// Uploads a picture; the answer says where it is.
  public nonisolated(nonsending) func setAvatar(png image: Data) async throws {
    try await put(to: "\(uid)/avatar") { try $0.setPNG(image) }
  }

  /// Gets the user's comments on posts.
  public nonisolated(nonsending) func comments(page: Int = 1) async throws -> EntityResponse<Comment> {
    try await Comment.get(User.resource(uid: uid, "comments"), query: ["page": page])
  }
}
