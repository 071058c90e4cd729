import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Marks of edits that a claimed request carries. Answers to other requests leave them.
@MainActor struct ClaimedMarkTests {
  private struct Answer {
    var name: String
    var age: Int64
  }

  /// Takes in an answer that has a person.
  private func hear(_ test: TestStore, _ id: EntityID<Person>, _ answer: Answer, of entry: Int64? = nil) async throws {
    try await test.store.core.unit { rows in
      rows.notes.sentEntry = entry
      let model = try rows.schema.model(Person.self)
      var values = RowValues(count: model.properties.count)
      values[try #require(model.index(of: "name"))] = .text(answer.name)
      values[try #require(model.index(of: "age"))] = .integer(answer.age)
      guard let found = try rows.find(model, pk: id.pk) else {
        Issue.record("The row is gone.")
        return
      }
      _ = try rows.update(model, found, values, .response(.keepingEdits, newer: ColumnMask()))
    }
  }

  private func edited(_ test: TestStore) async throws -> [String] {
    try await test.store.pending.changes().flatMap { $0.edits.map(\.property) }
  }

  private func edit(_ place: Place) async throws -> (test: TestStore, id: EntityID<Person>) {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    (ada.name, ada.age) = ("mine", 7)
    try await test.store.main.save()
    return (test, ada.entityID)
  }

  @Test(arguments: Place.usual)
  func `an answer to another request ends no mark that a claim carries`(_ place: Place) async throws {
    for state in [OutboxEntry.State.sending, .waiting] {
      for kind in [OutboxEntry.Kind.create, .update] {
        let (test, id) = try await edit(place)
        let number = try await test.addEntry(of: id, kind, state) {
          ($0.sent, $0.request) = (#"{"name":"mine"}"#, "{}")
        }
        try await hear(test, id, Answer(name: "mine", age: 7))
        #expect(try await edited(test) == ["name"])
        // The base is the server's value.
        try await hear(test, id, Answer(name: "theirs", age: 7))
        #expect(try await test.store.pending.changes().first?.edits.first?.base == .attribute(.text("theirs")))
        // The answer to the request itself ends the mark.
        try await hear(test, id, Answer(name: "mine", age: 7), of: number)
        #expect(try await edited(test) == [])
      }
    }
  }

  @Test(arguments: Place.usual)
  func `a mark is free once no claim carries it`(_ place: Place) async throws {
    for state in [OutboxEntry.State.refused, .conflict, .gone] {
      let (test, id) = try await edit(place)
      try await test.addEntry(of: id, .update, state) { $0.sent = #"{"name":"mine"}"# }
      try await test.addEntry(of: id, .command, .sending) { $0.sent = #"{"name":"mine"}"# }
      try await test.addEntry(of: try test.person(2).entityID, .update, .sending) { $0.sent = #"{"name":"mine"}"# }
      try await test.addEntry(of: id, .update, .sending) { $0.sent = #"{"nothing":1,"email":"x"}"# }
      try await test.addEntry(of: id, .update, .sending) { $0.sent = "no JSON" }
      try await hear(test, id, Answer(name: "mine", age: 7))
      #expect(try await edited(test) == [])
    }
    let (test, id) = try await edit(place)
    // Its request is yet to be made.
    let unmade = try await test.addEntry(of: id, .update, .waiting) { $0.sent = #"{"name":{}}"# }
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      let name = try #require(model.index(of: "name"))
      #expect(try !rows.outbox.isClaimed(model, id.pk, name, but: nil))
      #expect(try rows.outbox.entry(number: unmade)?.ownProperties == ColumnMask(name))
      try rows.outbox.remove(numbers: [unmade])
    }
    let number = try await test.addEntry(of: id, .update, .sending) { $0.sent = #"{"name":"mine"}"# }
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      let name = try #require(model.index(of: "name"))
      #expect(try rows.outbox.isClaimed(model, id.pk, name, but: nil))
      try rows.outbox.remove(numbers: [number])
      #expect(try !rows.outbox.isClaimed(model, id.pk, name, but: nil))
    }
    try await hear(test, id, Answer(name: "mine", age: 7))
    #expect(try await edited(test) == [])
  }

  @Test func `a claim holds its marks after a restart`() async throws {
    let (test, id) = try await edit(.file)
    try await test.addEntry(of: id, .update, .sending) { $0.sent = #"{"name":"mine"}"# }
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    try await again.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      var values = RowValues(count: model.properties.count)
      values[try #require(model.index(of: "name"))] = .text("mine")
      try rows.edits.hear(model, id.pk, values)
    }
    #expect(try await again.pending.changes().first?.edits.map(\.property) == ["name", "age"])
  }

  @Test(arguments: Place.usual)
  func `a claim holds the pairs of a list`(_ place: Place) async throws {
    for isClaimed in [false, true] {
      let test = try TestStore(place, TestStore.blog)
      let id = try await test.store.background(as: .server) { context in
        let article = try context.insert(Article.self)
        (article.uid, article.author) = (1, try context.insert(Writer.self))
        try context.insert(Tag.self).uid = "a"
        return article.entityID
      }
      let article = try #require(try test.store.main.object(id))
      let tag = try #require(try test.store.main.fetch(Tag.self, uid: "a"))
      article.tags = [tag]
      try await test.store.main.save()
      if isClaimed {
        try await test.addEntry(of: id, .update, .waiting) {
          ($0.sent, $0.request) = (#"{"tags":[\#(tag.entityID.pk)]}"#, "{}")
        }
      }
      let member = tag.entityID.pk
      try await test.store.core.unit { rows in
        let model = try rows.schema.model(Article.self)
        let tags = try #require(model.index(of: "tags"))
        let membership = try #require(model.properties[tags].membership)
        try rows.edits.hear(membership, of: id.pk, [member], before: try rows.pairs.read(membership, of: id.pk))
      }
      #expect(try await edited(test) == (isClaimed ? ["tags"] : []))
    }
  }

  // MARK: Objects that were made here, and deleted

  @Test(arguments: Place.usual)
  func `an object that is deleted while its create is claimed keeps the entry`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (store, main) = (test.store, test.store.main)
    let person = try main.insert(Person.self)
    person.name = "new"
    try await main.save()
    let key = try test.key(person.entityID)
    let number = try await test.addEntry(of: person.entityID, .create, .sending) {
      ($0.sent, $0.body) = (#"{"name":"new"}"#, Data(#"{"name":"new"}"#.utf8))
    }
    try main.delete(person)
    try await main.save()
    let entries = try await test.entries()
    #expect(entries.map(\.number) == [number])
    #expect(entries.map(\.key) == [key])
    #expect(entries.first?.body == Data(#"{"name":"new"}"#.utf8))
    #expect(try await store.pending.count() == 0)
    #expect(try await store.read { try $0.pendingEdits.outboxFacts() }.isEmpty)
    #expect(try await store.check(.full).isEmpty)
    #expect(await asyncErrorKind { try await store.reset() } == .pendingChanges)
  }

  @Test(arguments: Place.usual)
  func `an object that is deleted before any claim leaves nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (store, main) = (test.store, test.store.main)
    let person = try main.insert(Person.self)
    try await main.save()
    try main.delete(person)
    try await main.save()
    #expect(try await test.entries().isEmpty)
    #expect(try await store.pending.count() == 0)
    #expect(try await store.read { try $0.pendingEdits.outboxFacts() }.isEmpty)
    try await store.reset()
  }

  @Test(arguments: Place.usual)
  func `an undo leaves the entries`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let new = try desk.main.insert(Person.self)
    new.name = "new"
    try await desk.main.save()
    let id = new.entityID
    try await desk.test.addEntry(of: id, .create, .sending) { $0.sent = #"{"name":"new"}"# }
    desk.ada.name = "mine"
    try await desk.main.save()
    try await desk.test.addEntry(of: desk.ada.entityID, .update, .refused) { $0.edited = 2 }
    let before = try await desk.test.entries()
    try await desk.main.undoManager.undo()
    #expect(desk.ada.name == "Ada")
    try await desk.main.undoManager.undo()
    #expect(try desk.main.object(id) == nil)
    #expect(try await desk.test.entries() == before)
    try await desk.main.undoManager.redo()
    try await desk.main.undoManager.redo()
    #expect(desk.ada.name == "mine")
    #expect(try await desk.test.entries() == before)
    // The edit that came back is a later one than the refused request has.
    let facts = try await desk.store.read { try $0.pendingEdits.outboxFacts() }
    let key = try desk.test.key(desk.ada.entityID)
    let number = try #require(facts[key]?.number)
    #expect(try await number == desk.store.read { try $0.connection.generation() })
  }
}
