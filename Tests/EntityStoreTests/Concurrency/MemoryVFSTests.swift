import CSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

/// An in-memory database behaves as a file does, between connections too.
@Suite struct MemoryVFSTests {
  let name = "/test-\(UUID())"

  func open(_ mode: String = "wal", busyTimeout: Int32 = 0) throws -> RawConnection {
    let connection = try RawConnection(name, busyTimeout: busyTimeout)
    #expect(try connection.text("PRAGMA journal_mode=\(mode)") == mode)
    return connection
  }

  /// Whether the VFS knows the file, an empty one too.
  func exists(_ suffix: String) throws -> Bool {
    let vfs = try #require(sqlite3_vfs_find(ENTITY_MEMORY_VFS_NAME))
    var result: Int32 = -1
    #expect(vfs.pointee.xAccess(vfs, name + suffix, SQLITE_ACCESS_READWRITE, &result) == SQLITE_OK)
    return result == 1
  }

  // MARK: Isolation and locks

  @Test func `readers keep their snapshot while another connection commits`() throws {
    let (writer, early, late) = (try open(), try open(), try open())
    try writer.run("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    try early.run("BEGIN")
    #expect(try early.int("SELECT a FROM t") == 1)
    try writer.run("UPDATE t SET a = 2")
    try late.run("BEGIN")
    #expect(try late.int("SELECT a FROM t") == 2)
    try writer.run("BEGIN IMMEDIATE; UPDATE t SET a = 3")
    #expect(try late.int("SELECT a FROM t") == 2)
    try writer.run("COMMIT")
    #expect(try early.int("SELECT a FROM t") == 1)
    #expect(try late.int("SELECT a FROM t") == 2)
    try early.run("COMMIT")
    #expect(try early.int("SELECT a FROM t") == 3)
    #expect(early.code("BEGIN; SELECT a FROM t; COMMIT") == SQLITE_OK)
    #expect(late.code("UPDATE t SET a = 4") == ExtendedCode.busySnapshot)
  }

  @Test(arguments: [("wal", 3000), ("delete", 20)])
  func `concurrent readers never see a torn state`(mode: String, commits: Int) async throws {
    let connection = try open(mode)
    try connection.run(
      """
      CREATE TABLE generation(n); INSERT INTO generation VALUES(0); CREATE TABLE account(id INTEGER PRIMARY KEY, sum);
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200) INSERT INTO account SELECT i, 0 FROM c
      """)
    let done = Flag()
    let name = name
    async let written: Void = onThread {
      defer { done.value.store(true, ordering: .releasing) }
      let writer = try RawConnection(name, busyTimeout: 60_000)
      for commit in 1...commits {
        try writer.run(
          """
          BEGIN IMMEDIATE; UPDATE account SET sum = sum + id WHERE id <= 100;
          UPDATE account SET sum = sum - (id - 100) WHERE id > 100; UPDATE generation SET n = \(commit); COMMIT
          """)
        // Tried without waiting for readers to leave the WAL: they come back at once, in this test.
        if commit % 50 == 0 {
          sqlite3_busy_timeout(writer.handle, 0)
          _ = writer.code("PRAGMA wal_checkpoint(TRUNCATE)")
          sqlite3_busy_timeout(writer.handle, 60_000)
        }
      }
    }
    let read: @Sendable () throws -> Void = {
      let reader = try RawConnection(name, busyTimeout: 60_000)
      var last = 0
      while !done.value.load(ordering: .acquiring) {
        try reader.run("BEGIN")
        let generation = try #require(try reader.int("SELECT n FROM generation"))
        let sums = try reader.rows("SELECT sum(sum), max(sum) FROM account")
        try #require(generation >= last)
        try #require(sums == [["0", "\(generation * 100)"]])
        try #require(try reader.int("SELECT n FROM generation") == generation)
        try reader.run("COMMIT")
        last = generation
      }
    }
    async let reader1: Void = onThread(read)
    async let reader2: Void = onThread(read)
    async let reader3: Void = onThread(read)
    _ = try await (written, reader1, reader2, reader3)
    #expect(try connection.int("SELECT n FROM generation") == commits)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `the second writer is busy until the first commits`() async throws {
    let (first, second) = (try open(), try open())
    try first.run("CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
    #expect(second.code("BEGIN IMMEDIATE") == SQLITE_BUSY)
    #expect(try second.int("SELECT count(*) FROM t") == 0, "a writer blocks no reader")

    sqlite3_busy_timeout(second.handle, 30)
    let waited = ContinuousClock().measure { #expect(second.code("BEGIN IMMEDIATE") == SQLITE_BUSY) }
    #expect(waited >= .milliseconds(25), "the busy timeout sleeps")

    let name = name
    async let third = onThread { try RawConnection(name, busyTimeout: 60_000).run("INSERT INTO t VALUES(2)") }
    try first.run("COMMIT")
    try await third
    #expect(try second.int("SELECT count(*) FROM t") == 2)
  }

  @Test func `with a rollback journal a reader holds up the commit`() throws {
    let (writer, reader, late) = (try open("delete"), try open("delete"), try open("delete"))
    try writer.run("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    #expect(try late.int("SELECT a FROM t") == 1)
    try reader.run("BEGIN")
    #expect(try reader.int("SELECT a FROM t") == 1)
    try writer.run("BEGIN; UPDATE t SET a = 2")
    #expect(writer.code("COMMIT") == SQLITE_BUSY)
    #expect(try reader.int("SELECT a FROM t") == 1)
    #expect(late.code("SELECT a FROM t") == SQLITE_BUSY, "the writer is next")
    try reader.run("COMMIT")
    try writer.run("COMMIT")
    #expect(try late.int("SELECT a FROM t") == 2)
  }

  // MARK: Journals

  @Test(arguments: ["wal", "delete", "truncate", "persist", "memory"])
  func `transactions roll back`(mode: String) throws {
    let connection = try open(mode)
    try connection.run("PRAGMA cache_size=10; CREATE TABLE t(a, b); INSERT INTO t VALUES(1, zeroblob(500000))")
    try connection.run("BEGIN; UPDATE t SET b = randomblob(800000); INSERT INTO t VALUES(2, randomblob(300000))")
    try connection.run("ROLLBACK")
    #expect(try connection.rows("SELECT a, b = zeroblob(500000) FROM t") == [["1", "1"]])
    #expect(try RawConnection(name).text("PRAGMA integrity_check") == "ok")
    #expect(try exists("-journal") == (mode == "truncate" || mode == "persist"))
    try connection.close()
    for suffix in ["", "-wal", "-journal"] { #expect(try !exists(suffix)) }
  }

  @Test func `a checkpoint gives the WAL back and a restart reuses it`() throws {
    let (writer, reader) = (try open(), try open())
    try writer.run("PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a); INSERT INTO t VALUES(randomblob(2000000))")
    let wal = try writer.file(SQLITE_FCNTL_JOURNAL_POINTER)
    #expect(wal.size() > 2_000_000)
    try reader.run("BEGIN; SELECT count(*) FROM t")
    #expect(try writer.rows("PRAGMA wal_checkpoint(RESTART)").first?.first == "1", "a reader is on this WAL")
    try reader.run("COMMIT")
    #expect(try writer.rows("PRAGMA wal_checkpoint(RESTART)").first?.first == "0")
    let size = wal.size()
    for _ in 0..<5 {
      try writer.run("INSERT INTO t VALUES(randomblob(1500000)); PRAGMA wal_checkpoint(RESTART)")
      #expect(wal.size() == size)
    }
    #expect(try writer.rows("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
    #expect(wal.size() == 0)
    #expect(try reader.int("SELECT sum(length(a)) FROM t") == 9_500_000)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `transactions over two databases are one`() throws {
    let connection = try open("delete")
    try connection.run("ATTACH '\(name)-two' AS two; CREATE TABLE main.t(a); CREATE TABLE two.t(a)")
    try connection.run("BEGIN; INSERT INTO main.t VALUES(1); INSERT INTO two.t VALUES(2); COMMIT")
    try connection.run("BEGIN; DELETE FROM main.t; DELETE FROM two.t; ROLLBACK")
    #expect(try connection.rows("SELECT * FROM main.t, two.t") == [["1", "2"]])
    #expect(try RawConnection(name + "-two").int("SELECT a FROM t") == 2)
    try connection.close()
    #expect(try !exists(""))
    #expect(try !exists("-two"))
  }

  // MARK: Lifetime and names

  @Test(arguments: ["wal", "delete"])
  func `the last connection takes the database with it`(mode: String) throws {
    let first = try open(mode)
    try first.run("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    let second = try RawConnection(name)
    try first.close()
    #expect(try second.int("SELECT a FROM t") == 1)
    try second.close()
    for suffix in ["", "-wal", "-journal"] { #expect(try !exists(suffix)) }
    #expect(try RawConnection(name).rows("SELECT * FROM sqlite_schema") == [])
    #expect(try RawConnection(name).text("PRAGMA journal_mode") == "delete")
  }

  @Test func `a deleted database lives on while it is open`() throws {
    let old = try open("delete")
    try old.run("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    let vfs = try #require(sqlite3_vfs_find(ENTITY_MEMORY_VFS_NAME))
    #expect(vfs.pointee.xDelete(vfs, name, 0) == SQLITE_OK)
    #expect(vfs.pointee.xDelete(vfs, name, 0) == ExtendedCode.deleteNoEntry)
    let new = try open("delete")
    #expect(try new.rows("SELECT * FROM sqlite_schema") == [])
    try new.run("CREATE TABLE other(a)")
    #expect(try old.int("SELECT a FROM t") == 1)
    #expect(old.code("INSERT INTO t VALUES(2)") == ExtendedCode.readOnlyMoved)
    try old.close()
    #expect(try new.int("SELECT count(*) FROM other") == 0)
  }

  @Test func `in-memory databases with other names are other databases`() throws {
    let (one, two) = (try open(), try RawConnection(name + "2"))
    try one.run("CREATE TABLE t(a)")
    #expect(try two.rows("SELECT * FROM sqlite_schema") == [])
    try two.run("CREATE TABLE t(a, b); BEGIN IMMEDIATE")
    try one.run("INSERT INTO t VALUES(1)")
  }

  @Test func `a name that is too long is refused`() throws {
    let connection = try RawConnection(String(repeating: "n", count: 500))
    try connection.run("PRAGMA journal_mode=wal; CREATE TABLE t(a)")
    let long = String(repeating: "n", count: 513)
    let error = #expect(throws: RawSQLError.self) { try RawConnection(long) }
    #expect(error?.code == SQLITE_CANTOPEN)
  }

  @Test func `many threads register once and the default stays`() async throws {
    try await withThrowingTaskGroup(of: Int32.self) { group in
      for _ in 0..<8 { group.addTask { entity_memory_vfs_register() } }
      for try await code in group { #expect(code == SQLITE_OK) }
    }
    let vfs = try #require(sqlite3_vfs_find(nil))
    #expect(String(cString: vfs.pointee.zName) != ENTITY_MEMORY_VFS_NAME)
  }

  // MARK: Contents

  @Test(arguments: ["wal", "delete"])
  func `tens of megabytes come back equal`(mode: String) throws {
    let connection = try open(mode)
    var random = SeededRandom(state: 42)
    let (large, other) = (random.bytes(20_000_000), random.bytes(20_000_000))
    try connection.run("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
    try connection.run("INSERT INTO t VALUES(0, ?)", bytes: large)
    try connection.run("INSERT INTO t(a) VALUES(?)", bytes: other)
    let reader = try RawConnection(name)
    #expect(try reader.blob("SELECT a FROM t WHERE id = 0") == large)
    #expect(try reader.blob("SELECT a FROM t WHERE id = 1") == other)
    try connection.run("DELETE FROM t WHERE id = 0; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try connection.file().size() < 21_000_000, "VACUUM gives the memory back")
    #expect(try reader.blob("SELECT a FROM t WHERE id = 1") == other)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `temporary tables larger than the cache`() throws {
    let connection = try open()
    try connection.run(
      """
      PRAGMA temp_store=file; PRAGMA temp.cache_size=5; CREATE TEMP TABLE t(a INTEGER PRIMARY KEY, b);
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000)
      INSERT INTO t SELECT i, hex(randomblob(500)) FROM c; CREATE INDEX temp.t_b ON t(b)
      """)
    #expect(try connection.rows("SELECT count(*), sum(length(b)) FROM t") == [["3000", "3000000"]])
    #expect(try connection.text("PRAGMA temp.integrity_check") == "ok")
    #expect(try RawConnection(name).rows("SELECT * FROM sqlite_schema") == [])
  }

  @Test func `backup to a file and back`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).db").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let source = try open()
    try source.run("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, randomblob(300000)), (2, 'two')")
    let file = try RawConnection(path, vfs: nil)
    let copy = try RawConnection(name + "-copy")
    for (from, to) in [(source, file), (file, copy)] {
      let backup = try #require(sqlite3_backup_init(to.handle, "main", from.handle, "main"))
      #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
      #expect(sqlite3_backup_finish(backup) == SQLITE_OK)
    }
    #expect(try file.rows("SELECT a, hex(b) FROM t") == source.rows("SELECT a, hex(b) FROM t"))
    #expect(try copy.rows("SELECT a, hex(b) FROM t") == source.rows("SELECT a, hex(b) FROM t"))
    #expect(try copy.text("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: ["wal", "delete"], [1, 2, 3] as [UInt64])
  func `the same work ends equal on a file and in memory`(mode: String, seed: UInt64) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).db").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let onFile = [try RawConnection(path, vfs: nil), try RawConnection(path, vfs: nil)]
    let inMemory = [try RawConnection(name), try RawConnection(name)]
    for connections in [onFile, inMemory] {
      try connections[0].run("PRAGMA journal_mode=\(mode); PRAGMA synchronous=off; PRAGMA wal_autocheckpoint=20")
      try connections[0].run("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX t_a ON t(a)")
    }
    var random = SeededRandom(state: seed)
    for step in 0..<600 {
      let which = Int.random(in: 0...1, using: &random)
      let sql = randomStatement(&random)
      let expected = onFile[which].code(sql)
      try #require(inMemory[which].code(sql) == expected, "step \(step): \(sql)")
    }
    for connection in onFile + inMemory { _ = connection.code("COMMIT") }
    let dump = "SELECT id, a, hex(b) FROM t ORDER BY id"
    #expect(try inMemory[0].rows(dump) == onFile[0].rows(dump))
    #expect(try inMemory[1].rows(dump) == onFile[1].rows(dump))
    #expect(try inMemory[0].int("PRAGMA page_count") == onFile[0].int("PRAGMA page_count"))
    #expect(try inMemory[1].text("PRAGMA integrity_check") == "ok")
  }

  /// Statements that collide between two connections now and then, so that result codes are compared too.
  func randomStatement(_ random: inout SeededRandom) -> String {
    let id = Int.random(in: 1...200, using: &random)
    let length = Int.random(in: 0...9000, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<7: return "INSERT INTO t VALUES(\(id), \(length), zeroblob(\(length)))"
    case 7..<10: return "UPDATE t SET a = \(length), b = zeroblob(\(length)) WHERE id % 7 = \(id % 7)"
    case 10..<12: return "DELETE FROM t WHERE id = \(id)"
    case 12: return "BEGIN"
    case 13: return "BEGIN IMMEDIATE"
    case 14..<16: return "COMMIT"
    case 16: return "ROLLBACK"
    case 17: return "SELECT sum(a) FROM t"
    case 18: return "PRAGMA wal_checkpoint(RESTART)"
    default: return "VACUUM"
    }
  }
}

extension SeededRandom {
  mutating func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      for offset in stride(from: 0, to: count - 7, by: 8) {
        UnsafeMutableRawBufferPointer(buffer).storeBytes(of: next(), toByteOffset: offset, as: UInt64.self)
      }
      initialized = count / 8 * 8
    }
  }
}

final class Flag: Sendable {
  let value = Atomic(false)
}
