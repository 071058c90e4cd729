import EntityClient
import Foundation
import TestSupport
import Testing

/// Random edits of a many-to-many relationship from both sides, responses and acknowledgements, against a model of pairs:
/// in the rows or not, and by which lists they were edited since the server last knew them.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor @Suite struct RandomizedPairTests {
  @Test(arguments: [true, false])
  func `responses change the pairs that are not edited here`(isInMemory: Bool) async throws {
    try await run(isInMemory) { (\Film.cast, \Player.films) }
  }

  @Test(arguments: [true, false])
  func `an update by hand changes the same pairs`(isInMemory: Bool) async throws {
    try await run(isInMemory) { (\HandFilm.cast, \HandPlayer.films) }
  }

  private func run<F: RemoteEntity, P: RemoteEntity>(
    _ isInMemory: Bool, _ lists: @Sendable () -> (Pairs<F, P>.Cast, Pairs<F, P>.Films)
  ) async throws {
    await Seeds.each(isInMemory ? 40 : 10, sanitized: 3, isInMemory ? "memory" : "file") { seed, steps in
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pairs-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let location: StoreLocation = isInMemory ? .inMemory : .file(folder.appendingPathComponent("store.sqlite"))
      let (cast, films) = lists()
      var pairs = try await Pairs<F, P>(location, seed, cast, films)
      defer { steps = pairs.log.joined(separator: "; ") }
      try await pairs.go()
    }
  }
}

private struct Difference: Error, CustomStringConvertible { let description: String }

private struct Pair: Hashable, Sendable {
  let film: Int
  let player: Int
}

private enum Side: String, CaseIterable { case cast, films }

@MainActor
private struct Pairs<F: RemoteEntity, P: RemoteEntity> {
  typealias Cast = any ReferenceWritableKeyPath<F, [P]> & Sendable
  typealias Films = any ReferenceWritableKeyPath<P, [F]> & Sendable

  let store: EntityStore
  let cast: Cast
  let films: Films
  var random: SeededRandom
  var log: [String] = []

  /// The model: which pairs are in the rows, and through which lists they were edited and not acknowledged.
  var rows: Set<Pair> = []
  var marks: [Pair: Set<Side>] = [:]
  /// Requests under way: the object, the edits that it sent, and its list at that time.
  private var sent: [Sent] = []

  private struct Sent {
    let edits: SentEdits
    let object: any ManagedEntity
    let side: Side
    let uid: Int
    let members: Set<Int>
    /// The members whose pairs were edited since.
    var editedSince: Set<Int> = []
  }

  static var films: ClosedRange<Int> { 1...3 }
  static var players: ClosedRange<Int> { 1...4 }

  init(_ location: StoreLocation, _ seed: UInt64, _ cast: Cast, _ films: Films) async throws {
    store = try EntityStore(
      location, entities: [Film.self, Player.self, Studio.self, HandFilm.self, HandPlayer.self, HandStudio.self])
    (self.cast, self.films) = (cast, films)
    random = SeededRandom(seed)
    let filmValues = Self.films.map { ["id": JSONValue($0), "studio": 1] as JSONValue }
    let playerValues = Self.players.map { ["id": JSONValue($0)] as JSONValue }
    _ = try await store.receive(F.self, JSONValue(filmValues))
    _ = try await store.receive(P.self, JSONValue(playerValues))
  }

  mutating func go() async throws {
    for _ in 0..<(10 + random.below(25)) {
      try await next()
      try await compare()
    }
  }

  private mutating func next() async throws {
    let side: Side = random.below(2) == 0 ? .cast : .films
    let uid = 1 + random.below(side == .cast ? Self.films.count : Self.players.count)
    let all = side == .cast ? Array(Self.players) : Array(Self.films)
    var wanted: Set<Int> = []
    for other in all where random.below(2) == 0 { wanted.insert(other) }
    switch random.below(12) {
    case 0...3: try await respond(side, uid, wanted, overwrites: false)
    case 4: try await respond(side, uid, wanted, overwrites: true)
    case 5, 6: try await editInAUnit(side, uid, wanted)
    case 7, 8: try await editInMain(side, uid, wanted)
    case 9: try await editOne(side, uid, random.below(all.count) + 1, isIn: random.below(2) == 0)
    case 10: try send(side, uid)
    default: try await acknowledge()
    }
  }

