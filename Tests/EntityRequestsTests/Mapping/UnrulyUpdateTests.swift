import EntityClient
import Testing

/// Updates by hand that save, roll back or delete in the middle of a response.
@Suite struct UnrulyUpdateTests {
  private func rows(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      try context.fetch(Unruly.self).map { "\($0.uid) \($0.name ?? "-") \($0.part?.color ?? "-")" }
    }
  }

  @Test func `a save in an update by hand changes nothing`() async throws {
    let store = try unruly()
    let list: JSONValue = [
      ["id": 1, "name": "a", "do": "save", "part": ["color": "red"], "friend": ["id": 2, "do": "save"]],
      ["id": 3, "do": "save"], ["id": 2, "name": "b"],
    ]
    let outcome = try await store.receive(Unruly.self, list)
    #expect(outcome.counts.inserted == 3)
    #expect(try await rows(store) == ["1 a red", "2 b -", "3 - -"].sorted { $0 < $1 })
    #expect(try await store.receive(Unruly.self, list).counts.rowsWritten == 0)
  }

  @Test func `a save in an update by hand is no commit`() async throws {
    let store = try unruly()
    await #expect(throws: MappingError.self) {
      try await store.receive(Unruly.self, [["id": 1, "do": "save"], ["id": 2, "name": ["x"]]])
    }
    #expect(try await rows(store).isEmpty)
  }

  @Test func `a rollback in an update by hand fails the response`() async throws {
    let store = try unruly()
    let error = await #expect(throws: StoreError.self) {
      try await store.receive(Unruly.self, [["id": 1], ["id": 2, "friend": ["id": 3, "do": "rollback"]], ["id": 4]])
    }
    #expect(error?.kind == .wrongContext)
    #expect(try await rows(store).isEmpty)
  }

  @Test func `an older answer leaves a list alone`() async throws {
    let store = try unruly()
    _ = try await store.receive(Unruly.self, [["id": 1], ["id": 2], ["id": 3]])
    let older = store.core.requests.begin()
    let newer = store.core.requests.begin()
    _ = try await store.upsert(ResponseUpsert<Unruly>(["id": 1, "followers": [2]], sequence: newer))
    store.core.requests.end(newer)
    _ = try await store.upsert(ResponseUpsert<Unruly>(["id": 1, "followers": [3]], sequence: older))
    store.core.requests.end(older)
    #expect(try await store.read { try $0.fetch(Unruly.self, uid: 1)?.followers.map(\.uid) } == [2])
  }

  @Test func `deleting itself is no error`() async throws {
    let store = try unruly()
    _ = try await store.receive(Unruly.self, [["id": 1, "part": ["color": "red"]], ["id": 2]])
    let list: JSONValue = [
      ["id": 1, "do": "delete", "part": ["color": "blue"]], ["id": 2, "name": "b"], ["id": 3, "do": "delete"],
    ]
    let outcome = try await store.receive(Unruly.self, list)
    #expect(outcome.counts.deleted == 1)
    #expect(outcome.counts.inserted == 0)
    #expect(try await rows(store) == ["2 b -"])
    #expect(try await store.read { try $0.count(Cover.all) } == 0)
  }

  @Test func `a list that is set heeds newer answers about its members`() async throws {
    let store = try unruly()
    _ = try await store.receive(Unruly.self, [["id": 1], ["id": 2], ["id": 3], ["id": 4, "friend": 1]])
    let older = store.core.requests.begin()
    _ = try await store.receive(Unruly.self, [["id": 2, "friend": 3], ["id": 4, "friend": 1]])
    _ = try await store.upsert(ResponseUpsert<Unruly>(["id": 1, "followers": [2]], sequence: older))
    #expect(try await friends(store) == ["2 3", "4 1"])
    store.core.requests.end(older)
    let oldest = store.core.requests.begin()
    _ = try await store.receive(Unruly.self, ["id": 1, "followers": [2]])
    _ = try await store.upsert(
      ResponseUpsert<Unruly>([["id": 2, "friend": 3], ["id": 4, "friend": 1]], sequence: oldest))
    store.core.requests.end(oldest)
    #expect(try await friends(store) == ["2 1"])
  }

  private func friends(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      try context.fetch(Unruly.self).compactMap { one in one.friend.map { "\(one.uid) \($0.uid)" } }.sorted()
    }
  }

  @Test func `a value that no case has is taken by the next setter only`() async throws {
    let store = try boards()
    _ = try await store.receive(Ranked.self, ["id": 1, "rank": "chief"])
    _ = try await store.receive(Ranked.self, ["id": 1, "level": "king", "title": "T", "resets": true])
    let read = try await store.read {
      try $0.fetch(Ranked.self, uid: 1).map { ($0.rank, $0.unrecognizedValue(of: \.rank) ?? "-") }
    }
    #expect(read?.0 == .member)
    #expect(read?.1 == "-")
  }
}
