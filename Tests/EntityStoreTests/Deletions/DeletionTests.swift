import EntityMacros
import EntityStore
import Foundation
import TestSchema
import Testing

@MainActor
struct DeletionTests {
  static let entities: [any ManagedEntity.Type] = [
    Owner.self, Nullified.self, Cascaded.self, Denied.self, Detail.self,
  ]

  @Test(arguments: Place.usual)
  func `a deleted object keeps its last values`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    let id = person.entityID
    #expect(person.name == "Ada")
    let fault = try #require(try main.fetch(Person.self, uid: 1)?.entityID)
    try await test.store.background { context in try context.delete(try #require(try context.object(fault))) }
    #expect(try main.fetch(Person.all).isEmpty)
    #expect(person.isDeleted)
    #expect(person.name == "Ada")
    #expect(person.reports.isEmpty)
    #expect(person.boss == nil)
    person.name = "Eve"
    #expect(person.name == "Eve")
    #expect(errorKind { try main.save() } == .objectDeleted)
    main.rollback()
    try await main.save()
    #expect(try main.object(id) == nil)
  }

  @Test(arguments: Place.usual)
  func `edits after a deletion fail the save`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    person.name = "before"
    try main.delete(person)
    person.age = 5
    #expect(errorKind { try main.save() } == .objectDeleted)
    main.rollback()
    #expect(person.name == "Ada")
    #expect(person.age == 0)
    #expect(!person.isDeleted)
    person.name = "before"
    try main.delete(person)
    try await main.save()
    #expect(person.isDeleted)
    #expect(person.name == "before")
    try main.delete(person)
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `delete rules decide for the other side`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let owner = try main.insert(Owner.self)
    let nullified = try main.insert(Nullified.self)
    let cascaded = try main.insert(Cascaded.self)
    let detail = try main.insert(Detail.self)
    nullified.owner = owner
    cascaded.owner = owner
    cascaded.detail = detail
    try await main.save()
    try main.delete(owner)
    try await main.save()
    #expect(owner.isDeleted)
    #expect(cascaded.isDeleted)
    #expect(detail.isDeleted)
    #expect(!nullified.isDeleted)
    #expect(nullified.owner == nil)
    #expect(!nullified.hasChanges)
    #expect(try main.count(Cascaded.all) == 0)
    #expect(try main.count(Detail.all) == 0)
    #expect(try main.fetch(Nullified.where { $0.owner == nil }) == [nullified])
  }

