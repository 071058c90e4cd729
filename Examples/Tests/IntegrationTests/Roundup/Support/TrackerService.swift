import Adapters
import EntityClient
import Foundation
import Testing

@testable import Roundup

/// The tracker that `scripts/integration roundup` starts and names in the environment.
enum TrackerService {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_ROUNDUP"].flatMap { URL(string: $0) }

  /// Runs a body signed in to the tracker, with an empty store in a file.
  @MainActor static func signedIn<R>(
    as user: String = "admin", _ password: String = "admin", _ body: @MainActor (EntityStore) async throws -> R
  ) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roundup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EntityStore(.file(folder.appending(path: "tracker.sqlite")), entities: Tracker.entities)
    let client = try Tracker.client(
      #require(url), user: user, password: password, adapter: CurlAdapter(), store: store)
    return try await Client.withClient(client) { try await body(store) }
  }

  /// Makes sure that there is a user without an administrator's rights, with the password `secret`.
  @MainActor static func enroll(_ name: String) async throws {
    try await signedIn { store in
      try await User.sync()
      guard try store.main.fetch(User.where { $0.username == name }).isEmpty else { return }
      try await User.post {
        try $0.setJSON(["username": name, "password": "secret", "address": "\(name)@example.com", "roles": "User"])
      }
    }
  }
}
