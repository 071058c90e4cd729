import CSQLite
import Foundation
import Testing

/// The methods SQLite calls, called directly: their promises are in the comments of sqlite3.h and in
/// https://sqlite.org/lockingv3.html.
@Suite struct MemoryVFSMethodTests {
  let first: RawConnection
  let second: RawConnection

  init() throws {
    let name = "/methods-\(UUID())"
    first = try RawConnection(name)
    second = try RawConnection(name)
  }

  @Test func `shared locks go together and one lock is reserved`() throws {
    let (a, b) = (try first.file(), try second.file())
    #expect(a.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(!a.isReserved())
    #expect(a.lock(SQLITE_LOCK_RESERVED) == SQLITE_OK)
    #expect(a.isReserved())
    #expect(b.isReserved())
    #expect(b.lock(SQLITE_LOCK_RESERVED) == SQLITE_BUSY)
    #expect(b.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY)
    #expect(b.unlock(SQLITE_LOCK_NONE) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_OK, "RESERVED lets readers in")
    #expect(a.unlock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_RESERVED) == SQLITE_OK)
  }

  @Test func `exclusive waits for readers and keeps new ones out`() throws {
    let (a, b) = (try first.file(), try second.file())
    #expect(a.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(a.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY)
    #expect(b.unlock(SQLITE_LOCK_NONE) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_BUSY, "the writer is PENDING")
    #expect(a.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_BUSY)
    #expect(a.unlock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
  }

  @Test func `closing gives locks back`() throws {
    let (a, b) = (try first.file(), try second.file())
    #expect(a.mapRegion(0, extend: true).code == SQLITE_OK)
    #expect(b.mapRegion(0, extend: true).code == SQLITE_OK)
    #expect(a.lockSlots(0, 8, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    #expect(a.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(a.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
    try first.close()
    #expect(b.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
    #expect(b.lockSlots(0, 8, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
    #expect(b.unmap() == SQLITE_OK)
  }

  @Test func `slots of the WAL index are shared or exclusive`() throws {
    let (a, b) = (try first.file(), try second.file())
    let takeShared = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED
    let takeExclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
    let leaveShared = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED
    let leaveExclusive = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE
    #expect(a.lockSlots(0, 1, takeShared) == ExtendedCode.lockSlot, "not mapped yet")
    #expect(a.mapRegion(0, extend: true).code == SQLITE_OK)
    #expect(b.mapRegion(0, extend: true).code == SQLITE_OK)
    defer {
      #expect(a.unmap() == SQLITE_OK)
      #expect(b.unmap() == SQLITE_OK)
    }

    #expect(a.lockSlots(3, 1, takeShared) == SQLITE_OK)
    #expect(a.lockSlots(3, 1, takeShared) == SQLITE_OK, "held already: counted once")
    #expect(b.lockSlots(3, 1, takeShared) == SQLITE_OK)
    #expect(b.lockSlots(3, 1, takeExclusive) == SQLITE_BUSY)
    #expect(a.lockSlots(3, 1, leaveShared) == SQLITE_OK)
    #expect(b.lockSlots(3, 1, takeExclusive) == SQLITE_BUSY, "no transition from SHARED")
    #expect(b.lockSlots(3, 1, leaveShared) == SQLITE_OK)
    #expect(b.lockSlots(3, 1, takeExclusive) == SQLITE_OK)

    #expect(a.lockSlots(1, 5, takeExclusive) == SQLITE_BUSY, "slot 3 is taken")
    #expect(b.lockSlots(1, 2, takeExclusive) == SQLITE_OK, "a refused range takes nothing")
    #expect(a.lockSlots(1, 1, takeShared) == SQLITE_BUSY)
    #expect(a.lockSlots(1, 3, leaveExclusive) == SQLITE_OK, "gives back only what is its own")
    #expect(a.lockSlots(1, 1, takeShared) == SQLITE_BUSY)
    #expect(b.lockSlots(1, 3, leaveExclusive) == SQLITE_OK)
    #expect(a.lockSlots(1, 5, takeExclusive) == SQLITE_OK)

    #expect(a.lockSlots(0, 2, takeShared) == ExtendedCode.lockSlot, "SHARED is for one slot")
    #expect(a.lockSlots(6, 3, takeExclusive) == ExtendedCode.lockSlot)
  }

