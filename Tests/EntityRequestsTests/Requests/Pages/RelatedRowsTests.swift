import CSQLite
import EntityClient
import Synchronization
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Counts the statements that begin on a connection.
private final class Statements: Sendable {
  private let begun = Mutex(0)
  var total: Int { begun.withLock { $0 } }

  func count(on connection: Connection) {
    // SQLite calls on the thread of the statement (https://sqlite.org/c3ref/trace_v2.html).
    sqlite3_trace_v2(
      connection.handle, UInt32(SQLITE_TRACE_STMT),
      { _, counter, _, _ in
        guard let counter else { return 0 }
        Unmanaged<Statements>.fromOpaque(counter).takeUnretainedValue().begun.withLock { $0 += 1 }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func stop(on connection: Connection) { sqlite3_trace_v2(connection.handle, 0, nil, nil) }
}

/// Lists of several objects that are read with one query.
@Suite struct RelatedRowsTests {
  /// Each list as `members(of:_:)` has it, also with changes that are not saved.
  @MainActor @Test(arguments: [false, true]) func `related rows are those of each object`(_ isSaved: Bool) async throws
  {
    var random = SeededRandom(7)
    let store = try knots()
    let main = store.main
    let all = try (0..<20).map { number in
      let knot = try main.insert(RopeKnot.self)
      knot.uid = number
      return knot
    }
    let marks = try (0..<5).map { number in
      let mark = try main.insert(Mark.self)
      mark.uid = "\(number)"
      return mark
    }
    try await main.save()
    for knot in all {
      knot.next = random.element(all)
      knot.friends = Array(all.shuffled(using: &random).prefix(random.below(6)))
      knot.marks = Array(marks.shuffled(using: &random).prefix(random.below(5)))
    }
    try main.delete(all[3])
    if isSaved { try await main.save() }
    let model = try store.core.schema.model(RopeKnot.self)
    let rows = all.map(\.entityID.pk)
    for name in ["previous", "strands", "friends", "marks", "beads"] {
      let property = try #require(model.properties.first { $0.name == name }?.index)
      let found = try main.reading.members(ofRows: rows, model, property)
      for knot in all where !knot.isDeleted {
        let members = try main.answers.members(of: knot, property)
        #expect((found[knot.entityID.pk] ?? []).map { ObjectIdentifier($0) } == members.map { ObjectIdentifier($0) })
      }
    }
    let targets = try main.reading.objects(model, ofRows: [rows[5], rows[3], rows[1], rows[5]])
    #expect(targets.map(\._$state.pk) == [rows[1], rows[5]])
  }

  /// Ten times the objects are ten times the rows and not one query more.
  @Test func `an export asks for each relationship once`() async throws {
    var counts: [Int] = []
    for count in [20, 200] {
      let store = try knots()
      try await store.background { context in
        for number in 0..<count {
          let knot = try context.insert(RopeKnot.self)
          knot.uid = number
          knot.seal = try context.insert(Seal.self)
          let strand = try context.insert(Strand.self)
          strand.uid = number
          strand.knot = knot
        }
      }
      let statements = try await store.read { context in
        let statements = Statements()
        statements.count(on: context.connection)
        defer { statements.stop(on: context.connection) }
        let array = try context.jsonArray(of: RopeKnot.all, depth: 1)
        #expect(array.count == count)
        return statements.total
      }
      counts.append(statements)
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0] > 5)
  }
}
