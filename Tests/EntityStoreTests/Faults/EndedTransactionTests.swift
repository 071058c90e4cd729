import CSQLite
import Foundation
import Synchronization
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// SQLite ends a transaction by itself after some errors (https://sqlite.org/lang_transaction.html). The error is that of the
/// whole work, also where the work caught it: no statement runs without the transaction.
struct EndedTransactionTests {
  private let folder: TemporaryFolder
  private let disk: FaultyDisk

  /// A file with people, notes and teams, of whose rows no connection has a page yet.
  init() async throws {
    folder = try TemporaryFolder()
    disk = try FaultyDisk()
    let store = try EntityStore(
      .file(folder.file), entities: TestStore.people, busyTimeout: .ample, options: .history(.keepingAll))
    try await store.background { context in
      let team = try context.insert(Team.self)
      team.uid = "team"
      for uid in 1...200 {
        let person = try context.insert(Person.self)
        person.uid = uid
        person.name = String(repeating: "name ", count: 40)
        person.team = team
        let note = try context.insert(Note.self)
        note.rank = uid
        note.person = person
      }
    }
    try await store.close()
  }

  private func open(migrations: [Migration] = []) throws -> EntityStore {
    try EntityStore(
      disk.location(folder.file), entities: TestStore.people, migrations: migrations, busyTimeout: .ample,
      options: .history(.keepingAll))
  }

  /// An error by which two are told apart.
  private struct Told: Equatable, CustomStringConvertible {
    let kind: StoreError.Kind
    let sql: String?

    init?(_ error: (any Error)?) {
      guard let error = error as? StoreError else { return nil }
      (kind, sql) = (error.kind, error.sql)
    }

    var description: String { "\(kind): \(sql ?? "-")" }
  }

  /// The error of `body`, in which the first read of the file fails.
  private func failing(_ body: () throws -> Void) throws -> Told {
    disk.fail([.read])
    var found: (any Error)?
    do { try body() } catch { found = error }
    try #require(disk.heal())
    let told = try #require(Told(found))
    #expect(told.kind == .ioError)
    #expect(told.sql != nil)
    return told
  }

  private func told(_ body: () throws -> Void) -> Told? {
    do {
      try body()
      return nil
    } catch {
      return Told(error)
    }
  }

  private nonisolated(nonsending) func toldLater(_ body: nonisolated(nonsending) () async throws -> Void) async -> Told?
  {
    do {
      try await body()
      return nil
    } catch {
      return Told(error)
    }
  }

  // MARK: Reads

  /// The second query would read a later moment of the file.
  @Test(arguments: [false, true]) func `a read that caught an error ends with that error`(readsOn: Bool) async throws {
    let store = try open()
    let first = Box<Told>()
    let last = await toldLater {
      _ = try await store.read { context in
        first.value = try failing { _ = try context.fetch(Person.all) }
        guard readsOn else { return }
        #expect(told { _ = try context.fetch(Note.all) } == first.value)
        #expect(told { _ = try context.fetch(Team.self, uid: "team") } == first.value)
      }
    }
    #expect(last != nil && last == first.value)
    // The next one has another transaction.
    #expect(try await store.read { try $0.fetch(Person.all).count } == 200)
  }

  /// A property throws nothing, and its error may be caught at the next call.
  @Test func `a read in which a property failed ends with the error of that property`() async throws {
    let store = try open()
    let first = Box<Told>()
    let last = await toldLater {
      _ = try await store.read { context in
        let note = try #require(try context.fetchOne(Note.all))
        first.value = try failing {
          #expect(note.person?.name == "")
          try context.saving.throwMistakes()
        }
        #expect(told { _ = try context.count(Team.all) } == first.value)
      }
    }
    #expect(last != nil && last == first.value)
  }

  // MARK: The main context

