import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// Edits and sequences while a store waits to be closed.
@MainActor
struct ClosingEditsTests {
  /// A close that waits for a unit, which ends when a test lets it.
  private func heldClose(_ store: EntityStore, discardsUnsaved: Bool = false) async -> (
    mayEnd: Gate.Signal, unit: Task<Void, any Error>, closing: Task<Void, any Error>
  ) {
    let (isRunning, mayEnd) = (Gate.Signal(), Gate.Signal())
    let unit = Task {
      try await store.background { context in
        isRunning.give()
        mayEnd.wait()
        try context.insert(Person.self).uid = 2
      }
    }
    await isRunning.taken(1)
    let closing = Task { try await store.close(discardsUnsaved: discardsUnsaved) }
    while store.core.phase != .closing { await Task.yield() }
    return (mayEnd, unit, closing)
  }

  @Test(arguments: Place.usual, [false, true])
  func `edits that are made while a store waits to close keep it open`(_ place: Place, discards: Bool) async throws {
    let test = try TestStore(place)
    let store = test.store
    let person = try #require(try store.main.object(try await store.addPerson(1, "Ada")))
    let (mayEnd, unit, closing) = await heldClose(store, discardsUnsaved: discards)
    person.name = "edited"
    mayEnd.give()
    let kind = await asyncErrorKind { try await closing.value }
    try await unit.value
    if discards {
      #expect(kind == nil)
      #expect(store.core.phase == .closed)
    } else {
      #expect(kind == .unsavedChanges)
      try await store.main.save()
      #expect(try await store.read { try $0.fetch(Person.all.sorted(by: \.uid)).map(\.name) } == ["edited", ""])
      try await store.close()
    }
    #expect(person.name == "edited")
  }

  @Test(arguments: Place.usual)
  func `a new object does not wait for the store that closes`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let child = try store.main.child()
    let (mayEnd, unit, closing) = await heldClose(store)
    while store.core.primaryKeys.removeFirst() != nil {}
    #expect(errorKind { _ = try child.insert(Person.self) } == .closed)
    mayEnd.give()
    try await closing.value
    try await unit.value
  }

  @Test(arguments: Place.usual)
  func `a commit before the end gives a sequence no failure`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let seen = Mutex(0)
    let failures = Mutex(0)
    let values = Task {
      for await count in store.observe({ try $0.count(Person.all) }) {
        if (try? count.get()) == nil { failures.withLock { $0 += 1 } } else { seen.withLock { $0 += 1 } }
      }
    }
    let changes = Task {
      for await change in store.changes(of: Person.all) {
        if (try? change.get()) == nil { failures.withLock { $0 += 1 } } else { seen.withLock { $0 += 1 } }
      }
    }
    while seen.withLock({ $0 < 2 }) { await Task.yield() }
    let (mayEnd, unit, closing) = await heldClose(store)
    // The unit's commit wakes both while no read is let in.
    mayEnd.give()
    try await closing.value
    try await unit.value
    await values.value
    await changes.value
    #expect(failures.withLock { $0 } == 0)
  }

  @Test(arguments: Place.usual)
  func `a sequence goes on with a store that could not close`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let person = try #require(try store.main.object(try await store.addPerson(1, "Ada")))
    let counts = Mutex<[Int]>([])
    let failures = Mutex(0)
    let values = Task {
      for await count in store.observe({ try $0.count(Person.all) }) {
        if let count = try? count.get() { counts.withLock { $0.append(count) } } else { failures.withLock { $0 += 1 } }
      }
    }
    while counts.withLock(\.isEmpty) { await Task.yield() }
    let (mayEnd, unit, closing) = await heldClose(store)
    person.name = "edited"
    mayEnd.give()
    #expect(await asyncErrorKind { try await closing.value } == .unsavedChanges)
    try await unit.value
    while counts.withLock({ $0.last != 2 }) { await Task.yield() }
    #expect(failures.withLock { $0 } == 0)
    values.cancel()
    await values.value
  }
}
