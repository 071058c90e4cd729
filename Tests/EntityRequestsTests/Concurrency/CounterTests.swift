import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class HitCounter: RemoteEntity {
  @UID @Key("id") var uid: Int
  var hits: Int

  nonisolated static var basePath: String { "tallies" }
  nonisolated static var conflictPolicy: ConflictPolicy? {
    .byColumn(.merge(\HitCounter.Columns.hits) { base, mine, theirs in theirs + (mine - base) })
  }
}

/// Two clients that both add to a number of the server.
@Suite(.client(entities: [HitCounter.self])) @MainActor struct CounterTests {
  private func read(_ hits: Int) async throws -> HitCounter {
    try StubAdapter.current.on(.get, "tallies/1", .json(["id": 1, "hits": JSONValue(hits)]))
    return try #require(try await HitCounter.get("1").object)
  }

  private func put(_ tally: HitCounter) async throws -> Int? {
    let stub = try StubAdapter.current
    stub.on(.put, "tallies/1", .json(["id": 1, "hits": JSONValue(tally.hits)]))
    try await tally.put { try $0.setJSON(tally.jsonObject(for: \.hits)) }
    return try #require(stub.requests.last?.json)["hits"]?.int
  }

  @Test func `an increment that is saved is sent as the number that it made`() async throws {
    let tally = try await read(0)
    tally.hits += 1
    try await Client.current.store.main.save()
    // The other client was faster: the server has 5.
    #expect(try await read(5).hits == 1)
    #expect(try await put(tally) == 1)
  }

  @Test func `two saved increments are sent as one`() async throws {
    let tally = try await read(0)
    tally.hits += 1
    try await Client.current.store.main.save()
    let response = try await read(1)
    #expect(response.hits == 1)
    #expect(try await Client.current.store.pending.changes().isEmpty)
  }

  @Test func `an increment that is unsaved is merged`() async throws {
    let tally = try await read(0)
    tally.hits += 1
    #expect(try await read(5).hits == 1)
    try await Client.current.store.main.save()
    #expect(tally.hits == 6)
    #expect(try await put(tally) == 6)
  }

  @Test func `the loser of two writes adds to what the server has`() async throws {
    let tally = try await read(0)
    let stub = try StubAdapter.current
    try await add(3, to: tally)
    #expect(tally.hits == 3)
    stub.on(.put, "tallies/1", .status(412))
    stub.on(.get, "tallies/1", .json(["id": 1, "hits": 7]))
    await #expect(throws: RequestError.self) { try await add(1, to: tally) }
    #expect(tally.hits == 7)
  }

  private func add(_ count: Int, to tally: HitCounter) async throws {
    let stub = try StubAdapter.current
    if count == 3 { stub.on(.put, "tallies/1", .json(["id": 1, "hits": 3])) }
    do {
      tally.hits += count
      try await Client.current.store.main.save()
      try await tally.put { try $0.setJSON(tally.jsonObject(for: \.hits)) }
    } catch let error as RequestError where error.status == 412 {
      try await tally.get(options: .localEdits(.overwrite))
      throw error
    }
  }
}
