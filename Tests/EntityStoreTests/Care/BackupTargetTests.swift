import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Files beside a store that backups and deletions find.
struct BackupTargetTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { !$0.hasPrefix("store.sqlite-") }
      .sorted()
  }

  @Test(arguments: Place.usual)
  func `many backups to one file are each whole`(_ place: Place) async throws {
    let test = try TestStore(place)
    for uid in 0..<20 { try await test.store.addPerson(uid, "Ada") }
    let copy = test.folder.url.appending(path: "copy")
    try await withThrowingTaskGroup(of: Int64.self) { group in
      for _ in 0..<8 { group.addTask { try await test.store.backup(to: copy, replaces: true) } }
      for try await generation in group { #expect(generation == test.store.core.followers.generation) }
    }
    #expect(try names(test.folder).filter { $0 != "store.sqlite" } == ["copy"])
    let store = try EntityStore(.file(copy), entities: TestStore.people)
    #expect(try await store.read { try $0.count(Person.all) } == 20)
    #expect(try await store.check(.full).isEmpty)
  }

  @Test(arguments: Place.usual)
  func `one of many backups makes a file that is not replaced`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1)
    let copy = test.folder.url.appending(path: "copy")
    let kinds = await withTaskGroup(of: StoreError.Kind?.self) { group in
      for _ in 0..<6 { group.addTask { await asyncErrorKind { try await test.store.backup(to: copy) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(kinds.filter { $0 == nil }.count == 1)
    #expect(kinds.filter { $0 == .invalidLocation }.count == 5)
    #expect(try names(test.folder).filter { $0 != "store.sqlite" } == ["copy"])
  }

  /// By whatever path: a backup in their place would take the last commits, or the locks, from the store.
  @Test func `no file of the store itself is replaced`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1, "Ada")
    let files = FileManager.default
    let own = test.folder.file.lastPathComponent
    let other = try TemporaryFolder()
    let (folder, linked) = (test.folder.url, other.url.appending(path: "linked"))
    try files.createSymbolicLink(at: linked, withDestinationURL: folder)
    for end in ["", "-wal", "-shm", "-journal"] {
      var targets = [
        folder.appending(path: own + end), linked.appending(path: own + end),
        URL(filePath: folder.path + "/./" + own + end),
        URL(filePath: folder.path + "/../" + folder.lastPathComponent + "/" + own + end),
      ]
      if files.fileExists(atPath: targets[0].path) {
        let (soft, hard) = (other.url.appending(path: "soft\(end)"), other.url.appending(path: "hard\(end)"))
        try files.createSymbolicLink(at: soft, withDestinationURL: targets[0])
        try files.linkItem(at: targets[0], to: hard)
        targets += [soft, hard]
      }
      for target in targets {
        let backup = await asyncErrorKind { try await test.store.backup(to: target, replaces: true) }
        #expect(backup == .invalidLocation, "\(target.path)")
        #expect(await asyncErrorKind { try await test.store.archive(to: target) } == .invalidLocation, "\(target.path)")
        #expect(await asyncErrorKind { try await test.store.restore(from: target) } == .notAnArchive, "\(target.path)")
      }
    }
    // A link to the store's file.
    let name = other.url.appending(path: "name.sqlite")
    try files.createSymbolicLink(at: name, withDestinationURL: test.folder.file)
    let store = try EntityStore(.file(name), entities: TestStore.people)
    for end in ["-wal", "-shm"] {
      let target = folder.appending(path: own + end)
      #expect(await asyncErrorKind { try await store.backup(to: target, replaces: true) } == .invalidLocation)
    }
    try await test.store.addPerson(2, "Bob")
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
    // The log of another store is as dear to that one.
    let theirs = try TestStore(.file)
    try await theirs.store.addPerson(1)
    for end in ["-wal", "-shm", "-journal"] {
      let target = theirs.folder.url.appending(path: own + end)
      #expect(await asyncErrorKind { try await test.store.backup(to: target, replaces: true) } == .inUse, "\(end)")
    }
    try await theirs.store.addPerson(2)
    let log = folder.appending(path: "copy-wal")
    try await test.store.backup(to: log)
    #expect(files.fileExists(atPath: log.path))
  }

  @Test(arguments: Place.usual)
  func `a folder with a name like the copy stays`(_ place: Place) async throws {
    let test = try TestStore(place)
    let theirs = test.folder.url.appending(path: "data.new")
    try FileManager.default.createDirectory(at: theirs, withIntermediateDirectories: false)
    try Data("theirs".utf8).write(to: theirs.appending(path: "text"))
    try await test.store.backup(to: test.folder.url.appending(path: "data"))
    #expect(try Data(contentsOf: theirs.appending(path: "text")) == Data("theirs".utf8))
  }

  @Test func `the copy has the rights of the file behind a link`() async throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    let link = folder.url.appending(path: "link.sqlite")
    try await EntityStore(.file(folder.file), entities: TestStore.people).close()
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file.path)
    try files.createSymbolicLink(at: link, withDestinationURL: folder.file)
    let store = try EntityStore(.file(link), entities: TestStore.people)
    try await store.addPerson(1)
    #expect(try await store.fileSizes().log > 0)
    let copy = folder.url.appending(path: "copy")
    try await store.backup(to: copy)
    #expect(try files.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `the copy of a store in memory has the store's permissions`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.permissions = 0o600
    let store = try EntityStore(.inMemory, entities: TestStore.people, options: options)
    let copy = folder.url.appending(path: "copy")
    try await store.backup(to: copy)
    #expect(try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `deletion leaves files that no migration made`() async throws {
    let test = try TestStore(.file)
    try await test.store.close()
    let files = FileManager.default
    let start = "store.sqlite.backup-"
    let (copy, unfinished) = ("0123456789abcdef", "0123456789abcdef.\(UUID().uuidString).new")
    let theirs = ["2026-11-23", "0123456789abcdef-mine", "0123456789ABCDEF", "0123456789abcdef.new"].map { start + $0 }
    for name in [start + copy, start + unfinished] + theirs {
      try files.copyItem(at: test.folder.file, to: test.folder.url.appending(path: name))
    }
    let folder = start + "fedcba9876543210"
    try files.createDirectory(at: test.folder.url.appending(path: folder), withIntermediateDirectories: false)
    try EntityStore.delete(.file(test.folder.file), backups: true)
    #expect(try names(test.folder) == (theirs + [folder]).sorted())
  }

  @Test func `a folder that is not there has no copies`() throws {
    let folder = try TemporaryFolder()
    try EntityStore.delete(.file(folder.url.appending(path: "missing/store.sqlite")), backups: true)
  }

  @Test func `a store that only reads is copied and refuses a checkpoint`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1, "Ada")
    var options = StoreOptions()
    options.access = .readOnly
    let reading = try EntityStore(.file(test.folder.file), entities: TestStore.people, options: options)
    let copy = test.folder.url.appending(path: "copy")
    try await reading.backup(to: copy)
    let store = try EntityStore(.file(copy), entities: TestStore.people)
    #expect(try await store.read { try $0.count(Person.all) } == 1)
    do {
      try await reading.checkpoint()
      Issue.record("a store that only reads brought the log into the file")
    } catch let error as StoreError {
      #expect(error.kind == .readOnly)
      #expect(error.sqliteCode == 8)
    }
    withExtendedLifetime(test) {}
  }

  @Test func `a store that only reads notices another file`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1, "Ada")
    try await test.store.close()
    var options = StoreOptions()
    options.access = .readOnly
    let reading = try EntityStore(.file(test.folder.file), entities: TestStore.people, options: options)
    #expect(try await MainActor.run { try reading.main.count(Person.all) } == 1)
    // The old file is still there when the new one is made, so that the two differ for sure.
    let new = test.folder.url.appending(path: "new")
    try FileManager.default.copyItem(at: test.folder.file, to: new)
    #expect(rename(new.path, test.folder.file.path) == 0)
    #expect(await asyncErrorKind { _ = try await reading.read { try $0.count(Person.all) } } == .fileGone)
    withExtendedLifetime(test) {}
  }
}
