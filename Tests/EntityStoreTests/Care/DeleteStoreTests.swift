import Foundation
import TestSchema
import Testing

@testable import EntityStore

struct DeleteStoreTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func `a closed store is deleted`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    try await test.store.close()
    try EntityStore.delete(.file(test.folder.file))
    #expect(try names(test.folder) == [])
    // There is nothing left to delete.
    try EntityStore.delete(.file(test.folder.file))
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await again.read { try $0.count(Person.all) } == 0)
  }

  @Test func `an open store is not deleted`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    let before = try names(test.folder)
    #expect(errorKind { try EntityStore.delete(.file(test.folder.file)) } == .inUse)
    #expect(try names(test.folder) == before)
    try await test.store.addPerson(2)
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
  }

  @Test func `a log that a crash left is deleted too`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    // The file and its log as a process leaves them that ends at once.
    let folder = try TemporaryFolder()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: test.folder.file.path + suffix, toPath: folder.file.path + suffix)
    }
    try EntityStore.delete(.file(folder.file))
    #expect(try names(folder) == [])
  }

  @Test func `files of others stay`() throws {
    let folder = try TemporaryFolder()
    let other = try RawConnection(folder.file.path, vfs: nil)
    try other.run("CREATE TABLE theirs (a)")
    try other.close()
    #expect(errorKind { try EntityStore.delete(.file(folder.file)) } == .notAStore)
    let text = folder.url.appending(path: "text")
    try Data(repeating: 0x41, count: 5_000).write(to: text)
    #expect(errorKind { try EntityStore.delete(.file(text)) } == .notAStore)
    #expect(errorKind { try EntityStore.delete(.file(folder.url)) } == .invalidLocation)
    #expect(try names(folder) == ["store.sqlite", "text"])
  }

  @Test func `copies of migrations go where they are to go`() async throws {
    let test = try TestStore(.file)
    try await test.store.close()
    for name in ["store.sqlite.backup-0123456789abcdef", "other.sqlite.backup-0123456789abcdef"] {
      try FileManager.default.copyItem(at: test.folder.file, to: test.folder.url.appending(path: name))
    }
    try EntityStore.delete(.file(test.folder.file))
    #expect(try names(test.folder).count == 2)
    try EntityStore.delete(.file(test.folder.file), backups: true)
    #expect(try names(test.folder) == ["other.sqlite.backup-0123456789abcdef"])
  }

  // MARK: Full disks and damage

  @Test(.enabled(if: Mount.isPossible, Mount.reason), arguments: [false, true])
  func `a store on a full disk is deleted`(hasLog: Bool) async throws {
    let disk = try Mount(tmpfs: "1m")
    let test = try TestStore(.file)
    try await test.store.background { context in
      for uid in 0..<100 {
        let person = try context.insert(Person.self)
        (person.uid, person.name) = (uid, String(repeating: "x", count: 1_000))
      }
    }
    if !hasLog { try await test.store.close() }
    for suffix in hasLog ? ["", "-wal"] : [""] {
      try FileManager.default.copyItem(atPath: test.folder.file.path + suffix, toPath: disk.file.path + suffix)
    }
    try disk.fill()
    try EntityStore.delete(.file(disk.file))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["filler"])
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `an open store on a full disk is not deleted`() async throws {
    let disk = try Mount(tmpfs: "1m")
    let store = try EntityStore(.file(disk.file), entities: TestStore.people)
    try await store.addPerson(1)
    try disk.fill()
    #expect(errorKind { try EntityStore.delete(.file(disk.file)) } == .inUse)
    #expect(try await store.read { try $0.count(Person.all) } == 1)
    try disk.empty()
    try await store.addPerson(2)
  }

  @Test(.enabled(if: Mount.isPossible, Mount.reason))
  func `a read-only medium keeps its store`() async throws {
    let test = try TestStore(.file)
    try await test.store.close()
    let medium = try Mount(readOnly: test.folder.url)
    #expect(errorKind { try EntityStore.delete(.file(medium.file)) } == .readOnly)
    #expect(try names(test.folder) == ["store.sqlite"])
  }

  enum Damage: CaseIterable {
    case tableOfContents, end

    /// The header of the file stays: https://sqlite.org/fileformat.html#the_database_header.
    func happen(to file: URL) throws {
      let handle = try FileHandle(forUpdating: file)
      switch self {
      case .tableOfContents:
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xff, count: 3_000))
      case .end: try handle.truncate(atOffset: 8_192)
      }
      try handle.close()
    }
  }

  @Test(arguments: Damage.allCases)
  func `a damaged store is deleted`(_ damage: Damage) async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    try await test.store.close()
    try damage.happen(to: test.folder.file)
    #expect(errorKind { _ = try EntityStore(.file(test.folder.file), entities: TestStore.people) } == .corrupt)
    try EntityStore.delete(.file(test.folder.file))
    #expect(try names(test.folder) == [])
  }

  @Test(arguments: Damage.allCases)
  func `a damaged file of others stays`(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let other = try RawConnection(folder.file.path, vfs: nil)
    try other.run("CREATE TABLE theirs (a); CREATE TABLE more (a); CREATE TABLE yetMore (a)")
    try other.close()
    try damage.happen(to: folder.file)
    #expect(errorKind { try EntityStore.delete(.file(folder.file)) } == .corrupt)
    #expect(try names(folder) == ["store.sqlite"])
  }

  @Test func `a store in memory has no file`() throws { try EntityStore.delete(.inMemory) }
}
