import Foundation
import TestSchema
import Testing

@testable import EntityStore

struct PermissionTests {
  private func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test(arguments: [0o600, 0o660, 0o644])
  func `a new file has the permissions that were chosen`(_ mode: Int) async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.permissions = mode
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, options: options)
    try await store.addPerson(1)
    for suffix in ["", "-wal", "-shm"] { #expect(try rights(folder.file.path + suffix) == mode) }
    let copy = folder.url.appending(path: "copy")
    try await store.backup(to: copy)
    #expect(try rights(copy.path) == mode)
    let archive = folder.url.appending(path: "archive")
    try Data("of anybody".utf8).write(to: archive)
    try await store.archive(to: archive)
    #expect(try rights(archive.path) == mode)
  }

  @Test func `the archive of a store in memory has the store's permissions`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.permissions = 0o600
    let store = try EntityStore(.inMemory, entities: TestStore.people, options: options)
    let archive = folder.url.appending(path: "archive")
    try await store.archive(to: archive)
    #expect(try rights(archive.path) == 0o600)
  }

  @Test func `a file that is there keeps its rights`() async throws {
    let folder = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people)
      try await store.addPerson(1, "Ada")
      try await store.close()
    }
    let before = try rights(folder.file.path)
    var options = StoreOptions()
    options.permissions = before == 0o640 ? 0o600 : 0o640
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, options: options)
    #expect(try rights(folder.file.path) == before)
    #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
  }

  /// Linux has no classes.
  @Test func `a protection class hinders nobody where there is none`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.protection = .completeUnlessOpen
    let store = try EntityStore(.file(folder.file), entities: TestStore.people, options: options)
    try await store.addPerson(1, "Ada")
    #expect(try await store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
  }

  @Test func `a folder that is not there is named`() throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.permissions = 0o600
    let file = folder.url.appending(path: "missing/store.sqlite")
    do {
      _ = try EntityStore(.file(file), entities: TestStore.people, options: options)
      Issue.record("it was opened")
    } catch let error as StoreError {
      #expect(error.kind == .cannotOpen)
      #expect(error.message.contains("folder"))
    }
  }
}
