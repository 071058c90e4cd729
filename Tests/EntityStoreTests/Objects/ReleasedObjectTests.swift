import Observation
import TestSchema
import Testing

@testable import EntityStore

/// A context keeps little of objects that nobody holds any more, although it makes no new ones.
@MainActor
struct ReleasedObjectTests {
  private func store(_ place: Place, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place)
    try await test.store.background { context in
      for uid in 1...count {
        let person = try context.insert(Person.self)
        person.uid = uid
        person.name = "p\(uid)"
      }
    }
    return test
  }

  /// Uses a context without a new object, and takes the turns of the main actor that it asks for.
  private func use(_ context: EntityContext, until isOver: () -> Bool) async throws {
    for _ in 0..<1_000 where !isOver() {
      _ = try context.count(Person.where { $0.uid == -1 })
      await Task.yield()
    }
  }

  @Test(arguments: Place.usual)
  func `the main context lets go of what was released`(_ place: Place) async throws {
    let test = try await store(place, 5_000)
    let main = test.store.main
    var people = try main.fetch(Person.all)
    for person in people { _ = person.name }
    #expect(main.kept >= 5_000)
    #expect(main.news.observed.count >= 5_000)
    people = []
    let number = try main.core.schema.model(Person.self).number
    try await use(main) {
      main.kept <= 200 && main.news.observed.count <= 200 && main.news.telling.count(number) <= 2_000
    }
    #expect(main.kept <= 200)
    #expect(main.news.observed.count <= 200)
    #expect(main.news.telling.count(number) <= 2_000)
    #expect(try main.fetch(Person.all).map(\.name) == (1...5_000).map { "p\($0)" })
  }

  /// Nothing but commits of others comes.
  @Test(arguments: Place.usual)
  func `merges release unobserved objects too`(_ place: Place) async throws {
    let test = try await store(place, 2_000)
    let main = test.store.main
    var people = try main.fetch(Person.all)
    for person in people { _ = person.name }
    let id = try #require(people.first?.entityID)
    people = []
    for age in 1...3 {
      try await test.store.edit(id) { $0.age = age }
      try main.merging.merge()
      for _ in 0..<20 { await Task.yield() }
    }
    #expect(main.kept <= 200)
  }

  @Test(arguments: Place.usual)
  func `a unit and a read let go of released objects`(_ place: Place) async throws {
    let test = try await store(place, 5_000)
    @Sendable func kept(_ context: EntityContext) throws -> Int {
      #expect(try context.fetch(Person.all).count == 5_000)
      #expect(context.kept >= 5_000)
      for _ in 0..<Rounds.interval { _ = try context.count(Person.where { $0.uid == -1 }) }
      return context.kept
    }
    #expect(try await test.store.background { try kept($0) } == 0)
    #expect(try await test.store.read { try kept($0) } == 0)
  }

  @Test(arguments: Place.usual)
  func `objects that are held stay the objects of their rows`(_ place: Place) async throws {
    let test = try await store(place, 5_000)
    let main = test.store.main
    var people = try main.fetch(Person.all)
    let held = people.filter { $0.uid % 9 == 0 }
    people = []
    try await use(main) { main.kept < 2 * held.count }
    #expect(main.kept < 2 * held.count)
    for person in held { #expect(try main.fetch(Person.self, uid: person.uid) === person) }
    let again = try main.fetch(Person.all)
    #expect(again.map(\.uid) == Array(1...5_000))
    #expect(again.filter { $0.uid % 9 == 0 }.elementsEqual(held, by: ===))
  }

  @Test(arguments: Place.usual)
  func `observers of released objects still hear`(_ place: Place) async throws {
    let test = try await store(place, 3_000)
    let main = test.store.main
    let watchers = (1...300).map { uid in
      Watcher { _ = try? main.fetch(Person.self, uid: uid)?.name }
    }
    var others = try main.fetch(Person.where { $0.uid > 300 })
    for person in others { _ = person.name }
    others = []
    try await use(main) { main.kept <= 300 && main.news.observed.count <= 400 }
    #expect(main.news.observed.count >= 300)
    #expect(main.news.observed.count <= 400)
    try await test.store.background { context in
      for person in try context.fetch(Person.where { $0.uid <= 300 }) { person.name = "new" }
    }
    try main.merging.merge()
    let told = watchers.filter(\.fired).count
    #expect(told == 300)
  }

  @Test func `a child context lets go of released objects as its parent does`() async throws {
    let test = try await store(.memory, 2_000)
    let child = try test.store.main.child()
    var people = try child.fetch(Person.all)
    for person in people { _ = person.name }
    people = []
    try await use(child) { child.kept <= 200 && child.news.observed.count <= 200 }
    #expect(child.kept <= 200)
    #expect(child.news.observed.count <= 200)
  }

  @Test func `a registrar tells whether it is observed`() throws {
    let test = try TestStore(.memory)
    let question = ObserverQuestion()
    let person = try test.store.main.insert(Person.self)
    _ = person.name
    let registrar = try #require(person._$state.registrar)
    #expect(!question.isObserved(registrar))
    let watchers = [Watcher { _ = person.name }, Watcher { _ = person.age }]
    #expect(question.isObserved(registrar))
    person.age = 7
    #expect(question.isObserved(registrar))
    person.name = "Ada"
    #expect(!question.isObserved(registrar))
    let told = watchers.filter(\.fired).count
    #expect(told == 2)
  }
}

extension EntityContext {
  /// How many rows have an object, or had one not long ago.
  fileprivate var kept: Int { loaded.objects.reduce(0) { $0 + $1.count } }
}
