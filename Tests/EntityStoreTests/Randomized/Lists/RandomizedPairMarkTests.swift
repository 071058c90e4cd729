import class Foundation.ProcessInfo
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random edits of many-to-many lists from both sides, responses, acknowledgements, and rows that turn out to be one,
/// against a model of the marks in the pairs and of the names in the rows.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedPairMarkTests {
  @Test(arguments: Place.usual)
  func `marks of pairs agree with the model`(_ place: Place) async throws {
    try await run(place) { (\Article.tags, \Tag.articles) }
  }

  @Test(arguments: Place.usual)
  func `marks within one entity agree with the model`(_ place: Place) async throws {
    try await run(place) { (\Writer.following, \Writer.followers) }
  }

  private func run<L: ManagedEntity, R: ManagedEntity>(
    _ place: Place, _ lists: @Sendable () -> (Pairs<L, R>.Left, Pairs<L, R>.Right)
  ) async throws {
    await Seeds.each(place == .memory ? 60 : 10, sanitized: 3, place.rawValue) { seed, steps in
      let (left, right) = lists()
      var pairs = try Pairs<L, R>(place, seed, left, right)
      defer { steps = pairs.log.joined(separator: "; ") }
      try await pairs.go()
    }
  }
}

/// The model: the state of each pair that is in the lists, or was taken out of them here.
@MainActor
private struct Pairs<L: ManagedEntity, R: ManagedEntity> {
  typealias Left = any ReferenceWritableKeyPath<L, [R]> & Sendable
  typealias Right = any ReferenceWritableKeyPath<R, [L]> & Sendable

  struct Key: Hashable {
    var ends: [Int64]
  }

  struct Pair: Equatable, CustomStringConvertible {
    var isIn: Bool
    /// The sides through whose lists it was edited; empty for one that the server has.
    var mark: Set<Int>

    var description: String { "\(isIn ? "in" : "out") \(mark.sorted())" }
  }

  let test: TestStore
  let left: Left
  let right: Right
  var random: SeededRandom
  var log: [String] = []
  var rows: [[Int64]] = [[], []]
  var uids: [Int64: StoredValue] = [:]
  var pairs: [Key: Pair] = [:]

  var main: EntityContext { test.store.main }
  var isOneEntity: Bool { L.self == R.self }

  init(_ place: Place, _ seed: UInt64, _ left: Left, _ right: Right) throws {
    test = try TestStore(place, TestStore.blog)
    (self.left, self.right) = (left, right)
    random = SeededRandom(seed)
  }

  mutating func go() async throws {
    let writer = try main.insert(Writer.self)
    for _ in 0..<5 {
      let new: [any ManagedEntity] = [try main.insert(L.self), try main.insert(R.self)]
      for (side, object) in new.enumerated() {
        (object as? Article)?.author = writer
        rows[isOneEntity ? 0 : side].append(object._$state.pk)
      }
    }
    if isOneEntity { rows[1] = rows[0] }
    try await main.save()
    for side in isOneEntity ? [0] : [0, 1] {
      for (number, pk) in rows[side].enumerated() where number % 2 == 0 { try await bind(pk, side, number) }
    }
    for _ in 0..<(8 + random.below(24)) {
      switch random.below(10) {
      case 0...4: try await edit()
      case 5, 6: try await respond()
      case 7: try await acknowledge()
      case 8 where random.chance(3): try await delete()
      default: try await merge()
      }
      try compare()
    }
  }

  private func model(_ side: Int) throws -> EntityModel {
    try side == 0 ? main.core.schema.model(L.self) : main.core.schema.model(R.self)
  }

  private func object(_ side: Int, _ pk: Int64) throws -> any ManagedEntity {
    let found: (any ManagedEntity)? =
      try side == 0 ? main.object(EntityID<L>(pk: pk)) : main.object(EntityID<R>(pk: pk))
    return try #require(found)
  }

  private func list(_ side: Int) throws -> Int {
    try #require(try model(side).index(of: side == 0 ? left as AnyKeyPath : right as AnyKeyPath))
  }

  private func key(_ side: Int, _ pk: Int64, _ other: Int64) -> Key {
    Key(ends: side == 0 ? [pk, other] : [other, pk])
  }

  private mutating func element(_ side: Int) -> Int64 { rows[side][random.below(rows[side].count)] }

  // MARK: Operations

  /// Edits pairs of several rows, and saves them.
  private mutating func edit() async throws {
    for _ in 0...random.below(3) {
      let side = random.below(2)
      let (pk, other) = (element(side), element(1 - side))
      let key = key(side, pk, other)
      let isIn = pairs[key]?.isIn == true
      log.append("\(isIn ? "remove" : "add") \(key.ends) through \(side)")
      let (object, member) = (try object(side, pk), try object(1 - side, other))
      _ = try main.lists.setMembership(of: object, list(side), member._$state.pk, isIn: !isIn)
      try await main.save()
      pairs[key] = Pair(isIn: !isIn, mark: (pairs[key]?.mark ?? []).union([side]))
    }
  }

