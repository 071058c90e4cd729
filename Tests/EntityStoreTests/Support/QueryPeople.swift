import EntityStore
import TestSupport

/// People with random values, in a store and above it: unsaved in the main context, in a child and in a unit.
@MainActor
struct QueryPeople {
  /// The contexts that ask.
  enum Side: String, Sendable {
    /// All people are saved.
    case read
    case main
    /// A child of the main context, which has changes of its own.
    case child
    case unit
  }

  struct Difference: Error, CustomStringConvertible { let description: String }

  let test: TestStore
  let child: EntityContext
  var main: EntityContext { test.store.main }

  /// A store where some people are saved, and some changes of the main context and of the child are not.
  init(_ place: Place, _ random: inout SeededRandom) async throws {
    test = try TestStore(place)
    child = try test.store.main.child()
    try Self.change(main, &random)
    try await main.save()
    try Self.change(main, &random)
    try Self.change(child, &random)
  }

  /// Asks in each context: in a read and in a unit half as often, for others wait for them.
  func ask(
    _ count: Int, _ random: inout SeededRandom,
    _ body: @escaping @Sendable (EntityContext, Side, inout SeededRandom) throws -> Void
  ) async throws {
    let (reading, writing) = (random.next(), random.next())
    @Sendable func half(_ context: EntityContext, _ side: Side, _ seed: UInt64) throws {
      var random = SeededRandom(seed)
      if side == .unit { try Self.change(context, &random) }
      for _ in 0..<count / 2 { try Self.once(context, side, &random, body) }
    }
    try await test.store.read { try half($0, .read, reading) }
    // The child first: an object that the main context deletes goes from beneath it.
    for (context, side) in [(child, Side.child), (main, .main)] {
      for _ in 0..<count {
        // Other tests need the main actor too.
        await Task.yield()
        try Self.once(context, side, &random, body)
      }
    }
    try await test.store.background { try half($0, .unit, writing) }
  }

  nonisolated private static func once(
    _ context: EntityContext, _ side: Side, _ random: inout SeededRandom,
    _ body: (EntityContext, Side, inout SeededRandom) throws -> Void
  ) throws {
    do { try body(context, side, &random) } catch { throw Difference(description: "in \(side): \(error)") }
  }

  nonisolated static func change(_ context: EntityContext, _ random: inout SeededRandom) throws {
    for _ in 0..<6 { _ = try context.insert(Person.self) }
    for _ in 0..<2 { _ = try context.insert(Team.self).uid = "\(random.next())" }
    let people = try context.fetch(Person.all)
    let teams = try context.fetch(Team.all)
    for person in people where random.chance(2) {
      if person.uid == 0 { person.uid = Int(random.next() >> 2) }
      person.name = random.element(["", "a", "A", "b", "é", "É", "e\u{301}", "a'b", "aB"]) ?? ""
      person.age = random.below(4)
      person.email = random.chance(3) ? nil : random.element(["x", "X", "y", "z"])
      person.score = random.chance(3) ? nil : Double(random.below(4)) / 2
      person.boss = random.chance(3) ? nil : random.element(people)
      person.team = random.chance(3) ? nil : random.element(teams)
      if random.chance(2) {
        let note = try context.insert(Note.self)
        (note.person, note.rank) = (person, random.below(3))
      }
    }
    for person in people where random.chance(10) { try context.delete(person) }
  }
}
