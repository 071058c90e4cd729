import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// A file that is deleted, moved or replaced while its store is open: no write is acknowledged that nobody finds again.
@MainActor
struct FileGoneTests {
  enum Mishap: String, CaseIterable, CustomTestStringConvertible {
    case deleted, moved, replaced, logDeleted, indexDeleted, logReplaced, folderMoved

    var testDescription: String { rawValue }

    func happen(to folder: TemporaryFolder) throws {
      let files = FileManager.default
      let path = folder.file.path
      switch self {
      case .deleted: try files.removeItem(atPath: path)
      case .moved: try files.moveItem(atPath: path, toPath: path + ".moved")
      case .replaced:
        // By its own copy, which is another file for all that.
        try files.copyItem(atPath: path, toPath: path + ".copy")
        #expect(rename(path + ".copy", path) == 0)
      case .logDeleted: try files.removeItem(atPath: path + "-wal")
      case .indexDeleted: try files.removeItem(atPath: path + "-shm")
      case .logReplaced:
        try files.copyItem(atPath: path + "-wal", toPath: path + ".copy")
        try files.removeItem(atPath: path + "-wal")
        try files.moveItem(atPath: path + ".copy", toPath: path + "-wal")
      case .folderMoved: try files.moveItem(atPath: folder.url.path, toPath: folder.url.path + ".moved")
      }
    }

    func end(_ folder: TemporaryFolder) {
      let path = folder.url.path + ".moved"
      guard self == .folderMoved, FileManager.default.fileExists(atPath: path) else { return }
      do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }
  }

  @Test(arguments: Mishap.allCases)
  func `no write is acknowledged once the file is gone`(_ mishap: Mishap) async throws {
    let test = try TestStore(.file)
    let store = test.store
    let id = try await store.addPerson(1, "Ada")
    let person = try #require(try store.main.object(id))
    defer { mishap.end(test.folder) }
    try mishap.happen(to: test.folder)

    #expect(await asyncErrorKind { try await store.addPerson(2) } == .fileGone)
    person.name = "edited"
    #expect(await asyncErrorKind { try await store.main.save() } == .fileGone)
    #expect(errorKind { try store.main.saveAtOnce() } == .fileGone)
    // The edit waits in its object, and what was read can be read on.
    #expect(person.hasChanges)
    #expect(person.name == "edited")
    #expect(try await store.background { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
    #expect(try store.main.count(Person.all) == 1)
    // No other file is made in its place.
    #expect(await asyncErrorKind { _ = try await store.read { try $0.count(Person.all) } } == .fileGone)
    #expect(FileManager.default.fileExists(atPath: test.folder.file.path) == keepsFile(mishap))
  }

  private func keepsFile(_ mishap: Mishap) -> Bool { ![.deleted, .moved, .folderMoved].contains(mishap) }

  @Test func `a file that is put back is written again`() async throws {
    let test = try TestStore(.file)
    let path = test.folder.file.path
    let id = try await test.store.addPerson(1, "Ada")
    let person = try #require(try test.store.main.object(id))
    person.name = "edited"
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    #expect(await asyncErrorKind { try await test.store.main.save() } == .fileGone)
    try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
    try await test.store.main.save()
    try await test.store.addPerson(2, "Eve")
    let other = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await other.read { try $0.fetch(Person.all.sorted(by: \.uid)).map(\.name) } == ["edited", "Eve"])
  }

  @Test(arguments: [Mishap.logDeleted, .indexDeleted])
  func `the commits of the log are in the file once the store is closed`(_ mishap: Mishap) async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1, "Ada")
    try mishap.happen(to: test.folder)
    #expect(await asyncErrorKind { try await test.store.addPerson(2) } == .fileGone)
    try await test.store.close()
    let store = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
    try await store.addPerson(2)
  }

  @Test func `a store behind a symbolic link is written`() async throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file)
    let store = try EntityStore(.file(link), entities: TestStore.people)
    try await store.addPerson(1)
    #expect(try await store.read { try $0.count(Person.all) } == 1)
    try FileManager.default.removeItem(at: folder.file)
    #expect(await asyncErrorKind { try await store.addPerson(2) } == .fileGone)
  }

  @Test func `an error of a read names the cause`() async throws {
    let (folder, disk) = (try TemporaryFolder(), try FaultyDisk())
    let store = try EntityStore(disk.location(folder.file), entities: TestStore.people, busyTimeout: .ample)
    try await store.addPerson(1, "Ada")
    disk.fail([.read], persists: true)
    #expect(errorKind { _ = try store.main.fetch(Person.all) } == .ioError)
    try Mishap.logDeleted.happen(to: folder)
    #expect(errorKind { _ = try store.main.fetch(Person.all) } == .fileGone)
    // The log that was deleted is still read.
    disk.heal()
    #expect(try store.main.fetch(Person.all).map(\.name) == ["Ada"])
  }

  /// SQLite would read the commits of the first file into the one that has taken its place.
  @Test(.timeLimit(.minutes(20)), arguments: [false, true])
  func `another file in its place is not mixed with the log`(closes: Bool) async throws {
    let backup = try TestStore(.file)
    for uid in 1...200 { try await backup.store.addPerson(uid, "of the backup") }
    try await backup.store.close()
    let folder = try TemporaryFolder()
    let path = folder.file.path
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people)
      for uid in 1...300 { try await store.addPerson(uid, "before") }
      #expect(rename(backup.folder.file.path, path) == 0)
      #expect(await asyncErrorKind { try await store.addPerson(900) } == .fileGone)
      if closes { try await store.close() }
    }
    // Where nobody closes it, the connections close with the store's last thread.
    while FileManager.default.fileExists(atPath: path + "-shm") {
      try Task.checkCancellation()
      await Task.yield()
    }
    let again = try EntityStore(.file(folder.file), entities: TestStore.people)
    #expect(try await again.read { try $0.count(Person.where { $0.name == "of the backup" }) } == 200)
    #expect(try await again.read { try $0.count(Person.all) } == 200)
    #expect(try await again.check(.full).isEmpty)
    // The commits of the log are kept.
    #expect(FileManager.default.fileExists(atPath: path + "-wal-of-replaced-file"))
  }

  @Test func `a history whose file is gone is not pruned`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.history = .keepingAll
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, options: options)
    try await store.addPerson(1)
    try FileManager.default.removeItem(at: folder.file)
    #expect(await asyncErrorKind { try await store.history.prune(before: Date()) } == .fileGone)
  }
}
