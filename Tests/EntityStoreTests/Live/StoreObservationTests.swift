import EntityStore
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

struct StoreObservationTests {
  /// Counts the reads of an observation.
  private final class Counter: Sendable {
    private let total = Mutex(0)

    var count: Int { total.withLock { $0 } }

    func add() { total.withLock { $0 += 1 } }
  }

  @Test(arguments: Place.usual)
  func `a value comes for each result`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    var names = test.store.observe { try $0.fetch(Person.all).map(\.name) }.makeAsyncIterator()
    #expect(try await names.next()?.get() == ["Ada"])
    try await test.store.addPerson(2, "Bob")
    #expect(try await names.next()?.get() == ["Ada", "Bob"])
    // Those that come while nobody asks are one.
    for uid in 3...9 { try await test.store.addPerson(uid, "Cid") }
    #expect(try await names.next()?.get().count == 9)
  }

  @Test(arguments: Place.usual)
  func `an equal value is left out`(_ place: Place) async throws {
    let test = try TestStore(place)
    var counts = test.store.observe { try $0.count(Person.where { $0.age > 17 }) }.makeAsyncIterator()
    #expect(try await counts.next()?.get() == 0)
    try await test.store.addPerson(1, age: 3)
    try await test.store.addPerson(2, age: 30)
    #expect(try await counts.next()?.get() == 1)
  }

  /// A tuple is not Equatable, and its values are.
  @Test(arguments: Place.usual)
  func `an equal row of several values is left out`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada", age: 30)
    let sql: SQL = "SELECT count(*), max(age) FROM \(Person.self) WHERE age > 17"
    var rows = test.store.observe { try $0.fetch(sql: sql, as: (Int, Int?).self) }.makeAsyncIterator()
    var firsts = test.store.observe { try $0.fetch(sql: sql, as: (Int, Int?).self).first }.makeAsyncIterator()
    var ones = test.store.observe {
      try $0.fetch(sql: "SELECT count(*) FROM \(Person.self) WHERE age > 17", as: Int.self)
    }
    .makeAsyncIterator()
    var selected = test.store.observe { try $0.fetch(Person.where { $0.age > 17 }.select { ($0.name, $0.age) }) }
      .makeAsyncIterator()
    #expect(try await rows.next()?.get().map(\.0) == [1])
    #expect(try await firsts.next()?.get()?.0 == 1)
    #expect(try await ones.next()?.get() == [1])
    #expect(try await selected.next()?.get().count == 1)
    // A commit of the same rows with other ages below 18, and then one that the results tell.
    try await test.store.addPerson(2, "Bob", age: 3)
    try await test.store.addPerson(3, "Cid", age: 20)
    #expect(try await rows.next()?.get().map(\.0) == [2])
    #expect(try await firsts.next()?.get()?.0 == 2)
    #expect(try await ones.next()?.get() == [2])
    #expect(try await selected.next()?.get().count == 2)
    for observation in [
      test.store.observe { try $0.fetch(sql: sql, as: (Int, Int?).self) }.isSame != nil,
      test.store.observe { try $0.fetch(sql: sql, as: (Int, Int?).self).first }.isSame != nil,
      test.store.observe { try $0.fetch(sql: "SELECT 1", as: Int.self) }.isSame != nil,
      test.store.observe { try $0.fetch(Person.all.select { ($0.name, $0.age) }) }.isSame != nil,
      test.store.observe { try $0.fetch(Person.all.select { $0.name }) }.isSame != nil,
      test.store.observe { (try $0.count(Person.all), try $0.count(Note.all)) }.isSame != nil,
    ] { #expect(observation) }
  }

  /// The read of an unequal age that leaves the result as it is.
  @Test(arguments: Place.usual)
  func `an update that leaves the rows tells nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada", age: 30)
    let observation = test.store.observe {
      try $0.fetch(sql: "SELECT count(*), min(age / 100) FROM \(Person.self)", as: (Int, Int).self)
    }
    var rows = observation.makeAsyncIterator()
    #expect(try await rows.next()?.get().map(\.1) == [0])
    let next = Task { [rows] in
      var rows = rows
      return try await rows.next()?.get().map(\.1)
    }
    try await test.store.edit(id) { $0.age = 31 }
    while test.store.core.followers.backlog > 0 { await Task.yield() }
    try await test.store.edit(id) { $0.age = 130 }
    #expect(try await next.value == [1])
  }

  @Test(arguments: Place.usual)
  func `a commit that cannot touch the result reads nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada", age: 30)
    let reads = Counter()
    let observation = test.store.observe { context in
      reads.add()
      return try context.count(Person.where { $0.age > 17 })
    }
    var counts = observation.makeAsyncIterator()
    #expect(try await counts.next()?.get() == 1)
    let next = Task { [counts] in
      var counts = counts
      return try await counts.next()?.get()
    }
    try await test.store.edit(id) { $0.name = "Eve" }
    try await test.store.background { try $0.insert(Note.self).text = "x" }
    while test.store.core.followers.backlog > 0 { await Task.yield() }
    #expect(reads.count == 1)
    try await test.store.addPerson(2, age: 40)
    #expect(try await next.value == 2)
    #expect(reads.count == 2)
  }

  @Test(arguments: Place.usual)
  func `relationships that are read count`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    var texts = test.store.observe { try $0.object(id)?.notes.map(\.text).sorted() ?? [] }.makeAsyncIterator()
    #expect(try await texts.next()?.get() == [])
    let note = try await test.store.background { context in
      let note = try context.insert(Note.self)
      note.text = "a"
      note.person = try context.object(id)
      return note.entityID
    }
    #expect(try await texts.next()?.get() == ["a"])
    try await test.store.background { try $0.object(note)?.text = "b" }
    #expect(try await texts.next()?.get() == ["b"])
  }

  @Test(arguments: Place.usual)
  func `values say which commit they are of`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (values, value) = AsyncStream.makeStream(of: [Int64].self)
    let task = Task {
      for await pair in test.store.observe({ [$0.generation, Int64(try $0.count(Person.all))] }) {
        value.yield(try pair.get())
      }
    }
    var pairs = values.makeAsyncIterator()
    #expect(await pairs.next() == [0, 0])
    try await test.store.addPerson(1)
    #expect(await pairs.next() == [1, 1])
    #expect(try await test.store.background { $0.generation } == 1)
    try await test.store.addPerson(2)
    #expect(await pairs.next() == [2, 2])
    task.cancel()
    try await task.value
  }

  @Test(arguments: Place.usual)
  func `a failure is an element, and the sequence goes on`(_ place: Place) async throws {
    struct Odd: Error {}
    let test = try TestStore(place)
    let observation = test.store.observe { context in
      let count = try context.count(Person.all)
      if count % 2 == 1 { throw Odd() }
      return count
    }
    var counts = observation.makeAsyncIterator()
    #expect(try await counts.next()?.get() == 0)
    try await test.store.addPerson(1)
    await #expect(throws: Odd.self) { try await counts.next()?.get() }
    try await test.store.addPerson(2)
    #expect(try await counts.next()?.get() == 2)
  }

  @Test(arguments: Place.usual)
  func `the sequence ends with its task`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (values, told) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      for await count in test.store.observe({ try $0.count(Person.all) }) { told.yield(try count.get()) }
    }
    for await count in values {
      #expect(count == 0)
      break
    }
    task.cancel()
    try await task.value
    // Nobody follows any more, so no commit is summed up.
    #expect(test.store.core.followers.isEmpty)
  }

  @Test func `commits of another store on the file count`() async throws {
    let test = try TestStore(.file)
    var counts = test.store.observe { try $0.count(Person.all) }.makeAsyncIterator()
    #expect(try await counts.next()?.get() == 0)
    let other = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    try await other.addPerson(1)
    #expect(try await counts.next()?.get() == 1)
    try await test.store.addPerson(2)
    #expect(try await counts.next()?.get() == 2)
  }
}
