import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Copies of a store that is in use.
struct BackupTests {
  private func names(_ file: URL) async throws -> [String] {
    let store = try EntityStore(.file(file), entities: TestStore.people)
    return try await store.read { try $0.fetch(Person.all.sorted(by: \.uid)).map(\.name) }
  }

  @Test(arguments: Place.usual)
  func `the copy is a store`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    // A name that a URI writes otherwise.
    let copy = test.folder.url.appending(path: "a copy? 100% #1.sqlite")
    let generation = try await test.store.backup(to: copy)
    #expect(generation == test.store.core.followers.generation)
    try await test.store.addPerson(2, "Eve")
    #expect(try await names(copy) == ["Ada"])
    let pending = try EntityStore(.file(copy), entities: TestStore.people).pending
    #expect(try await pending.count() == 1)
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
  }

  @Test(arguments: Place.usual)
  func `a copy that is made during writes is of one moment`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    for uid in 0..<10 { try await store.addPerson(uid, "start") }
    let writes = Task {
      // Each unit gives all the same name.
      for round in 0... {
        try Task.checkCancellation()
        try await store.background { context in
          for person in try context.fetch(Person.all) { person.name = "round \(round)" }
        }
      }
    }
    defer { writes.cancel() }
    var generations: [Int64] = []
    for number in 0..<5 {
      let copy = test.folder.url.appending(path: "copy\(number)")
      let generation = try await store.backup(to: copy)
      generations.append(generation)
      let names = try await names(copy)
      #expect(names.count == 10)
      #expect(Set(names).count == 1)
      // Another copy begins after another write. The commit that this one has may not have been told of yet.
      while store.core.followers.generation <= generation { await Task.yield() }
    }
    writes.cancel()
    _ = await writes.result
    #expect(generations == generations.sorted())
    #expect(Set(generations).count == 5)
  }

  @Test(arguments: Place.usual)
  func `an existing file is replaced on demand`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    let copy = test.folder.url.appending(path: "copy")
    try Data("theirs".utf8).write(to: copy)
    #expect(await asyncErrorKind { try await test.store.backup(to: copy) } == .invalidLocation)
    #expect(try Data(contentsOf: copy) == Data("theirs".utf8))
    try await test.store.backup(to: copy, replaces: true)
    #expect(try await names(copy) == ["Ada"])
    try await test.store.addPerson(2, "Eve")
    try await test.store.backup(to: copy, replaces: true)
    #expect(try await names(copy) == ["Ada", "Eve"])
  }

  @Test func `files in use are not replaced`() async throws {
    let (test, other) = (try TestStore(.file), try TestStore(.file))
    try await test.store.addPerson(1, "Ada")
    try await other.store.addPerson(9, "other")
    for file in [test.folder.file, other.folder.file] {
      let kind = await asyncErrorKind { try await test.store.backup(to: file, replaces: true) }
      #expect(kind == (file == test.folder.file ? .invalidLocation : .inUse))
    }
    try await other.store.addPerson(10, "other")
    #expect(try await names(other.folder.file) == ["other", "other"])
    try await test.store.addPerson(2)
  }

  @Test(arguments: Place.usual)
  func `a folder that is not there leaves nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let before = try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path).sorted()
    let copy = test.folder.url.appending(path: "missing/copy")
    do {
      try await test.store.backup(to: copy)
      Issue.record("it was written")
    } catch let error as StoreError {
      #expect(error.kind == .cannotOpen)
      #expect(error.message.contains("folder"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path).sorted() == before)
    try await test.store.addPerson(1)
  }

  @Test func `the copy has the rights of the file`() async throws {
    let test = try TestStore(.file)
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: test.folder.file.path)
    let copy = test.folder.url.appending(path: "copy")
    try await test.store.backup(to: copy)
    #expect(try files.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a store whose file is gone is not copied from another`() async throws {
    let test = try TestStore(.file)
    try FileManager.default.removeItem(at: test.folder.file)
    let copy = test.folder.url.appending(path: "copy")
    #expect(await asyncErrorKind { try await test.store.backup(to: copy) } == .fileGone)
    #expect(!FileManager.default.fileExists(atPath: copy.path))
  }

  /// SQLite has one code for a file that is not empty and for a statement that can't run.
  @Test func `a copy that SQLite refuses is no fault of the medium`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(.file(folder.file), opening: .making, busyTimeout: .ample)
    defer { connection.close() }
    try connection.execute("BEGIN")
    #expect(errorKind { try connection.copy(into: folder.url.appending(path: "copy.sqlite")) } == .sqlite)
  }

  @Test func `a copy into a file that is not empty is a fault of the medium`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(.file(folder.file), opening: .making, busyTimeout: .ample)
    defer { connection.close() }
    try connection.execute("CREATE TABLE t (x)")
    let copy = folder.url.appending(path: "copy.sqlite")
    try connection.copy(into: copy)
    #expect(errorKind { try connection.copy(into: copy) } == .ioError)
  }
}
