import EntityStore
import Testing

@testable import EntityStore

struct FileWatchTests {
  @Test func itLooksOutAsLongAsOneOfItsUsersDoes() throws {
    let test = try TestStore(.file)
    let watch = try #require(FileWatch(test.store.core.location) { _ in })
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
    watch.close()
    #expect(!watch.isOn)
  }

  @Test func aStoreInMemoryHasNone() throws {
    #expect(FileWatch(try TestStore(.memory).store.core.location) { _ in } == nil)
  }
}
