import CSQLite
import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// The file system of the tests of faults does what it says.
struct FaultyDiskTests {
  private let folder: TemporaryFolder
  private let disk: FaultyDisk

  init() throws {
    folder = try TemporaryFolder()
    disk = try FaultyDisk(keepsUnsynced: true)
  }

  private func open(_ file: URL? = nil) throws -> RawConnection {
    try RawConnection((file ?? folder.file).path, vfs: disk.name)
  }

  @Test func `without faults the faulty disk is the usual file system`() throws {
    let connection = try open()
    try connection.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let other = try RawConnection(folder.file.path, vfs: nil)
    #expect(try other.int("SELECT a FROM t") == 1)
    #expect(other.code("BEGIN IMMEDIATE; UPDATE t SET a = 2") == SQLITE_OK)
    #expect(connection.code("UPDATE t SET a = 3") & 0xff == SQLITE_BUSY)
    try other.run("COMMIT")
    #expect(try connection.int("SELECT a FROM t") == 2)
    for operation in [FaultyDisk.Operation.open, .read, .write, .sync, .lock, .indexMap, .indexLock] {
      #expect(disk.calls(operation) > 0, "\(operation)")
    }
    try connection.close()
    #expect(disk.openFiles == 0)
  }

  @Test func `one call fails, or all calls from that one on`() throws {
    let connection = try open()
    try connection.run("CREATE TABLE t (a)")
    let file = try connection.file()
    let before = file.size()
    func codes() -> [Int32] { (0..<4).map { _ in file.write([1, 2, 3, 4], at: before) } }
    let error = FaultyDisk.Operation.write.code
    disk.fail([.write], 2)
    #expect(codes() == [SQLITE_OK, error, SQLITE_OK, SQLITE_OK])
    #expect(disk.heal())
    disk.fail([.write], 3, code: SQLITE_FULL, persists: true)
    #expect(codes() == [SQLITE_OK, SQLITE_OK, SQLITE_FULL, SQLITE_FULL])
    #expect(disk.failed.map(\.operation) == [.write, .write])
    #expect(disk.failed.first?.file == folder.file.path)
    #expect(disk.heal())
    #expect(codes() == [SQLITE_OK, SQLITE_OK, SQLITE_OK, SQLITE_OK])
    disk.fail([.sync])
    #expect(codes() == [SQLITE_OK, SQLITE_OK, SQLITE_OK, SQLITE_OK])
    #expect(!disk.heal())
  }

  @Test func `a write that fails has written its first half`() throws {
    let connection = try open()
    let file = try connection.file()
    #expect(file.write([1, 1, 1, 1], at: 0) == SQLITE_OK)
    disk.fail([.write])
    #expect(file.write([2, 2, 2, 2], at: 0) != SQLITE_OK)
    #expect(file.read(4, at: 0).bytes == [2, 2, 1, 1])
  }

