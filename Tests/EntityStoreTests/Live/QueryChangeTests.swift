import EntityStore
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

struct QueryChangeTests {
  private static let byName = Person.where { $0.age > 17 }.sorted(by: \.name)

  @Test(arguments: Place.usual)
  func `a change names objects by what happened to them`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ada = try await test.store.addPerson(1, "Ada", age: 20)
    let bob = try await test.store.addPerson(2, "Bob", age: 20)
    let cid = try await test.store.addPerson(3, "Cid", age: 20)
    let eli = try await test.store.addPerson(4, "Eli", age: 20)
    var changes = test.store.changes(of: Self.byName).makeAsyncIterator()
    let first = try #require(try await changes.next()?.get())
    #expect(first.inserted.map(\.id) == [ada, bob, cid, eli])
    #expect(first.inserted.map(\.index) == [0, 1, 2, 3])
    #expect(first.ids == [ada, bob, cid, eli])

    let dan = try await test.store.background { context in
      try context.object(ada)?.name = "Zoe"
      try context.object(bob).map { try context.delete($0) }
      try context.object(cid)?.email = "c@d"
      let dan = try context.insert(Person.self)
      (dan.uid, dan.name, dan.age) = (5, "Dan", 20)
      return dan.entityID
    }
    let second = try #require(try await changes.next()?.get())
    #expect(second.ids == [cid, dan, eli, ada])
    #expect(second.removed == [.init(id: bob, index: 1)])
    #expect(second.inserted == [.init(id: dan, index: 1)])
    #expect(second.moved == [.init(id: ada, from: 0, to: 3)])
    #expect(second.updated.map(\.id) == [cid, ada])
    #expect(second.updated.map(\.columns.names) == [["email"], ["name"]])
    #expect(second.updated[0].columns.contains(\.email))
    #expect(!second.updated[0].columns.contains(\.name))
    #expect(second.generation == first.generation + 1)
  }

  /// In memory: a file's readers are also asked whether other processes made commits.
  @Test func `a change of other columns runs no SQL`() async throws {
    let test = try TestStore(.memory)
    let ada = try await test.store.addPerson(1, "Ada", age: 20)
    let counter = WorkCounter()
    // The sequence takes the same reader, which alone is free.
    try await test.store.read { counter.count(on: $0.connection) }
    var changes = test.store.changes(of: Self.byName).makeAsyncIterator()
    #expect(try await changes.next()?.get().ids == [ada])
    try await test.store.edit(ada) { $0.email = "a@b" }
    let total = counter.total
    #expect(try await changes.next()?.get().updated.map(\.columns.names) == [["email"]])
    #expect(counter.total == total)
    // One that is not in the result is no change of it; the next one is.
    try await test.store.addPerson(2, "Bob", age: 3)
    try await test.store.edit(ada) { $0.age = 21 }
    #expect(try await changes.next()?.get().updated.map(\.columns.names) == [["age"]])
    #expect(counter.total > total)
    try await test.store.read { counter.stop(on: $0.connection) }
  }

  @Test(arguments: Place.usual)
  func `a large commit updates all`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      for uid in 0..<10_050 { try context.insert(Person.self).uid = uid }
    }
    var changes = test.store.changes(of: Person.all).makeAsyncIterator()
    #expect(try await changes.next()?.get().inserted.count == 10_050)
    try await test.store.background { context in
      for person in try context.fetch(Person.all) { person.score = 1 }
    }
    let change = try #require(try await changes.next()?.get())
    #expect(change.updated.count == 10_050)
    #expect(change.inserted.isEmpty)
    #expect(change.moved.isEmpty)
  }

  /// Applied as the documentation says, changes give the new result; they move as few objects as can be.
  @Test func `changes bring a copy up to date`() async throws {
    await Seeds.each(300, sanitized: 30, "changes") { seed, _ in
      var random = SeededRandom(seed)
      let schema = try SchemaModel(TestStore.people, keyStyle: .snakeCase)
      let model = try schema.model(Person.self)
      var old: [Int64] = []
      for _ in 0..<8 {
        var new = old.filter { _ in !random.chance(4) }
        for _ in 0..<random.below(4) {
          new.insert(Int64(random.below(1_000_000) + 1_000), at: random.below(new.count + 1))
        }
        if random.chance(2) { new.shuffle(using: &random) }
        for _ in 0..<random.below(3) where new.count > 1 {
          new.insert(new.remove(at: random.below(new.count)), at: random.below(new.count))
        }
        let change = QueryChange<Person>(
          from: old, to: new, changed: { _ in nil }, model, generation: 1)
        var copy = old.map { EntityID<Person>(pk: $0) }
        for index in (change.removed.map(\.index) + change.moved.map(\.from)).sorted(by: >) { copy.remove(at: index) }
        let added = change.inserted.map { ($0.index, $0.id) } + change.moved.map { ($0.to, $0.id) }
        for (index, id) in added.sorted(by: { $0.0 < $1.0 }) { copy.insert(id, at: index) }
        try #require(copy == change.ids)
        try #require(copy.map(\.pk) == new)
        try #require(change.moved.count == Self.fewestMoves(from: old, to: new))
        old = new
      }
    }
  }

  /// The objects of both less the longest part that keeps its order, by the table that textbooks have.
  private static func fewestMoves(from old: [Int64], to new: [Int64]) -> Int {
    let stayed = old.filter(new.contains)
    let now = new.filter(old.contains)
    var table = Array(repeating: Array(repeating: 0, count: now.count + 1), count: stayed.count + 1)
    for (row, left) in stayed.enumerated() {
      for (column, right) in now.enumerated() {
        table[row + 1][column + 1] =
          left == right ? table[row][column] + 1 : max(table[row][column + 1], table[row + 1][column])
      }
    }
    return stayed.count - (table.last?.last ?? 0)
  }
}
