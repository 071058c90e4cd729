import EntityStore
import TestSchema
import Testing

@testable import EntityStore

/// An object of a context that is linked to a loose one inserts it.
@MainActor struct LooseTargetTests {
  @Test(arguments: Place.usual)
  func `a link inserts its target and all objects that the target leads to`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.uid = 1
    try main.saveAtOnce()
    let (boss, team) = (Person(), Team())
    (boss.uid, boss.name, boss.team, team.uid) = (2, "Eve", team, "t")
    let watcher = Watcher { _ = person.boss }
    person.boss = boss
    #expect(watcher.fired)
    #expect(person.boss === boss)
    #expect(boss.reports == [person])
    #expect(boss.isInserted && team.isInserted)
    #expect(boss.entityContext === main)
    try await main.save()
    let found = try await test.store.read { context in
      try context.fetch(Person.self, uid: 1).map { [$0.boss?.name, $0.boss?.team?.uid] }
    }
    #expect(found == ["Eve", "t"])
    // The same object is no new one.
    person.boss = boss
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a list inserts its members in their order`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    let notes = (0..<4).map { rank in
      let note = Note()
      note.rank = rank
      return note
    }
    person.notes = [notes[0]]
    person.notes.append(notes[1])
    // From its own side.
    notes[2].person = person
    try person.add(notes[3], to: \.notes)
    #expect(person.notes == notes)
    #expect(notes.map { $0.person === person } == [true, true, true, true])
    try main.saveAtOnce()
    #expect(try await test.store.read { try $0.fetch(Note.all).map(\.rank) } == [0, 1, 2, 3])
    main.rollback()
    #expect(person.notes == notes)
    person.notes = [Note(), notes[1]]
    main.rollback()
    #expect(person.notes == notes)
  }

  @Test(arguments: Place.usual)
  func `both sides of a one-to-one relationship insert a loose object`(_ place: Place) async throws {
    let test = try TestStore(place, OneToOneTests.entities)
    let main = test.store.main
    let (skipper, hull) = (try main.insert(Skipper.self), try main.insert(Hull.self))
    let (one, two) = (Permit(), Permit())
    skipper.permit = one
    skipper.permit = two
    #expect(one.skipper == nil && two.skipper === skipper)
    #expect(one.isInserted && two.isInserted)
    let other = Skipper()
    one.skipper = other
    #expect(other.isInserted && other.permit === one)
    hull.motor = Motor()
    try main.saveAtOnce()
    #expect(try await test.store.read { try $0.fetch(Motor.all).map { $0.hull.motor != nil } } == [true])
  }

  @Test(arguments: Place.usual)
  func `drafts and units insert loose objects too`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    try main.saveAtOnce()
    let draft = try main.edit(person)
    draft.object.notes.append(Note())
    draft.object.team = Team()
    #expect(person.notes.isEmpty && person.team == nil)
    try draft.save()
    #expect(person.notes.count == 1 && person.team != nil)
    main.rollback()
    #expect(!main.hasChanges)
    let id = person.entityID
    try await test.store.background { context in
      let person = try #require(try context.object(id))
      person.boss = Person()
      #expect(try context.count(Person.where { $0.boss != nil }) == 1)
      person.boss?.notes = [Note()]
    }
    #expect(person.boss?.notes.count == 1)
  }

  @Test(arguments: Place.usual)
  func `a loose object that cannot be inserted leaves the relationship as it was`(_ place: Place) async throws {
    let test = try TestStore(place)
    let other = try TestStore(.memory)
    let main = test.store.main
    let person = try main.insert(Person.self)
    try main.saveAtOnce()
    let foreign = Note()
    foreign.person = try other.store.main.insert(Person.self)
    #expect(foreign.entityContext === other.store.main)
    // With it a sound one, which is not inserted either.
    let sound = Note()
    person.notes = [sound, foreign]
    #expect(person.notes.isEmpty)
    #expect(!sound.isInserted)
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.kind == .wrongContext)
    #expect(error?.objects.contains(person.entityID.untyped) == true)
    // A mistake is told once.
    try main.saveAtOnce()
    #expect(errorKind { try person.add(foreign, to: \.notes) } == .wrongContext)
    // The sound one can still be inserted.
    person.notes = [sound]
    #expect(sound.isInserted)
    // A deleted object inserts none.
    try main.delete(person)
    let late = Person()
    person.boss = late
    #expect(!late.isInserted)
    main.rollback()
    try await test.store.read { context in
      let person = try #require(try context.fetch(Person.all).first)
      person.boss = Person()
      #expect(person.boss == nil)
      #expect(errorKind { try context.saving.throwMistakes() } == .wrongContext)
    }
  }
}
