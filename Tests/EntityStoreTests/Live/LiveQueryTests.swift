import CSQLite
import EntityStore
import Foundation
import Observation
import Synchronization
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

@MainActor
struct LiveQueryTests {
  private static let adults = Person.where { $0.age >= 18 }.sorted(by: \.name)

  @Test(arguments: Place.usual)
  func `the objects follow commits of others`(_ place: Place) async throws {
    let test = try TestStore(place)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.isEmpty)
    let bob = try await test.store.addPerson(1, "Bob", age: 30)
    let ada = try await test.store.addPerson(2, "Ada", age: 30)
    try await test.store.addPerson(3, "Cid", age: 10)
    #expect(live.objects.map(\.name) == ["Ada", "Bob"])
    let first = try #require(live.objects.first)
    try await test.store.edit(ada) { $0.name = "Zoe" }
    #expect(live.objects.map(\.name) == ["Bob", "Zoe"])
    #expect(live.objects.last === first)
    try await test.store.edit(bob) { $0.age = 3 }
    #expect(live.objects.map(\.name) == ["Zoe"])
    try await test.store.background { context in try context.object(ada).map { try context.delete($0) } }
    #expect(live.objects.isEmpty)
    #expect(live.error == nil)
  }

  @Test(arguments: Place.usual)
  func `the objects follow unsaved changes`(_ place: Place) throws {
    let test = try TestStore(place)
    let main = test.store.main
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.isEmpty)
    let person = try main.insert(Person.self)
    person.age = 20
    #expect(live.objects == [person])
    person.age = 2
    #expect(live.objects.isEmpty)
    person.age = 30
    try main.saveAtOnce()
    #expect(live.objects == [person])
    try main.delete(person)
    #expect(live.objects.isEmpty)
    main.rollback()
    #expect(live.objects == [person])
  }

  @Test(arguments: Place.usual)
  func `the objects follow a commit that comes between the commit of a save and its end`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.people, busyTimeout: .ample)
    let store = test.store
    let id = try await store.addPerson(1, "Ada", age: 10)
    let ada = try #require(try store.main.object(id))
    let live = LiveQuery(Self.adults, in: store)
    #expect(live.objects.isEmpty)
    ada.age = 20
    let block = Blocker(store)
    await block.begin()
    let save = await store.beginSave(of: ada)
    let next = Task.detached { try await store.edit(id) { $0.age = 5 } }
    while store.core.gate.waiting < 2 { await Task.yield() }
    let last = store.core.followers.generation + 2
    block.end()
    // The save can't end: this test has the main actor.
    while store.core.followers.generation < last { sched_yield() }
    _ = live.objects
    #expect(ada.isBeingSaved)
    try await save.value
    try await next.value
    #expect(ada.age == 5)
    #expect(live.objects.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `rows of other entities that the query names count`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let live = LiveQuery(Person.where { $0.notes.any { $0.rank > 3 } && $0.team.title == "A" }, in: test.store)
    #expect(live.objects.isEmpty)
    let note = try await test.store.background { context in
      let note = try context.insert(Note.self)
      let team = try context.insert(Team.self)
      team.uid = "a"
      note.person = try context.object(id)
      note.person?.team = team
      return (note.entityID, team.entityID)
    }
    #expect(live.objects.isEmpty)
    try await test.store.background { try $0.object(note.0)?.rank = 4 }
    #expect(live.objects.isEmpty)
    try await test.store.background { try $0.object(note.1)?.title = "A" }
    #expect(live.objects.map(\.uid) == [1])
  }

  /// A link to an object whose deletion is not saved is none.
  @Test(arguments: Place.usual)
  func `unsaved deletions of targets count`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let id = try await test.store.background { context in
      let person = try context.insert(Person.self)
      person.uid = 1
      person.team = try context.upsert(Team.self, uid: "a")
      return person.entityID
    }
    let person = try #require(try main.object(id))
    let without = LiveQuery(Person.where { $0.team == nil }, in: test.store)
    let with = LiveQuery(Person.where { $0.team != nil }, in: test.store)
    let team = try #require(person.team)
    let ofTeam = LiveQuery(Person.where { $0.team == team }, in: test.store)
    #expect(ofTeam.objects == [person])
    #expect(without.objects.isEmpty)
    #expect(with.objects == [person])
    try main.delete(team)
    #expect(ofTeam.objects.isEmpty)
    #expect(without.objects == [person])
    #expect(with.objects.isEmpty)
    main.rollback()
    #expect(ofTeam.objects == [person])
    #expect(without.objects.isEmpty)
    #expect(with.objects == [person])
    // The new row of another team, and its edits, touch neither.
    let counter = WorkCounter(on: main.connection)
    try await test.store.background { try $0.upsert(Team.self, uid: "b").title = "B" }
    try main.merging.merge()
    #expect(counter.work { _ = (without.objects, with.objects) } == 0)
    // Nor does another team that is not saved touch the people of this one.
    #expect(ofTeam.objects == [person])
    _ = try main.insert(Team.self)
    #expect(counter.work { _ = ofTeam.objects } == 0)
  }

  /// Results agree with new fetches, whichever rows change, here and elsewhere.
  @Test(arguments: Place.usual)
  func `results of a live query for values are those of a fetch`(_ place: Place) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(state: seed)
    let test = try TestStore(place)
    let main = test.store.main
    let team = try await test.store.background { try $0.insert(Team.self).entityID }
    let ids = try await test.store.background { context in
      try (0..<20).map { uid in
        let person = try context.insert(Person.self)
        person.uid = uid
        return person.entityID
      }
    }
    var queries: [EntityQuery<Person>] = []
    for age in 0..<4 {
      let score = Double(age)
      queries.append(Person.where { $0.age == age })
      queries.append(Person.where { $0.name != "1" && $0.age == age }.sorted(by: \.name))
      queries.append(Person.where { $0.age == age }.sorted(by: \.score).limited(to: 2))
      queries.append(Person.where { $0.age == age }.limited(to: 2, offset: 1))
      queries.append(Person.where { $0.age == age || $0.name == "2" })
      queries.append(Person.where { $0.age == age && $0.boss.age == 1 })
      queries.append(Person.where { !($0.age == age) })
      queries.append(Person.where { $0.score == score && $0.team == team })
    }
    let all = queries.map { LiveQuery($0, in: test.store) }
    main.conflictPolicy = .mine
    for turn in 0..<60 {
      let (row, value, kind) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0..<4, using: &random), turn % 7)
      if turn % 5 == 4, let person = try main.object(ids[row]) {
        person.age = value
        // The unit may have deleted what is edited here: then the save throws.
        if kind == 0 || (kind < 3 && (try? main.saveAtOnce()) == nil) { main.rollback() }
      }
      try await test.store.background { context in
        guard let person = try context.object(ids[row]) else { return }
        switch kind {
        case 0, 1: person.age = value
        case 2: person.name = "\(value)"
        case 3: person.score = Double(value)
        case 4: person.boss = try context.object(ids[(row + value) % 20])
        case 5: person.team = try context.object(team)
        default:
          try context.delete(person)
          let new = try context.insert(Person.self)
          new.age = value
        }
      }
      try main.merging.merge()
      for (live, query) in zip(all, queries) {
        let fetched = try main.fetch(query)
        #expect(live.objects.elementsEqual(fetched, by: ===), "seed \(seed), turn \(turn)")
      }
    }
  }

  /// An unsaved change lies over the table, and the query still ends at its limit.
  @Test func `a limit holds beside unsaved changes`() async throws {
    var work: [Int] = []
    for count in [300, 3_000] {
      let test = try TestStore(.memory)
      let main = test.store.main
      try await test.store.background { context in
        for uid in 0..<count { try context.insert(Person.self).uid = uid }
      }
      let live = LiveQuery(Person.where { $0.age >= 0 }.sorted(by: \.uid).limited(to: 10), in: test.store)
      #expect(live.objects.map(\.uid) == Array(0..<10))
      try #require(try main.fetch(Person.self, uid: 20)).score = 1
      try #require(try main.fetch(Person.self, uid: 3)).uid = -3
      #expect(live.objects.first?.uid == -3)
      // Nothing runs the query between the change and the count.
      try #require(try main.fetch(Person.self, uid: 20)).age = 5
      let counter = WorkCounter()
      counter.count(on: main.connection)
      var uids: [Int] = []
      work.append(counter.work { uids = live.objects.map(\.uid) })
      #expect(uids == [-3, 0, 1, 2, 4, 5, 6, 7, 8, 9])
      counter.stop(on: main.connection)
    }
    #expect(work[0] > 0)
    #expect(work[0] == work[1])
  }

  @Test func `an entity that the store lacks is an error`() throws {
    let test = try TestStore(.memory, [Note.self, Person.self, Team.self])
    let live = LiveQuery(Town.all, in: test.store)
    #expect(live.objects.isEmpty)
    #expect((live.error as? StoreError)?.kind == .unknownEntity)
  }

  @Test(arguments: Place.usual)
  func `another query takes the place of the first`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 30)
    try await test.store.addPerson(2, "Bob", age: 3)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.map(\.name) == ["Ada"])
    await change(of: live) { live.query = Person.where { $0.age < 18 } }
    #expect(live.objects.map(\.name) == ["Bob"])
  }

  @Test(arguments: Place.usual)
  func `sections are groups in the order of the query`(_ place: Place) async throws {
    let test = try TestStore(place)
    for (uid, (name, age)) in [("Ada", 30), ("Bob", 20), ("Cid", 30), ("Dan", 20)].enumerated() {
      try await test.store.addPerson(uid, name, age: age)
    }
    let live = LiveQuery(Person.all.sorted(by: \.age).sorted(by: \.name), in: test.store)
    let sections = live.sections { $0.age }
    #expect(sections.map(\.id) == [20, 30])
    #expect(sections.map { $0.objects.map(\.name) } == [["Bob", "Dan"], ["Ada", "Cid"]])
  }

  @Test func `a query outlives its store`() async throws {
    var test: TestStore? = try TestStore(.memory)
    try await test?.store.addPerson(1, "Ada", age: 30)
    let live = LiveQuery(Self.adults, in: try #require(test?.store))
    #expect(live.objects.count == 1)
    test = nil
    #expect(live.objects.map(\.name) == ["Ada"])
    #expect((live.error as? StoreError)?.kind == .storeGone)
  }

  @Test func `a store outlives its queries`() async throws {
    let test = try TestStore(.memory)
    weak var gone: LiveQuery<Person>?
    do {
      let live = LiveQuery(Self.adults, in: test.store)
      #expect(live.objects.isEmpty)
      gone = live
    }
    #expect(gone == nil)
    try await test.store.addPerson(1, "Ada", age: 30)
    try test.store.main.merging.merge()
  }

  @Test func `commits of another store on the file come without an entry`() async throws {
    let test = try TestStore(.file)
    let live = LiveQuery(Self.adults, in: test.store)
    #expect(live.objects.isEmpty)
    let other = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    await change(of: live) { try await other.addPerson(1, "Ada", age: 30) }
    #expect(live.objects.map(\.name) == ["Ada"])
    let person = try #require(live.objects.first)
    let id = person.entityID
    await change {
      _ = person.name
    } when: {
      try await other.edit(id) { $0.name = "Eve" }
    }
    #expect(person.name == "Eve")
  }
}