  @Test(arguments: Place.usual)
  func `a deny rule names the relationship and keeps all objects`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let owner = try main.insert(Owner.self)
    let denied = try main.insert(Denied.self)
    let cascaded = try main.insert(Cascaded.self)
    denied.owner = owner
    cascaded.owner = owner
    try await main.save()
    try main.delete(owner)
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.kind == .deleteDenied)
    #expect(error?.message.contains("'Owner.denied'") == true)
    #expect(try await test.store.read { try $0.count(Cascaded.all) } == 1)
    main.rollback()
    #expect(!owner.isDeleted)
    #expect(denied.owner === owner)
    // Both together are no matter of one being in the other's way, in whichever order.
    try main.delete(owner)
    try main.delete(denied)
    try await main.save()
    #expect(try main.count(Owner.all) == 0)
    #expect(try main.count(Denied.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a denial names all objects that stand in the way`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let owner = try main.insert(Owner.self)
    let denied = try (0..<3).map { _ in
      let denied = try main.insert(Denied.self)
      denied.owner = owner
      return denied
    }
    try await main.save()
    try main.delete(owner)
    // This one is in nobody's way.
    try main.delete(denied[1])
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.objects == [owner.entityID.untyped, denied[0].entityID.untyped, denied[2].entityID.untyped])
    #expect(error?.message.contains("1 more object stands in the way of") == true)
  }

  /// Each root was gone through with all the parts of the plan, to find the one that the error names.
  @Test(.timeLimit(.minutes(5)))
  func `a denial among many objects is found soon`() async throws {
    let test = try TestStore(.memory, Owner.world)
    let count = ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil ? 8_000 : 1_000
    let ids = try await test.store.background { context in
      try (0..<count).map { number in
        let owner = try context.insert(Owner.self)
        owner.detail = try context.insert(Detail.self)
        if number == count - 1 { try context.insert(Denied.self).owner = owner }
        return owner.entityID
      }
    }
    try await test.store.background { context in
      for owner in try context.objects(ids) { try context.delete(owner) }
      let error = #expect(throws: StoreError.self) { try context.save() }
      #expect(error?.kind == .deleteDenied)
      #expect(error?.objects.first == ids.last?.untyped)
      context.rollback()
    }
  }

  @Test(arguments: Place.usual)
  func `a deny rule on a to-one relationship holds its owner`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let denied = try main.insert(Denied.self)
    denied.held = try main.insert(Detail.self)
    try await main.save()
    try main.delete(denied)
    #expect(errorKind { try main.save() } == .deleteDenied)
    main.rollback()
    denied.held = nil
    try main.delete(denied)
    #expect(errorKind { try main.save() } == .deleteDenied)
    main.rollback()
    denied.held = nil
    try await main.save()
    try main.delete(denied)
    try await main.save()
    #expect(try main.count(Denied.all) == 0)
    #expect(try main.count(Detail.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `a holder may go after its target`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let (first, second) = (try main.insert(Denied.self), try main.insert(Nullified.self))
    let owner = try main.insert(Owner.self)
    (first.owner, second.owner) = (owner, owner)
    try await main.save()
    // Neither stays because of the other, whichever is asked for first.
    try main.delete(owner)
    try main.delete(first)
    try await main.save()
    #expect(owner.isDeleted)
    #expect(first.isDeleted)
    #expect(!second.isDeleted)
    #expect(second.owner == nil)
    #expect(try main.count(Nullified.all) == 1)
    #expect(try main.count(Denied.all) == 0)
    #expect(try main.count(Owner.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `rules hold for objects that were never saved`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let owner = try main.insert(Owner.self)
    let nullified = try main.insert(Nullified.self)
    let cascaded = try main.insert(Cascaded.self)
    nullified.owner = owner
    cascaded.owner = owner
    try main.delete(owner)
    #expect(nullified.owner == nil)
    try await main.save()
    #expect(nullified.owner == nil)
    #expect(!nullified.isDeleted)
    #expect(cascaded.isDeleted)
    #expect(owner.isDeleted)
    let other = try main.insert(Owner.self)
    let denied = try main.insert(Denied.self)
    denied.owner = other
    try main.delete(other)
    #expect(errorKind { try main.save() } == .deleteDenied)
    denied.owner = nil
    try await main.save()
    #expect(try main.count(Denied.all) == 1)
    #expect(try main.count(Owner.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a rule that undoes an edit of the same save is seen`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let owner = try main.insert(Owner.self)
    let nullified = try main.insert(Nullified.self)
    try await main.save()
    nullified.owner = owner
    try main.delete(owner)
    try await main.save()
    // The object wrote the link itself, and yet must read the row again.
    #expect(nullified.link(Nullified.columns.owner.index) == 0)
    #expect(nullified.owner == nil)
    #expect(!nullified.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `cycles and long chains are deleted`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      var last: Person?
      var all: [Person] = []
      for _ in 0..<300 {
        let person = try context.insert(Person.self)
        person.boss = last
        last = person
        all.append(person)
      }
      all[0].boss = last
      let alone = try context.insert(Person.self)
      alone.boss = alone
      all.append(alone)
      try context.save()
      for person in all { try context.delete(person) }
    }
    #expect(try test.store.main.count(Person.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a unit sees the effects of its deletion`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    try await test.store.background { context in
      let owner = try context.insert(Owner.self)
      let denied = try context.insert(Denied.self)
      let cascaded = try context.insert(Cascaded.self)
      denied.owner = owner
      cascaded.owner = owner
      try context.save()
      try context.delete(owner)
      #expect(errorKind { _ = try context.fetch(Owner.all) } == .deleteDenied)
      context.rollback()
      // The changes of a failed part of a unit are undone, in the rows and in the objects.
      #expect(!owner.isDeleted)
      #expect(!cascaded.isDeleted)
      #expect(!denied.isDeleted)
      #expect(denied.owner === owner)
      #expect(cascaded.owner === owner)
      #expect(try context.count(Cascaded.all) == 1)
      try context.delete(denied)
      try context.delete(owner)
      #expect(try context.fetch(Cascaded.all).isEmpty)
      #expect(cascaded.isDeleted)
    }
    #expect(try test.store.main.count(Owner.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `a unit's rollback brings rows back`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    let id = person.entityID
    try await test.store.background { context in
      let mine = try #require(try context.object(id))
      let new = try context.insert(Person.self)
      try context.delete(mine)
      #expect(try context.fetch(Person.all) == [new])
      #expect(mine.isDeleted)
      context.rollback()
      #expect(!mine.isDeleted)
      #expect(mine.name == "Ada")
      #expect(new.isDeleted)
      #expect(try context.fetch(Person.all) == [mine])
      mine.age = 1
    }
    #expect(try main.fetch(Person.all) == [person])
    #expect(!person.isDeleted)
    #expect(person.age == 1)
  }
}
