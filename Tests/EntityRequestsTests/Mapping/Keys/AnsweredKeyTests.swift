import EntityClient
import EntityStore
import Testing

@testable import EntityRequests

/// An answer has its word on the keys that it has, and leaves the others to older answers.
@Suite struct AnsweredKeyTests {
  /// Takes in `newer` while the request of `older` is under way, and then `older`.
  private func overtake<E: RemoteEntity>(
    _ type: E.Type, _ store: EntityStore, _ older: JSONValue, by newer: JSONValue
  ) async throws {
    let numbers = (store.core.requests.begin(), store.core.requests.begin())
    _ = try await store.upsert(ResponseUpsert<E>(newer, sequence: numbers.1))
    _ = try await store.upsert(ResponseUpsert<E>(older, sequence: numbers.0))
    store.core.requests.end(numbers.0)
    store.core.requests.end(numbers.1)
  }

  private func checkColumns<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
    let texts = { [store] in
      try await store.read { try $0.fetch(E.self).map { "\($0.title) \($0.note ?? "-") \($0.version)" } }
    }
    try await overtake(
      E.self, store, ["id": 7, "title": "old", "note": "n", "version": 3], by: ["id": 7, "title": "new"])
    #expect(try await texts() == ["new n 3"])
    // An equal value is a word, too.
    try await overtake(E.self, store, ["id": 7, "title": "old", "version": 4], by: ["id": 7, "title": "new"])
    #expect(try await texts() == ["new n 4"])
    // An answer that only names the object says nothing more.
    try await overtake(E.self, store, ["id": 7, "title": "last", "note": nil, "version": 5], by: ["id": 7])
    #expect(try await texts() == ["last - 5"])
    // A null is a value.
    try await overtake(E.self, store, ["id": 7, "note": "late"], by: ["id": 7, "note": nil])
    #expect(try await texts() == ["last - 5"])
  }

  @Test func `a key that a newer answer lacks is left to the older one`() async throws {
    try await checkColumns(Ticket.self)
    try await checkColumns(HandTicket.self)
  }

  @Test func `a list that a newer answer lacks is left to the older answer`() async throws {
    let store = try films()
    let (older, newer): (JSONValue, JSONValue) = (
      ["id": 1, "title": "old", "studio": 1, "cast": [1, 2]], ["id": 1, "title": "new", "studio": 1]
    )
    try await overtake(Film.self, store, older, by: newer)
    try await overtake(HandFilm.self, store, older, by: newer)
    func check() async throws {
      #expect(try await store.read { try $0.fetch(Film.self).map { $0.cast.map(\.uid) } } == [[1, 2]])
      #expect(try await store.read { try $0.fetch(HandFilm.self).map { $0.cast.map(\.uid) } } == [[1, 2]])
    }
    try await check()
    // A list that the newer answer has is its own.
    let (early, late): (JSONValue, JSONValue) = (["id": 1, "cast": [3]], ["id": 1, "cast": [1, 2]])
    try await overtake(Film.self, store, early, by: late)
    try await overtake(HandFilm.self, store, early, by: late)
    try await check()
  }
}
