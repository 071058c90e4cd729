import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Several stores on one file, which keeps its history: each takes over what the others changed, row by row.
@MainActor struct TwoProcessTests {
  @Test func `a commit by another store touches the rows that it changed`() async throws {
    let test = try HistoryStore(.file)
    let other = try test.another()
    let ids = try await Self.people(3, in: test.store)
    let main = test.store.main
    let people = try main.objects(ids)
    #expect(people.map(\.name) == ["1", "2", "3"])
    // Unsaved, of a row that the other one changes too.
    people[0].email = "mine"
    let note = try main.insert(Note.self)
    note.person = people[2]
    try await other.background { context in
      let found = try context.objects(ids)
      found[0].name = "other"
      try context.delete(found[1])
    }
    try main.merging.merge()
    let counter = WorkCounter()
    counter.count(on: main.connection)
    var isAsBefore = false
    #expect(counter.work { isAsBefore = people[2].name == "3" } == 0)
    #expect(isAsBefore)
    counter.stop(on: main.connection)
    #expect(people[0].name == "other")
    #expect(people[0].email == "mine")
    #expect(people[1].isDeleted)
    #expect(main.hasChanges)
    try await main.save()
    let saved = try await other.read { context in
      let person = try #require(try context.fetch(Person.self, uid: 1))
      return "\(person.name) \(person.email ?? "-") \(try context.count(Note.all))"
    }
    #expect(saved == "other mine 1")
  }

  /// Without a history any object may have changed.
  @Test func `a file without a history makes all objects stale`() async throws {
    let test = try HistoryStore(.file, nil)
    let other = try test.another()
    let ids = try await Self.people(2, in: test.store)
    let people = try test.store.main.objects(ids)
    try await other.edit(ids[0]) { $0.name = "other" }
    try test.store.main.merging.merge()
    let counter = WorkCounter(on: test.store.main.connection)
    var isAsBefore = false
    #expect(counter.work { isAsBefore = people[1].name == "2" } > 0)
    #expect(isAsBefore)
    #expect(people[0].name == "other")
  }

  @Test func `a live query that is not touched runs nothing`() async throws {
    let test = try HistoryStore(.file)
    let other = try test.another()
    try await Self.people(2, in: test.store)
    let main = test.store.main
    let notes = LiveQuery(Note.all, in: test.store)
    let people = LiveQuery(Person.all, in: test.store)
    #expect(notes.objects.isEmpty && people.objects.count == 2)
    let counter = WorkCounter(on: main.connection)
    try await other.addPerson(3)
    try main.merging.merge()
    #expect(counter.work { _ = notes.objects } == 0)
    #expect(people.objects.count == 3)
  }

  @Test func `sequences name the commits of another store`() async throws {
    let test = try HistoryStore(.file)
    let other = try test.another()
    let ids = try await Self.people(2, in: test.store)
    var commits = test.store.commits.makeAsyncIterator()
    try await other.edit(ids[1]) { $0.age = 5 }
    let commit = try #require(await commits.next())
    #expect(!commit.isUnknown)
    #expect(commit.changes(of: Person.self).updated.map(\.id) == [ids[1]])
    #expect(commit.changes(of: Note.self).isEmpty)
    var changes = test.store.changes(of: Person.all.sorted(by: \.uid)).makeAsyncIterator()
    _ = await changes.next()
    try await other.edit(ids[0]) { $0.name = "other" }
    let change = try #require(await changes.next()).get()
    #expect(change.updated.map(\.id) == [ids[0]])
    #expect(change.updated.map(\.columns.names) == [["name"]])
  }

  /// Own commits and those of another store by turns, which the main context has not taken over: they are one summary with gaps.
  @Test func `many commits by turns are taken over together`() async throws {
    let test = try HistoryStore(.file)
    let other = try test.another()
    let ids = try await Self.people(4, in: test.store)
    let main = test.store.main
    let people = try main.objects(ids)
    for round in 1...80 {
      try await test.store.edit(ids[0]) { $0.age = round }
      try await other.edit(ids[1]) { $0.age = round }
    }
    try await other.edit(ids[2]) { $0.name = "last" }
    try main.merging.merge()
    let counter = WorkCounter()
    counter.count(on: main.connection)
    var isAsBefore = false
    #expect(counter.work { isAsBefore = people[3].name == "4" } == 0)
    #expect(isAsBefore)
    counter.stop(on: main.connection)
    #expect(people.map(\.age) == [80, 80, 0, 0])
    #expect(people.map(\.name) == ["1", "2", "last", "4"])
  }

  @Test func `a large commit of another store is taken over as a whole`() async throws {
    let test = try HistoryStore(.file)
    let other = try test.another()
    let ids = try await Self.people(2, in: test.store)
    let people = try test.store.main.objects(ids)
    try await other.background { context in
      for _ in 0...CommitSummary.namedRows { _ = try context.insert(Note.self) }
      try context.object(ids[1])?.name = "other"
    }
    try test.store.main.merging.merge()
    #expect(people.map(\.name) == ["1", "other"])
    #expect(try test.store.main.count(Note.all) == CommitSummary.namedRows + 1)
  }

