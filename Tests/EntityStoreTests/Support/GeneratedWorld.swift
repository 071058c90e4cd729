import TestSupport

@testable import EntityStore

/// The contexts that ask.
enum GeneratedSide: String, Sendable {
  /// All objects are saved.
  case read
  case main
  /// A child of the main context, which has changes of its own.
  case child
  case unit
}

/// Something that SQL answers in another way than plain Swift.
struct GeneratedDifference: Error, CustomStringConvertible { let description: String }

/// Objects with random values, in a store and above it: unsaved in the main context, in a child and in a unit.
@MainActor
struct GeneratedWorld<E: Generated> {
  let test: TestStore
  let child: EntityContext
  var main: EntityContext { test.store.main }

  /// A store where some objects are saved, and some changes of the main context and of the child are not.
  init(_ place: Place, _ random: inout SeededRandom) async throws {
    test = try TestStore(place, E.world)
    child = try test.store.main.child()
    try E.change(main, &random)
    try await main.save()
    // Rows of which only the uid is known, for others to link to.
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(E.self)
      for uid in 1...3 { _ = try rows.row(model, uid: .integer(Int64(uid))) }
    }
    try E.change(main, &random)
    try E.change(child, &random)
  }

  /// Asks in each context: in a read and in a unit half as often, for others wait for them.
  ///
  /// - Throws: ``GeneratedDifference``, also where SQLite refuses more than a quarter of the queries as too deep.
  func ask(
    _ count: Int, _ random: inout SeededRandom,
    _ body: @escaping @Sendable (EntityContext, GeneratedSide, inout SeededRandom) throws -> Void
  ) async throws {
    let (reading, writing) = (random.next(), random.next())
    /// - Returns: How many queries SQLite refused.
    @Sendable func half(_ context: EntityContext, _ side: GeneratedSide, _ seed: UInt64) throws -> Int {
      var random = SeededRandom(seed)
      if side == .unit { try E.change(context, &random) }
      return try (0..<count / 2).count { _ in try !Self.isTaken(context, side, &random, body) }
    }
    var refused = try await test.store.read { try half($0, .read, reading) }
    // The child first: an object that the main context deletes goes from beneath it.
    for (context, side) in [(child, GeneratedSide.child), (main, .main)] {
      for _ in 0..<count {
        // Other tests need the main actor too.
        await Task.yield()
        if try !Self.isTaken(context, side, &random, body) { refused += 1 }
      }
    }
    refused += try await test.store.background { try half($0, .unit, writing) }
    let asked = 2 * count + 2 * (count / 2)
    guard refused * 4 <= asked else {
      throw GeneratedDifference(description: "SQLite takes only \(asked - refused) of \(asked) queries")
    }
  }

  /// Whether SQLite takes the query.
  nonisolated private static func isTaken(
    _ context: EntityContext, _ side: GeneratedSide, _ random: inout SeededRandom,
    _ body: (EntityContext, GeneratedSide, inout SeededRandom) throws -> Void
  ) throws -> Bool {
    do {
      try body(context, side, &random)
      return true
    } catch let error as StoreError where error.message.contains("parser stack overflow") {
      // The stack of SQLite's parser has a limit (https://sqlite.org/compile.html#yystackdepth).
      return false
    } catch {
      throw GeneratedDifference(description: "in \(side): \(error)")
    }
  }
}
