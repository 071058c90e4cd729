import EntityStore
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// The full check compares the words of full-text searches with the texts.
struct SearchCheckTests {
  private func filled(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place, Memo.all)
    try await test.store.background { context in
      for uid in 1...4 {
        let memo = try context.insert(Memo.self)
        (memo.uid, memo.title, memo.body) = (uid, uid == 2 ? nil : "Memo \(uid)", "Café café, twice \(uid)")
      }
    }
    return test
  }

  private func raw(_ test: TestStore, _ place: Place) throws -> RawConnection {
    let location = test.store.core.location
    return try RawConnection(location.path, vfs: place == .file ? nil : location.vfs, busyTimeout: 60_000)
  }

  @Test(arguments: Place.usual)
  func `an index in step has no problem`(_ place: Place) async throws {
    let test = try await filled(place)
    try await test.store.background { context in
      try context.fetch(Memo.self, uid: 1)?.title = "other words"
      try context.fetch(Memo.self, uid: 2)?.body = ""
      try context.fetch(Memo.self, uid: 3).map { try context.delete($0) }
    }
    // Twice: the first look leaves nothing behind.
    for _ in 0..<2 { #expect(try await test.store.check(.full) == []) }
    #expect(try await test.store.read { try $0.count(Memo.where { $0.matches("cafe") }) } == 2)
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let sql: String
    /// The memos that are found by other words; 0 for a row that is not there.
    let uids: [Int]

    var testDescription: String { sql }
  }

  static let faults = [
    Fault(
      sql: """
        INSERT INTO "_search,Memo" ("_search,Memo", rowid, title, body) \
        SELECT 'delete', _pk, title, body FROM Memo WHERE uid = 2
        """, uids: [2]),
    Fault(sql: "INSERT INTO \"_search,Memo\" (rowid, title) SELECT _pk, 'twice' FROM Memo WHERE uid = 4", uids: [4]),
    // The words are the same, and stand in the other column.
    Fault(
      sql: """
        INSERT INTO "_search,Memo" ("_search,Memo", rowid, title, body) \
        SELECT 'delete', _pk, title, body FROM Memo WHERE uid IN (1, 3); \
        INSERT INTO "_search,Memo" (rowid, title, body) SELECT _pk, body, title FROM Memo WHERE uid IN (1, 3)
        """, uids: [1, 3]),
    Fault(sql: "INSERT INTO \"_search,Memo\" (rowid, body) VALUES (987654, 'of no row')", uids: [0]),
    // No trigger is called for the row that makes way.
    Fault(
      sql: """
        CREATE TEMP TABLE theirs AS SELECT * FROM Memo WHERE uid = 1; UPDATE theirs SET title = 'replaced'; \
        INSERT OR REPLACE INTO Memo SELECT * FROM theirs
        """, uids: [1]),
    Fault(sql: "INSERT INTO \"_search,Memo\" (\"_search,Memo\") VALUES ('delete-all')", uids: [1, 2, 3, 4]),
  ]

  @Test(arguments: faults, Place.usual)
  func `words that differ are found`(_ fault: Fault, _ place: Place) async throws {
    let test = try await filled(place)
    try raw(test, place).run(fault.sql)
    #expect(try await test.store.check() == [])
    let problems = try await test.store.check(.full)
    #expect(problems.map(\.kind) == fault.uids.map { _ in .search })
    #expect(!problems.description.lowercased().contains("caf"))
    let ids = problems.map(\.object)
    let found = try await test.store.read { context in
      try ids.map { id in try context.fetch(Memo.all).first { $0.entityID.untyped == id }?.uid ?? 0 }
    }
    #expect(found == fault.uids)
    // FTS5's own check finds it, too.
    let own = try raw(test, place).code(
      "INSERT INTO \"_search,Memo\" (\"_search,Memo\", rank) VALUES ('integrity-check', 1)")
    #expect(own != 0)
  }

  /// FTS5 refuses a deletion where its numbers would go below zero.
  @Test(arguments: ["X'0100'", "X''"], Place.usual)
  func `numbers that differ are found`(_ numbers: String, _ place: Place) async throws {
    let test = try await filled(place)
    try raw(test, place).run("UPDATE \"_search,Memo_data\" SET block = \(numbers) WHERE id = 1")
    #expect(try await test.store.check() == [])
    let problems = try await test.store.check(.full)
    #expect(problems.map(\.kind) == [.search])
    #expect(problems.first?.object == nil)
    #expect(problems.first?.text.contains("counts other rows or words") == true)
  }

  /// All zeros are kept as zeros, and as nothing in an index that had no row yet.
  @Test(arguments: Place.usual) func `an index that became empty has no problem`(_ place: Place) async throws {
    let test = try await filled(place)
    try await test.store.background { _ = try $0.delete(Memo.all) }
    #expect(try await test.store.check(.full) == [])
    let empty = try TestStore(place, Memo.all)
    #expect(try await empty.store.check(.full) == [])
  }

  @Test func `a store that only reads is checked too`() async throws {
    let test = try await filled(.file)
    try raw(test, .file).run(Self.faults[0].sql)
    try await test.store.close()
    var options = StoreOptions()
    options.access = .readOnly
    let reading = try EntityStore(.file(test.folder.file), entities: Memo.all, options: options)
    #expect(try await reading.check() == [])
    #expect(try await reading.check(.full).map(\.kind) == [.search])
  }

  @Test func `an index that a file for reading lacks is no problem`() async throws {
    let folder = try TemporaryFolder()
    let store = try EntityStore(.file(folder.file), entities: [UnsearchedMemo.Memo.self])
    try await store.background { try $0.insert(UnsearchedMemo.Memo.self).title = "none" }
    try await store.close()
    var options = StoreOptions()
    options.access = .readOnly
    let reading = try EntityStore(.file(folder.file), entities: [SearchedMemo.Memo.self], options: options)
    #expect(try await reading.check(.full) == [])
  }

  @Test(arguments: Place.usual)
  func `an index or a trigger that is gone is found at once`(_ place: Place) async throws {
    for sql in ["DROP TRIGGER \"_search,Memo,update\"", "DROP TABLE \"_search,Memo\""] {
      let test = try await filled(place)
      try raw(test, place).run(sql)
      for depth in [StoreCheck.Depth.quick, .full] {
        #expect(try await test.store.check(depth).map(\.kind) == [.structure], "\(sql)")
      }
    }
  }

  /// The article's way to mend an index.
  @Test func `a step makes the index anew`() async throws {
    let test = try await filled(.file)
    try raw(test, .file).run(Self.faults[5].sql)
    try await test.store.close()
    let store = try EntityStore(
      .file(test.folder.file), entities: Memo.all, migrations: [Migration("index the texts anew") { _ in }])
    #expect(try await store.check(.full) == [])
  }
}
