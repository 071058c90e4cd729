import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// An object that outlives its store: it reads as it last did, and refuses changes.
@MainActor
struct DetachedTests {
  /// Lets go of the store after `use` has taken its objects.
  private func outlive<T>(
    _ place: Place, _ entities: [any ManagedEntity.Type] = TestStore.people,
    _ use: @MainActor (EntityStore) async throws -> T
  ) async throws -> T {
    var test: TestStore? = try TestStore(place, entities)
    let core = try #require(test).store.core
    let value = try await use(try #require(test).store)
    test = nil
    // A merge that was asked for holds it until its turn.
    while core.store != nil { await Task.yield() }
    return value
  }

  @Test(arguments: Place.usual)
  func `loaded values stay and the rest is neutral`(_ place: Place) async throws {
    let (person, boss, fault, note) = try await outlive(place) { store in
      let main = store.main
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.age) = (1, "Ada", 36)
      let note = try main.insert(Note.self)
      note.person = person
      let boss = try main.insert(Person.self)
      (boss.uid, boss.name) = (2, "Bob")
      person.boss = boss
      try await main.save()
      let other = try await store.addPerson(3, "Eve", age: 4)
      let fault = try #require(main.reading.object(main.core.schema.model(Person.self), other.pk) as? Person)
      #expect(!person.isDetached)
      #expect(!fault.isDetached)
      return (person, boss, fault, note)
    }
    for object in [person, boss, fault] {
      #expect(object.isDetached)
      #expect(object.entityContext == nil)
    }
    #expect(person.uid == 1)
    #expect(person.name == "Ada")
    #expect(person.age == 36)
    #expect(person.score == nil)
    #expect(person.boss == nil)
    #expect(person.notes.isEmpty)
    #expect(person.reports.isEmpty)
    #expect(person.team == nil)
    #expect(fault.uid == 0)
    #expect(fault.name == "")
    #expect(fault.age == 0)
    #expect(fault.email == nil)
    #expect(note.text == "new")
    #expect(!person.isDeleted)
    #expect(!person.hasChanges)
    #expect(!person.isInserted)
    #expect(!person.isPlaceholder)
    #expect(person.forwardedTo == nil)
    #expect(!fault.isDeleted)
    #expect(person.hasLocalEdits)
  }

  @Test(arguments: Place.usual)
  func `changes are refused`(_ place: Place) async throws {
    let (person, boss) = try await outlive(place) { store in
      let people = try (1...2).map { _ in try store.main.insert(Person.self) }
      people[0].name = "Ada"
      return (people[0], people[1])
    }
    person.name = "changed"
    person.email = "changed"
    person.boss = boss
    person.reports = [boss]
    #expect(person.name == "Ada")
    #expect(person.email == nil)
    #expect(person.boss == nil)
    #expect(person.reports.isEmpty)

    let test = try TestStore(place)
    let main = test.store.main
    #expect(errorKind { try main.delete(person) } == .storeGone)
    #expect(errorKind { try main.rollback(person) } == .storeGone)
    let other = try main.insert(Person.self)
    other.boss = person
    #expect(other.boss == nil)
    #expect(await asyncErrorKind { try await main.save() } == .storeGone)
    other.reports = [person]
    #expect(await asyncErrorKind { try await main.save() } == .storeGone)
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `every kind of property reads without a store`(_ place: Place) async throws {
    let (kinds, fault) = try await outlive(place, [Kinds.self]) { store in
      let kinds = try store.main.insert(Kinds.self)
      kinds.rank = .chief
      kinds.setup = Setup(isDark: false)
      kinds.tags = ["a"]
      let fault = store.main.reading.object(try store.core.schema.model(Kinds.self), 4711)
      return (kinds, try #require(fault as? Kinds))
    }
    kinds.rank = .member
    kinds.setup = Setup()
    kinds.tags = []
    kinds.url = try #require(URL(string: "https://a.example"))
    kinds.maybeTier = .high
    #expect(kinds.rank == .chief)
    #expect(kinds.setup == Setup(isDark: false))
    #expect(kinds.tags == ["a"])
    #expect(kinds.maybeTier == nil)
    #expect(kinds.url == URL.neutralValue)
    #expect(fault.rank == .member)
    #expect(fault.setup == Setup(isDark: true))
    #expect(fault.tags.isEmpty)
    #expect(fault.maybeTags == ["new"])
    #expect(fault.tier == .low)
    #expect(fault.grants == [])
    #expect(fault.figure == .square)
    #expect(fault.decimal == 0)
    #expect(fault.unrecognizedValue(of: \.rank) == nil)
    #expect(fault.uid == 0)
  }

  @Test(arguments: Place.usual)
  func `a required link reads as an object without a row`(_ place: Place) async throws {
    let article = try await outlive(place, TestStore.blog) { try $0.main.insert(Article.self) }
    #expect(article.author.isDeleted)
    #expect(article.author.name == "")
    #expect(article.author.isDetached)
    article.author.name = "changed"
    article.tags = []
    #expect(article.tags.isEmpty)
    #expect(article.isDetached)
  }

  @Test(arguments: Place.usual)
  func `a context that outlives its store saves nothing`(_ place: Place) async throws {
    let (main, person) = try await outlive(place) { store in
      let person = try store.main.insert(Person.self)
      person.uid = 1
      try await store.main.save()
      return (store.main, person)
    }
    #expect(person.isDetached)
    #expect(person.uid == 1)
    person.name = "changed"
    #expect(await asyncErrorKind { try await main.save() } == .storeGone)
    #expect(errorKind { try main.saveAtOnce() } == .storeGone)
  }
}
