import Observation
import TestSchema
import Testing

@testable import EntityStore

/// Deletions of all that a query finds, of a list, and by uid.
@MainActor
final class DeleteByQueryTests {
  /// Held for as long as the test runs.
  private var store: EntityStore?

  private func people(_ place: Place, _ count: Int = 5) throws -> (test: TestStore, main: EntityContext, all: [Person])
  {
    let test = try TestStore(place)
    store = test.store
    let all = try (1...count).map { number in
      let person = try test.store.main.insert(Person.self)
      (person.uid, person.name, person.age) = (number, "p\(number)", number * 10)
      return person
    }
    try test.store.main.saveAtOnce()
    return (test, test.store.main, all)
  }

  // MARK: A query

  @Test(arguments: Place.usual)
  func `all objects that a query finds are deleted with the save`(_ place: Place) async throws {
    let (test, main, all) = try people(place)
    #expect(try main.delete(Person.where { $0.age > 20 && $0.age < 50 }) == 2)
    #expect(all.map(\.isDeleted) == [false, false, true, true, false])
    #expect(all[2].name == "p3")
    #expect(try main.fetch(Person.all).map(\.uid) == [1, 2, 5])
    #expect(try await test.store.read { try $0.count(Person.all) } == 5)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.uid) } == [1, 2, 5])
    // Found by nothing any more.
    #expect(try main.delete(Person.where { $0.age > 20 && $0.age < 50 }) == 0)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a rollback brings the deleted objects back`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    defer { withExtendedLifetime(test) {} }
    try main.delete(Person.all)
    main.rollback()
    #expect(all.map(\.isDeleted) == [false, false, false, false, false])
    #expect(try main.count(Person.all) == 5)
  }

