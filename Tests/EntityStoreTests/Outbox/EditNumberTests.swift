import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The commit of the last edit, which the note of an edit has.
@MainActor struct EditNumberTests {
  private func notes(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      try context.connection.rows(
        "SELECT property, number FROM main._entity_edits ORDER BY entity, pk, property"
      ) { "\($0.text(0) ?? "?") \($0.int64(1))" }
        + context.connection.rows("SELECT number FROM main._entity_deletions ORDER BY number") {
          "deletion \($0.int64(0))"
        }
    }
  }

  private func generation(_ store: EntityStore) async throws -> Int64 {
    try await store.read { try $0.connection.generation() }
  }

  @Test(arguments: Place.usual)
  func `an edit has the number of its commit, and a later edit has a higher number`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let (store, main) = (test.store, test.store.main)
    let ada = try test.person(1)
    (ada.name, ada.age) = ("mine", 1)
    try await main.save()
    let first = try await generation(store)
    #expect(try await notes(store) == ["age \(first)", "name \(first)"])
    ada.age = 2
    try await main.save()
    #expect(try await notes(store) == ["age \(first + 1)", "name \(first)"])
    // The base moves, and the edit stays the same.
    let pk = ada.entityID.pk
    try await store.core.unit { rows in
      var values = RowValues(count: 20)
      values[try #require(try rows.schema.model(Person.self).index(of: "name"))] = .text("theirs")
      try rows.edits.hear(try rows.schema.model(Person.self), pk, values)
    }
    #expect(try await notes(store) == ["age \(first + 1)", "name \(first)"])
    try main.delete(ada)
    try await main.save()
    let last = try await generation(store)
    #expect(try await notes(store) == ["deletion \(last)"])
  }

  @Test(arguments: Place.usual)
  func `an object that was made here has the number of its last edit`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (store, main) = (test.store, test.store.main)
    let person = try main.insert(Person.self)
    person.name = "Cid"
    try await main.save()
    let first = try await generation(store)
    #expect(try await notes(store) == [" \(first)"])
    let team = try main.insert(Team.self)
    team.title = "red"
    try await main.save()
    person.name = "Cid again"
    try await main.save()
    #expect(try await notes(store) == [" \(first + 2)", " \(first + 1)"])
    // An app that sends its objects in this order sends those first that others may refer to.
    #expect(try await store.pending.changes().map(\.entity) == ["Person", "Team"])
    // The server has the person by now. The edits of the person are as new as before.
    let id = person.entityID
    try await store.pending.acknowledge(id, \.name)
    try await store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      try rows.edits.acknowledge(model, pk: id.pk, ColumnMask(), endsInsertion: true)
    }
    #expect(try await notes(store) == [" \(first + 1)"])
  }

  @Test(arguments: Place.usual)
  func `edits of many objects have the number of their commit`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (store, main) = (test.store, test.store.main)
    let people = try (0..<20).map { _ in try main.insert(Person.self) }
    try await main.save()
    let first = try await generation(store)
    for person in people { person.age = 1 }
    try await main.save()
    #expect(try await Set(notes(store)) == [" \(first + 1)"])
    try await store.pending.acknowledgeAll()
    for person in people { person.age = 2 }
    try await main.save()
    let second = try await generation(store)
    #expect(try await Set(notes(store)) == ["age \(second)"])
    for person in people { person.age = 3 }
    try await main.save()
    #expect(try await Set(notes(store)) == ["age \(second + 1)"])
  }

  @Test(arguments: Place.usual)
  func `an undo is an edit of its own commit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "one"
    desk.ada.age = 7
    try await desk.main.save()
    desk.ada.name = "two"
    try await desk.main.save()
    let age = try #require(try await notes(desk.store).first)
    try await desk.main.undoManager.undo()
    let undone = try await generation(desk.store)
    #expect(desk.ada.name == "one")
    #expect(try await notes(desk.store) == [age, "name \(undone)"])
    try await desk.main.undoManager.redo()
    #expect(try await notes(desk.store) == [age, "name \(undone + 1)"])
    try desk.main.delete(desk.ada)
    try await desk.main.save()
    try await desk.main.undoManager.undo()
    let back = try await generation(desk.store)
    #expect(try await notes(desk.store) == ["age \(back)", "name \(back)"])
    try await desk.main.undoManager.redo()
    #expect(try await notes(desk.store) == ["deletion \(back + 1)"])
  }

  @Test(arguments: Place.usual)
  func `a list that is edited again has a new number`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background(as: .server) { context in
      for uid in ["a", "b"] { try context.insert(Tag.self).uid = uid }
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (1, try context.insert(Writer.self))
    }
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    for tag in try main.fetch(Tag.all.sorted(by: \.uid)) {
      try article.add(tag, to: \.tags)
      try await main.save()
      #expect(try await notes(test.store) == ["tags \(generation(test.store))"])
    }
  }

  @Test(arguments: Place.usual)
  func `the order of pending changes is that of the commits, whatever the clock says`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place, ["Ada", "Bob", "Cid"])
    let (store, main) = (test.store, test.store.main)
    for uid in [2, 3, 1] {
      try test.person(uid).age = uid
      try await main.save()
    }
    // The clock was set back between the edits.
    try await store.core.unit { try $0.connection.execute("UPDATE main._entity_edits SET time = 5 - number") }
    #expect(try await store.pending.changes().map(\.uid) == ["2", "3", "1"])
    try main.delete(try test.person(3))
    try await main.save()
    try await store.core.unit { try $0.connection.execute("UPDATE main._entity_deletions SET time = 0.5") }
    #expect(try await store.pending.changes().map(\.uid) == ["2", "1", "3"])
  }

  @Test(arguments: Place.usual)
  func `restored edits keep their order, and the last has the number of the restoring commit`(_ place: Place)
    async throws
  {
    let test = try await TestStore.ofServer(place)
    try test.person(1).name = "mine"
    try await test.store.main.save()
    try test.store.main.delete(try test.person(2))
    try await test.store.main.save()
    let archive = try await test.store.archive()
    let other = try TestStore(place)
    for uid in 5...9 { try await other.store.addPerson(uid) }
    _ = try await other.store.restore(from: archive, discardsPending: true)
    let number = try await generation(other.store)
    #expect(try await notes(other.store) == ["name \(number - 1)", "deletion \(number)"])
  }

  @Test(arguments: Place.usual)
  func `marks that a migration sets have the number of the migration`(_ place: Place) async throws {
    let hotel = try await Hotel(place)
    let store = try EntityStore(
      hotel.location, entities: V1.all,
      migrations: [Migration("marks") { try $0.execute("UPDATE Room SET _edited = 'label' WHERE uid = 2") }],
      busyTimeout: .ample)
    let number = try await store.read { context in
      try context.connection.rows("SELECT number, made FROM main._entity_edits WHERE entity = 'Room'") {
        [$0.int64(0), $0.int64(1)]
      }
    }
    let generation = try await generation(store)
    #expect(number.count == 1)
    #expect(number.joined().allSatisfy { $0 > 1 && $0 <= generation })
  }
}
