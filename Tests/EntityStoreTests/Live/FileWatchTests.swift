import CSQLite
import EntityStore
import Foundation
import Synchronization
import Testing

@testable import EntityStore

struct FileWatchTests {
  @Test func `a file watch is on as long as one of its users needs it`() throws {
    let test = try TestStore(.file)
    let watch = try #require(FileWatch(test.store.core.location) {})
    #expect(!watch.isOn)
    watch.start()
    // One comes while another one goes: in whichever order the calls are made.
    watch.start()
    watch.stop()
    #expect(watch.isOn)
    watch.stop()
    #expect(!watch.isOn)
    watch.start()
    #expect(watch.isOn)
  }

  @Test func `a store in memory has no file watch`() throws {
    #expect(FileWatch(try TestStore(.memory).store.core.location) {} == nil)
  }

  /// The writer waits for its disk between the write to the log and that to its index, until the early looks are over.
  @Test func `a commit that counts long after its write is found`() async throws {
    let test = try TestStore(.file)
    var commits = test.store.commits.makeAsyncIterator()
    let watch = try #require(FileWatch(test.store.core.location) { SlowDisk.looked() })
    SlowDisk.watch.withLock { $0 = watch }
    watch.start()
    let path = test.folder.file.path
    try await onThread {
      let writer = try RawConnection(path, vfs: nil)
      try writer.run("PRAGMA synchronous = FULL; SELECT count(*) FROM _entity_store")
      let log = try writer.file(SQLITE_FCNTL_JOURNAL_POINTER)
      var methods = log.methods.pointee
      methods.xSync = { _, _ in
        SlowDisk.sync()
        return SQLITE_OK
      }
      try withUnsafePointer(to: methods) { slow in
        log.file.pointee.pMethods = slow
        defer { log.file.pointee.pMethods = log.methods }
        try writer.run("UPDATE _entity_store SET value = 7 WHERE key = 'generation'")
      }
    }
    SlowDisk.watch.withLock { $0 = nil }
    #expect(await commits.next()?.generations == 1...7)
  }
}

/// The disk of one test: a sync ends when the early looks after it have passed. A function of C takes nothing along, so that
/// the disk has no other place.
private enum SlowDisk {
  static let watch = Mutex<FileWatch?>(nil)
  private static let isSyncing = Mutex(false)
  private static let lateLook = DispatchSemaphore(value: 0)

  static func sync() {
    isSyncing.withLock { $0 = true }
    lateLook.wait()
  }

  static func looked() {
    guard watch.withLock({ $0?.isEarly == false }) else { return }
    let ends = isSyncing.withLock { isSyncing in
      defer { isSyncing = false }
      return isSyncing
    }
    if ends { lateLook.signal() }
  }
}