  private func pair(_ side: Side, _ uid: Int, _ other: Int) -> Pair {
    side == .cast ? Pair(film: uid, player: other) : Pair(film: other, player: uid)
  }

  private func others(_ side: Side) -> ClosedRange<Int> { side == .cast ? Self.players : Self.films }

  private mutating func respond(_ side: Side, _ uid: Int, _ wanted: Set<Int>, overwrites: Bool) async throws {
    log.append("\(overwrites ? "overwriting " : "")response \(side) of \(uid): \(wanted.sorted())")
    let value = JSONValue(wanted.sorted().map { JSONValue($0) })
    let edits: LocalEdits = overwrites ? .overwrite : .keep
    let skipped =
      side == .cast
      ? try await store.receive(F.self, ["id": JSONValue(uid), "cast": value]) { $0.localEdits = edits }.skipped
      : try await store.receive(P.self, ["id": JSONValue(uid), "films": value]) { $0.localEdits = edits }.skipped
    for other in others(side) {
      let pair = pair(side, uid, other)
      if overwrites { marks[pair] = nil }
      // A response that agrees with an edit ends it, unless a request carries the list on either side.
      if marks[pair] != nil, rows.contains(pair) == wanted.contains(other), !isOnItsWay(pair) { marks[pair] = nil }
      guard marks[pair] == nil else { continue }
      if wanted.contains(other) { rows.insert(pair) } else { rows.remove(pair) }
    }
    let list = Set(others(side).filter { rows.contains(pair(side, uid, $0)) })
    guard skipped.map(\.properties) == (list == wanted ? [] : [[side.rawValue]]) else {
      throw Difference(description: "the list is \(list.sorted()), and skipped was: \(skipped)")
    }
  }

  private func isOnItsWay(_ pair: Pair) -> Bool {
    sent.contains { $0.side == .cast ? $0.uid == pair.film : $0.uid == pair.player }
  }

  private mutating func noteEdit(_ side: Side, _ uid: Int, _ wanted: Set<Int>) {
    for other in others(side) {
      let pair = pair(side, uid, other)
      guard rows.contains(pair) != wanted.contains(other) else { continue }
      if wanted.contains(other) { rows.insert(pair) } else { rows.remove(pair) }
      marks[pair, default: []].insert(side)
      for index in sent.indices {
        let (own, other) = sent[index].side == .cast ? (pair.film, pair.player) : (pair.player, pair.film)
        if sent[index].uid == own { sent[index].editedSince.insert(other) }
      }
    }
  }