  /// A response has a list.
  private mutating func respond() async throws {
    let side = random.below(2)
    let pk = element(side)
    let wanted = Set(rows[1 - side].filter { _ in random.chance(2) })
    let keepsEdits = !random.chance(5)
    log.append("respond \(pk) on \(side): \(wanted.sorted())\(keepsEdits ? "" : ", overwriting")")
    let (core, list, isLeft) = (test.store.core, try list(side), side == 0)
    try await core.unit { rows in
      let context = ContextAnswers.ofResponse(core, rows)
      let found: (any ManagedEntity)? =
        try isLeft ? context.object(EntityID<L>(pk: pk)) : context.object(EntityID<R>(pk: pk))
      let object = try #require(found)
      try context.answers.updating(object, MergePolicy(keepsEdits: keepsEdits), newer: ColumnMask()) {
        _ = try context.lists.setMemberships(of: object, list, wanted)
      }
      try context.saving.throwMistakes()
      try context.saving.flush()
    }
    for other in rows[1 - side] {
      let key = key(side, pk, other)
      if keepsEdits, pairs[key]?.mark.isEmpty == false { continue }
      pairs[key] = wanted.contains(other) ? Pair(isIn: true, mark: []) : nil
    }
  }

  /// The server has a list as it is.
  private mutating func acknowledge() async throws {
    let side = random.below(2)
    let pk = element(side)
    log.append("acknowledge \(pk) on \(side)")
    let sent =
      try side == 0
      ? SentEdits(of: #require(object(side, pk) as? L), model(side).lists.intersection(ColumnMask(list(side))))
      : SentEdits(of: #require(object(side, pk) as? R), model(side).lists.intersection(ColumnMask(list(side))))
    _ = try await test.store.core.unit { try sent.acknowledge(on: $0) }
    for (key, pair) in pairs where key.ends[side] == pk {
      pairs[key] = pair.isIn ? Pair(isIn: true, mark: []) : nil
    }
  }

  /// The marks of a row's pairs go with the row.
  private mutating func delete() async throws {
    let side = random.below(2)
    guard rows[side].count > 2 else { return }
    let pk = element(side)
    log.append("delete \(pk) on \(side)")
    let key = RowKey(entity: try model(side).number, pk: pk)
    _ = try await test.store.core.unit { try $0.deletion.delete([key]) }
    uids[pk] = nil
    for side in isOneEntity ? [0, 1] : [side] {
      rows[side].removeAll { $0 == pk }
      pairs = pairs.filter { $0.key.ends[side] != pk }
    }
  }

  private mutating func bind(_ pk: Int64, _ side: Int, _ uid: Int) async throws {
    let model = try model(side)
    let index = try #require(model.uid)
    let uid: StoredValue = model.type == Tag.self ? .text("u\(uid)") : .integer(Int64(uid + 1))
    try await write(pk, model, index, uid)
    uids[pk] = uid
  }

  private func write(_ pk: Int64, _ model: EntityModel, _ index: Int, _ uid: StoredValue) async throws {
    let number = model.number
    try await test.store.core.unit { rows in
      var row = RowValues(count: rows.schema.entities[number].properties.count)
      row[index] = uid
      _ = try rows.write(
        rows.schema.entities[number], pk: pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    try test.store.mergeMain()
  }

  /// An answer gives a row the uid of another one.
  private mutating func merge() async throws {
    let side = random.below(2)
    let (survivor, loser) = (element(side), element(side))
    guard uids[survivor] == nil, let uid = uids[loser] else { return }
    log.append("\(loser) is \(survivor) on \(side)")
    let model = try model(side)
    try await write(survivor, model, try #require(model.uid), uid)
    uids[survivor] = uid
    uids[loser] = nil
    for side in isOneEntity ? [0, 1] : [side] {
      rows[side].removeAll { $0 == loser }
      for (key, pair) in pairs where key.ends[side] == loser {
        pairs[key] = nil
        var new = key
        new.ends[side] = survivor
        pairs[new] = joined(pairs[new], pair)
      }
    }
  }

  /// Added here counts most, then taken out here.
  private func joined(_ one: Pair?, _ other: Pair) -> Pair {
    guard let one else { return other }
    let marked = [one, other].filter { !$0.mark.isEmpty }
    return Pair(isIn: marked.isEmpty || marked.contains(where: \.isIn), mark: one.mark.union(other.mark))
  }

  // MARK: Comparing

  private func compare() throws {
    try test.store.mergeMain()
    guard case .manyToMany(let membership, _) = try model(0).properties[list(0)].kind else { return }
    let links = main.core.schema.entities[membership.links]
    var found: [Key: Pair] = [:]
    for (table, isIn) in [(links.table, true), (links.removedTable, false)] {
      let rows = try main.connection.rows("SELECT owner, member, _edited FROM \(table)") {
        (ends: [$0.int64(0), $0.int64(1)], mark: $0.text(2) ?? "")
      }
      for (ends, text) in rows {
        let mark = Set(text.split(separator: ",").filter { $0 != "_back" }.map { $0 == "owner" ? 0 : 1 })
        let key = Key(ends: membership.side == 0 ? ends : ends.reversed())
        try same("\(ends) is there twice", found[key] != nil, false)
        found[key] = Pair(isIn: isIn, mark: membership.side == 0 ? mark : Set(mark.map { 1 - $0 }))
      }
    }
    for key in Set(found.keys).union(pairs.keys) { try same("pair \(key.ends)", found[key], pairs[key]) }
    for side in [0, 1] {
      for pk in rows[side] {
        let object = try object(side, pk)
        try same(
          "the name in \(pk) on \(side)", object.hasLocalEdit(of: list(side)),
          pairs.contains { $0.key.ends[side] == pk && $0.value.mark.contains(side) })
        let members = try main.answers.members(of: object, list(side)).map(\._$state.pk)
        try same(
          "the list of \(pk) on \(side)", Set(members),
          Set(pairs.filter { $0.key.ends[side] == pk && $0.value.isIn }.map { $0.key.ends[1 - side] }))
      }
    }
  }

  private func same<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    if found != expected { throw RandomizedContext.Difference("\(what) is \(found), not \(expected)") }
  }
}
