import CSQLite
import EntityStore
import Foundation
import Testing

@testable import EntityStore

struct FileWatchTests {
  @Test func itLooksOutAsLongAsOneOfItsUsersDoes() throws {
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

  @Test func aStoreInMemoryHasNone() throws {
    #expect(FileWatch(try TestStore(.memory).store.core.location) {} == nil)
  }

  /// The writer waits for its disk between the write to the log and that to its index.
  @Test func aCommitThatCountsLongAfterItsWriteIsFound() async throws {
    let test = try TestStore(.file)
    var commits = test.store.commits.makeAsyncIterator()
    let path = test.folder.file.path
    try await onThread {
      let writer = try RawConnection(path, vfs: nil)
      try writer.run("PRAGMA synchronous = FULL; SELECT count(*) FROM _entity_store")
      let log = try writer.file(SQLITE_FCNTL_JOURNAL_POINTER)
      var methods = log.methods.pointee
      methods.xSync = { _, _ in
        usleep(300_000)
        return SQLITE_OK
      }
      try withUnsafePointer(to: methods) { slow in
        log.file.pointee.pMethods = slow
        defer { log.file.pointee.pMethods = log.methods }
        try writer.run("UPDATE _entity_store SET value = 7 WHERE key = 'generation'")
      }
    }
    #expect(await commits.next()?.generations == 1...7)
  }
}
