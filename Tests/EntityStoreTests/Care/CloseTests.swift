import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// A store that was closed lets go of its file, and refuses all that comes later.
@MainActor
struct CloseTests {
  @Test(arguments: Place.usual)
  func `a closed store refuses all later calls`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let id = try await store.addPerson(1, "Ada")
    let main = store.main
    let person = try #require(try main.object(id))
    #expect(try await store.read { try $0.count(Person.all) } == 1)
    let draft = try main.edit(person)
    let query = LiveQuery(Person.all, in: store)
    #expect(query.objects == [person])
    try await store.close()

    #expect(await asyncErrorKind { try await store.addPerson(2) } == .closed)
    #expect(await asyncErrorKind { _ = try await store.read { try $0.count(Person.all) } } == .closed)
    #expect(await asyncErrorKind { try await store.reset() } == .closed)
    #expect(await asyncErrorKind { _ = try await store.archive() } == .closed)
    #expect(errorKind { _ = try main.fetch(Person.all) } == .closed)
    #expect(errorKind { _ = try main.count(Person.all) } == .closed)
    #expect(errorKind { _ = try main.insert(Person.self) } == .closed)
    #expect(errorKind { try main.delete(person) } == .closed)
    #expect(errorKind { _ = try main.child() } == .closed)
    #expect(errorKind { try main.saveAtOnce() } == .closed)
    #expect(errorKind { try store.main.saveAtOnce() } == .closed)
    #expect(await asyncErrorKind { try await main.save() } == .closed)
    draft.object.name = "edited"
    #expect(await asyncErrorKind { try draft.save() } == .closed)
    #expect(person.isDetached)
    #expect(person.name == "Ada")
    #expect(person.boss == nil)
    #expect(query.objects == [person])
    #expect((query.error as? StoreError)?.kind == .closed)
    try await store.close()
  }

  @Test(arguments: Place.usual)
  func `a context that is first asked for after the close is closed`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.close()
    #expect(errorKind { _ = try test.store.main.fetch(Person.all) } == .closed)
  }

  @Test func `the file is free at once after the close`() async throws {
    let test = try TestStore(.file)
    let id = try await test.store.addPerson(1, "Ada")
    #expect(try await test.store.read { try $0.count(Person.all) } == 1)
    let person = try #require(try test.store.main.object(id))
    try await test.store.close()
    // SQLite removes the log with the last connection.
    #expect(try FileManager.default.contentsOfDirectory(atPath: test.folder.url.path) == ["store.sqlite"])
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    try await again.edit(id) { $0.name = "Eve" }
    #expect(try again.main.object(id)?.name == "Eve")
    #expect(person.name == "Ada")
  }

  @Test(arguments: Place.usual)
  func `unsaved changes are kept unless they are to be dropped`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    person.name = "edited"
    #expect(await asyncErrorKind { try await test.store.close() } == .unsavedChanges)
    // It is open as before.
    try await test.store.main.save()
    let draft = try test.store.main.edit(person)
    draft.object.name = "draft"
    #expect(await asyncErrorKind { try await test.store.close() } == .unsavedChanges)
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.name) } == ["edited"])
    try await test.store.close(discardsUnsaved: true)
    #expect(person.isDetached)
  }

  @Test(arguments: Place.usual)
  func `work that was asked for before ends first`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let person = try #require(try store.main.object(try await store.addPerson(1, "Ada")))
    let (isRunning, mayEnd) = (Gate.Signal(), Gate.Signal())
    let unit = Task {
      try await store.background { context in
        isRunning.give()
        mayEnd.wait()
        try context.insert(Person.self).uid = 2
      }
    }
    let read = Task {
      try await store.read { context in
        isRunning.give()
        mayEnd.wait()
        return try context.count(Person.all)
      }
    }
    await isRunning.taken(2)
    person.name = "edited"
    let save = await store.beginSave(of: person)
    let line = Task { try await store.addPerson(3) }
    while store.core.gate.waiting < 2 { await Task.yield() }
    let closing = Task { try await store.close() }
    // The save is no unsaved change: the close waits for it.
    while store.main.saves.saveWaiters.isEmpty, store.core.phase == .open { await Task.yield() }
    mayEnd.give(2)
    try await closing.value
    try await unit.value
    try await save.value
    _ = try await line.value
    #expect(try await read.value > 0)
    #expect(await asyncErrorKind { try await store.addPerson(4) } == .closed)
    guard place == .file else { return }
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await again.read { try $0.fetch(Person.all.sorted(by: \.uid)).map(\.uid) } == [1, 2, 3])
    #expect(try again.main.fetch(Person.self, uid: 1)?.name == "edited")
  }

  @Test(arguments: Place.usual)
  func `units and reads under way end first`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let (isRunning, mayEnd) = (Gate.Signal(), Gate.Signal())
    let unit = Task {
      try await store.background { context in
        isRunning.give()
        mayEnd.wait()
        try context.insert(Person.self).uid = 1
      }
    }
    let read = Task {
      try await store.read { context in
        isRunning.give()
        mayEnd.wait()
        return try context.count(Person.all)
      }
    }
    await isRunning.taken(2)
    let closing = Task { try await store.close() }
    while store.core.phase == .open { await Task.yield() }
    mayEnd.give(2)
    try await closing.value
    try await unit.value
    #expect(try await read.value == 0)
    guard place == .file else { return }
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    #expect(try await again.read { try $0.fetch(Person.all).map(\.uid) } == [1])
  }

  @Test(arguments: Place.usual)
  func `a store that cannot close is open as before`(_ place: Place) async throws {
    let test = try TestStore(place, busyTimeout: .zero)
    let store = test.store
    let (isRunning, mayEnd) = (Gate.Signal(), Gate.Signal())
    let read = Task {
      try await store.read { _ in
        isRunning.give()
        mayEnd.wait()
      }
    }
    await isRunning.taken(1)
    #expect(await asyncErrorKind { try await store.close() } == .readersBusy)
    mayEnd.give()
    try await read.value
    let unit = Task {
      try await store.background { context in
        isRunning.give()
        mayEnd.wait()
        try context.insert(Person.self).uid = 1
      }
    }
    await isRunning.taken(1)
    #expect(await asyncErrorKind { try await store.close() } == .writerBusy)
    mayEnd.give()
    try await unit.value
    #expect(try await store.read { try $0.count(Person.all) } == 1)
    try await store.addPerson(2)
    #expect(try store.main.count(Person.all) == 2)
    try await store.close()
  }

  @Test(arguments: Place.usual)
  func `a cancelled task closes nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let closing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.close()
    }
    await #expect(throws: CancellationError.self) { try await closing.value }
    try await store.addPerson(1)
    #expect(try store.main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `sequences end`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let seen = Mutex(0)
    let values = Task {
      for await count in store.observe({ try $0.count(Person.all) }) {
        if (try? count.get()) != nil { seen.withLock { $0 += 1 } }
      }
    }
    let changes = Task {
      for await change in store.changes(of: Person.all) {
        if (try? change.get()) != nil { seen.withLock { $0 += 1 } }
      }
    }
    var commits = store.commits.makeAsyncIterator()
    while seen.withLock({ $0 < 2 }) { await Task.yield() }
    try await store.close()
    await values.value
    await changes.value
    #expect(await commits.next() == nil)
    // One that begins later says why, and ends too.
    var late = store.observe { try $0.count(Person.all) }.makeAsyncIterator()
    guard case .failure(let error) = await late.next() else { throw StoreError(.sqlite, "no failure came") }
    #expect((error as? StoreError)?.kind == .closed)
    #expect(await late.next() == nil)
  }

  @Test(arguments: Place.usual)
  func `several callers may close a store together`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await store.close() } }
      try await group.waitForAll()
    }
    #expect(await asyncErrorKind { try await store.addPerson(1) } == .closed)
  }
}

extension Gate {
  /// A signal that a thread waits for, given by a test.
  final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    func give(_ times: Int = 1) {
      count.withLock { $0 += times }
      for _ in 0..<times { semaphore.signal() }
    }

    func wait() { semaphore.wait() }

    /// Waits without holding up a thread, and takes what was given.
    func taken(_ times: Int) async {
      while !count.withLock({ $0 >= times }) { await Task.yield() }
      count.withLock { $0 -= times }
    }
  }
}
