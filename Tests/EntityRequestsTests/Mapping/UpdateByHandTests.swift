import EntityClient
import Foundation
import Observation
import Testing

/// Updates by hand that misbehave, and the notifications that observers get from correct ones.
@Suite struct UpdateByHandTests {
  @Test func `an update that throws leaves nothing`() async throws {
    let store = try twins()
    await #expect(throws: MappingError.self) {
      try await store.receive(Handed.self, [["data": ["id": 1]], ["data": ["id": 2], "rating": "much"]])
    }
    #expect(try await store.read { try $0.count(Handed.all) } == 0)
  }

  @Test @MainActor func `a response object that was kept upserts nothing later`() async throws {
    let response: ResponseObject = ["mentor": ["uid": "x"]]
    #expect(throws: MappingError.self) { try response.upsert(Author.self, from: "mentor") }
    await #expect(throws: MappingError.self) {
      try await Task.detached { _ = try response.upsert(Author.self, from: "mentor")?.uid }.value
    }
  }

  @Test func `a cancelled response writes nothing`() async throws {
    let store = try library()
    let list = (0..<5000).map { ["id": JSONValue($0)] as JSONObject }.responseValue
    let task = Task {
      try await store.receive(Book.self, list) { request in
        request.progress = { _ in withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await store.read { try $0.count(Book.all) } == 0)
  }

  @Test func `progress only grows`() async throws {
    let store = try library()
    let list = (0..<3000).map { ["id": JSONValue($0)] as JSONObject }.responseValue
    let parts = Parts()
    _ = try await store.receive(Book.self, list) { $0.progress = { parts.add($0) } }
    #expect(parts.all.count > 5)
    #expect(parts.all == parts.all.sorted())
    #expect(parts.all.allSatisfy { $0 > 0 && $0 <= 1 })
  }

  @Test @MainActor func `equal and absent keys notify no observer`() async throws {
    let store = try twins()
    let payload: JSONValue = [
      "data": ["id": 1], "name": "n", "place": ["city": "Oslo"], "parent": ["data": ["id": 2]], "children": [3],
    ]
    _ = try await store.receive(Handed.self, payload)
    let object = try #require(try store.main.fetch(Handed.self, uid: 1))
    let woken = Parts()
    withObservationTracking {
      _ = (object.uid, object.name, object.city, object.parent, object.children, object.rating, object.seenAt)
    } onChange: {
      woken.add(1)
    }
    _ = try await store.receive(Handed.self, payload)
    _ = try await store.receive(Handed.self, ["data": ["id": "1"]])
    try store.mergeMain()
    #expect(woken.all.isEmpty)
    #expect(!object.hasChanges)
    _ = try store.main.upsert(Handed.self, from: ["data": ["id": 1], "name": "n", "children": [3]])
    #expect(woken.all.isEmpty)
    #expect(!object.hasChanges)
    _ = try await store.receive(Handed.self, ["data": ["id": 1], "place": ["city": nil]])
    try store.mergeMain()
    #expect(woken.all.count == 1)
    #expect(object.city == nil)
  }
}

private final class Parts: Sendable {
  private let values = LockedValues()

  func add(_ value: Double) { values.add(value) }
  var all: [Double] { values.all }
}

/// `@unchecked Sendable`: the lock is held for every use of the array.
private final class LockedValues: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [Double] = []

  func add(_ value: Double) { lock.withLock { values.append(value) } }
  var all: [Double] { lock.withLock { values } }
}
