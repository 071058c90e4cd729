import EntityClient
import EntityStore
import EntityTesting
import Testing

/// Edits of many-to-many lists, requests that carry the lists, and answers that overlap.
@MainActor struct OverlappingListTests {
  @MainActor private struct Shelf {
    let store: EntityStore
    let film: Film
    let players: [Player]

    var main: EntityContext { store.main }
    var cast: [Int] { film.cast.map(\.uid).sorted() }

    init(cast: [JSONValue]) async throws {
      store = try films()
      _ = try await store.receive(Player.self, [["id": 1], ["id": 2], ["id": 3]])
      _ = try await store.receive(Film.self, ["id": 1, "studio": ["id": 1], "cast": JSONValue(cast)])
      film = try #require(try store.main.fetch(Film.self, uid: 1))
      players = try store.main.fetch(Player.self).sorted { $0.uid < $1.uid }
    }

    /// The uids before the edits, and now.
    func expectPending(_ expected: [[Int]], sourceLocation: SourceLocation = #_sourceLocation) async throws {
      func uids(_ value: PendingValue?) throws -> [Int] {
        guard case .list(let ids) = value else { return [] }
        return try ids.compactMap { id in try store.main.object(EntityID<Player>(pk: id.pk))?.uid }.sorted()
      }
      let edits = try await store.pending.changes(of: Film.self).flatMap(\.edits)
      let found = try edits.flatMap { [try uids($0.base), try uids($0.value)] }
      #expect(found == expected, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `a member that comes back is not the member that was sent`(_ isSaved: Bool, _ isInOrder: Bool) async throws {
    let shelf = try await Shelf(cast: [])
    func set(_ cast: [Player]) async throws {
      shelf.film.cast = cast
      if isSaved { try await shelf.main.save() }
    }
    try await set([shelf.players[0]])
    let first = HandSent(shelf.film, "cast", in: shelf.store)
    try await set([])
    let second = HandSent(shelf.film, "cast", in: shelf.store)
    try await set([shelf.players[0]])
    for sent in isInOrder ? [first, second] : [second, first] { try await sent.answer() }
    #expect(shelf.cast == [1])
    try await shelf.main.save()
    try await shelf.expectPending([[], [1]])
    try await HandSent(shelf.film, "cast", in: shelf.store).answer()
    try await shelf.expectPending([])
    #expect(shelf.cast == [1])
  }

  @Test(arguments: [false, true], [false, true])
  func `a member that goes again is not the member that was taken out`(_ isSaved: Bool, _ isInOrder: Bool) async throws
  {
    let shelf = try await Shelf(cast: [1])
    func set(_ cast: [Player]) async throws {
      shelf.film.cast = cast
      if isSaved { try await shelf.main.save() }
    }
    try await set([])
    let first = HandSent(shelf.film, "cast", in: shelf.store)
    try await set([shelf.players[0]])
    let second = HandSent(shelf.film, "cast", in: shelf.store)
    try await set([])
    for sent in isInOrder ? [first, second] : [second, first] { try await sent.answer() }
    #expect(shelf.cast == [])
    try await shelf.main.save()
    try await shelf.expectPending([[1], []])
    try await HandSent(shelf.film, "cast", in: shelf.store).answer()
    try await shelf.expectPending([])
    #expect(shelf.cast == [])
  }

  @Test(arguments: [false, true])
  func `a list that returns to its saved content is not the list that was sent`(_ isInOrder: Bool) async throws {
    let shelf = try await Shelf(cast: [])
    shelf.film.cast = [shelf.players[0]]
    try await shelf.main.save()
    let first = HandSent(shelf.film, "cast", in: shelf.store)
    shelf.film.cast = []
    let second = HandSent(shelf.film, "cast", in: shelf.store)
    // The rows have it, so that the save writes nothing.
    shelf.film.cast = [shelf.players[0]]
    try await shelf.main.save()
    for sent in isInOrder ? [first, second] : [second, first] { try await sent.answer() }
    #expect(shelf.cast == [1])
    try await shelf.expectPending([[], [1]])
    try await HandSent(shelf.film, "cast", in: shelf.store).answer()
    try await shelf.expectPending([])
  }

  @Test(arguments: [false, true])
  func `a list that the server has changed stays changed`(_ isSaved: Bool) async throws {
    let shelf = try await Shelf(cast: [])
    shelf.film.cast = Array(shelf.players.prefix(2))
    if isSaved { try await shelf.main.save() }
    let first = HandSent(shelf.film, "cast", in: shelf.store)
    let second = HandSent(shelf.film, "cast", in: shelf.store)
    try await first.answer(["id": 1, "cast": [1]])
    try await second.answer()
    #expect(shelf.cast == [1])
    try await shelf.expectPending([])
  }

  @Test func `a list that was sent by hand does not end a later edit`() async throws {
    let shelf = try await Shelf(cast: [2])
    var changes: [PendingChange] = []
    for cast in [[0], [1], [0]] {
      shelf.film.cast = cast.map { shelf.players[$0] }
      try await shelf.main.save()
      changes.append(try #require(try await shelf.store.pending.changes(of: Film.self).first))
    }
    try await shelf.store.pending.acknowledge(changes[0])
    try await shelf.expectPending([[1], [1]])
    try await shelf.store.pending.acknowledge(changes[1])
    try await shelf.expectPending([[2], [1]])
    try await shelf.store.pending.acknowledge(changes[2])
    try await shelf.expectPending([])
  }

  @Test func `a member that was added and taken out again is not put back`() async throws {
    let shelf = try await Shelf(cast: [2])
    shelf.film.cast = [shelf.players[0], shelf.players[1]]
    try await shelf.main.save()
    shelf.film.cast = [shelf.players[1]]
    try await shelf.main.save()
    try await shelf.expectPending([[2], [2]])
    try await shelf.store.pending.discardAll()
    try shelf.store.mergeMain()
    #expect(shelf.cast == [2])
    try await shelf.expectPending([])
  }

  @Test func `a member that was taken out and put back stays`() async throws {
    let shelf = try await Shelf(cast: [1, 2])
    for cast in [[1], [0, 1]] {
      shelf.film.cast = cast.map { shelf.players[$0] }
      try await shelf.main.save()
    }
    try await shelf.expectPending([[1, 2], [1, 2]])
    try await shelf.store.pending.discardAll()
    try shelf.store.mergeMain()
    #expect(shelf.cast == [1, 2])
    try await shelf.expectPending([])
  }

  @Test func `an answer with the edited list ends its edits`() async throws {
    let shelf = try await Shelf(cast: [1])
    shelf.film.cast = [shelf.players[1], shelf.players[2]]
    try await shelf.main.save()
    // The server has a 2 by now, and the 1 still.
    _ = try await shelf.store.receive(Film.self, ["id": 1, "cast": [1, 2]])
    try await shelf.expectPending([[1, 2], [2, 3]])
    _ = try await shelf.store.receive(Film.self, ["id": 1, "cast": [2, 3]])
    try await shelf.expectPending([])
    _ = try await shelf.store.receive(Film.self, ["id": 1, "cast": [1]])
    try shelf.store.mergeMain()
    #expect(shelf.cast == [1])
  }
}
