import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

@MainActor
struct UnitOfWorkTests {
  @Test(arguments: Place.usual)
  func `a unit that throws leaves nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    struct Stop: Error {}
    let id = try await test.store.addPerson(1, "Ada")
    await #expect(throws: Stop.self) {
      try await test.store.background { context in
        try #require(try context.object(id)).name = "Bob"
        for _ in 0..<10 { _ = try context.insert(Note.self) }
        try context.save()
        _ = try context.fetch(Note.all)
        throw Stop()
      }
    }
    #expect(try test.store.main.fetch(Person.all).map(\.name) == ["Ada"])
    #expect(try test.store.main.count(Note.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a link to a deleted row is named`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let main = test.store.main
    let note = try main.insert(Note.self)
    note.person = try main.object(id)
    try await test.store.background { try $0.delete(try #require(try $0.object(id))) }
    let error = await #expect(throws: StoreError.self) { try await main.save() }
    #expect(error?.kind == .brokenLink)
    #expect(error?.message.contains("'Note'") == true)
    note.person = nil
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `units of work do not interleave`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, age: 0)
    let store = test.store
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          try await store.background { context in
            let person = try #require(try context.object(id))
            let age = person.age
            try context.save()
            person.age = age + 1
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.main.object(id)?.age == 50)
  }

  @Test(arguments: Place.usual)
  func `a read sees one snapshot`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    try await store.addPerson(1)
    let isReading = DispatchSemaphore(value: 0)
    let isWritten = DispatchSemaphore(value: 0)
    let read = Task.detached {
      try await store.read { context in
        isReading.signal()
        isWritten.wait()
        let first = try context.count(Person.all)
        return (first, try context.count(Person.all))
      }
    }
    await Task.detached { isReading.waitAsync() }.value
    try await store.addPerson(2)
    isWritten.signal()
    let counts = try await read.value
    #expect(counts == (1, 1))
    #expect(try await store.read { try $0.count(Person.all) } == 2)
  }

  @Test(arguments: Place.usual)
  func `a read changes nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let kind = await asyncErrorKind {
      try await test.store.read { context in
        let person = try #require(try context.object(id))
        #expect(errorKind { _ = try context.insert(Person.self) } == .readOnly)
        #expect(errorKind { try context.delete(person) } == .readOnly)
        person.name = "Bob"
        #expect(person.name == "Ada")
        #expect(!person.hasChanges)
      }
    }
    #expect(kind == .readOnly)
    #expect(try await test.store.read { try $0.object(id)?.name } == "Ada")
  }

  @Test(arguments: Place.usual)
  func `more reads than readers take turns`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    try await store.addPerson(1)
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 { group.addTask { try await store.read { try $0.count(Person.all) } } }
      var total = 0
      for try await count in group { total += count }
      return total
    }
    #expect(total == 40)
  }

  @Test(arguments: Place.usual)
  func `waiting for the writer has a deadline`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .milliseconds(50))
    let block = Blocker(test.store)
    await block.begin()
    #expect(await asyncErrorKind { try await test.store.addPerson(1) } == .writerBusy)
    let person = try test.store.main.insert(Person.self)
    #expect(errorKind { try test.store.main.save() } == .writerBusy)
    #expect(await asyncErrorKind { try await test.store.main.save() } == .writerBusy)
    #expect(person.hasChanges)
    // Reading needs no writer.
    #expect(try test.store.main.fetch(Person.all) == [person])
    block.end()
    // With the short deadline it may take more than one attempt, until the unit has ended.
    while await asyncErrorKind({ try await test.store.core.gate.waitUntilFree() }) == .writerBusy {}
    try await test.store.main.save()
    #expect(try await test.store.read { try $0.count(Person.all) } == 1)
  }

  @Test(arguments: Place.usual)
  func `the log of the database stays bounded`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let id = try await store.addPerson(1, "Ada")
    let text = String(repeating: "x", count: 4000)
    let isDone = Mutex(false)
    let writes = Task.detached {
      defer { isDone.withLock { $0 = true } }
      for number in 0..<1500 {
        try await store.background { context in
          let person = try #require(try context.object(id))
          person.name = text + "\(number)"
          let note = try context.insert(Note.self)
          note.text = text
        }
      }
    }
    var fetches = 0
    while !isDone.withLock({ $0 }) {
      for _ in 0..<20 {
        _ = try store.main.fetch(Person.self, uid: 1)?.name
        fetches += 1
      }
      await Task.yield()
    }
    try await writes.value
    // However busy the main actor is with other tests.
    #expect(fetches > 0)
    guard place == .file else { return }
    let path = test.folder.file.path + "-wal"
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    // 1500 units write some 20 MB; SQLite checkpoints after 4 MB.
    #expect(size < 8_000_000, "the WAL has \(size) bytes")
  }
}

extension DispatchSemaphore {
  func waitAsync() { wait() }
}