  @Test @MainActor func `a property of the main context throws its error at the next read`() throws {
    let store = try open()
    let note = try #require(try store.main.fetchOne(Note.all))
    let person = try #require(note.person)
    let first = try failing {
      #expect(person.name == "")
      _ = try store.main.count(Team.all)
    }
    #expect(first.sql?.contains("\"Person\"") == true)
    #expect(try store.main.count(Team.all) == 1)
    #expect(person.name.hasPrefix("name"))
  }

  /// A merge goes on without a log that it can't read.
  @Test @MainActor func `a history that a merge cannot read is an error of the next read`() throws {
    let store = try open()
    let other = try EntityStore(.file(folder.file), entities: TestStore.people, busyTimeout: .ample)
    let person = try #require(try store.main.fetchOne(Person.all))
    var found: [Told] = []
    for number in 1...100 {
      // Without an await until the read: the store would hear of the commit, and merge it before.
      try other.main.fetch(Person.self, uid: 1)?.age = number
      try other.main.saveAtOnce()
      disk.fail([.read], number)
      let error = told { _ = try store.main.count(Team.all) }
      guard disk.heal() else { break }
      let told = try #require(error, "read \(number)")
      #expect(told.kind == .ioError)
      found.append(told)
      #expect(try store.main.count(Team.all) == 1)
      #expect(person.age == number)
    }
    #expect(found.count < 100)
    #expect(found.contains { $0.sql?.contains(HistoryTables.commits) == true }, "\(found)")
  }

  // MARK: Statements

  @Test func `a statement that was prepared before the end writes nothing`() throws {
    let connection = try Connection(.file(folder.file), opening: .existing, busyTimeout: .ample)
    let writes = try Statement("UPDATE Team SET title = 'after'", on: connection)
    try connection.begin("IMMEDIATE")
    let first = told { try connection.execute("UPDATE OR ROLLBACK Person SET uid = 1") }
    #expect(first?.kind == .uniqueViolation)
    #expect(told { try writes.run() } == first)
    #expect(told { try connection.commit() } == first)
    connection.rollback()
    #expect(try connection.rows("SELECT count(*) FROM Team WHERE title = 'after'") { $0.int64(0) } == [0])
    // The connection is as good as new.
    try writes.run()
    #expect(try connection.rows("SELECT count(*) FROM Team WHERE title = 'after'") { $0.int64(0) } == [1])
  }

  /// SQLite ends a transaction without a word, where it lacks the memory to undo a statement that it is to run once more.
  @Test func `a statement that runs on after the end is not committed`() throws {
    let connection = try Connection(.file(folder.file), opening: .existing, busyTimeout: .ample)
    try connection.begin("IMMEDIATE")
    try connection.execute("UPDATE Team SET title = 'before'")
    // Past the connection, as SQLite does it.
    #expect(sqlite3_exec(connection.handle, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    let sql = "UPDATE Team SET title = 'after'"
    let code = sqlite3_exec(connection.handle, sql, nil, nil, nil)
    #expect(code & 0xff == SQLITE_CONSTRAINT)
    #expect(connection.error(code, sql: sql).kind == .outOfMemory)
    #expect(told { try connection.commit() } == Told(connection.error(code, sql: sql)))
    connection.rollback()
    #expect(try connection.rows("SELECT count(*) FROM Team WHERE title <> ''") { $0.int64(0) } == [0])
    try connection.writing { try connection.execute(sql) }
    #expect(try connection.rows("SELECT count(*) FROM Team WHERE title = 'after'") { $0.int64(0) } == [1])
  }

  // MARK: Units

