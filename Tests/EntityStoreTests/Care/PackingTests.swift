import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The log is brought into the file, and free space goes back.
struct PackingTests {
  private func fill(_ store: EntityStore) async throws {
    try await store.background { context in
      for uid in 0..<2_000 {
        let person = try context.insert(Person.self)
        (person.uid, person.name) = (uid, String(repeating: "n", count: 300))
      }
    }
  }

  private func empty(_ store: EntityStore) async throws {
    _ = try await store.background { try $0.delete(Person.where { $0.uid >= 10 }) }
  }

  @Test @MainActor func `the log is emptied and the file gets smaller`() async throws {
    let test = try TestStore(.file)
    let store = test.store
    try await fill(store)
    let person = try #require(try store.main.fetch(Person.self, uid: 5))
    #expect(try await store.fileSizes().log > 600_000)
    #expect(try await store.checkpoint())
    let full = try await store.fileSizes()
    #expect(full.log == 0)
    #expect(full.database > 600_000)
    let attributes = try FileManager.default.attributesOfItem(atPath: test.folder.file.path)
    #expect((attributes[.size] as? NSNumber)?.int64Value == full.database)
    try await empty(store)
    #expect(try await store.fileSizes().free > 300_000)
    try await store.vacuum()
    let packed = try await store.fileSizes()
    #expect(packed.free == 0)
    #expect(packed.database < full.database / 2)
    #expect(packed.log == 0)
    // The store and its objects go on.
    #expect(try store.main.fetch(Person.self, uid: 5) === person)
    person.name = "edited"
    try await store.main.save()
    #expect(try await store.read { try $0.fetch(Person.self, uid: 5)?.name } == "edited")
    #expect(try await store.check(.full) == [])
  }

  @Test func `a store in memory is packed too`() async throws {
    let test = try TestStore(.memory)
    try await fill(test.store)
    try await empty(test.store)
    let before = try await test.store.fileSizes()
    #expect(before.free > 300_000)
    #expect(before.log == 0)
    try await test.store.vacuum()
    #expect(try await test.store.checkpoint())
    let after = try await test.store.fileSizes()
    #expect(after.free == 0)
    #expect(after.database < before.database)
    #expect(try await test.store.read { try $0.count(Person.all) } == 10)
  }

  @Test(arguments: Place.usual)
  func `a read holds up the log and nobody else`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    try await store.addPerson(1)
    let (isRunning, mayEnd) = (Gate.Signal(), Gate.Signal())
    let read = Task {
      try await store.read { context in
        let count = try context.count(Person.all)
        isRunning.give()
        mayEnd.wait()
        return try (count, context.count(Person.all))
      }
    }
    await isRunning.taken(1)
    try await store.addPerson(2)
    #expect(try await store.checkpoint() == false)
    try await store.vacuum()
    try await store.addPerson(3)
    mayEnd.give()
    #expect(try await read.value == (1, 1))
    #expect(try await store.checkpoint())
    #expect(try await store.read { try $0.count(Person.all) } == 3)
  }

  @Test func `a file that is only read is not packed`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    var options = StoreOptions()
    options.access = .readOnly
    let store = try EntityStore(.file(test.folder.file), entities: TestStore.people, options: options)
    #expect(await asyncErrorKind { try await store.checkpoint() } == .readOnly)
    #expect(await asyncErrorKind { try await store.vacuum() } == .readOnly)
    #expect(try await store.check() == [])
    try await store.backup(to: test.folder.url.appending(path: "copy"))
  }
}
