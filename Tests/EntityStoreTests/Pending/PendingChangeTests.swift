import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Saved changes that the server has not acknowledged.
@MainActor struct PendingChangeTests {
  @Test(arguments: Place.usual)
  func `an edit has the value before it, the value and the time`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    #expect(try await test.store.pending.changes().isEmpty)
    let ada = try test.person(1)
    let begin = Date().addingTimeInterval(-1)
    ada.name = "one"
    try await test.store.main.save()
    let first = try #require(try await test.store.pending.changes(of: Person.self).first)
    ada.name = "two"
    ada.age = 36
    ada.email = nil
    try await test.store.main.save()
    let changes = try await test.store.pending.changes()
    #expect(changes.count == 1)
    let change = try #require(changes.first)
    #expect(change.kind == .edit)
    #expect(change.entity == "Person")
    #expect(change.uid == "1")
    #expect(change.id(as: Person.self) == ada.entityID)
    #expect(change.id(as: Team.self) == nil)
    #expect(change.edits.map(\.property) == ["name", "email", "age"])
    #expect(
      change.edits.map(\.base) == [
        .attribute(.text("Ada")), .attribute(.text("Ada@example.com")), .attribute(.integer(0)),
      ])
    #expect(change.edits.map(\.value) == [.attribute(.text("two")), .attribute(.null), .attribute(.integer(36))])
    #expect(change.edit(of: \Person.Columns.email)?.base?.as(String.self) == "Ada@example.com")
    #expect(change.edit(of: \Person.Columns.score) == nil)
    let times = try change.edits.map { try #require($0.time) }
    #expect(times.allSatisfy { $0 > begin && $0 < Date().addingTimeInterval(1) })
    #expect(try #require(first.time) <= times[0])
    #expect(change.time == times.max())
    #expect(try await test.store.pending.count() == 1)
    #expect(try await test.store.pending.changes(of: Team.self).isEmpty)
    #expect(ada.pendingColumns.names == ["name", "email", "age"])
    #expect(ada.pendingColumns.contains(\.email))
    #expect(!ada.pendingColumns.contains(\.score))
    #expect(try test.store.main.count(Person.where { $0.hasPendingChanges }) == 1)
    #expect(try test.store.main.pendingChanges() == changes)
  }

  @Test(arguments: Place.usual)
  func `an insert is pending until the server has it`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    new.name = "Cid"
    #expect(try await test.store.pending.count() == 0)
    try await main.save()
    #expect(!new.hasUID)
    #expect(try main.fetch(Person.where { !$0.hasUID }) == [new])
    var change = try #require(try await test.store.pending.changes().first)
    #expect(change.kind == .insert)
    #expect(change.uid == nil)
    #expect(change.time != nil)
    #expect(change.edits.map(\.property) == ["name"])
    #expect(change.edits.map(\.base) == [nil])
    // An object with nothing set is one too, and a uid that the app gives.
    let empty = try main.insert(Person.self)
    let named = try main.insert(Team.self)
    named.uid = "red"
    try await main.save()
    #expect(try await test.store.pending.changes().map(\.kind) == [.insert, .insert, .insert])
    #expect(named.hasUID)
    #expect(!empty.hasUID)
    new.age = 3
    try await main.save()
    change = try #require(try await test.store.pending.changes(of: Person.self).first)
    #expect(change.edits.map(\.property) == ["name", "age"])
    // An answer that has it.
    let id = new.entityID
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var row = RowValues(count: model.properties.count)
      row[Person.columns.uid.index] = .integer(9)
      row[Person.columns.age.index] = .integer(4)
      _ = try rows.write(model, pk: id.pk, row, .response(.keepingEdits, newer: ColumnMask()))
    }
    change = try #require(try await test.store.pending.changes(of: Person.self).first { $0.uid == "9" })
    #expect(change.kind == .edit)
    #expect(change.edits.map(\.property) == ["name", "age"])
    // The answer has no name, and another age.
    #expect(change.edits.map(\.base) == [nil, .attribute(.integer(4))])
    #expect(new.hasUID)
    try await test.store.pending.acknowledge(new.entityID)
    #expect(try await test.store.pending.changes(of: Person.self).map(\.id) == [empty.entityID.untyped])
    try await test.store.pending.acknowledgeAll()
    #expect(try await test.store.pending.count() == 0)
    #expect(try main.count(Person.where { $0.hasPendingChanges }) == 0)
  }

  @Test(arguments: Place.usual)
  func `an unsent uid reads as what it is`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    let seen = Watcher { _ = person.hasUID }
    #expect(person.uid == 0)
    #expect(!person.hasUID)
    #expect(try main.fetch(Person.where { !$0.hasUID }) == [person])
    person.uid = 7
    #expect(person.hasUID)
    #expect(seen.fired)
    #expect(try main.count(Person.where { $0.hasUID }) == 1)
    #expect(try !main.insert(Note.self).hasUID)
    try await main.save()
    #expect(try main.count(Note.where { $0.hasUID }) == 0)
  }

  @Test(arguments: Place.usual)
  func `edits of a list name its pairs`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background(as: .server) { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      let tags = try ["a", "b", "c"].map { uid in
        let tag = try context.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      let article = try context.insert(Article.self)
      (article.uid, article.author, article.tags) = (1, writer, Array(tags.prefix(2)))
    }
    #expect(try await test.store.pending.count() == 0)
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let tags = try main.fetch(Tag.all.sorted(by: \.uid))
    article.tags = [tags[1], tags[2]]
    try await main.save()
    let change = try #require(try await test.store.pending.changes().first)
    #expect(change.edits.map(\.property) == ["tags"])
    let edit = try #require(change.edits.first)
    #expect(edit.base == .list([tags[0], tags[1]].map(\.entityID.untyped)))
    #expect(edit.value == .list([tags[1], tags[2]].map(\.entityID.untyped)))
    #expect(edit.added == [tags[2].entityID.untyped])
    #expect(edit.removed == [tags[0].entityID.untyped])
    #expect(edit.time != nil)
    try await test.store.pending.discard(article.entityID, \.tags)
    try test.store.mergeMain()
    #expect(article.tags == [tags[0], tags[1]])
    #expect(try await test.store.pending.count() == 0)
    try article.remove(tags[0], from: \.tags)
    try article.add(tags[2], to: \.tags)
    try await main.save()
    try await test.store.pending.acknowledge(article.entityID)
    try test.store.mergeMain()
    #expect(article.tags == [tags[1], tags[2]])
    #expect(try await test.store.pending.count() == 0)
    #expect(try main.connection.rows("SELECT 1 FROM main.\"Article,tags,removed\"") { _ in true }.isEmpty)
    let marked = "SELECT 1 FROM main.\"Article,tags\" WHERE _edited NOT NULL"
    #expect(try main.connection.rows(marked) { _ in true }.isEmpty)
    // A server's unit marks no pair.
    let (id, ids) = (article.entityID, tags.map(\.entityID))
    try await test.store.background(as: .server) { context in
      let article = try #require(try context.object(id))
      article.tags = try context.objects([ids[0]])
    }
    #expect(try await test.store.pending.count() == 0)
    #expect(article.tags == [tags[0]])
  }

  @Test(arguments: Place.usual)
  func `a unit that fails leaves no notes`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await test.store.background { context in
        let people = try context.fetch(Person.all.sorted(by: \.uid))
        people[0].name = "x"
        try context.delete(people[1])
        _ = try context.insert(Person.self)
        #expect(try context.pendingChanges().map(\.kind).count == 3)
        throw Stop()
      }
    }
    #expect(try await test.store.pending.count() == 0)
    // An edit that was rolled back within a unit is none either.
    try await test.store.background { context in
      let people = try context.fetch(Person.all.sorted(by: \.uid))
      people[0].name = "x"
      try context.delete(people[1])
      #expect(try context.pendingCount() == 2)
      context.rollback()
      people[0].age = 5
    }
    #expect(try await test.pendingTexts() == ["Person 1: age was edited"])
  }

  @Test(arguments: Place.usual)
  func `two rows that turn out to be one object have the notes of both`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let (ada, bob) = (try test.person(1), try test.person(2))
    (ada.name, ada.age) = ("mine", 1)
    bob.boss = ada
    try await main.save()
    bob.boss = nil
    try await main.save()
    try await test.store.pending.acknowledge(bob.entityID)
    bob.boss = ada
    try await main.save()
    try await test.store.pending.acknowledge(bob.entityID)
    bob.boss = nil
    try await main.save()
    let id = try await test.store.background { context in
      let new = try context.insert(Person.self)
      new.name = "posted"
      try context.save()
      new.uid = 1
      return new.entityID
    }
    try test.store.mergeMain()
    let changes = try await test.store.pending.changes()
    let new = try #require(changes.first { $0.id == id.untyped })
    #expect(new.kind == .edit)
    #expect(new.edits.map(\.property) == ["uid", "name", "age"])
    // The name before is the one that the server said of the object that it turned out to be.
    #expect(new.edits.map(\.base) == [nil, .attribute(.text("Ada")), .attribute(.integer(0))])
    let other = try #require(changes.first { $0.uid == "2" })
    #expect(other.edits.map(\.base) == [.object(id.untyped)])
    #expect(changes.count == 2)
    let notes = try main.connection.rows("SELECT pk FROM main._entity_edits") { $0.int64(0) }
    #expect(Set(notes) == [id.pk, bob.entityID.pk])
  }

  @Test(arguments: Place.usual)
  func `the sequence has each state`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    var updates = test.store.pending.updates().makeAsyncIterator()
    #expect(try await updates.next()?.get() == [])
    ada.name = "x"
    try await test.store.main.save()
    #expect(try await updates.next()?.get().map(\.kind) == [.edit])
    try test.store.main.delete(ada)
    try await test.store.main.save()
    let deleted = try #require(try await updates.next()?.get())
    #expect(deleted.map(\.kind) == [.deletion])
    try await test.store.pending.discard(deleted[0])
    #expect(try await updates.next()?.get() == [])
  }

  @Test(arguments: Place.usual)
  func `an object that turns out to be the server's has its values before edits of the same save`(_ place: Place)
    async throws
  {
    let test = try await TestStore.ofServer(place)
    let id = try await test.store.background { context in
      let new = try context.insert(Person.self)
      try context.save()
      (new.uid, new.name, new.age) = (1, "mine", 5)
      return new.entityID
    }
    let change = try #require(try await test.store.pending.changes().first)
    #expect(change.id == id.untyped)
    #expect(change.kind == .edit)
    #expect(change.edit(of: \Person.Columns.name)?.base == .attribute(.text("Ada")))
    #expect(change.edit(of: \Person.Columns.age)?.base == .attribute(.integer(0)))
    try await test.store.pending.discard(id, \.name)
    #expect(try await test.store.read { try $0.object(id)?.name } == "Ada")
  }

  @Test(arguments: Place.usual)
  func `the time of a list is that of its last edit`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background(as: .server) { context in
      for uid in ["a", "b"] { try context.insert(Tag.self).uid = uid }
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (1, try context.insert(Writer.self))
    }
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let tags = try main.fetch(Tag.all.sorted(by: \.uid))
    article.tags = [tags[0]]
    try await main.save()
    try await test.store.core.unit { try $0.connection.execute("UPDATE main._entity_edits SET time = 1") }
    #expect(try await test.store.pending.changes().first?.time == Date(timeIntervalSince1970: 1))
    try article.add(tags[1], to: \.tags)
    try await main.save()
    #expect(try #require(try await test.store.pending.changes().first?.time) > Date(timeIntervalSince1970: 1))
  }
}
