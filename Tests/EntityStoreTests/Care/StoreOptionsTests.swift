import Foundation
import TestSchema
import Testing

@testable import EntityStore

struct StoreOptionsTests {
  private func readOnly(
    _ file: URL, _ entities: [any ManagedEntity.Type] = TestStore.people
  ) throws -> EntityStore {
    var options = StoreOptions()
    options.access = .readOnly
    return try EntityStore(.file(file), entities: entities, options: options)
  }

  @Test(arguments: [(StoreOptions.Durability.normal, 1 as Int64), (.full, 2)], Place.usual)
  func `the durability of the store is that of its commits`(
    _ durability: (StoreOptions.Durability, Int64), _ place: Place
  ) async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.durability = durability.0
    let store = try EntityStore(
      place == .file ? .file(folder.file) : .inMemory, entities: TestStore.people, options: options)
    let synchronous = try await store.background { context in
      try context.connection.rows("PRAGMA main.synchronous") { $0.int64(0) }
    }
    #expect(synchronous == [durability.1])
    try await store.addPerson(1)
    #expect(try await store.read { try $0.count(Person.all) } == 1)
  }

  @Test @MainActor func `a store that only reads changes nothing`() async throws {
    let test = try TestStore(.file)
    let id = try await test.store.addPerson(1, "Ada")
    let store = try readOnly(test.folder.file)
    let person = try #require(try store.main.object(id))
    #expect(person.name == "Ada")
    person.name = "Eve"
    for save in [{ try store.main.saveAtOnce() }, { _ = try store.main.insert(Person.self) }] {
      #expect(errorKind(save) == .readOnly)
    }
    await #expect(throws: StoreError.self) { try await store.addPerson(2) }
    #expect(try await store.background { try $0.count(Person.all) } == 1)
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
    // The store that writes goes on, and the one that reads follows it.
    store.main.rollback()
    try await test.store.edit(id) { $0.name = "Bob" }
    try store.mergeMain()
    #expect(person.name == "Bob")
  }

  @Test func `a store that only reads says so`() async throws {
    let test = try TestStore(.file)
    let store = try readOnly(test.folder.file)
    do {
      try await store.addPerson(2)
      Issue.record("it was written")
    } catch let error as StoreError {
      #expect(error.kind == .readOnly)
      #expect(error.message.contains("opened only to be read"))
    }
  }

  @Test func `a store that only reads makes no file`() throws {
    let folder = try TemporaryFolder()
    do {
      _ = try readOnly(folder.file)
      Issue.record("it was opened")
    } catch let error as StoreError {
      #expect(error.kind == .cannotOpen)
      #expect(error.message.contains("There is no file"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    var options = StoreOptions()
    options.access = .readOnly
    #expect(errorKind { _ = try EntityStore(.inMemory, entities: TestStore.people, options: options) } == .cannotOpen)
  }

  @Test func `a store that only reads does not bring an incomplete file up to date`() async throws {
    let folder = try TemporaryFolder()
    do { _ = try EntityStore(.file(folder.file), entities: [Bare.self]) }
    #expect(errorKind { _ = try readOnly(folder.file, TestStore.people + [Bare.self]) } == .readOnly)
    // It is as it was.
    _ = try EntityStore(.file(folder.file), entities: [Bare.self])
  }
}
