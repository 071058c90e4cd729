import EntityClient
import EntityTesting
import Testing

/// Rows that a response lacks, and that a delete rule or a required link holds.
@Suite struct BlockedDeletionTests {
  @Test func `a required object stays, and the rest of the list is taken in`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, [["id": 1, "studio": ["id": 1]], ["id": 2, "studio": ["id": 2]]])
    _ = try await store.receive(Studio.self, [["id": 3, "name": "C"], ["id": 4]])
    let outcome = try await store.receive(Studio.self, [["id": 4, "name": "D"], ["id": 5]]) {
      $0.missing = .deleteMissing(in: Studio.all)
    }
    #expect(outcome.counts.deleted == 1)
    #expect(outcome.counts.denied == 2)
    #expect(outcome.counts.inserted == 1)
    #expect(outcome.counts.updated == 1)
    #expect(try await store.read { try $0.fetch(Studio.self).map(\.uid) } == [1, 2, 4, 5])
    #expect(try await store.read { try $0.fetch(Film.self).map(\.studio.uid) } == [1, 2])
    // Once nothing holds it, it goes with the next answer that lacks it.
    _ = try await store.receive(Film.self, [["id": 1, "studio": 5]]) { $0.missing = .deleteMissing(in: Film.all) }
    let next = try await store.receive(Studio.self, [["id": 4], ["id": 5]]) {
      $0.missing = .deleteMissing(in: Studio.all)
    }
    #expect(next.counts.deleted == 2)
    #expect(next.counts.denied == 0)
  }

  @Test @MainActor func `the main context hears of the deletions`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, [["id": 1, "studio": ["id": 1, "name": "A"]]])
    _ = try await store.receive(Studio.self, [["id": 2, "name": "B"]])
    let studios = try store.main.fetch(Studio.self)
    #expect(studios.map(\.name) == ["A", "B"])
    let outcome = try await store.receive(Studio.self, []) { $0.missing = .deleteMissing(in: Studio.all) }
    #expect(outcome.counts.deleted == 1)
    #expect(outcome.counts.denied == 1)
    #expect(outcome.counts.rowsWritten == 1)
    try store.mergeMain()
    #expect(!studios[0].isDeleted)
    #expect(studios[1].isDeleted)
    #expect(studios[0].name == "A")
  }

  @Test func `an embedded member that is held stays and changes nothing`() async throws {
    let store = try EntityStore(.inMemory, entities: [Board.self, Card.self, Pin.self, Clip.self])
    _ = try await store.receive(Board.self, ["id": 1, "cards": [["text": "a"], ["text": "b"]]])
    try await store.background { context in
      let card = try #require(try context.fetch(Board.self, uid: 1)?.cards.last)
      try context.insert(Clip.self).card = card
    }
    for _ in 0..<2 {
      let outcome = try await store.receive(Board.self, ["id": 1, "cards": [["text": "a"]]])
      #expect(outcome.counts.unchanged == 1)
      #expect(outcome.counts.rowsWritten == 0)
    }
    #expect(try await store.read { try $0.fetch(Card.self).map(\.text) } == ["a", "b"])
  }
}

@Entity final class Clip {
  var card: Card
}
