import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The errors of copies.
@MainActor struct FaultCopyTests {
  /// SQLite says then that the file was there before.
  @Test func `a new file whose size cannot be read is a fault of the disk`() async throws {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk()
    let store = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
    try await store.addPerson(1)
    let copy = folder.url.appending(path: "copy.sqlite")
    var kinds: [StoreError.Kind] = []
    for number in 1... {
      disk.fail([.fileSize], number)
      let kind = await asyncErrorKind { try await store.backup(to: copy, replaces: true) }
      guard disk.heal() else { break }
      kinds += kind.map { [$0] } ?? []
    }
    #expect(Set(kinds) == [.ioError])
    try await store.backup(to: copy, replaces: true)
  }
}
