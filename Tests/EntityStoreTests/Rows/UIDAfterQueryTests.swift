import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// A unit's query writes its new objects before the unit ends: they stay as new as without the query.
@MainActor
struct UIDAfterQueryTests {
  private func inserting(
    _ place: Place, _ uid: Int, then work: @escaping @Sendable (EntityContext, Person, EntityID<Person>) throws -> Void
  ) async throws -> (kind: StoreError.Kind?, names: [String]) {
    let test = try TestStore(place)
    let old = try await test.store.addPerson(4711, "old", age: 40)
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        let new = try context.insert(Person.self)
        new.name = "new"
        let count = try context.count(Person.all)
        #expect(count == 2)
        new.uid = uid
        try work(context, new, old)
      }
    }
    return (kind, try test.store.main.fetch(Person.all).map(\.name).sorted())
  }

  @Test(arguments: Place.usual)
  func `a new object that gets another object's uid after a query is refused`(_ place: Place) async throws {
    let end = try await inserting(place, 4711) { _, _, _ in }
    #expect(end.kind == .uniqueViolation)
    #expect(end.names == ["old"])
  }

  @Test(arguments: Place.usual)
  func `a new object with a taken uid is refused after a second query too`(_ place: Place) async throws {
    let end = try await inserting(place, 4711) { context, new, _ in
      let names = try context.fetch(Person.where { $0.uid == 4711 }).map(\.name)
      #expect(names == ["old", "new"])
      #expect(try context.fetch(Person.self, uid: 4711) === new)
    }
    #expect(end.kind == .uniqueViolation)
    #expect(end.names == ["old"])
  }

  @Test(arguments: Place.usual)
  func `a new object may have a uid whose holder is deleted or gives it up after the query`(_ place: Place) async throws
  {
    let deleted = try await inserting(place, 4711) { context, _, old in
      try context.delete(#require(try context.object(old)))
    }
    #expect(deleted.kind == nil)
    #expect(deleted.names == ["new"])
    let given = try await inserting(place, 4711) { context, _, old in
      try #require(try context.object(old)).uid = 4712
    }
    #expect(given.kind == nil)
    #expect(given.names == ["new", "old"])
  }

  @Test(arguments: Place.usual)
  func `a saved object that gets another object's uid later is the same object`(_ place: Place) async throws {
    let test = try TestStore(place)
    _ = try await test.store.addPerson(4711, "old", age: 40)
    try await test.store.background { context in
      let new = try context.insert(Person.self)
      new.name = "new"
      let count = try context.count(Person.all)
      #expect(count == 2)
      try context.save()
      new.uid = 4711
    }
    let people = try test.store.main.fetch(Person.all)
    #expect(people.map(\.name) == ["new"])
    #expect(people.map(\.age) == [40])
  }
}
