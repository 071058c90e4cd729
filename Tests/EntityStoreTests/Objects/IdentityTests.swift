import EntityStore
import Foundation
import TestSchema
import Testing

@MainActor
struct IdentityTests {
  @Test(arguments: Place.usual)
  func `one row is one instance per context`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let main = test.store.main
    let person = try #require(try main.fetch(Person.self, uid: 1))
    #expect(try main.object(id) === person)
    #expect(try main.fetch(Person.all).first === person)
    #expect(try main.fetch(Person.where { $0.name == "Ada" }).first === person)
    #expect(try main.objects([id, id]).allSatisfy { $0 === person })
    try await test.store.background { context in
      let first = try #require(try context.object(id))
      #expect(try context.fetch(Person.self, uid: 1) === first)
      #expect(first.entityContext === context)
    }
    #expect(person.entityContext === main)
  }

  @Test(arguments: Place.usual)
  func `a new object has its final id at once`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    let id = person.entityID
    #expect(try main.object(id) === person)
    person.name = "Ada"
    try await main.save()
    #expect(person.entityID == id)
    #expect(try main.object(id) === person)
    #expect(try await test.store.read { try $0.object(id)?.name } == "Ada")
  }

  /// The map of objects grows, and lets go of rows whose objects are gone, while others are held.
  @Test(arguments: Place.usual)
  func `many rows are one instance each`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      for number in 1...5_000 { try context.insert(Person.self).uid = number }
    }
    try await test.store.background { context in
      var held: [Int: Person] = [:]
      for turn in 0..<3 {
        for person in try context.fetch(Person.self) where person.uid % 7 == turn { held[person.uid] = person }
      }
      #expect(held.count == 2_144)
      let again = try context.fetch(Person.self)
      #expect(again.map(\.uid) == Array(1...5_000))
      #expect(again.allSatisfy { held[$0.uid] == nil || held[$0.uid] === $0 })
      for (uid, person) in held { #expect(try context.fetch(Person.self, uid: uid) === person) }
    }
  }

  /// A connection keeps some hundred statements prepared, and begins anew then.
  @Test(arguments: Place.usual)
  func `a look up by uid outlives its statement`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    try await test.store.background { context in
      let person = try #require(try context.fetch(Person.self, uid: 1))
      for number in 1...520 {
        // Each number has its own text: a bit of it says which column is compared.
        let query = Person.where { row in
          (0..<10).reduce(row.uid == 1) { $0 || (number >> $1 & 1 == 0 ? row.age == -1 : row.uid == -1) }
        }
        #expect(try context.fetch(query).count == 1)
      }
      #expect(try context.fetch(Person.self, uid: 1) === person)
      #expect(try context.fetch(Person.self, uid: 2) == nil)
    }
  }

  @Test(arguments: Place.usual)
  func `objects that nobody holds are let go`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    let main = test.store.main
    weak var weakPerson: Person?
    do {
      let person = try #require(try main.fetch(Person.self, uid: 1))
      person.boss = person
      person.team = try main.insert(Team.self)
      _ = person.reports
      try await main.save()
      weakPerson = person
    }
    #expect(weakPerson == nil)
    #expect(try main.fetch(Person.self, uid: 1)?.name == "Ada")
  }

  @Test(arguments: Place.usual)
  func `changed objects are kept until the save`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    weak var inserted: Person?
    do {
      let person = try main.insert(Person.self)
      person.name = "Ada"
      inserted = person
    }
    #expect(inserted?.name == "Ada")
    try await main.save()
    #expect(inserted == nil)
    #expect(try main.fetch(Person.all).map(\.name) == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `a related object is a fault until it is read`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ids = try await test.store.background { context in
      let boss = try context.insert(Person.self)
      let report = try context.insert(Person.self)
      boss.name = "Boss"
      report.boss = boss
      return [boss.entityID, report.entityID]
    }
    let main = test.store.main
    let report = try #require(try main.object(ids[1]))
    let boss = try #require(report.boss)
    #expect(boss.entityID == ids[0])
    #expect(boss.name == "Boss")
    #expect(boss.reports.map(\.entityID) == [ids[1]])
    #expect(boss.reports.first === report)
  }

  @Test(arguments: Place.usual)
  func `row ids are never used again`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    struct Stop: Error {}
    let leaked = Leak<Int64>()
    _ = try? await store.background { context in
      // More than a range, so that a lease is rolled back too.
      for _ in 0..<70_000 { leaked.add(try context.insert(Note.self).entityID.pk) }
      throw Stop()
    }
    try await store.background { context in
      for _ in 0..<10 { leaked.add(try context.insert(Note.self).entityID.pk) }
      context.rollback()
      for _ in 0..<70_000 { leaked.add(try context.insert(Note.self).entityID.pk) }
      context.rollback()
      for _ in 0..<10 { leaked.add(try context.insert(Note.self).entityID.pk) }
    }
    for _ in 0..<10 { leaked.add(try store.main.insert(Note.self).entityID.pk) }
    store.main.rollback()
    for _ in 0..<10 { leaked.add(try store.main.insert(Note.self).entityID.pk) }
    #expect(Set(leaked.values).count == leaked.values.count)
  }

  @Test func `row ids are not used again after reopening`() async throws {
    let folder = try TemporaryFolder()
    var pks: [Int64] = []
    for _ in 0..<3 {
      let store = try EntityStore(.file(folder.file), entities: TestStore.people)
      pks += try await store.background { context in
        let kept = try context.insert(Note.self).entityID.pk
        let note = try context.insert(Note.self)
        try context.delete(note)
        return [kept, note.entityID.pk]
      }
      pks.append(try store.main.insert(Note.self).entityID.pk)
    }
    #expect(Set(pks).count == pks.count)
  }

  @Test(arguments: Place.usual)
  func `objects outlive their context and store`(_ place: Place) async throws {
    var test: TestStore? = try TestStore(place)
    try await test?.store.addPerson(1, "Ada")
    var main: EntityContext? = test?.store.main
    let person = try #require(try main?.fetch(Person.self, uid: 1))
    let inserted = try #require(try main?.insert(Person.self))
    inserted.name = "New"
    main = nil
    test = nil
    #expect(person.name == "Ada")
    #expect(inserted.name == "New")
    #expect(person.entityContext == nil)
    person.name = "Changed"
    person.boss = inserted
    person.reports = [inserted]
    #expect(person.name == "Ada")
    #expect(person.isDetached)
    #expect(person.boss == nil)
    #expect(person.reports.isEmpty)
    #expect(!person.isDeleted)
    #expect(!person.isPlaceholder)
    _ = person.entityID
  }

  @Test(arguments: Place.usual)
  func `a context that is over throws`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    let leak = Leak<Smuggled>()
    try await test.store.background { context in
      leak.add(Smuggled(context: context, person: try context.fetch(Person.self, uid: 1)))
    }
    try await test.store.read { context in
      leak.add(Smuggled(context: context, person: try context.fetch(Person.self, uid: 1)))
    }
    for smuggled in leak.values {
      let context = smuggled.context
      #expect(errorKind { _ = try context.fetch(Person.all) } == .wrongContext)
      #expect(errorKind { _ = try context.count(Person.all) } == .wrongContext)
      #expect(errorKind { _ = try context.insert(Person.self) } != nil)
      #expect(errorKind { try context.save() } == .wrongContext)
      #expect(smuggled.person?.name == "Ada")
      smuggled.person?.name = "Bob"
      _ = smuggled.person?.notes
      context.rollback()
    }
    #expect(try test.store.main.fetch(Person.all).map(\.name) == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `objects of other contexts are refused`(_ place: Place) async throws {
    let test = try TestStore(place)
    let other = try TestStore(place)
    let main = test.store.main
    let foreign = try other.store.main.insert(Person.self)
    let person = try main.insert(Person.self)
    person.boss = foreign
    #expect(person.boss == nil)
    #expect(errorKind { try main.save() } == .wrongContext)
    #expect(errorKind { try main.delete(foreign) } == .wrongContext)
    // The mistake is told once; then the other changes can be saved.
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `an entity the store does not hold is named`(_ place: Place) throws {
    let test = try TestStore(place)
    #expect(errorKind { _ = try test.store.main.fetch(Owner.all) } == .unknownEntity)
    #expect(errorKind { _ = try test.store.main.insert(Owner.self) } == .unknownEntity)
    #expect(errorKind { _ = try test.store.main.fetch(Note.self, uid: 1) } == .invalidSchema)
  }
}

/// Takes things out of closures that they must not leave; each test that does it waits for the closure's end.
final class Leak<Value>: @unchecked Sendable {
  // Written within a unit of work and read after it has ended, which the await orders.
  private(set) var values: [Value] = []

  func add(_ value: Value) { values.append(value) }
}

struct Smuggled {
  let context: EntityContext
  let person: Person?
}
