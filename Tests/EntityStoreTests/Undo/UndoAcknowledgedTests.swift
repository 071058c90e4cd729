import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Saves of which the server has heard a part are undone by new local edits.
@MainActor struct UndoAcknowledgedTests {
  @Test(arguments: Place.usual)
  func `the undo of an edit that the server has is a new edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let first = try await desk.content()
    desk.ada.name = "sent"
    desk.ada.age = 7
    try await desk.main.save()
    try await desk.store.pending.acknowledge(desk.ada.entityID, \.name)
    try await desk.main.undoManager.undo()
    #expect(desk.ada.name == "Ada" && desk.ada.age == 0)
    #expect(desk.ada.pendingColumns.names == ["name"])
    #expect(try await desk.edits() == ["name sent Ada"])
    try await desk.main.undoManager.redo()
    #expect(desk.ada.name == "sent" && desk.ada.age == 7)
    #expect(try await desk.edits() == ["age 0 7"])
    // As the server has it.
    try await desk.store.pending.acknowledgeAll()
    try await desk.main.undoManager.undo()
    #expect(try await desk.edits() == ["name sent Ada", "age 7 0"])
    try await desk.store.pending.acknowledgeAll()
    #expect(try await desk.content() == first)
  }

  @Test(arguments: Place.usual)
  func `the undo of an edit that a request carries is a new edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.ada.name = "sent"
    desk.ben.name = "not sent"
    try await desk.main.save()
    let sent = SentEdits(of: desk.ada, desk.ada._$state.model.all)
    try await desk.main.undoManager.undo()
    #expect(desk.ada.name == "Ada" && desk.ada.pendingColumns.names == ["name"])
    #expect(desk.ben.name == "Ben" && desk.ben.pendingColumns.names.isEmpty)
    try await desk.store.core.unit { _ = try sent.acknowledge(on: $0) }
    sent.settle(desk.ada)
    #expect(desk.ada.name == "Ada" && desk.ada.pendingColumns.names == ["name"])
  }

  @Test(arguments: Place.usual)
  func `an object that the server has is deleted for it too`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let dora = try desk.main.insert(Person.self)
    (dora.uid, dora.name) = (4, "Dora")
    let note = try desk.main.insert(Note.self)
    note.person = dora
    try await desk.main.save()
    try await desk.store.pending.acknowledgeAll()
    // Its answer had more.
    let id = dora.entityID
    try await desk.store.background(as: .server) { try $0.object(id)?.email = "dora@example.com" }
    try await desk.main.undoManager.undo()
    #expect(dora.isDeleted && note.isDeleted)
    let changes = try await desk.store.pending.changes()
    #expect(changes.map(\.kind) == [.deletion])
    #expect(changes.map(\.uid) == ["4"])
    // And it comes back by a redo, for the server too.
    try await desk.main.undoManager.redo()
    #expect(!dora.isDeleted && dora.name == "Dora" && dora.email == "dora@example.com")
    #expect(try await desk.store.pending.changes().isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a deletion that the server has is not undone`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.cy)
    desk.ada.name = "with it"
    try await desk.main.save()
    try await desk.store.pending.acknowledge(desk.cy.entityID)
    let before = try await desk.content()
    let error = storeError { try desk.main.undoManager.undo() }
    #expect(error?.kind == .objectDeleted)
    #expect(error?.objects.map(\.pk) == [desk.cy.entityID.pk])
    #expect(try await desk.content() == before)
    #expect(desk.ada.name == "with it" && desk.cy.isDeleted)
  }

  @Test(arguments: Place.usual)
  func `an object that the server sends again is the object that stays`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.cy)
    try await desk.main.save()
    try await desk.store.background(as: .server) { context in try context.insert(Person.self).uid = 3 }
    let before = try await desk.content()
    #expect(errorKind { try desk.main.undoManager.undo() } == .objectDeleted)
    #expect(try await desk.content() == before)
  }

  @Test(arguments: Place.usual)
  func `the undo of list pairs that the server has is a new edit`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (main, article) = (shop.main, shop.articles[0])
    main.undoManager.limit = .saves(9)
    try article.add(shop.tags[0], to: \.tags)
    try article.add(shop.tags[1], to: \.tags)
    try await main.save()
    try await shop.test.store.pending.acknowledgeAll()
    try article.remove(shop.tags[0], from: \.tags)
    try article.add(shop.tags[2], to: \.tags)
    try await main.save()
    let second = try await shop.test.store.fileContent()
    try await main.undoManager.undo()
    #expect(article.tags == [shop.tags[0], shop.tags[1]])
    #expect(article.pendingColumns.names.isEmpty)
    try await main.undoManager.redo()
    #expect(try await shop.test.store.fileContent() == second)
    try await shop.test.store.pending.acknowledgeAll()
    #expect(article.pendingColumns.names.isEmpty)
    try await main.undoManager.undo()
    #expect(article.tags == [shop.tags[0], shop.tags[1]])
    #expect(article.pendingColumns.names == ["tags"])
    // A response that has the list as it was sent does not bring it back.
    let pairs = try main.connection.rows(
      "SELECT 'added ' || t.uid FROM main.\"Article,tags\" AS l JOIN main.Tag AS t ON t._pk = l.member "
        + "WHERE l._edited IS NOT NULL UNION ALL SELECT 'removed ' || t.uid FROM main.\"Article,tags,removed\" AS l "
        + "JOIN main.Tag AS t ON t._pk = l.member ORDER BY 1"
    ) { $0.text(0) ?? "" }
    #expect(pairs == ["added a", "removed c"])
    #expect(try await shop.test.store.check().isEmpty)
  }
}

extension UndoDesk {
  /// The pending edits: name, value before it and value of each.
  func edits() async throws -> [String] {
    try await store.pending.changes(of: Person.self).flatMap(\.edits).map { edit in
      "\(edit.property) \(text(edit.base)) \(text(edit.value))"
    }
  }

  private func text(_ value: PendingValue?) -> String {
    switch value {
    case .attribute(.integer(let number)): "\(number)"
    case .attribute(.text(let text)): text
    default: "?"
    }
  }
}
