import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@Suite(.sample) struct CancellationTests {
  /// At 200 moments of a request's life: it throws and nothing is written, or it succeeds and all is.
  @Test func `a response is taken in wholly or not at all`() async throws {
    let list = JSONValue((1...300).map { ["id": JSONValue($0), "email": "x"] })
    try StubAdapter.current.on(.get, "/users", .json(list).chunked(3))
    let entities: [any ManagedEntity.Type] = sampleEntities
    var cancelled = 0
    for moment in 0..<200 {
      let store = try EntityStore(.inMemory, entities: entities)
      let task = Task { try await User.get(in: store) }
      // Moments spread over the time that a request takes here; each is as likely as another, and none is waited for.
      for _ in 0..<moment * moment / 20 { await Task.yield() }
      task.cancel()
      let isDone: Bool
      do {
        isDone = try await task.value.counts.inserted == 300
      } catch is CancellationError {
        isDone = false
        cancelled += 1
      }
      #expect(try await store.read { try $0.count(User.all) } == (isDone ? 300 : 0))
    }
    #expect(cancelled > 0)
  }

  @Test @MainActor func `edits stay when their request is cancelled`() async throws {
    let user = try #require(try await User.upsert(from: ["id": 1, "email": "a"]).object)
    let gate = StubGate()
    try StubAdapter.current.on(.put, "/users/1", .json(["id": 1, "email": "b"]).waiting(for: gate))
    user.email = "b"
    let task = Task { try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) } }
    await gate.arrival()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(user.email == "b")
    #expect(user.hasChanges)
    user.entityContext?.rollback()
    #expect(user.email == "a")
  }
}
