import TestSchema
import Testing

@testable import EntityStore

/// A merge of a commit that names no rows marks all objects of an entity, and goes through none that nobody observes.
@MainActor
struct LargeMergeTests {
  private let test: TestStore
  private var store: EntityStore { test.store }
  private var main: EntityContext { test.store.main }

  init() throws { test = try TestStore(.memory) }

  private func fill(_ count: Int) async throws -> [Person] {
    try await store.background { context in
      for uid in 0..<count {
        let person = try context.insert(Person.self)
        person.uid = uid
        person.name = "p\(uid)"
      }
    }
    return try main.fetch(Person.all)
  }

  /// Commits `changes` as another process would: without a summary, and with no turn of the main actor in between.
  private func commit(_ changes: (RowWriter) throws -> Void) throws {
    try store.core.blockingUnit(changes)
    _ = store.core.summaries.drain(after: 0, upTo: .max)
  }

  private func set(_ ids: [EntityID<Person>], _ column: Int, _ value: StoredValue) throws {
    try commit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[column] = value
      for id in ids { _ = try rows.write(model, pk: id.pk, row, .effect) }
    }
  }

  private let name = Person.columns.name.index
  private let age = Person.columns.age.index

  @Test func `a merge goes through no unobserved object`() async throws {
    let people = try await fill(3_000)
    people[7].score = 1
    people[8].score = 2
    let before = main.loaded.rowsVisited
    try set(people.map(\.entityID), name, .text("new"))
    try main.merging.merge()
    // The two that are changed here: their rows lie over the table.
    #expect(main.loaded.rowsVisited - before <= 2 + 2)
    #expect(people.allSatisfy { $0.name == "new" })
    #expect(people[7].score == 1)
    #expect(try main.fetch(Person.where { $0.name == "new" && $0.score != nil }).map(\.uid) == [7, 8])
  }

  @Test func `a merge of a commit that names no rows visits no row`() async throws {
    let count = CommitSummary.namedRows + 500
    let people = try await fill(count)
    let before = main.loaded.rowsVisited
    try await store.background { for person in try $0.fetch(Person.all) { person.age = 5 } }
    try main.merging.merge()
    #expect(main.loaded.rowsVisited == before)
    #expect(people.first?.age == 5)
    #expect(people.last?.age == 5)
  }

  @Test func `a merge of many commits goes through no unobserved object`() async throws {
    let people = try await fill(CommitSummary.namedRows)
    people[0].score = 1
    let before = main.loaded.rowsVisited
    for number in 1...3 {
      try store.core.blockingUnit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[age] = .integer(Int64(number))
        for person in people[..<5_000] { _ = try rows.write(model, pk: person.entityID.pk, row, .effect) }
        if number == 2 { _ = try rows.deletion.delete([.init(entity: model.number, pk: people[9_000].entityID.pk)]) }
      }
    }
    #expect(store.core.summaries.count == 3)
    try main.merging.merge()
    #expect(main.loaded.rowsVisited - before <= 2)
    #expect(people[..<5_000].allSatisfy { $0.age == 3 })
    #expect(people[0].score == 1)
    #expect(people[9_000].isDeleted)
  }

  @Test func `named rows cost the objects that are there`() async throws {
    let some = try await store.background { context in
      try (0..<2_000).map { _ in try context.insert(Person.self).entityID }
    }
    let three = try store.main.objects(Array(some.prefix(3)))
    let before = store.main.loaded.rowsVisited
    try store.core.blockingUnit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[age] = .integer(9)
      for id in some { _ = try rows.write(model, pk: id.pk, row, .effect) }
    }
    try store.main.merging.merge()
    #expect(store.main.loaded.rowsVisited - before == 3)
    #expect(three.map(\.age) == [9, 9, 9])
  }

  @Test func `observers are notified in short turns`() async throws {
    let people = try await fill(1_000)
    var watchers = people.map { person in Watcher { _ = person.name } }
    try set(people.map(\.entityID), name, .text("new"))
    let before = main.loaded.rowsVisited
    try main.merging.merge()
    #expect(main.loaded.rowsVisited - before <= Telling.slice)
    // Those that began last are told at once.
    #expect(watchers.removeLast().fired)
    watchers.removeAll(where: \.fired)
    #expect(watchers.count > 500)
    #expect(watchers.count < 999)
    while !watchers.isEmpty {
      await Task.yield()
      watchers.removeAll(where: \.fired)
    }
    #expect(people.allSatisfy { $0.name == "new" })
    // Nobody is forgotten the next time.
    let again = people.map { person in Watcher { _ = person.name } }
    try set(people.map(\.entityID), name, .text("newer"))
    try main.merging.merge()
    for watcher in again { while !watcher.fired { await Task.yield() } }
  }

  @Test func `observers of named rows are notified in short turns too`() async throws {
    let people = try await fill(3_000)
    var watchers = people.map { person in Watcher { _ = (person.name, person.isDeleted) } }
    let last = try #require(people.last?.entityID.pk)
    try store.core.blockingUnit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[name] = .text("new")
      row[age] = .integer(9)
      for person in people.dropLast() { _ = try rows.write(model, pk: person.entityID.pk, row, .effect) }
      _ = try rows.deletion.delete([.init(entity: model.number, pk: last)])
    }
    try main.merging.merge()
    // The objects are up to date at once.
    #expect(people.dropLast().allSatisfy { $0.age == 9 })
    #expect(people.last?.isDeleted == true)
    watchers.removeAll(where: \.fired)
    #expect(watchers.count > 1_500)
    #expect(watchers.count < 3_000)
    for _ in 0..<1_000 where !watchers.isEmpty {
      await Task.yield()
      watchers.removeAll(where: \.fired)
    }
    #expect(watchers.isEmpty)
  }

  @Test func `rows of several entities are named up to one limit`() async throws {
    let count = CommitSummary.namedRows * 2 / 3
    try await store.background { context in
      for uid in 0..<count {
        try context.insert(Person.self).uid = uid
        try context.insert(Note.self).text = "n"
      }
    }
    let held = (try main.fetch(Person.all), try main.fetch(Note.all))
    let before = main.loaded.rowsVisited
    try await store.background { context in
      for person in try context.fetch(Person.all) { person.age = 5 }
      for note in try context.fetch(Note.all) { note.text = "m" }
    }
    try main.merging.merge()
    #expect(main.loaded.rowsVisited - before <= CommitSummary.namedRows)
    #expect(held.0.allSatisfy { $0.age == 5 })
    #expect(held.1.allSatisfy { $0.text == "m" })
  }

  @Test func `commits that nobody takes over name rows up to a limit`() async throws {
    let people = try await fill(8_000)
    for number in 1...12 {
      try store.core.blockingUnit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[age] = .integer(Int64(number))
        for person in people { _ = try rows.write(model, pk: person.entityID.pk, row, .effect) }
      }
    }
    #expect(store.core.summaries.count < 8)
    try main.merging.merge()
    #expect(people.allSatisfy { $0.age == 12 })
  }

  @Test func `deleted rows show at the next read`() async throws {
    let people = try await fill(3)
    let unread = people[0]
    let watched = Watcher { _ = people[1].isDeleted }
    try commit { rows in
      let model = try rows.schema.model(Person.self)
      try rows.deletion.delete(people.prefix(2).map { .init(entity: model.number, pk: $0.entityID.pk) })
    }
    try main.merging.merge()
    #expect(watched.fired)
    #expect(people[1].isDeleted)
    #expect(people[1].name == "p1")
    #expect(unread.isDeleted)
    #expect(unread.name == "p0")
    #expect(!people[2].isDeleted)
    // Marked again: a deleted object stays deleted.
    try set([people[2].entityID], name, .text("new"))
    try main.merging.merge()
    #expect(unread.isDeleted)
    #expect(unread.name == "p0")
    #expect(people[2].name == "new")
  }

  @Test func `unsaved columns stay and are rolled back to the new row`() async throws {
    let people = try await fill(2)
    let person = people[0]
    person.name = "mine"
    try set([person.entityID], name, .text("theirs"))
    try set([person.entityID], age, .integer(3))
    try main.merging.merge()
    #expect(person.name == "mine")
    #expect(person.age == 3)
    // Set to the row's value, it is no edit any more.
    person.name = "theirs"
    #expect(!person.hasChanges)
    person.name = "mine"
    try main.rollback(person)
    #expect(person.name == "theirs")
    // Edited after the mark, by an object that did not know of it yet.
    try set(people.map(\.entityID), age, .integer(4))
    try main.merging.merge()
    people[1].name = "late"
    #expect(people[1].age == 4)
    main.rollback()
    #expect(people[1].name == "p1")
    #expect(people[1].age == 4)
  }

  @Test func `a mark that is set during a save counts after the save`() async throws {
    let people = try await fill(1)
    let person = people[0]
    main.conflictPolicy = .mine
    person.name = "mine"
    let turn = try await store.core.gate.acquire()
    let save = await store.beginSave(of: person)
    // Committed while the save waits for its turn, by another connection.
    let connection = try Connection(store.core.location, busyTimeout: .ample)
    try connection.execute("UPDATE Person SET age = 7, name = 'theirs'")
    try connection.execute("UPDATE _entity_store SET value = value + 1 WHERE key = 'generation'")
    try main.merging.merge()
    #expect(person.name == "mine")
    #expect(person.age == 7)
    turn.release()
    try await save.value
    #expect(person.name == "mine")
    #expect(person.age == 7)
    #expect(!person.hasChanges)
  }

  @Test func `lists of all are read again`() async throws {
    let people = try await fill(3)
    let watcher = Watcher { _ = people[0].reports }
    #expect(people[0].reports.isEmpty)
    try commit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row.setLink(people[0].entityID.pk, Person.columns.boss.index)
      _ = try rows.write(model, pk: people[2].entityID.pk, row, .effect)
    }
    try main.merging.merge()
    #expect(watcher.fired)
    #expect(people[0].reports == [people[2]])
    #expect(people[2].boss === people[0])
  }

  @Test func `a row that is read through one object after the other is listed once`() {
    var telling = Telling([ColumnMask()])
    for _ in 0..<10 {
      for pk in 0..<10_000 { telling.add(Int64(pk), of: 0) { $0 < 5_000 } }
    }
    #expect(telling.count(0) == 10_000, "a list that is shorter is not cleared")
  }

  @Test func `rows that nobody observes any more are let go`() {
    var telling = Telling([ColumnMask()])
    for pk in 0..<100_000 { telling.add(Int64(pk), of: 0) { $0 > Int64(pk) - 10 } }
    telling.beginAll(of: 0)
    var count = 0
    while telling.next() != nil { count += 1 }
    #expect(count < 3_000)
    #expect(telling.isOver)
  }
}
