import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// The rows of an answer and its note are one transaction.
@Suite struct AnswerTransactionTests {
  /// Where the transaction breaks: by the note itself, or at the commit after it.
  enum Break: String, CaseIterable {
    case atTheNote = "SELECT RAISE(ABORT, 'broken by the test')"
    case atTheCommit = "INSERT INTO broken VALUES (1)"
  }

  @Test(arguments: Break.allCases, [true, false])
  func `a break between the rows and their note leaves neither`(_ place: Break, _ isFile: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EntityStore(
      isFile ? .file(folder.appending(path: "store.sqlite")) : .inMemory, entities: sampleEntities)
    let server = CachingServer()
    let client = try server.client(store)
    // A reference that the commit refuses, as a kill before it leaves nothing.
    try await store.core.unit { rows in
      try rows.connection.execute("CREATE TABLE whole (id INTEGER PRIMARY KEY)")
      try rows.connection.execute(
        "CREATE TABLE broken (id INTEGER REFERENCES whole (id) DEFERRABLE INITIALLY DEFERRED)")
      try rows.connection.execute(
        "CREATE TRIGGER breaking AFTER INSERT ON \(AnswerNotes.table) BEGIN \(place.rawValue); END")
    }
    func get() async throws -> EntityResponse<User> {
      try await Client.withClient(client) { try await User.get(options: .asked) }
    }
    let error = try await #require(throws: RequestError.self) { try await get() }
    #expect(error.kind == .upsert)
    #expect(try await store.read { try $0.fetch(User.self).count } == 0)
    #expect(try await store.noteCount() == 0)
    // Nor does the process take the answer for known.
    await #expect(throws: RequestError.self) {
      try await Client.withClient(client) { try await User.get(options: .known) }
    }
    try await store.core.unit { try $0.connection.execute("DROP TRIGGER breaking") }
    #expect(try await get().counts.inserted == 2)
    #expect(server.tags == ["-", "-"], "no validator was known")
    #expect(try await get().origin == .notModified)
    #expect(try await store.noteCount() == 1)
  }
}
