import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Properties that others changed between the edit and the save.
@MainActor
struct ConflictTests {
  private static let increments = ConflictPolicy.byColumn(
    .merge(\Person.Columns.age) { base, mine, theirs in theirs + (mine - base) })

  // MARK: Lost updates

  @Test(arguments: Place.usual)
  func `no increment is lost where a merge adds the increments`(_ place: Place) async throws {
    let desk = try await Desk(place)
    for round in 0..<200 {
      desk.person.age += 1
      try await desk.other { $0.age += 10 }
      if round.isMultiple(of: 2) {
        try await desk.main.save(conflicts: Self.increments)
      } else {
        try desk.main.saveAtOnce(conflicts: Self.increments)
      }
    }
    #expect(try await desk.age() == 2_200)
    #expect(desk.person.age == 2_200)
  }

  @Test(arguments: Place.usual)
  func `no increment is lost without an error by default`(_ place: Place) async throws {
    let desk = try await Desk(place)
    var failures = 0
    for _ in 0..<200 {
      desk.person.age += 1
      try await desk.other { $0.age += 10 }
      while let error = storeError({ try desk.main.saveAtOnce() }) {
        #expect(error.kind == .conflict)
        failures += 1
        try desk.main.refresh(desk.person, keepingEdits: false)
        desk.person.age += 1
      }
    }
    #expect(failures == 200)
    #expect(try await desk.age() == 2_200)
  }

  @Test func `two stores on one file lose no increment`() async throws {
    let desk = try await Desk(.file)
    let other = try EntityStore(.file(desk.test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    let twin = try #require(try other.main.object(desk.id))
    func count(_ person: Person) async throws {
      for _ in 0..<100 {
        person.age += 1
        // The other task has its turns in between.
        await Task.yield()
        try await person.entityContext?.save(conflicts: Self.increments)
      }
    }
    let task = Task { try await count(twin) }
    try await count(desk.person)
    try await task.value
    #expect(try await desk.age() == 200)
  }

  // MARK: Policies

  @Test(arguments: Place.usual)
  func `another's local edit fails the save by default, and a value of the server gives way`(_ place: Place)
    async throws
  {
    let desk = try await Desk(place)
    desk.person.age = 1
    try await desk.server { $0.age = 5 }
    try await desk.main.save()
    #expect(try await desk.age() == 1)
    #expect(desk.person.age == 1)
    // As when the edit was saved before the response came: the value before it is the server's.
    #expect(try await desk.pending() == ["age 5 1"])
    desk.person.age = 2
    try await desk.other { $0.age = 6 }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    #expect(error.kind == .conflict)
    #expect(try await desk.age() == 6)
    #expect(desk.person.age == 2)
    #expect(desk.person.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an object that was made here has local edits only`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let id = person.entityID
    person.age = 1
    try await test.store.edit(id) { $0.age = 5 }
    let error = try #require(storeError { try test.store.main.saveAtOnce() })
    #expect(error.conflicts.map(\.isLocalEdit) == [true])
  }

  @Test(arguments: Place.usual, [false, true])
  func `the mine policy saves the edit over the other value`(_ place: Place, _ isMerged: Bool) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    try await desk.other { $0.age = 5 }
    if isMerged { try desk.main.merging.merge() }
    try await desk.main.save(conflicts: .mine)
    #expect(try await desk.age() == 1)
    #expect(desk.person.age == 1)
    #expect(!desk.main.hasChanges)
    #expect(try await desk.pending() == ["age 0 1"])
  }

  @Test(arguments: Place.usual, [false, true])
  func `the theirs policy drops the edit, and the object reads the other value`(_ place: Place, _ isMerged: Bool)
    async throws
  {
    let desk = try await Desk(place)
    desk.person.age = 1
    desk.person.name = "mine"
    let age = Watcher { _ = desk.person.age }
    try await desk.server { $0.age = 5 }
    if isMerged { try desk.main.merging.merge() }
    #expect(!age.fired)
    try await desk.main.save(conflicts: .theirs)
    #expect(age.fired)
    #expect(desk.person.age == 5)
    #expect(desk.person.name == "mine")
    #expect(!desk.main.hasChanges)
    #expect(try await desk.age() == 5)
    // The save marks what it wrote, and nothing else.
    #expect(try await desk.pending() == ["name Ada mine"])
    #expect(desk.person.pendingColumns.names == ["name"])
    #expect(try desk.main.fetch(Person.where { $0.age == 5 && $0.name == "mine" }) == [desk.person])
    // The next edit is based on the value that was taken.
    desk.person.age = 6
    try await desk.main.save(conflicts: .fail)
    #expect(try await desk.pending() == ["name Ada mine", "age 5 6"])
  }

  @Test(arguments: Place.usual)
  func `the theirs policy for another edit leaves that edit`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    try await desk.other { $0.age = 5 }
    try desk.main.saveAtOnce(conflicts: .theirs)
    #expect(desk.person.age == 5)
    #expect(try await desk.pending() == ["age 0 5"])
    #expect(desk.person.pendingColumns.names == ["age"])
  }

