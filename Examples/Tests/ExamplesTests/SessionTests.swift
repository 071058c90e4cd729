import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import Screens

extension InstalledClientTests {
  /// The code of the article *Accounts*.
  @MainActor @Suite struct SessionTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString)")

    private func session(_ account: String, _ stub: StubAdapter, ended: @escaping @Sendable () -> Void = {}) throws
      -> Session
    {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let renewal = try #require(URL(string: "https://api.example.com/token"))
      return try Session(
        account, Token("t0", refreshToken: "r0", renewedAt: renewal, ended: ended), at: "https://api.example.com",
        in: .file(folder.appending(path: "\(account).sqlite")), by: stub)
    }

    @Test func `a login that ended is told once, and the request ends with its 401`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let stub = StubAdapter()
      stub.on(.get, "/notes", .status(401)).on(.post, "/token", .status(403))
      let ends = Mutex(0)
      let session = try session("ada", stub) { ends.withLock { $0 += 1 } }
      let error = try await #require(throws: RequestError.self) { try await Note.get() }
      #expect(error.status == 401)
      #expect(ends.withLock(\.self) == 1)
      try await session.logOut(deletingFile: false)
    }

    @Test func `after a logout nothing is sent, and the next account sees nothing of the former one`() async throws {
      defer { try? FileManager.default.removeItem(at: folder) }
      let stub = StubAdapter()
      stub.on(.get, "/notes", .json([["id": 1, "title": "Milk"]]))
      let ada = try session("ada", stub)
      try await Note.get()
      try await ada.logOut(deletingFile: true)
      let error = try await #require(throws: RequestError.self) { try await Note.get() }
      #expect(error.kind == .notInstalled)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])

      let bea = try session("bea", stub)
      #expect(try await bea.store.read { try $0.count(Note.all) } == 0)
      try await bea.logOut(deletingFile: false)
      let again = try session("bea", stub)
      try await again.logOut(deletingFile: true)
    }
  }
}
