import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Answers that are known in a file which two stores have open, as two processes do.
@Suite struct SharedAnswerTests {
  @Test func `a write by a process that knows no answers ends the answers of another process`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "store.sqlite"))
    let server = CachingServer()
    server.stub.on(.post, "/users", .status(204))
    // Opened while the file has no note.
    let other = try EntityStore(file, entities: sampleEntities)
    let store = try EntityStore(file, entities: sampleEntities)
    let client = try server.client(store)
    func get() async throws -> Int {
      _ = try await Client.withClient(client) {
        try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(600))))
      }
      return server.stub.requests.filter { $0.method == .get }.count
    }
    #expect(try await get() == 1)
    #expect(try await get() == 1)
    for round in 2...3 {
      _ = try await Client.withClient(server.client(other)) { try await User.post { _ in } }
      #expect(try await get() == round)
      #expect(try await get() == round)
    }
  }
}