  @Test(arguments: Place.usual)
  func `the fail policy holds also for values of the server`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 1
    try await desk.server { $0.age = 5 }
    let error = try #require(storeError { try desk.main.saveAtOnce() })
    let conflict = try #require(error.conflicts.first)
    #expect(error.conflicts.count == 1)
    #expect(conflict.id == desk.id.untyped)
    #expect(conflict.entity == "Person")
    #expect(conflict.uid == "1")
    #expect(conflict.property == "age")
    #expect(conflict.concerns(\Person.Columns.age))
    #expect(!conflict.concerns(\Person.Columns.name))
    #expect(conflict.base.as(Int.self) == 0)
    #expect(conflict.mine.as(Int.self) == 1)
    #expect(conflict.theirs.as(Int.self) == 5)
    #expect(!conflict.isLocalEdit)
  }

  @Test(arguments: Place.usual)
  func `a custom policy decides about each conflict`(_ place: Place) async throws {
    let desk = try await Desk(place)
    func conflict() async throws {
      desk.person.name = "mine"
      desk.person.age = 1
      desk.person.email = nil
      try await desk.other { ($0.name, $0.age, $0.email) = ("theirs", 5, "theirs@example.com") }
    }
    try await conflict()
    try await desk.main.save(
      conflicts: .custom { conflict in
        if conflict.concerns(\Person.Columns.name) { return .theirs }
        if conflict.concerns(\Person.Columns.email) { return .mine }
        let (mine, theirs) = (conflict.mine.as(Int.self) ?? 0, conflict.theirs.as(Int.self) ?? 0)
        return .value(mine + theirs)
      })
    #expect(desk.person.name == "theirs")
    #expect(desk.person.email == nil)
    #expect(desk.person.age == 6)
    #expect(try await desk.age() == 6)
    #expect(
      try await desk.pending() == ["name Ada theirs", "email ada@example.com null", "age 0 6"])
    // An error of the policy fails the save.
    struct Stop: Error {}
    desk.person.age = 7
    try await desk.other { $0.age = 8 }
    #expect(throws: Stop.self) { try desk.main.saveAtOnce(conflicts: .custom { _ in throw Stop() }) }
    #expect(desk.person.age == 7)
    #expect(errorKind { try desk.main.saveAtOnce(conflicts: .custom { _ in .fail }) } == .conflict)
    #expect(errorKind { try desk.main.saveAtOnce(conflicts: .custom { _ in .value("text") }) } == .invalidValue)
    #expect(errorKind { try desk.main.saveAtOnce(conflicts: .custom { _ in .value(.object(nil)) }) } == .invalidValue)
    try desk.main.saveAtOnce(conflicts: .custom { _ in .value(.attribute(.integer(9))) })
    #expect(desk.person.age == 9)
  }

  @Test(arguments: Place.usual)
  func `a custom value over the server's value is a local edit`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.person.age = 1
    let age = Watcher { _ = desk.person.age }
    try await desk.server { $0.age = 5 }
    try await desk.main.save(conflicts: Self.increments)
    #expect(age.fired)
    #expect(desk.person.age == 6)
    #expect(desk.person.pendingColumns.names == ["age"])
    #expect(try await desk.pending() == ["age 5 6"])
  }

  @Test(arguments: Place.usual)
  func `each column has the policy of its entity`(_ place: Place) async throws {
    let test = try TestStore(place, [Turnstile.self])
    let main = test.store.main
    let id = try await test.store.background(as: .server) { context in
      let counter = try context.insert(Turnstile.self)
      (counter.uid, counter.title) = (1, "a")
      return counter.entityID
    }
    let counter = try #require(try main.object(id))
    func conflict(_ limit: Int?) async throws {
      (counter.visits, counter.title) = (counter.visits + 1, "mine")
      if let limit { counter.limit = limit }
      try await test.store.background(as: .server) { context in
        let counter = try #require(try context.object(id))
        (counter.visits, counter.title, counter.limit) = (counter.visits + 10, "theirs", counter.limit + 1)
      }
    }
    try await conflict(nil)
    try await main.save()
    #expect(counter.visits == 11)
    #expect(counter.title == "theirs")
    try await conflict(7)
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.property) == ["limit"])
    #expect(counter.visits == 12)
    // The policy of a save counts more than that of the entity, and that more than that of the context.
    try main.saveAtOnce(conflicts: .mine)
    #expect(counter.visits == 12)
    #expect(counter.title == "mine")
    #expect(counter.limit == 7)
    main.conflictPolicy = .mine
    try await conflict(100)
    #expect(errorKind { try main.saveAtOnce() } == .conflict)
  }

  @Test(arguments: Place.usual)
  func `the policy of the context holds where the entity has none`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .theirs
    desk.person.age = 1
    try await desk.other { $0.age = 5 }
    try await desk.main.save()
    #expect(desk.person.age == 5)
  }

  // MARK: Errors

  @Test(arguments: Place.usual, [false, true])
  func `the error has all conflicts of the save and no value`(_ place: Place, _ isAsync: Bool) async throws {
    let desk = try await Desk(place)
    let others = try await desk.store.background(as: .server) { context in
      try (2...5).map { uid in
        let person = try context.insert(Person.self)
        (person.uid, person.name) = (uid, "Bob")
        return person.entityID
      }
    }
    let people = try others.map { try #require(try desk.main.object($0)) }
    desk.person.name = "secret"
    desk.person.age = 77
    let new = try desk.main.insert(Person.self)
    for person in people { person.name = "secret" }
    try await desk.other { ($0.name, $0.age) = ("hidden", 88) }
    try await desk.store.background { context in
      for id in others.dropFirst() { try context.object(id)?.name = "hidden" }
    }
    func save() async throws { if isAsync { try await desk.main.save() } else { try desk.main.saveAtOnce() } }
    for _ in 0..<2 {
      var error: StoreError?
      do { try await save() } catch let thrown as StoreError { error = thrown }
      let conflict = try #require(error)
      #expect(conflict.kind == .conflict)
      #expect(
        conflict.conflicts.map { "\($0.uid ?? "-") \($0.property)" }
          == ["1 name", "1 age", "3 name", "4 name", "5 name"])
      #expect(conflict.objects == [desk.id.untyped] + others.dropFirst().map(\.untyped))
      for text in ["\(conflict)", conflict.localizedDescription] + conflict.conflicts.map(\.description) {
        for value in ["secret", "hidden", "77", "88"] { #expect(!text.contains(value), "\(text)") }
      }
      #expect(conflict.description.contains("'name' of 'Person' (row \(desk.id.pk))"))
      // Nothing is written, and the edits are there.
      #expect(people.allSatisfy { $0.name == "secret" && $0.hasChanges })
      #expect(new.isInserted)
      let names = try await desk.store.read { try $0.fetch(Person.all).map(\.name) }
      #expect(names == ["hidden", "Bob", "hidden", "hidden", "hidden"])
    }
    for person in people { try desk.main.refresh(person) }
    try desk.main.refresh(desk.person)
    #expect(desk.person.age == 77)
    try await save()
    #expect(try await desk.store.read { try $0.fetch(Person.all).allSatisfy { $0.name == "secret" || $0.uid == 0 } })
  }

  @Test(arguments: Place.usual)
  func `a conflict is none where both set the same value`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 5
    desk.person.name = "mine"
    try await desk.other { ($0.age, $0.email) = (5, "theirs") }
    try await desk.main.save()
    #expect(desk.person.email == "theirs")
    #expect(try await desk.name() == "mine")
  }

  @Test(arguments: Place.usual)
  func `an edit that is set back is no conflict`(_ place: Place) async throws {
    let desk = try await Desk(place)
    desk.main.conflictPolicy = .fail
    desk.person.age = 1
    desk.person.name = "mine"
    desk.person.age = 0
    try await desk.other { $0.age = 5 }
    try await desk.main.save()
    #expect(try await desk.name() == "mine")
    #expect(desk.person.age == 5)
  }

  @Test(arguments: Place.usual)
  func `a unit of work has no conflicts`(_ place: Place) async throws {
    let desk = try await Desk(place)
    let id = desk.id
    for _ in 0..<3 { try await desk.other { $0.age += 1 } }
    let age = try await desk.store.background { context in
      let person = try #require(try context.object(id))
      person.age += 1
      try context.save(conflicts: .fail)
      person.age += 1
      _ = try context.count(Person.all)
      person.age += 1
      return person.age
    }
    #expect(age == 6)
    #expect(try await desk.age() == 6)
  }
}
