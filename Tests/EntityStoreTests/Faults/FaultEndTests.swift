import CSQLite
import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// How units and saves end where something fails.
@Suite(.timeLimit(.minutes(Faults.minutes))) @MainActor struct FaultEndTests {
  /// A commit that stands is no error, though the main context can't read it yet.
  @Test(arguments: [false, true]) func `a save that is committed throws nothing`(isAtOnce: Bool) async throws {
    var refused = 0
    for number in 1... {
      let folder = try TemporaryFolder()
      let disk = try FaultyDisk()
      let store = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
      let person = try store.main.insert(Person.self)
      person.uid = 1
      disk.fail([.indexLock], number, persists: true)
      var isSaved = true
      do {
        if isAtOnce { try store.main.saveAtOnce() } else { try await store.main.save() }
      } catch {
        isSaved = false
        refused += 1
      }
      let hasFailed = disk.heal()
      #expect(try await store.read { try $0.count(Person.all) } == (isSaved ? 1 : 0), "call \(number)")
      #expect(store.main.hasChanges == !isSaved)
      if !isSaved { try await store.main.save() }
      #expect(try store.main.fetch(Person.all) == [person])
      if !hasFailed { break }
    }
    #expect(refused > 0)
  }

  /// The file may not grow any more.
  @Test func `a file that may not grow is a full disk`() async throws {
    let test = try TestStore(.file)
    let id = try await test.store.addPerson(1, "Ada")
    func limit(_ pages: Int) async throws {
      try await test.store.core.unit { try $0.connection.execute("PRAGMA main.max_page_count = \(pages)") }
    }
    try await limit(1)
    let text = String(repeating: "x", count: 50_000)
    let main = test.store.main
    let person = try #require(try main.object(id))
    person.name = text
    #expect(errorKind { try main.saveAtOnce() } == .diskFull)
    #expect(await asyncErrorKind { try await main.save() } == .diskFull)
    #expect(await asyncErrorKind { try await test.store.addPerson(2, text) } == .diskFull)
    #expect(person.name == text)
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
    try await limit(1_000_000)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.name) } == [text])
  }

  /// A caller that catches the error of a change that can't be undone commits nothing of it.
  @Test(arguments: Place.usual) func `a unit with a part of a change is not committed`(_ place: Place) async throws {
    struct Stop: Error {}
    let test = try TestStore(place)
    await #expect(throws: StoreError.self) {
      try await test.store.core.unit { rows in
        let model = try rows.schema.model(Person.self)
        do {
          try rows.atomically {
            _ = try rows.insert(model, pk: rows.newPrimaryKey(), RowValues(count: model.properties.count), .effect)
            // SQLite has nothing to go back to from here on.
            try rows.connection.execute("RELEASE changes")
            throw Stop()
          }
        } catch is Stop {}
      }
    }
    #expect(try await test.store.read { try $0.count(Person.all) } == 0)
    try await test.store.addPerson(1)
  }

  /// The unit ends with the error that kept the change from being undone.
  @Test func `the error of a change that cannot be undone has the kind of its cause`() async throws {
    struct Stop: Error {}
    let test = try TestStore(.memory)
    let error = await #expect(throws: StoreError.self) {
      try await test.store.core.unit { rows in
        let handle = rows.connection.handle
        let length = sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, -1)
        do {
          try rows.atomically {
            // The statement that undoes is too long now.
            _ = sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 5)
            throw Stop()
          }
        } catch is Stop {}
        _ = sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, length)
      }
    }
    #expect(error?.kind == .tooLarge)
    #expect(error?.message.contains("could not be undone") == true)
    #expect(error?.sql == "ROLLBACK TO changes")
    try await test.store.addPerson(1)
  }

  /// An index of full-text search reads how many rows and words it has with the first change of a transaction.
  @Test func `a read that fails leaves the numbers of an index right`() async throws {
    let folder = try TemporaryFolder()
    func add(_ uids: ClosedRange<Int>, _ word: String, to store: EntityStore) async throws {
      try await store.background { context in
        for uid in uids {
          let memo = try context.insert(Memo.self)
          (memo.uid, memo.body) = (uid, String(repeating: "\(word) ", count: 400))
        }
      }
    }
    let store = try EntityStore(.file(folder.file), entities: Memo.all, busyTimeout: .ample)
    try await add(1...20, "old", to: store)
    try await store.close()
    var failures = 0
    for number in 1...200 {
      let other = try TemporaryFolder()
      try FileManager.default.copyItem(at: folder.file, to: other.file)
      let disk = try FaultyDisk()
      let store = try EntityStore(disk.location(other.file), entities: Memo.all, busyTimeout: .ample)
      // The connection that writes has no page from its opening.
      try await store.core.unit { try $0.connection.execute("PRAGMA shrink_memory") }
      disk.fail([.read], number)
      let kind = await asyncErrorKind { try await add(21...22, "failed", to: store) }
      guard disk.heal() else { break }
      #expect(kind == .ioError, "read \(number)")
      failures += 1
      try await add(23...24, "new", to: store)
      #expect(try await store.check(.full) == [], "read \(number)")
      try await store.background { _ = try $0.delete(Memo.where { $0.matches("old") }) }
      #expect(try await store.read { try $0.count(Memo.all) } == 2, "read \(number)")
      #expect(try await store.check(.full) == [], "read \(number)")
      try await store.close()
    }
    #expect((1..<200).contains(failures))
  }

  /// An index that can't be used holds up no write but those to it. One is another program's, and one has a name of the
  /// store's.
  @Test(arguments: ["theirs", "_search,theirs"])
  func `an unusable index holds up no other write after a failed read`(_ name: String) async throws {
    @Sendable func insert(_ text: String, _ context: EntityContext) throws {
      let memo = try context.insert(Memo.self)
      (memo.uid, memo.body) = (text == "old" ? 1 : 2, text)
    }
    var failures = 0
    for number in 1...200 {
      let folder = try TemporaryFolder()
      let disk = try FaultyDisk()
      let store = try EntityStore(disk.location(folder.file), entities: Memo.all, busyTimeout: .ample)
      try await store.background { try insert("old", $0) }
      try RawConnection(folder.file.path, vfs: nil, busyTimeout: 60_000).run(
        """
        CREATE VIRTUAL TABLE "\(name)" USING fts5(text); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE "\(name)" USING fts5(text, tokenize = nobody)'
        WHERE name = '\(name)'
        """)
      _ = try await store.checkpoint()
      try await store.core.unit { try $0.connection.execute("PRAGMA shrink_memory") }
      disk.fail([.read], number)
      let kind = await asyncErrorKind { try await store.background { try insert("failed", $0) } }
      guard disk.heal() else { break }
      #expect(kind == .ioError, "read \(number)")
      failures += 1
      try await store.background { try insert("new", $0) }
      #expect(try await store.read { try $0.count(Memo.where { $0.matches("new") }) } == 1, "read \(number)")
      try await store.close()
    }
    #expect((1..<200).contains(failures))
  }

  /// SQLite tells a page that it could not read as it tells a broken one.
  @Test(.disabled(if: Seeds.isSanitized, Faults.ofOthers), arguments: [StoreCheck.Depth.quick, .full], [false, true])
  func `a check reports a failed read and does not take it for damage`(_ depth: StoreCheck.Depth, persists: Bool)
    async throws
  {
    let folder = try TemporaryFolder()
    // Texts over several pages: SQLite has another message for these.
    try await FaultScenario.fillLongTexts(folder.file)
    var (kinds, failures): ([StoreError.Kind?], Int) = ([], 0)
    for number in 1... {
      let disk = try FaultyDisk()
      let store = try EntityStore(disk.location(folder.file), entities: FaultScenario.people, busyTimeout: .ample)
      disk.fail([.read], number, persists: persists)
      let kind = await asyncErrorKind {
        let problems = try await store.check(depth)
        #expect(problems == [], "read \(number)")
      }
      let hasFailed = disk.heal()
      #expect(try await store.check(depth) == [], "read \(number)")
      try await store.close()
      guard hasFailed else { break }
      kinds.append(kind)
      failures += 1
    }
    #expect(failures > 30)
    #expect(Set(kinds).isSubset(of: [.ioError, nil]))
    // A page is looked at twice.
    #expect(kinds.contains(nil) == !persists)
  }
}
