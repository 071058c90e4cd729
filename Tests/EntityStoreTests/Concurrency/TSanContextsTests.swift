import EntityStore
import Foundation
import TestSchema
import TestSupport
import Testing
import Synchronization

/// Everything at once, for the thread sanitizer: `scripts/test --tsan --filter TSan`.
struct TSanContextsTests {
  @Test(arguments: Place.usual)
  @MainActor func `contexts work at the same time`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let ids = try await store.background { context in
      try (0..<20).map { uid in
        let person = try context.insert(Person.self)
        person.uid = uid
        return person.entityID
      }
    }
    let operations = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask { try await Self.units(store, ids, worker, operations) }
      }
      for worker in 0..<2 {
        group.addTask { try await Self.reads(store, ids, worker, operations) }
      }
      group.addTask { try await Self.edits(store, ids, operations) }
      try await group.waitForAll()
    }
    #expect(operations.count >= 10_000)
    // Each unit added one to two ages; each save of the main context added a note.
    let ages = try await store.read { try $0.fetch(Person.all).reduce(0) { $0 + $1.age } }
    #expect(ages == 4 * 100 * 2)
    #expect(try await store.read { try $0.count(Note.all) } == 150)
    #expect(try store.main.fetch(Person.all).reduce(0) { $0 + $1.age } == ages)
  }

  private static func units(
    _ store: EntityStore, _ ids: [EntityID<Person>], _ worker: Int, _ operations: Counter
  ) async throws {
    var random = SeededRandom(UInt64(worker))
    for _ in 0..<100 {
      let first = random.below(20)
      let second = (first + 1 + random.below(19)) % 20
      try await store.background { context in
        for index in [first, second] { try #require(try context.object(ids[index])).age += 1 }
        _ = try context.fetch(Person.where { $0.age > 3 }.limited(to: 5)).map(\.name)
      }
      operations.add(7)
    }
  }

  private static func reads(
    _ store: EntityStore, _ ids: [EntityID<Person>], _ worker: Int, _ operations: Counter
  ) async throws {
    for number in 0..<150 {
      try await store.read { context in
        let people = try context.fetch(Person.all)
        #expect(people.reduce(0) { $0 + $1.age }.isMultiple(of: 2))
        _ = try context.count(Person.where { $0.name == "\(number)" })
      }
      operations.add(22)
    }
  }

  @MainActor
  private static func edits(
    _ store: EntityStore, _ ids: [EntityID<Person>], _ operations: Counter
  ) async throws {
    let main = store.main
    let held = try main.objects(ids)
    for number in 0..<150 {
      let person = held[number % held.count]
      person.name = "\(number)"
      let watcher = Watcher { _ = person.age }
      let note = try main.insert(Note.self)
      note.person = person
      if number.isMultiple(of: 2) { try await main.save() } else { try atOnce(main) }
      _ = held.map(\.age)
      _ = try main.fetch(Person.where { $0.age > number }).count + person.notes.count
      _ = watcher.fired
      operations.add(28)
    }
  }

  @MainActor private static func atOnce(_ main: EntityContext) throws { try main.save() }
}

private final class Counter: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func add(_ number: Int) { state.withLock { $0 += number } }
}
