import Foundation
import TestSchema
import Testing

@testable import EntityStore

@MainActor
struct MergingTests {
  @Test(arguments: Place.usual)
  func `a store whose main context was never used keeps no summaries`(_ place: Place) async throws {
    let test = try TestStore(place)
    for uid in 0..<5 { try await test.store.addPerson(uid) }
    let log = test.store.core.summaries
    #expect(test.store.core.followers.isEmpty)
    #expect(log.drain(after: 0, upTo: .max).summaries.isEmpty)
    _ = test.store.main
    // Without an await, so that the main actor's own merge can't come first.
    try test.store.core.blockingUnit { rows in
      _ = try rows.row(try rows.schema.model(Person.self), uid: .integer(9))
    }
    #expect(log.count == 1)
  }

  @Test(arguments: Place.usual)
  func `each commit that changed something is a generation`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let id = try await test.store.addPerson(1, "Ada")
    try main.merging.merge()
    let before = main.news.mergedGeneration
    try await test.store.background { _ = try $0.fetch(Person.all) }
    try await test.store.edit(id) { $0.name = "Ada" }
    try main.merging.merge()
    #expect(main.news.mergedGeneration == before)
    try await test.store.edit(id) { $0.name = "Bob" }
    try await test.store.edit(id) { $0.name = "Cid" }
    try main.merging.merge()
    #expect(main.news.mergedGeneration == before + 2)
  }

  @Test(arguments: Place.usual)
  func `many commits are one summary`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let id = try await test.store.addPerson(1, "Ada")
    let other = try await test.store.addPerson(2, "Eve")
    let person = try #require(try main.object(id))
    let untouched = try #require(try main.object(other))
    let log = test.store.core.summaries
    // No yield to the main actor's own merges in between: they would drain it.
    for number in 0..<200 {
      try test.store.core.blockingUnit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[Person.columns.age.index] = .integer(Int64(number + 1))
        _ = try rows.write(model, pk: id.pk, row, .effect)
      }
    }
    #expect(log.count <= 65)
    let name = Watcher { _ = person.name }
    let age = Watcher { _ = person.age }
    let otherAge = Watcher { _ = untouched.age }
    try main.merging.merge()
    #expect(age.fired)
    #expect(!name.fired)
    #expect(!otherAge.fired)
    #expect(person.age == 200)
    #expect(log.count == 0)
  }

  @Test(arguments: Place.usual)
  func `a gap in the commits makes all objects stale`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    let id = person.entityID
    #expect(person.name == "Ada")
    try test.store.core.blockingUnit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.name.index] = .text("Bob")
      _ = try rows.write(model, pk: id.pk, row, .effect)
    }
    // Lost, as if another process had committed.
    _ = test.store.core.summaries.drain(after: 0, upTo: .max)
    let name = Watcher { _ = person.name }
    try main.merging.merge()
    #expect(name.fired)
    #expect(person.name == "Bob")
  }

  @Test func `two stores on one file follow each other`() async throws {
    let first = try TestStore(.file)
    let second = try EntityStore(.file(first.folder.file), entities: TestStore.people)
    let id = try await first.store.addPerson(1, "Ada")
    let person = try #require(try second.main.object(id))
    #expect(person.name == "Ada")
    try await first.store.edit(id) { $0.name = "Bob" }
    try second.mergeMain()
    #expect(person.name == "Bob")
    try await second.edit(id) { $0.name = "Cid" }
    #expect(try first.store.main.object(id)?.name == "Cid")
  }

  @Test(arguments: Place.usual)
  func `a failed commit is withdrawn`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let main = test.store.main
    let id = person.entityID
    let name = Watcher { _ = person.name }
    let kind = await asyncErrorKind {
      try await test.store.core.unit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[Person.columns.name.index] = .text("Bob")
        row.setLink(4711, Person.columns.boss.index)
        _ = try rows.write(model, pk: id.pk, row, .effect)
      }
    }
    #expect(kind == .brokenLink)
    #expect(test.store.core.summaries.count == 0)
    try await test.store.addPerson(2)
    try main.merging.merge()
    #expect(!name.fired)
    #expect(person.name == "Ada")
  }

  @Test(arguments: Place.usual)
  func `own saves are not read again`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.name = "Ada"
    try await main.save()
    #expect(person._$state.stale.isEmpty)
    person.age = 3
    try main.saveAtOnce()
    #expect(person._$state.stale.isEmpty)
    #expect(person.age == 3)
  }

  @Test(arguments: Place.usual)
  func `a uid that two objects turn out to share leaves one object and forwards the other`(_ place: Place) async throws
  {
    let test = try TestStore(place)
    let store = test.store
    let main = store.main
    let fromList = try await store.background { context in
      let person = try context.insert(Person.self)
      person.uid = 5
      person.name = "from the list"
      person.email = "list@x"
      person.age = 40
      person.boss = person
      let note = try context.insert(Note.self)
      note.person = person
      return person.entityID
    }
    let listed = try #require(try main.object(fromList))
    let note = try #require(try main.fetch(Note.all).first)
    #expect(note.person === listed)
    let deleted = Watcher { _ = listed.isDeleted }
    let link = Watcher { _ = note.person }
    let posted = try main.insert(Person.self)
    posted.name = "posted"
    try await main.save()
    let notes = Watcher { _ = posted.notes }
    let postedID = posted.entityID
    try await store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(5)
      _ = try rows.write(model, pk: postedID.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    try main.merging.merge()
    #expect(deleted.fired)
    #expect(link.fired)
    #expect(notes.fired)
    #expect(listed.isDeleted)
    #expect(listed.forwardedTo == postedID)
    #expect(listed.name == "from the list")
    #expect(posted.uid == 5)
    #expect(posted.name == "posted")
    #expect(posted.email == "list@x")
    #expect(posted.entityID == postedID)
    #expect(note.person === posted)
    #expect(posted.notes == [note])
    #expect(posted.boss === posted)
    #expect(try main.fetch(Person.self, uid: 5) === posted)
    #expect(try main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `an object that gets a known uid takes it over`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.background { context in
      let old = try context.insert(Person.self)
      old.uid = 5
      old.name = "old"
      old.age = 40
      try context.save()
      let new = try context.insert(Person.self)
      new.name = "new"
      try context.save()
      new.uid = 5
      try context.save()
      #expect(old.isDeleted)
      #expect(old.forwardedTo == new.entityID)
      #expect(try context.fetch(Person.all) == [new])
      // A property that was never set leaves the other row's value.
      #expect(new.age == 40)
      #expect(new.name == "new")
    }
    #expect(try test.store.main.fetch(Person.all).map(\.age) == [40])
  }

  @Test(arguments: Place.usual)
  func `a response gives an unsaved object its row`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    person.email = "mine"
    let id = person.entityID
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(5)
      row[Person.columns.name.index] = .text("theirs")
      _ = try rows.write(model, pk: id.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    try main.merging.merge()
    #expect(!person.isInserted)
    #expect(person.name == "theirs")
    #expect(person.uid == 5)
    #expect(person.email == "mine")
    #expect(try main.fetch(Person.where { $0.email == "mine" && $0.name == "theirs" }) == [person])
    try await main.save()
    #expect(try await test.store.read { try $0.object(id)?.email } == "mine")
  }

  @Test(arguments: Place.usual)
  func `equal rows write nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      (person.uid, person.name, person.age) = (1, "Ada", 3)
      return person.entityID
    }
    let written = try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.name.index] = .text("Ada")
      row[Person.columns.age.index] = .integer(3)
      row[Person.columns.email.index] = .null
      _ = try rows.write(model, pk: id.pk, row, .response(.keepingEdits, newer: ColumnMask()))
      return rows.rowsWritten
    }
    #expect(written == 0)
  }

  @Test(arguments: Place.usual)
  func `columns edited here outlast a response`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "mine")
    for (keeps, expected) in [(true, "mine"), (false, "theirs")] {
      let name = try await test.store.core.unit { rows in
        let model = try rows.schema.model(Person.self)
        var row = RowValues(count: model.properties.count)
        row[Person.columns.name.index] = .text("theirs")
        row[Person.columns.email.index] = .text("theirs")
        _ = try rows.write(model, pk: id.pk, row, .response(MergePolicy(keepsEdits: keeps), newer: ColumnMask()))
        let found = try #require(try rows.find(model, pk: id.pk)?.read(model, model.stored))
        return (found.values[Person.columns.name.index], found.values[Person.columns.email.index])
      }
      #expect(name == (.text(expected), .text("theirs")))
    }
  }

  /// A program that runs for long commits often: a commit costs the same stack as the first one did.
  @Test func `commits take no more stack than the first`() async throws {
    let test = try TestStore(.memory)
    let core = test.store.core
    // From now on commits are told to the main context.
    _ = test.store.main
    let id = try await test.store.addPerson(1)
    let model = try core.schema.model(Person.self)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let thread = Thread {
        continuation.resume(
          with: Result {
            for age in 1...4_000 {
              try core.blockingUnit { rows in
                var row = RowValues(count: model.properties.count)
                row[Person.columns.age.index] = .integer(Int64(age))
                _ = try rows.write(model, pk: id.pk, row, .effect)
              }
            }
          })
      }
      thread.stackSize = 256 << 10
      thread.start()
    }
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 1)?.age } == 4_000)
  }

  @Test func `summaries add up`() {
    var summary = CommitSummary(first: 1, last: 1, origin: nil)
    summary.note(0, 1, .inserted, ColumnMask(0), isDirect: true)
    summary.note(0, 1, .updated, ColumnMask(1), isDirect: false)
    summary.note(0, 2, .updated, ColumnMask(1), isDirect: true)
    summary.note(0, 2, .deleted, ColumnMask(), isDirect: false)
    var later = CommitSummary(first: 2, last: 2, origin: nil)
    later.note(0, 1, .deleted, ColumnMask(), isDirect: false)
    later.note(1, 1, .updated, ColumnMask(3), isDirect: false)
    summary.append(later)
    guard case .rows(let rows) = summary.entities[0] else { return #expect(Bool(false)) }
    #expect(rows[1]?.kind == .deleted)
    #expect(rows[2]?.kind == .deleted)
    #expect(rows[1]?.mask == ColumnMask(0).union(ColumnMask(1)))
    #expect(rows[1]?.direct == ColumnMask(0))
    #expect(summary.first == 1)
    #expect(summary.last == 2)
    #expect(summary.entities.count == 2)
  }
}
