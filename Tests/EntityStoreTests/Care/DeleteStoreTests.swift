import Foundation
import Testing

@testable import EntityStore

struct DeleteStoreTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func aClosedStoreIsDeleted() async throws {
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

  @Test func anOpenStoreIsNotDeleted() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    let before = try names(test.folder)
    #expect(errorKind { try EntityStore.delete(.file(test.folder.file)) } == .inUse)
    #expect(try names(test.folder) == before)
    try await test.store.addPerson(2)
    #expect(try await test.store.read { try $0.count(Person.all) } == 2)
  }

  @Test func aLogThatACrashLeftGoesToo() async throws {
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

  @Test func filesOfOthersStay() throws {
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

  @Test func copiesOfMigrationsGoWhereTheyAreToGo() async throws {
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

  @Test func aStoreInMemoryHasNoFile() throws { try EntityStore.delete(.inMemory) }
}
