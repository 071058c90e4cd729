import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Objects and contexts that are read again.
@MainActor
struct RefreshTests {
  @Test(arguments: Place.usual)
  func `a refresh takes in commits and bases the edits on their values`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 1
    let name = Watcher { _ = desk.person.name }
    try await desk.other { ($0.age, $0.name) = (5, "other") }
    try desk.main.refresh(desk.person)
    #expect(name.fired)
    #expect(desk.person.name == "other")
    #expect(desk.person.age == 1)
    try desk.main.saveAtOnce()
    #expect(try await desk.age() == 1)
    // The base is the row's value of that moment, and not of a later one.
    desk.person.age = 2
    try await desk.other { $0.age = 6 }
    try desk.main.refresh(desk.person)
    try await desk.other { $0.age = 7 }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.attribute(.integer(6))])
    // An edit that is set back to the row's value is none.
    try desk.main.refresh(desk.person)
    desk.person.age = 7
    #expect(!desk.person.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a refresh drops edits where it is asked to`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    try await desk.other { $0.age = 5 }
    let age = Watcher { _ = desk.person.age }
    try desk.main.refresh(desk.person, keepingEdits: false)
    #expect(age.fired)
    #expect(desk.person.age == 5)
    #expect(!desk.main.hasChanges)
    #expect(throws: StoreError.self) { try TestStore(place).store.main.refresh(desk.person) }
  }

  @Test(arguments: Place.usual)
  func `a refresh reads a row that nobody tells of`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let id = desk.id
    let name = Watcher { _ = desk.person.name }
    let age = Watcher { _ = desk.person.age }
    try desk.store.core.blockingUnit { try $0.connection.execute("UPDATE main.Person SET name = 'by hand'") }
    #expect(desk.person.name == "Ada")
    try desk.main.refresh(desk.person)
    #expect(name.fired)
    #expect(!age.fired)
    #expect(desk.person.name == "by hand")
    try desk.store.core.blockingUnit { try $0.connection.execute("DELETE FROM main.Person") }
    let gone = Watcher { _ = desk.person.isDeleted }
    try desk.main.refresh(desk.person)
    #expect(gone.fired)
    #expect(desk.person.isDeleted)
    try desk.main.refresh(desk.person)
    // In a unit and in a read an object is read again, too.
    let new = try await desk.store.background { context in
      let person = try context.insert(Person.self)
      try context.refresh(person)
      try context.save()
      person.name = "edited"
      try context.refresh(person)
      return person.entityID
    }
    let name2 = try await desk.store.read { context in
      let person = try #require(try context.object(new))
      try context.refresh(person)
      return person.name
    }
    #expect(name2 == "edited")
    #expect(try await desk.store.read { try $0.object(id) == nil })
  }

  @Test(arguments: Place.usual)
  func `a new object stays as it is`(_ place: Place) throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.age = 3
    try main.refresh(person)
    #expect(person.isInserted)
    #expect(person.age == 3)
    try main.refresh(person, keepingEdits: false)
    #expect(person.isDeleted)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an edit under way is left to its save`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    let block = Blocker(desk.store)
    await block.begin()
    desk.person.age = 1
    let save = await desk.store.beginSave(of: desk.person)
    desk.person.age = 2
    try desk.main.refresh(desk.person)
    #expect(desk.person.age == 2)
    desk.main.reset()
    #expect(desk.person.age == 1)
    desk.person.age = 3
    block.end()
    try await save.value
    try await desk.main.save()
    #expect(try await desk.age() == 3)
  }

  @Test(arguments: Place.usual)
  func `a reset reads all again and drops unsaved changes`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let (main, person) = (desk.main, desk.person)
    let team = try main.insert(Team.self)
    team.uid = "a"
    try main.saveAtOnce()
    let live = LiveQuery(Person.where { $0.name == "by hand" }, in: desk.store)
    #expect(live.objects.isEmpty)
    person.age = 1
    person.team = team
    let new = try main.insert(Person.self)
    try main.delete(team)
    try desk.store.core.blockingUnit { try $0.connection.execute("UPDATE main.Person SET name = 'by hand'") }
    let name = Watcher { _ = person.name }
    main.rollback()
    #expect(person.name == "Ada")
    person.age = 1
    main.reset()
    #expect(name.fired)
    #expect(!main.hasChanges)
    #expect(person.name == "by hand")
    #expect(person.age == 0)
    #expect(person.team == nil)
    #expect(!team.isDeleted)
    #expect(new.isDeleted)
    #expect(live.objects == [person])
    // All is usable.
    person.team = team
    person.age = 4
    try await main.save()
    #expect(team.members == [person])
    #expect(try await desk.age() == 4)
    #expect(try main.object(desk.id) === person)
  }

  @Test(arguments: Place.usual)
  func `a reset of a unit goes back to its last save`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let id = desk.id
    try await desk.store.background { context in
      let person = try #require(try context.object(id))
      person.age = 1
      try context.save()
      person.age = 2
      _ = try context.count(Person.all)
      context.reset()
      #expect(person.age == 1)
      person.name = "after"
    }
    #expect(try await desk.age() == 1)
    #expect(try await desk.name() == "after")
  }
}