  @Test(arguments: [false, true]) func `a unit that caught the error writes nothing`(writesOn: Bool) async throws {
    let store = try open()
    let first = Box<Told>()
    let last = await toldLater {
      try await store.background { context in
        try context.insert(Team.self).uid = "before"
        try context.save()
        first.value = try failing { _ = try context.fetch(Person.all) }
        #expect(told { _ = try context.count(Note.all) } == first.value)
        guard writesOn else { return }
        #expect(
          told {
            try context.insert(Team.self).uid = "after"; try context.save()
          } == first.value)
      }
    }
    #expect(last != nil && last == first.value)
    #expect(try await store.read { try $0.fetch(Team.all).map(\.uid) } == ["team"])
  }

  // MARK: Migrations

  /// The ways to go on in a step.
  enum Next: CaseIterable { case nothing, sql, rows, insertion, structure, conversion }

  private func goOn(_ step: Migration.Step, _ next: Next) {
    switch next {
    case .nothing, .conversion: break
    case .sql: _ = try? step.execute("UPDATE Team SET title = 'half'")
    case .rows: try? step.updateRows(of: "Team") { $0["title"] = .text("half") }
    case .insertion: _ = try? step.insert(into: "Team", ["uid": .text("half")])
    case .structure: try? step.dropEntity("Note")
    }
  }

  /// The contents of the file, and its bytes.
  private func contents() throws -> (rows: [String], bytes: [String: Data]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { !$0.hasSuffix("-shm") }
    let bytes = try names.map { ($0, try Data(contentsOf: folder.url.appendingPathComponent($0))) }
    let connection = try Connection(.file(folder.file), opening: .reading, busyTimeout: .ample, log: nil)
    defer { connection.close() }
    let rows = try ["sqlite_schema", "_entity_store", "Team", "Person", "Note"].flatMap { table in
      try connection.rows("SELECT * FROM main.\(table)") { row in
        (0..<row.columnCount).map { "\(row.value($0))" }.joined(separator: "|")
      }
    }
    return (rows, Dictionary(uniqueKeysWithValues: bytes.filter { !$0.1.isEmpty }))
  }

  private static let ending = "UPDATE OR ROLLBACK Person SET uid = 1"

  /// A step that ends the transaction with a statement, catches the error, and goes on.
  private func half(_ next: Next) -> Migration {
    Migration("half") { step in
      try step.execute("UPDATE Team SET title = 'begun'")
      let end = { _ = try? step.execute(Self.ending) }
      if next == .conversion {
        try? step.convert("title", of: "Team", to: String.self) { _ in
          end()
          return "half"
        }
      } else {
        end()
        goOn(step, next)
      }
    }
  }

  @Test(arguments: Next.allCases) func `a step that caught the error leaves the file as it was`(_ next: Next) throws {
    let before = try contents()
    let error = #expect(throws: StoreError.self) {
      _ = try EntityStore(
        .file(folder.file), entities: TestStore.people, migrations: [half(next)], busyTimeout: .ample)
    }
    #expect(error?.kind == .migrationFailed)
    #expect(error?.message.contains("The step 'half' failed") == true, "\(error?.message ?? "")")
    #expect((error?.underlying as? StoreError)?.kind == .uniqueViolation)
    #expect(error?.sql == Self.ending)
    #expect(try contents().rows == before.rows)
  }

  @Test(arguments: Next.allCases) func `a plan writes nothing where a step caught the error`(_ next: Next) throws {
    let before = try contents()
    let plan = try EntityStore.migrationPlan(
      for: .file(folder.file), entities: TestStore.people, migrations: [half(next)])
    #expect(plan.error?.kind == .migrationFailed)
    #expect(plan.error?.message.contains("The step 'half' failed") == true)
    let after = try contents()
    #expect(after.rows == before.rows)
    #expect(after.bytes == before.bytes)
  }

  @Test(arguments: Next.allCases.filter { $0 != .conversion })
  func `a step that could not read ends with that error`(_ next: Next) throws {
    let before = try contents()
    let first = Box<Told>()
    let step = Migration("half") { step in
      try step.execute("UPDATE Team SET title = 'begun'")
      first.value = try failing { _ = try step.rows("SELECT * FROM Person") }
      goOn(step, next)
    }
    let error = #expect(throws: StoreError.self) { _ = try open(migrations: [step]) }
    #expect(error?.kind == .migrationFailed)
    #expect(first.value != nil && Told(error?.underlying) == first.value)
    #expect(try contents().rows == before.rows)
  }
}

/// A value that work of a store takes out of its closure. The test waits for that work before it reads the value.
private final class Box<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)

  var value: Value? {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }
}