  /// Random changes of two stores in any order: the objects of each are as the rows.
  @Test func `objects are as the rows`() async throws {
    await Seeds.each(8, sanitized: 2, "two stores") { seed, steps in
      let test = try HistoryStore(.file)
      let stores = [test.store, try test.another()]
      let ids = try await Self.people(6, in: test.store)
      var random = SeededRandom(seed)
      let held = try stores.map { try $0.main.objects(ids) }
      for step in 0..<60 {
        let (store, person) = (random.below(2), random.below(ids.count))
        let object = held[store][person]
        switch random.below(5) {
        case 0 where !object.isDeleted: object.name = "\(step)"
        case 1 where !object.isDeleted: object.age = step
        case 2:
          try? await stores[store].background { context in try context.object(ids[person])?.score = Double(step) }
        case 3:
          // Edits of the same property in both are a conflict, and the other one's stays.
          do { try await stores[store].main.save() } catch { stores[store].main.rollback() }
        default: try stores[store].main.merging.merge()
        }
        steps += "\(step) "
      }
      for store in stores { do { try await store.main.save() } catch { store.main.rollback() } }
      let rows = try await test.store.read { try $0.objects(ids).map { "\($0.name) \($0.age) \($0.score ?? 0)" } }
      for (store, people) in zip(stores, held) {
        try store.main.merging.merge()
        try #require(people.map { "\($0.name) \($0.age) \($0.score ?? 0)" } == rows)
      }
    }
  }

  /// Two processes and this one write one file, and others die on the way. Meanwhile the main context of this one has
  /// unsaved edits and a live result.
  @Test(.enabled(if: WorkerProcess.isPossible, WorkerProcess.reason), .timeLimit(.minutes(Faults.minutes)))
  func `processes that write one file see each other`() async throws {
    let count = Faults.areAll ? 300 : Seeds.isSanitized ? 8 : 25
    let test = try HistoryStore(.file, author: "parent")
    let path = test.folder.file.path
    let id = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      person.uid = 1
      return person.entityID
    }
    try await test.store.edit(id) { $0.email = "sent never" }
    let main = test.store.main
    let person = try #require(try main.object(id))
    person.name = "unsaved"
    let live = LiveQuery(Person.all, in: test.store)
    let workers = try (1...2).map { _ in try WorkerProcess("counter", suite: FaultWorkerTests.self) }
    let dying = try (1...(Faults.areAll ? 5 : 1)).map { _ in try WorkerProcess("counter", suite: FaultWorkerTests.self)
    }
    let store = test.store
    let said = try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, worker) in workers.enumerated() {
        group.addTask {
          var (said, answer) = (0, try await worker.ask("\(count) \(number + 1) \(path)"))
          while let line = answer, line != "all" {
            said += 1
            guard Int(line) == said else { throw StoreError(.sqlite, line) }
            answer = try await worker.nextAnswer()
          }
          return said
        }
      }
      group.addTask {
        var all = 0
        for (number, worker) in dying.enumerated() {
          var (said, answer) = (0, try await worker.ask("100000 \(number + 3) \(path)"))
          while answer != nil {
            said += 1
            if said == 5 { worker.kill() }
            answer = try await worker.nextAnswer()
          }
          all += said
        }
        return all
      }
      group.addTask {
        for number in 1...count { try await store.addPerson(100 + number) }
        return count
      }
      var sum = 0
      while let said = try await group.next() { sum += said }
      return sum
    }
    // Each commit that was acknowledged is there once; one of which the process died may be there too.
    let made = try await test.history.commits()
    let inserted = made.reduce(0) { $0 + $1.changes(of: Person.self).inserted.count }
    #expect((said + 1...said + 1 + dying.count).contains(inserted))
    #expect(Set(made.flatMap { $0.changes(of: Person.self).inserted }).count == inserted)
    #expect(made.filter { $0.author == "parent" }.count == count + 2)
    #expect(made.map(\.generation) == Array(1...Int64(made.count)))
    try main.merging.merge()
    #expect(live.objects.count == inserted)
    #expect(try main.count(Person.all) == inserted)
    #expect(person.name == "unsaved" && main.hasChanges)
    try await main.save()
    #expect(person.pendingColumns.names == ["name", "email"])
    #expect(try await test.store.check().isEmpty)
  }

  @discardableResult
  private static func people(_ count: Int, in store: EntityStore) async throws -> [EntityID<Person>] {
    try await store.background { context in
      try (1...count).map { uid in
        let person = try context.insert(Person.self)
        person.uid = uid
        person.name = "\(uid)"
        return person.entityID
      }
    }
  }
}