  @Test func `regions stay in place until the last user leaves`() throws {
    let (a, b) = (try first.file(), try second.file())
    #expect(a.mapRegion(0, extend: false) == (SQLITE_OK, nil))
    let region = try #require(a.mapRegion(0, extend: true).address)
    #expect(b.mapRegion(0, extend: false).address == region)
    #expect(UnsafeRawBufferPointer(start: region, count: 32768).allSatisfy { $0 == 0 })
    region.storeBytes(of: 7, as: UInt8.self)
    for number in 1..<40 as Range<Int32> { #expect(b.mapRegion(number, extend: true).address != nil) }
    #expect(a.mapRegion(0, extend: false).address == region)
    #expect(a.unmap() == SQLITE_OK)
    #expect(b.mapRegion(0, extend: false).address?.load(as: UInt8.self) == 7)
    #expect(b.unmap() == SQLITE_OK)
    #expect(b.mapRegion(0, extend: false) == (SQLITE_OK, nil))
    #expect(b.unmap() == SQLITE_OK)
  }

  @Test func `bytes never written are zeros`() throws {
    let file = try first.file()
    let far: Int64 = 10_000_000
    #expect(file.write([1, 2, 3], at: far) == SQLITE_OK)
    #expect(file.size() == far + 3)
    let read = file.read(200_000, at: far - 199_999)
    #expect(read.code == ExtendedCode.shortRead || read.code == SQLITE_OK)
    #expect(read.bytes.dropLast().allSatisfy { $0 == 0 })
    #expect(read.bytes.last == 1)
    let beyond = file.read(8, at: far + 1)
    #expect(beyond.code == ExtendedCode.shortRead)
    #expect(beyond.bytes == [2, 3, 0, 0, 0, 0, 0, 0])
    #expect(file.truncate(0) == SQLITE_OK)
  }

  @Test func `truncated bytes do not come back`() throws {
    let file = try first.file()
    #expect(file.write([UInt8](repeating: 9, count: 200_000), at: 0) == SQLITE_OK)
    #expect(file.truncate(70_001) == SQLITE_OK)
    #expect(file.size() == 70_001)
    #expect(file.truncate(200_000) == SQLITE_OK)
    let bytes = file.read(200_000, at: 0).bytes
    #expect(bytes[..<70_001].allSatisfy { $0 == 9 })
    #expect(bytes[70_001...].allSatisfy { $0 == 0 })
    #expect(file.truncate(0) == SQLITE_OK)
  }

  @Test func `file controls`() throws {
    let file = try first.file()
    var hint: sqlite3_int64 = 5_000_000
    #expect(file.control(SQLITE_FCNTL_SIZE_HINT, &hint) == SQLITE_OK)
    #expect(file.size() == 0, "a hint changes no size")
    var moved: Int32 = -1
    #expect(file.control(SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK)
    #expect(moved == 0)
    var unknown: Int32 = 0
    #expect(file.control(99_999, &unknown) == SQLITE_NOTFOUND)
  }

  @Test func `time and randomness are those of the default`() throws {
    let vfs = try #require(sqlite3_vfs_find(ENTITY_MEMORY_VFS_NAME))
    var milliseconds: sqlite3_int64 = 0
    #expect(vfs.pointee.xCurrentTimeInt64(vfs, &milliseconds) == SQLITE_OK)
    let now = (Date().timeIntervalSince1970 + 2_440_587.5 * 86400) * 1000
    #expect(abs(Double(milliseconds) - now) < 60_000)
    var bytes = [CChar](repeating: 0, count: 32)
    _ = vfs.pointee.xRandomness(vfs, 32, &bytes)
    #expect(bytes.contains { $0 != 0 })
  }
}
