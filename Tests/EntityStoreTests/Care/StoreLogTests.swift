import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// The reports of a store about its work.
@MainActor
struct StoreLogTests {
  @Test(arguments: Place.usual)
  func `each statement is logged with its rows`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: nil, statements: true)
    for uid in 0..<3 { try await test.store.addPerson(uid, "secret") }
    #expect(
      test.statements().contains { $0.sql.hasPrefix("INSERT INTO ") && $0.sql.contains("Person") && !$0.isOnMainActor })
    #expect(try test.store.main.fetch(Person.where { $0.name == "secret" }).count == 3)
    let found = test.statements()
    let selects = found.filter { $0.sql.contains("FROM main.\"Person\"") }
    #expect(selects.map(\.rows) == [3])
    #expect(selects.allSatisfy { $0.isOnMainActor && !$0.isSlow && $0.plan.isEmpty })
    #expect(!"\(found)".contains("secret"))
    #expect(try await test.store.read { try $0.fetch(Person.where { $0.uid == 1 }).count } == 1)
    #expect(test.statements().contains { $0.sql.contains("Person") && $0.rows == 1 && !$0.isOnMainActor })
  }

  @Test(arguments: Place.usual)
  func `a slow statement has its plan`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: .zero)
    try await test.store.addPerson(1)
    _ = test.events()
    _ = try test.store.main.fetch(Person.where { $0.name == "Ada" }.sorted(by: \.age))
    _ = try test.store.main.fetch(Person.self, uid: 1)
    let found = test.statements()
    #expect(found.map(\.isSlow) == found.map { _ in true })
    #expect(
      found.contains { $0.plan.contains { $0.hasPrefix("SCAN") } && $0.plan.contains { $0.contains("ORDER BY") } })
    #expect(found.contains { $0.plan.contains { $0.hasPrefix("SEARCH") } })
    #expect(
      found.contains { "\($0)".hasPrefix("slow statement on the main actor: ") && "\($0)".contains("rows: SELECT") })
  }

  @Test(arguments: Place.usual)
  func `a fast statement is not logged`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: .seconds(1_000_000))
    try await test.store.addPerson(1)
    #expect(try test.store.main.count(Person.all) == 1)
    _ = try await test.store.read { try $0.count(Person.all) }
    #expect(test.events().isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a failed statement is logged, and its error stays the same`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: .zero)
    try await test.store.addPerson(1)
    _ = test.events()
    let error = await #expect(throws: StoreError.self) {
      try await test.store.background { context in
        try context.connection.prepare("INSERT INTO main.Person (_pk, uid) VALUES (?, ?)").run([
          .integer(9), .integer(1),
        ])
      }
    }
    #expect(error?.sqliteCode.map { $0 & 0xff } == 19)
    let found = test.statements()
    #expect(found.contains { $0.sql.hasPrefix("INSERT INTO main.Person") })
    #expect(found.contains { $0.sql == "ROLLBACK" })
    try await test.store.addPerson(2)
    #expect(try test.store.main.count(Person.all) == 2)
  }

  /// SQLite counts anew when it explains a statement that writes.
  @Test(arguments: Place.usual)
  func `the plan leaves the count of changed rows`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: .zero)
    for uid in 0..<3 { try await test.store.addPerson(uid) }
    let counts = try await test.store.background { context in
      try context.connection.prepare("UPDATE main.Person SET age = 5").run()
      let first = context.connection.changedRows
      try context.connection.execute("UPDATE main.Person SET age = 6 WHERE uid = 1")
      return [first, context.connection.changedRows]
    }
    #expect(counts == [3, 1])
    #expect(test.statements().contains { $0.sql.hasPrefix("UPDATE main.Person") && !$0.plan.isEmpty })
  }

  /// The lines of a store stand in a mutex each, which no thread may take twice.
  @Test(arguments: Place.usual)
  func `the log handler is called without a lock`(_ place: Place) async throws {
    let core = Mutex<StoreCore?>(nil)
    let calls = Mutex(0)
    let test = try LoggedStore(place, slowerThan: .zero, statements: true) {
      guard let core = core.withLock({ $0 }) else { return }
      _ = (core.gate.waiting, core.readers.waiting, core.followers.isEmpty)
      calls.withLock { $0 += 1 }
    }
    core.withLock { $0 = test.store.core }
    defer { core.withLock { $0 = nil } }
    _ = try test.store.main.insert(Person.self)
    try test.store.main.saveAtOnce()
    try await test.store.addPerson(7)
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
    #expect(calls.withLock { $0 } > 0)
  }

  /// A statement is over when the handler hears of it.
  @Test(arguments: Place.usual)
  func `the same statement may run within the handler`(_ place: Place) throws {
    let again = StatementsWithin()
    let test = try LoggedStore(place, slowerThan: nil, statements: true) {
      // The main queue is the main actor's executor; the assumption is checked as the test runs.
      if MainQueue.isCurrent { MainActor.assumeIsolated { again.run() } }
    }
    again.connection = test.store.main.connection
    defer { again.connection = nil }
    #expect(try StatementsWithin.one(test.store.main.connection) == [1])
    #expect(again.count == 3)
  }

  @Test func `the statements of an opening are logged`() throws {
    let test = try LoggedStore(.file, slowerThan: nil, statements: true)
    let sql = test.statements().map(\.sql)
    #expect(sql.first == "PRAGMA foreign_keys = ON")
    #expect(sql.contains { $0.hasPrefix("CREATE TABLE") })
  }

  @Test(arguments: Place.usual)
  func `the statements of a copy are logged`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: nil, statements: true)
    try await test.store.addPerson(1)
    _ = test.events()
    try await test.store.backup(to: test.folder.url.appending(path: "copy.sqlite"))
    let sql = test.statements().map(\.sql)
    #expect(sql.contains("VACUUM main INTO ?"))
    // The copy gets an identity of its own, and is read once.
    #expect(sql.contains { $0.hasPrefix("UPDATE") || $0.hasPrefix("INSERT") })
    #expect(sql.contains { $0.hasPrefix("SELECT value FROM main._entity_store") })
    // Three connections: to the store, to the new file, and to the copy that is read.
    #expect(sql.count { $0 == "PRAGMA foreign_keys = ON" } == 3)
  }

  @Test(arguments: Place.usual)
  func `the statements of a migration plan are logged`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let record = EventRecord()
    let log = StoreLog(slowerThan: nil, statements: true) { record.note($0) }
    let plan = try EntityStore.migrationPlan(
      for: hotel.location, entities: V4.all,
      migrations: [Migration("shout") { try $0.execute("UPDATE Guest SET age = 1") }],
      busyTimeout: .ample, log: log)
    let events = record.taken()
    let sql = events.compactMap { if case .statement(let statement) = $0 { statement.sql } else { nil } }
    #expect(plan.error == nil && !plan.changes.isEmpty)
    for change in plan.changes { #expect(change.sql.allSatisfy(sql.contains), "\(change)") }
    #expect(sql.contains("UPDATE Guest SET age = 1"))
    #expect(sql.last == "ROLLBACK")
    // Nothing was migrated.
    #expect(sql.count == events.count)
  }

  @Test func `the statements of a deletion are logged`() async throws {
    let hotel = try await Hotel(.file)
    hotel.connection.close()
    let record = EventRecord()
    try EntityStore.delete(hotel.location, log: StoreLog(slowerThan: nil, statements: true) { record.note($0) })
    #expect(record.taken().map { "\($0)" }.contains { $0.contains("BEGIN EXCLUSIVE") })
  }

  // MARK: Other events

  @Test(arguments: Place.usual)
  func `a long wait is logged with its turn`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: .zero)
    _ = test.events()
    try await test.store.addPerson(1)
    #expect(test.waits().map(\.turn) == [.writer])
    _ = try test.store.main.insert(Person.self)
    try test.store.main.saveAtOnce()
    #expect(test.waits().map(\.isOnMainActor) == [true])
    _ = try await test.store.read { try $0.count(Person.all) }
    #expect(test.waits().map(\.turn) == [.reader])
  }

  @Test(arguments: Place.usual)
  func `checkpoints are logged`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: nil)
    let text = String(repeating: "x", count: 10_000)
    for start in [0, 500, 1_000] {
      try await test.store.background { context in
        for uid in start..<start + 500 {
          let person = try context.insert(Person.self)
          person.uid = uid
          person.name = text
        }
      }
    }
    let own = test.checkpoints()
    #expect(own.contains { $0.pages >= 1_000 && $0.movedPages > 0 })
    #expect(own.allSatisfy { "\($0)".hasPrefix("checkpoint: ") && $0.movedPages <= $0.pages })
    #expect(try await test.store.checkpoint())
    #expect(test.checkpoints().count == 1)
    #expect(try test.store.main.count(Person.all) == 1_500)
  }

  @Test(arguments: Place.usual)
  func `a migration is logged`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let (options, record) = StoreOptions.logged(slowerThan: nil)
    let store = try EntityStore(
      hotel.location, entities: V4.all, migrations: [Migration("nothing") { _ in }], busyTimeout: .ample,
      options: options)
    let migrations = record.taken().compactMap { if case .migration(let migration) = $0 { migration } else { nil } }
    #expect(migrations.map(\.steps) == [["nothing"]])
    #expect(migrations.first?.changes.contains { $0.contains("fullName") || $0.contains("Guest") } == true)
    #expect("\(migrations)".contains("steps: nothing; "))
    _ = try await store.read { try $0.count() }
    let (again, nothing) = StoreOptions.logged(slowerThan: nil)
    _ = try EntityStore(
      hotel.location, entities: V4.all, migrations: [Migration("nothing") { _ in }], busyTimeout: .ample, options: again
    )
    #expect(nothing.taken().isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a loop that reads its objects one by one is logged once`(_ place: Place) async throws {
    let test = try LoggedStore(place, slowerThan: nil)
    try await test.store.background { context in
      for uid in 0..<130 {
        let person = try context.insert(Person.self)
        person.uid = uid
        try context.insert(Note.self).person = person
      }
    }
    let main = test.store.main
    for person in try main.fetch(Person.all) { #expect(person.notes.count == 1) }
    #expect(test.loops() == ["Person.notes": 50])
    // The lists of a few objects are no loop, however often there are a few.
    for offset in [0, 49] {
      for person in try main.fetch(Person.all.limited(to: 49, offset: offset)) { #expect(person.reports.isEmpty) }
    }
    #expect(test.loops() == [:])
    for person in try main.fetch(Person.all.prefetching { $0.notes }) { #expect(person.notes.count == 1) }
    #expect(test.loops() == [:])
  }
}

/// Runs a statement some times, each within the handler that hears of the one before.
@MainActor private final class StatementsWithin {
  var connection: Connection?
  private(set) var count = 0

  func run() {
    guard let connection, count < 3 else { return }
    count += 1
    #expect(throws: Never.self) { try Self.one(connection) }
  }

  @discardableResult static func one(_ connection: Connection) throws -> [Int64] {
    try connection.rows("SELECT 1") { $0.int64(0) }
  }
}

/// A store whose events are kept.
private struct LoggedStore {
  private let record: EventRecord
  let folder: TemporaryFolder
  let store: EntityStore

  init(
    _ place: Place, slowerThan: Duration?, statements: Bool = false, _ also: @escaping @Sendable () -> Void = {}
  ) throws {
    folder = try TemporaryFolder()
    let (options, record) = StoreOptions.logged(slowerThan: slowerThan, statements: statements, also)
    self.record = record
    store = try EntityStore(
      place == .file ? .file(folder.file) : .inMemory, entities: TestStore.people, busyTimeout: .ample, options: options
    )
  }

  /// The events since the last call.
  func events() -> [StoreLog.Event] { record.taken() }

  func statements() -> [StoreLog.Statement] {
    events().compactMap { if case .statement(let statement) = $0 { statement } else { nil } }
  }

  func waits() -> [StoreLog.Wait] { events().compactMap { if case .wait(let wait) = $0 { wait } else { nil } } }

  func checkpoints() -> [StoreLog.Checkpoint] {
    events().compactMap { if case .checkpoint(let checkpoint) = $0 { checkpoint } else { nil } }
  }

  func loops() -> [String: Int] {
    var loops: [String: Int] = [:]
    for case .repeatedReads(let reads) in events() { loops[reads.relationship, default: 0] += reads.statements }
    return loops
  }
}

private final class EventRecord: Sendable {
  private let events = Mutex<[StoreLog.Event]>([])

  func note(_ event: StoreLog.Event) { events.withLock { $0.append(event) } }

  func taken() -> [StoreLog.Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

extension StoreOptions {
  fileprivate static func logged(
    slowerThan: Duration?, statements: Bool = false, _ also: @escaping @Sendable () -> Void = {}
  ) -> (StoreOptions, EventRecord) {
    let record = EventRecord()
    var options = StoreOptions()
    options.log = StoreLog(slowerThan: slowerThan, statements: statements) {
      record.note($0)
      also()
    }
    return (options, record)
  }
}