  @Test(arguments: Place.usual)
  func `the order, the limit and unsaved changes count`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let new = try main.insert(Person.self)
    new.age = 99
    all[0].age = 98
    #expect(try main.delete(Person.all.sorted(by: \.age, .descending).limited(to: 2)) == 2)
    #expect(new.isDeleted)
    #expect(all.map(\.isDeleted) == [true, false, false, false, false])
    try main.saveAtOnce()
    #expect(try main.count(Person.all) == 4)
  }

  @Test(arguments: Place.usual)
  func `a unit deletes what it finds`(_ place: Place) async throws {
    let (test, main, all) = try people(place)
    let found = try await test.store.background { context in
      try context.insert(Person.self).age = 70
      return (try context.delete(Person.where { $0.age >= 40 }), try context.count(Person.all))
    }
    #expect(found.0 == 3)
    #expect(found.1 == 3)
    #expect(try main.fetch(Person.all).map(\.uid) == [1, 2, 3])
    #expect(all.map(\.isDeleted) == [false, false, false, true, true])
    // With the unit that fails, nothing goes.
    await #expect(throws: CancellationError.self) {
      try await test.store.background { context in
        try context.delete(Person.all)
        throw CancellationError()
      }
    }
    #expect(try main.count(Person.all) == 3)
  }

  @Test(arguments: Place.usual)
  func `a child deletes objects only in itself until it is saved`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let child = try main.child()
    #expect(try child.delete(Person.where { $0.age < 30 }) == 2)
    #expect(try child.count(Person.all) == 3)
    #expect(try main.count(Person.all) == 5)
    #expect(!all[0].isDeleted)
    try child.saveAtOnce()
    #expect(all.map(\.isDeleted) == [true, true, false, false, false])
    #expect(try main.count(Person.all) == 3)
  }

  @Test func `a read context refuses the change`() async throws {
    let (test, _, _) = try people(.memory)
    let kinds = try await test.store.read { context in
      [
        errorKind { try context.delete(Person.all) }, errorKind { try context.delete([Person]()) },
        errorKind { try context.delete(Person.self, uid: 1) },
      ]
    }
    #expect(kinds == [.readOnly, .readOnly, .readOnly])
  }

  // MARK: Delete rules, tombstones, placeholders

  @Test(arguments: Place.usual)
  func `the delete rules hold for a deletion by query`(_ place: Place) async throws {
    let test = try TestStore(place, DeletionTests.entities)
    let main = test.store.main
    for name in ["a", "a", "b"] {
      let owner = try main.insert(Owner.self)
      owner.name = name
      try main.insert(Cascaded.self).owner = owner
      try main.insert(Nullified.self).owner = owner
      if name == "b" { try main.insert(Denied.self).owner = owner }
    }
    try await main.save()
    #expect(try main.delete(Owner.where { $0.name == "a" }) == 2)
    try await main.save()
    #expect(try main.count(Cascaded.all) == 1)
    #expect(try main.count(Nullified.where { $0.owner == nil }) == 2)
    try main.delete(Owner.all)
    #expect(errorKind { try main.saveAtOnce() } == .deleteDenied)
    main.rollback()
    #expect(try main.count(Owner.all) == 1)
    // Both together are in nobody's way.
    try main.delete(Owner.all)
    try main.delete(Denied.all)
    try await main.save()
    #expect(try main.count(Owner.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `the server is yet to hear of each`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background(as: .server) { context in
      for uid in 1...3 { try context.insert(Person.self).uid = uid }
    }
    try test.store.main.delete(Person.where { $0.uid > 1 })
    try await test.store.main.save()
    let changes = try await test.store.pending.changes()
    #expect(changes.map(\.kind) == [.deletion, .deletion])
    #expect(changes.map(\.uid) == ["2", "3"])
    // Records of the server leave nothing to be told.
    try await test.store.background(as: .server) { _ = try $0.delete(Person.all) }
    #expect(try await test.store.pending.count() == 2)
  }

  // MARK: A list, a uid

  @Test(arguments: Place.usual)
  func `a list of objects goes`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    defer { withExtendedLifetime(test) {} }
    all[1].boss = all[0]
    all[2].boss = all[0]
    try main.saveAtOnce()
    try main.delete(all[0].reports)
    #expect(all.map(\.isDeleted) == [false, true, true, false, false])
    #expect(all[0].reports.isEmpty)
    // Twice the same, one that is deleted already, and none.
    try main.delete([all[3], all[3], all[1]])
    try main.delete(Set<EntityID<Person>>().compactMap { try? main.object($0) })
    try main.saveAtOnce()
    #expect(try main.fetch(Person.all).map(\.uid) == [1, 5])
  }

  @Test(arguments: Place.usual)
  func `a foreign object in a list leaves all objects of the list`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let child = try main.child()
    let copy = try #require(try child.object(all[4].entityID))
    #expect(errorKind { try main.delete([all[0], copy]) } == .wrongContext)
    #expect(errorKind { try main.delete([all[0], Person()]) } == .wrongContext)
    #expect(!all[0].isDeleted)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `the object with a uid goes`(_ place: Place) async throws {
    let (test, main, all) = try people(place)
    #expect(try main.delete(Person.self, uid: 2))
    #expect(try !main.delete(Person.self, uid: 2))
    #expect(try !main.delete(Person.self, uid: 77))
    #expect(all.map(\.isDeleted) == [false, true, false, false, false])
    #expect(errorKind { try main.delete(Note.self, uid: 1) } == .invalidSchema)
    try await main.save()
    #expect(try await test.store.background { try $0.delete(Person.self, uid: 5) })
    #expect(try main.fetch(Person.all).map(\.uid) == [1, 3, 4])
  }

  // MARK: Observers

  /// An observer of one of them that looks at the others sees that all are deleted.
  @Test(arguments: Place.usual)
  func `observers and live queries hear of all at once`(_ place: Place) throws {
    let (test, main, all) = try people(place)
    let live = LiveQuery(Person.where { $0.age > 10 }, in: test.store)
    #expect(live.objects.count == 4)
    let seen = Seen(all)
    for person in all {
      withObservationTracking {
        _ = person.isDeleted
      } onChange: {
        // The compiler knows no isolation of this closure. The deletion calls it, in this test, on the main actor; another
        // thread would trap.
        MainActor.assumeIsolated { seen.count() }
      }
    }
    try main.delete(Person.where { $0.age > 20 })
    #expect(seen.counts == [3, 3, 3])
    #expect(live.objects.map(\.uid) == [2])
    try main.saveAtOnce()
    #expect(seen.counts == [3, 3, 3])
  }

  /// How many people were deleted, each time that an observer was told.
  @MainActor private final class Seen {
    private let people: [Person]
    private(set) var counts: [Int] = []

    init(_ people: [Person]) { self.people = people }

    func count() { counts.append(people.count(where: \.isDeleted)) }
  }
}