  nonisolated private static func set(
    _ context: EntityContext, _ side: Side, _ uid: Int, _ wanted: Set<Int>, _ cast: Cast, _ films: Films
  ) throws {
    if side == .cast {
      let film = try #require(try context.fetch(F.self, uid: uid))
      film[keyPath: cast] = try wanted.map { try #require(try context.fetch(P.self, uid: $0)) }
    } else {
      let player = try #require(try context.fetch(P.self, uid: uid))
      player[keyPath: films] = try wanted.map { try #require(try context.fetch(F.self, uid: $0)) }
    }
  }

  private mutating func editInAUnit(_ side: Side, _ uid: Int, _ wanted: Set<Int>) async throws {
    log.append("unit \(side) of \(uid) = \(wanted.sorted())")
    try await store.background { [cast, films] in try Self.set($0, side, uid, wanted, cast, films) }
    noteEdit(side, uid, wanted)
  }

  private mutating func editInMain(_ side: Side, _ uid: Int, _ wanted: Set<Int>) async throws {
    log.append("main \(side) of \(uid) = \(wanted.sorted())")
    try Self.set(store.main, side, uid, wanted, cast, films)
    try await store.main.save()
    noteEdit(side, uid, wanted)
  }

  private mutating func editOne(_ side: Side, _ uid: Int, _ other: Int, isIn: Bool) async throws {
    log.append("\(isIn ? "add" : "remove") \(other) \(side) of \(uid)")
    let main = store.main
    if side == .cast {
      let film = try #require(try main.fetch(F.self, uid: uid))
      let player = try #require(try main.fetch(P.self, uid: other))
      if isIn { try film.add(player, to: cast) } else { try film.remove(player, from: cast) }
    } else {
      let player = try #require(try main.fetch(P.self, uid: uid))
      let film = try #require(try main.fetch(F.self, uid: other))
      if isIn { try player.add([film], to: films) } else { try player.remove([film], from: films) }
    }
    try await main.save()
    var wanted = Set(others(side).filter { rows.contains(pair(side, uid, $0)) })
    if isIn { wanted.insert(other) } else { wanted.remove(other) }
    noteEdit(side, uid, wanted)
  }

  private mutating func send(_ side: Side, _ uid: Int) throws {
    log.append("send \(side) of \(uid)")
    let members = Set(others(side).filter { rows.contains(pair(side, uid, $0)) })
    if side == .cast {
      try send(try #require(try store.main.fetch(F.self, uid: uid)), side, uid, members)
    } else {
      try send(try #require(try store.main.fetch(P.self, uid: uid)), side, uid, members)
    }
  }

  private mutating func send<E: ManagedEntity>(_ object: E, _ side: Side, _ uid: Int, _ members: Set<Int>) throws {
    let list = try #require(object._$state.model.index(of: side.rawValue))
    sent.append(
      Sent(edits: SentEdits(of: object, ColumnMask(list)), object: object, side: side, uid: uid, members: members))
  }

  private mutating func acknowledge() async throws {
    guard !sent.isEmpty else { return }
    let answered = sent.remove(at: random.below(sent.count))
    let (edits, object, side, uid, members) = (
      answered.edits, answered.object, answered.side, answered.uid, answered.members
    )
    log.append("acknowledge \(side) of \(uid): \(members.sorted())")
    _ = try await store.core.unit { try edits.acknowledge(on: $0) }
    func settle<E: ManagedEntity>(_ object: E) { edits.settle(object) }
    settle(object)
    for other in others(side) {
      let pair = pair(side, uid, other)
      // One that came back is a later edit.
      guard !answered.editedSince.contains(other) else { continue }
      if rows.contains(pair) == members.contains(other) { marks[pair] = nil }
    }
    guard !store.main.hasChanges else { throw Difference(description: "there are changes after an acknowledgement") }
  }

  private func compare() async throws {
    let (cast, films) = (cast, films)
    let found = try await store.read { context in
      (
        Set(
          try context.fetch(F.all).flatMap { film in
            film[keyPath: cast].compactMap { Self.pair(film, $0) }
          }),
        Set(
          try context.fetch(P.all).flatMap { player in
            player[keyPath: films].compactMap { Self.pair($0, player) }
          })
      )
    }
    guard found.0 == rows, found.1 == rows else {
      throw Difference(description: "the rows are \(found), not \(rows)")
    }
    // The main context shows the same pairs, and knows which lists are edited.
    for film in try store.main.fetch(F.all) {
      let uid = Self.uid(film)
      let members = Set(film[keyPath: cast].map(Self.uid))
      guard members == Set(Self.players.filter { rows.contains(Pair(film: uid, player: $0)) }) else {
        throw Difference(description: "the main context has \(members) in the cast of \(uid)")
      }
      try compareMark(film, .cast, uid)
    }
    for player in try store.main.fetch(P.all) { try compareMark(player, .films, Self.uid(player)) }
  }

  private func compareMark<E: ManagedEntity>(_ object: E, _ side: Side, _ uid: Int) throws {
    let list = try #require(object._$state.model.index(of: side.rawValue))
    let isMarked = others(side).contains { marks[pair(side, uid, $0)]?.contains(side) == true }
    guard object.hasLocalEdit(of: list) == isMarked else {
      throw Difference(description: "\(side) of \(uid) is \(isMarked ? "not " : "")edited")
    }
  }

  nonisolated private static func uid(_ object: any ManagedEntity) -> Int {
    (object as? Film)?.uid ?? (object as? HandFilm)?.uid ?? (object as? Player)?.uid ?? (object as? HandPlayer)?.uid
      ?? 0
  }

  nonisolated private static func pair(_ film: F, _ player: P) -> Pair {
    Pair(film: uid(film), player: uid(player))
  }
}
