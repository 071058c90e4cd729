import CSQLite
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Failures of SQLite as users of a store see them.
struct FailureKindTests {
  private func failure(_ code: Int32, _ opening: Connection.Opening = .existing) -> StoreError {
    SQLiteFailure(.inMemory, code, "reason", nil, opening).error(code, sql: "SELECT 1")
  }

  @Test(arguments: [
    (SQLITE_IOERR | 1 << 8, StoreError.Kind.ioError), (SQLITE_IOERR | 4 << 8, .ioError),
    (SQLITE_IOERR | 12 << 8, .outOfMemory), (SQLITE_IOERR | 19 << 8, .diskFull), (SQLITE_NOMEM, .outOfMemory),
    (SQLITE_TOOBIG, .tooLarge), (SQLITE_LOCKED, .locked), (SQLITE_PROTOCOL, .locked), (SQLITE_BUSY, .writerBusy),
    (SQLITE_FULL, .diskFull), (SQLITE_CORRUPT, .corrupt), (SQLITE_NOTADB, .notAStore),
    (SQLITE_READONLY, .readOnly), (SQLITE_READONLY | 4 << 8, .fileGone), (SQLITE_CANTOPEN, .cannotOpen),
    (SQLITE_CONSTRAINT | 3 << 8, .brokenLink), (SQLITE_CONSTRAINT | 5 << 8, .invalidValue),
    (SQLITE_CONSTRAINT | 8 << 8, .uniqueViolation), (SQLITE_MISUSE, .sqlite),
  ])
  func `each code has a kind`(_ code: Int32, _ kind: StoreError.Kind) {
    let error = failure(code)
    #expect(error.kind == kind)
    #expect(error.sqliteCode == code)
    #expect(error.sql == "SELECT 1")
  }

  /// The log may have a commit that was refused.
  @Test(arguments: [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 19 << 8, SQLITE_FULL, SQLITE_NOMEM])
  func `the error of a commit does not say that nothing was written`(_ code: Int32) {
    func message(_ sql: String) -> String {
      SQLiteFailure(.inMemory, code, "reason", nil, .existing).error(code, sql: sql).message
    }
    let nothing = "Nothing of this unit was written."
    #expect(message("INSERT INTO Person VALUES (?)").contains(nothing))
    #expect(!message("COMMIT").contains(nothing))
    #expect(message("COMMIT").contains("the file may have it, as a whole."))
  }

  @Test(arguments: Place.usual)
  func `a value that is too large is an error of its own kind`(_ place: Place) async throws {
    let test = try TestStore(place)
    let kind = await asyncErrorKind {
      try await test.store.background { try $0.connection.execute("SELECT zeroblob(2147483647)") }
    }
    #expect(kind == .tooLarge)
  }

  @Test(arguments: Place.usual)
  func `a table that is read is locked`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1)
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        let people = try Statement("SELECT * FROM main.Person", on: context.connection)
        defer { people.reset() }
        #expect(try people.step())
        try context.connection.execute("DROP TABLE main.Person")
      }
    }
    #expect(kind == .locked)
  }

  @Test func `a read after the file is gone makes no other`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    for suffix in ["", "-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: test.folder.file.path + suffix)
    }
    let kind = await asyncErrorKind { _ = try await test.store.read { try $0.count(Person.all) } }
    #expect(kind == .fileGone)
    #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path) == [])
  }
}