  @Test(arguments: FaultyDisk.Operation.allCases)
  func `each operation fails with the code that was chosen`(_ operation: FaultyDisk.Operation) throws {
    let connection = try open()
    try connection.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    let file = try connection.file()
    let code = SQLITE_IOERR | 99 << 8
    disk.fail([operation], code: code)
    let vfs = try #require(sqlite3_vfs_find(disk.name))
    var (size, result): (sqlite3_int64, Int32) = (0, 0)
    let path = folder.url.path + "/x"
    let found =
      switch operation {
      case .open: errorCode { _ = try open(folder.url.appending(path: "other")) }
      case .delete: vfs.pointee.xDelete(vfs, path, 0)
      case .access: vfs.pointee.xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &result)
      case .read: file.read(4, at: 0).code
      case .write: file.write([1], at: 0)
      case .truncate: file.truncate(1)
      case .sync: file.methods.pointee.xSync(file.file, SQLITE_SYNC_NORMAL)
      case .fileSize: file.methods.pointee.xFileSize(file.file, &size)
      case .lock: file.lock(SQLITE_LOCK_SHARED)
      case .indexMap: file.mapRegion(0, extend: true).code
      case .indexLock: file.lockSlots(1, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED)
      }
    #expect(found & 0xff == code & 0xff)
    #expect(disk.failed.map(\.operation) == [operation])
  }

  private func errorCode(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return SQLITE_OK
    } catch {
      return (error as? RawSQLError)?.code ?? -1
    }
  }

  // MARK: Power cuts

  private func bytes(_ folder: TemporaryFolder) -> [UInt8]? { (try? Data(contentsOf: folder.file)).map { [UInt8]($0) } }

  /// All that is left by the power cuts of many seeds.
  private func cuts() throws -> [[UInt8]?] { try (0..<64).map { bytes(try disk.cut($0)) } }

  @Test func `a power cut leaves all that was synced`() throws {
    let connection = try open()
    let file = try connection.file()
    let content = [UInt8](repeating: 7, count: 1500)
    #expect(file.write(content, at: 0) == SQLITE_OK)
    #expect(file.methods.pointee.xSync(file.file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(try cuts().allSatisfy { $0 == content })
  }

  @Test func `a power cut takes sectors that were not synced`() throws {
    let connection = try open()
    let file = try connection.file()
    #expect(file.write([UInt8](repeating: 1, count: 1024), at: 0) == SQLITE_OK)
    #expect(file.methods.pointee.xSync(file.file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(file.write([UInt8](repeating: 2, count: 800), at: 100) == SQLITE_OK)
    let left = try cuts().compactMap { $0 }
    let first = [UInt8](repeating: 1, count: 100)
    let last = [UInt8](repeating: 1, count: 124)
    // Two pieces: each of them is there or not.
    let possible = Set(
      [1, 2].flatMap { a in
        [1, 2].map { b in first + [UInt8](repeating: a, count: 412) + [UInt8](repeating: b, count: 388) + last }
      } as [[UInt8]])
    #expect(Set(left) == possible)
    // The program itself goes on.
    #expect(file.read(1, at: 100).bytes == [2])
  }

  @Test func `a power cut takes files, deletions and truncations that were not synced`() throws {
    var connection = try open()
    #expect(try connection.file().write([1, 2, 3, 4], at: 0) == SQLITE_OK)
    #expect(try Set(cuts().map { $0 ?? [] }) == [[], [1, 2, 3, 4]])
    #expect(try cuts().contains(nil), "a file that was never synced may be missing")
    #expect(try connection.file().methods.pointee.xSync(connection.file().file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(try connection.file().truncate(2) == SQLITE_OK)
    #expect(try Set(cuts()) == [[1, 2], [1, 2, 3, 4]])
    let vfs = try #require(sqlite3_vfs_find(disk.name))
    try connection.close()
    #expect(vfs.pointee.xDelete(vfs, folder.file.path, 0) == SQLITE_OK)
    #expect(try Set(cuts()) == [nil, [1, 2], [1, 2, 3, 4]])
    connection = try open()
    #expect(try connection.file().write([9], at: 0) == SQLITE_OK)
    #expect(try connection.file().methods.pointee.xSync(connection.file().file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
    #expect(try Set(cuts()) == [[9]])
    try connection.close()
    #expect(vfs.pointee.xDelete(vfs, folder.file.path, 1) == SQLITE_OK)
    #expect(try Set(cuts()) == [nil])
  }

  // MARK: Stores

  @Test func `a store is opened with the faulty disk`() async throws {
    do {
      let store = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
      try await store.addPerson(1, "Ada")
      #expect(try await store.read { try $0.count(Person.all) } == 1)
      #expect(disk.calls(.write) > 0)
      let cut = try disk.cut(1)
      #expect(FileManager.default.fileExists(atPath: cut.file.path))
      #expect(!FileManager.default.fileExists(atPath: cut.file.path + "-shm"))
      disk.fail([.write], persists: true)
      await #expect(throws: StoreError.self) { try await store.addPerson(2) }
      disk.heal()
      try await store.addPerson(2)
    }
    await disk.closed()
    let store = try EntityStore(.file(folder.file), entities: TestStore.people)
    #expect(try await store.read { try $0.fetch(Person.all.sorted(by: \.uid)).map(\.uid) } == [1, 2])
  }
}
