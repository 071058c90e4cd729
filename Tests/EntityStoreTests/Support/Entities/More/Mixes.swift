import TestSchema
import Testing

@testable import EntityStore

// Entities with ordered relationships of each kind.

protocol Numbered: ManagedEntity {
  var number: Int { get set }
}

extension Mix: Numbered {}
extension Tune: Numbered {}
extension Remark: Numbered {}
extension Verse: Numbered {}

/// The ordered lists of a mix, by the numbers of their members.
enum MixList: String, CaseIterable, Sendable {
  case tunes, remarks, verses

  /// The table with the positions, and their column.
  var column: (table: String, name: String) {
    switch self {
    case .tunes: ("\"Mix,tunes\"", "_position_owner")
    case .remarks: ("Remark", "_position_mix")
    case .verses: ("Verse", "_position_mix")
    }
  }

  func read(_ mix: Mix) -> [Int] {
    switch self {
    case .tunes: mix.tunes.map(\.number)
    case .remarks: mix.remarks.map(\.number)
    case .verses: mix.verses.map(\.number)
    }
  }

  /// Sets the list. Members that are not there yet are made.
  func set(_ mix: Mix, _ numbers: [Int]) throws {
    switch self {
    case .tunes: mix.tunes = try members(of: mix, numbers)
    case .remarks: mix.remarks = try members(of: mix, numbers)
    case .verses: mix.verses = try members(of: mix, numbers)
    }
  }

  func edit(_ mix: Mix, _ change: (inout [Int]) -> Void) throws {
    var numbers = read(mix)
    change(&numbers)
    try set(mix, numbers)
  }

  func add(_ number: Int, to mix: Mix) throws {
    switch self {
    case .tunes: try mix.add(try members(of: mix, [number]) as [Tune], to: \.tunes)
    case .remarks: try mix.add(try members(of: mix, [number]) as [Remark], to: \.remarks)
    case .verses: try mix.add(try members(of: mix, [number]) as [Verse], to: \.verses)
    }
  }

  private func members<M: Numbered>(of mix: Mix, _ numbers: [Int]) throws -> [M] {
    guard let context = mix.entityContext else { return [] }
    let known = Dictionary(try context.fetch(M.self).map { ($0.number, $0) }) { first, _ in first }
    return try numbers.map { number in
      if let member = known[number] { return member }
      let member = try context.insert(M.self)
      member.number = number
      return member
    }
  }
}

/// A saved mix in a store, with a list of five members; and members that are in no list.
struct MixShop {
  let test: TestStore
  let list: MixList
  let main: EntityContext
  let mix: Mix
  let id: EntityID<Mix>

  @MainActor
  init(_ place: Place, _ list: MixList, _ numbers: [Int] = [1, 2, 3, 4, 5]) async throws {
    let test = try TestStore(place, Mix.world)
    (self.test, self.list) = (test, list)
    id = try await test.store.background { context in
      // Older than all others.
      for number in [91, 92, 93] {
        try context.insert(Tune.self).number = number
        try context.insert(Remark.self).number = number
        try context.insert(Verse.self).number = number
      }
      try context.save()
      let mix = try context.insert(Mix.self)
      mix.number = 1
      try list.set(mix, numbers)
      return mix.entityID
    }
    main = test.store.main
    mix = try #require(try main.object(id))
  }

  @MainActor var numbers: [Int] { list.read(mix) }

  /// The synchronous save.
  @MainActor func save() throws { try main.save() }

  /// The list as another context sees it.
  func saved() async throws -> [Int] {
    let (id, list) = (id, list)
    return try await test.store.read { list.read(try #require(try $0.object(id))) }
  }

  /// Another context changes the list.
  func others(_ change: @Sendable @escaping (inout [Int]) -> Void) async throws {
    let (id, list) = (id, list)
    try await test.store.background { try list.edit(try #require(try $0.object(id)), change) }
  }

  /// How many rows have a position.
  @MainActor func positions() throws -> Int {
    let (table, column) = list.column
    return try main.connection.rows("SELECT count(\(column)) FROM main.\(table)") { Int($0.int64(0)) }[0]
  }

  /// The lists that the row of the mix names as edited.
  @MainActor func edited() throws -> [String] {
    try main.connection.rows("SELECT _edited FROM main.Mix") { row in
      (row.text(0) ?? "").split(separator: ",").map(String.init).filter { $0 != EditMarks.new }
    }.first ?? []
  }
}
