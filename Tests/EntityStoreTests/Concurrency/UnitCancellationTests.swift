import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// A unit of work or a save that was cancelled before its commit is not committed.
@MainActor
struct UnitCancellationTests {
  @Test(arguments: Place.usual)
  func `a unit cancelled while it runs leaves nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let task = Task.detached {
      try await store.background { context in
        try context.insert(Person.self).uid = 1
        try context.save()
        // It does not look whether it was cancelled, and returns.
        withUnsafeCurrentTask { $0?.cancel() }
        return 1
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try store.main.count(Person.all) == 0)
    try await store.addPerson(1)
    #expect(try store.main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `changes stay unsaved when their save is cancelled`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.uid = 1
    let block = Blocker(test.store)
    await block.begin()
    let save = await test.store.beginSave(of: person)
    save.cancel()
    await #expect(throws: CancellationError.self) { try await save.value }
    #expect(person.hasChanges)
    #expect(person.isInserted)
    #expect(!person.isBeingSaved)
    block.end()
    #expect(try await test.store.read { try $0.count(Person.all) } == 0)
    try await main.save()
    #expect(!person.hasChanges)
    #expect(try await test.store.read { try $0.count(Person.all) } == 1)
  }

  @Test(arguments: Place.usual)
  func `a save cancelled while it runs is not committed`(_ place: Place) async throws {
    let test = try TestStore(place)
    let core = test.store.core
    let main = test.store.main
    let id = try await test.store.addPerson(1, "a")
    let person = try #require(try main.object(id))
    person.name = "b"
    // As `save()` does it, with a task that is cancelled between the writing and the commit.
    let save = Task {
      try await core.unit(from: UnitOrigin(context: main.lineage.id)) { rows in
        try rows.connection.execute("UPDATE Person SET name = 'b'")
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await save.value }
    #expect(person.hasChanges)
    #expect(try await test.store.read { try $0.object(id)?.name } == "a")
    try await main.save()
    #expect(try await test.store.read { try $0.object(id)?.name } == "b")
  }
}
