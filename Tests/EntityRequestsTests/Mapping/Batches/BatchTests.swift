import EntityClient
import Synchronization
import Testing

/// Objects that are updated by hand are written in batches.
@Suite struct BatchTests {
  private func store() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Batched.self, Seat.self, HandSeat.self])
  }

  private func list(_ count: Int, _ more: (Int) -> JSONValue = { _ in nil }) -> JSONValue {
    JSONValue((1...count).map { ["id": JSONValue($0), "name": "n", "friend": more($0)] as JSONValue })
  }

  @Test func `each row is written once and the next objects find it`() async throws {
    let store = try store()
    // Each refers to the one before it, and every tenth to one that comes later.
    let payload = list(700) { JSONValue($0 == 1 ? 2 : $0 % 10 == 0 && $0 < 700 ? $0 + 1 : $0 - 1) }
    let outcome = try await store.receive(Batched.self, payload)
    #expect(outcome.counts.inserted == 700)
    #expect(outcome.ids.count == 700)
    let friends = try await store.read { context in
      try context.fetch(Batched.self).filter { $0.uid % 10 == 5 }.map { $0.uid - ($0.friend?.uid ?? 0) }
    }
    #expect(friends == Array(repeating: 1, count: 70))
    // A placeholder that waits in the same batch is one row with its object.
    #expect(outcome.counts.rowsWritten < 705)
    #expect(try await store.receive(Batched.self, payload).counts.rowsWritten == 0)
  }

  @Test func `a batch is bounded`() async throws {
    let store = try store()
    let waiting = Waiting()
    _ = try await Batched.$waiting.withValue(waiting) { try await store.receive(Batched.self, list(1_200)) }
    let most = waiting.most
    #expect(most > 1)
    #expect(most <= 256)
  }

  @Test func `objects that are nested in another object are written meanwhile`() async throws {
    let store = try store()
    let waiting = Waiting()
    let payload: JSONValue = [["id": 0, "name": "n", "all": list(1_500)]]
    let outcome = try await Batched.$waiting.withValue(waiting) { try await store.receive(Batched.self, payload) }
    #expect(outcome.counts.inserted == 1)
    let most = waiting.most
    #expect(most > 1)
    #expect(most <= 520)
    #expect(try await store.read { try $0.count(Batched.all) } == 1_501)
  }

  @Test func `an error of a batch names its own object`() async throws {
    let store = try store()
    let seats = (0..<300).map { ["id": JSONValue($0), "code": JSONValue("\($0 == 7 ? 3 : $0)")] as JSONValue }
    let error = await #expect(throws: StoreError.self) { try await store.receive(HandSeat.self, JSONValue(seats)) }
    #expect(error?.kind == .uniqueViolation)
    #expect(error?.message.hasPrefix("Object 7 of the response") == true, "\(error?.message ?? "-")")
  }

  @Test func `a value that is set back is no update`() async throws {
    let store = try store()
    _ = try await store.receive(Batched.self, [["id": 1, "name": "a"], ["id": 2, "name": "a"]])
    let outcome = try await store.receive(
      Batched.self, [["id": 1, "name": "a", "first": "b"], ["id": 2, "name": "c", "first": "b"]])
    #expect(outcome.counts.unchanged == 1)
    #expect(outcome.counts.updated == 1)
    #expect(outcome.counts.rowsWritten == 1)
  }

  @Test @MainActor func `the answer about an unsaved object makes its row`() async throws {
    let store = try store()
    let object = try store.main.insert(Batched.self)
    object.name = "mine"
    let id = object.entityID
    let outcome = try await store.receive(Batched.self, ["id": 5, "name": "theirs"]) {
      $0.target = id
      $0.targetIsUnsaved = true
    }
    #expect(outcome.ids == [id])
    #expect(outcome.counts.inserted == 1)
    let read = try await store.read { try $0.fetch(Batched.self).map { "\($0.uid) \($0.name ?? "-")" } }
    #expect(read == ["5 theirs"])
  }
}

/// The most objects that waited to be written at once.
final class Waiting: Sendable {
  private let count = Mutex(0)

  var most: Int { count.withLock { $0 } }

  func note(_ new: Int) { count.withLock { $0 = max($0, new) } }
}

@Entity final class Batched: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var friend: Batched?

  static var basePath: String { "batched" }

  @TaskLocal static var waiting: Waiting?

  func update(with response: ResponseObject) throws {
    try response.assign("first", to: &name)
    try response.assign("name", to: &name)
    try response.assign("friend", to: &friend)
    _ = try response.upsert([Batched].self, from: "all")
    if let waiting = Self.waiting, let context = entityContext { waiting.note(context.changes.inserted.count) }
  }
}
