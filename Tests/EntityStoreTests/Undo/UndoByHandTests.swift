import TestSchema
import Testing

@testable import EntityStore

/// An app reads a pending change, sends it itself, and acknowledges it once an undo has taken it back.
@MainActor struct UndoByHandTests {
  /// The only pending change.
  private static func change(_ store: EntityStore) async throws -> PendingChange {
    let changes = try await store.pending.changes()
    try #require(changes.count == 1)
    return changes[0]
  }

  /// Saves a name of Ada, which the app sends.
  private static func sendName(_ desk: UndoDesk) async throws -> PendingChange {
    desk.ada.name = "sent"
    try await desk.main.save()
    return try await change(desk.store)
  }

  @Test(arguments: Place.usual)
  func `the undone value becomes an edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let first = try await desk.content()
    desk.ada.name = "sent"
    desk.ada.boss = desk.ben
    try await desk.main.save()
    let sent = try await Self.change(desk.store)
    try await desk.main.undoManager.undo()
    #expect(try await desk.content() == first)
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "Ada" && desk.ada.boss == nil)
    #expect(desk.ada.pendingColumns.names == ["name", "boss"])
    let back = try await Self.change(desk.store)
    #expect(back.edits.map(\.base) == sent.edits.map(\.value))
    try await desk.store.pending.acknowledge(back)
    #expect(try await desk.content() == first)
  }

  @Test(arguments: Place.usual)
  func `an edit that was sent and redone is the server's value`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let sent = try await Self.sendName(desk)
    try await desk.main.undoManager.undo()
    try await desk.main.undoManager.redo()
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "sent" && desk.ada.pendingColumns.isEmpty)
    // The undo after that is an edit, and acknowledged while it is being redone.
    try await desk.main.undoManager.undo()
    let back = try await Self.change(desk.store)
    try await desk.main.undoManager.redo()
    try await desk.store.pending.acknowledge(back)
    #expect(desk.ada.name == "sent" && desk.ada.pendingColumns.names == ["name"])
  }

  /// The last of several edits is undone, and the ones before it are not.
  @Test(arguments: Place.usual)
  func `an edit from before the undone edit stays an edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    for name in ["first", "second"] {
      desk.ada.name = name
      try await desk.main.save()
    }
    let sent = try await Self.change(desk.store)
    try await desk.main.undoManager.undo()
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "first" && desk.ada.pendingColumns.names == ["name"])
  }

  /// No undo: an answer came between, whose value is the server's.
  @Test(arguments: Place.usual)
  func `a value of the server is no edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let sent = try await Self.sendName(desk)
    let id = desk.ada.entityID
    try await desk.store.background(as: .server) { try $0.object(id)?.name = "Ada" }
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "Ada" && desk.ada.pendingColumns.isEmpty)
  }

  /// Undos are known within the limit of memory.
  @Test(arguments: Place.usual)
  func `an undo beyond the limit is forgotten`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .saves(9, bytes: 10_000)
    let sent = try await Self.sendName(desk)
    try await desk.main.undoManager.undo()
    for _ in 0..<2 {
      desk.ben.name = String(repeating: "b", count: 6000)
      try await desk.main.save()
      try await desk.main.undoManager.undo()
    }
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "Ada" && desk.ada.pendingColumns.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a property that was edited since stays an edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let sent = try await Self.sendName(desk)
    desk.ada.name = "later"
    try await desk.main.save()
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "later" && desk.ada.pendingColumns.names == ["name"])
  }

  /// The undo is followed by an answer, whose value is the server's.
  @Test(arguments: Place.usual)
  func `a later value of the server is no edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let sent = try await Self.sendName(desk)
    try await desk.main.undoManager.undo()
    let id = desk.ada.entityID
    try await desk.store.background(as: .server) { try $0.object(id)?.name = "theirs" }
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.ada.name == "theirs" && desk.ada.pendingColumns.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `an undone object is deleted for the server`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let dora = try desk.main.insert(Person.self)
    (dora.uid, dora.name) = (4, "Dora")
    try await desk.main.save()
    let sent = try await Self.change(desk.store)
    try await desk.main.undoManager.undo()
    #expect(try await desk.store.pending.count() == 0)
    try await desk.store.pending.acknowledge(sent)
    let deletion = try await Self.change(desk.store)
    #expect(deletion.kind == .deletion && deletion.uid == "4")
    // The server has the object: it comes back as one of its own.
    try await desk.main.undoManager.redo()
    #expect(!dora.isDeleted && dora.name == "Dora")
    #expect(try await desk.store.pending.changes().isEmpty)
    #expect(try await desk.store.check().isEmpty)
  }

  @Test(arguments: Place.usual)
  func `an undone edit of a new object stays an edit`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let dora = try desk.main.insert(Person.self)
    (dora.uid, dora.name) = (4, "Dora")
    try await desk.main.save()
    dora.name = "sent"
    try await desk.main.save()
    let sent = try await Self.change(desk.store)
    try await desk.main.undoManager.undo()
    try await desk.store.pending.acknowledge(sent)
    let change = try await Self.change(desk.store)
    #expect(change.kind == .edit && change.edits.map(\.property) == ["name"] && dora.name == "Dora")
  }

  @Test(arguments: Place.usual)
  func `an object whose deletion was sent goes again`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.cy)
    try await desk.main.save()
    let sent = try await Self.change(desk.store)
    try await desk.main.undoManager.undo()
    #expect(!desk.cy.isDeleted)
    try await desk.store.pending.acknowledge(sent)
    #expect(desk.cy.isDeleted)
    #expect(try await desk.store.pending.changes().isEmpty)
  }

  /// A delete rule holds the object by then.
  @Test(arguments: Place.usual)
  func `an object that a delete rule protects stays`(_ place: Place) async throws {
    let test = try TestStore(place, [Album.self, Shelf.self, Track.self])
    let main = test.store.main
    try await test.store.background(as: .server) { context in
      try context.insert(Album.self).uid = 1
      try context.insert(Shelf.self).uid = 2
    }
    main.undoManager.limit = .saves(9)
    let album = try #require(try main.fetch(Album.all).first)
    let shelf = try #require(try main.fetch(Shelf.all).first)
    try main.delete(album)
    try await main.save()
    let sent = try await Self.change(test.store)
    try await main.undoManager.undo()
    try shelf.add(album, to: \.albums)
    try await main.save()
    try await test.store.pending.acknowledge(sent)
    #expect(!album.isDeleted && shelf.albums == [album])
  }

  /// No undo: the list was edited again while it was on its way.
  @Test(arguments: Place.usual)
  func `pairs that were edited since stay edits`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (main, article, store) = (shop.main, shop.articles[0], shop.test.store)
    try article.add(shop.tags[0], to: \.tags)
    try await main.save()
    try await store.pending.acknowledgeAll()
    try article.add(shop.tags[1], to: \.tags)
    try await main.save()
    let sent = try await Self.change(store)
    try article.remove(shop.tags[0], from: \.tags)
    try await main.save()
    try await store.pending.acknowledge(sent)
    let edit = try #require(try await Self.change(store).edits.first)
    #expect(edit.removed == [shop.tags[0].entityID.untyped] && edit.added.isEmpty)
    try await store.pending.acknowledge(try await Self.change(store))
    #expect(article.tags == [shop.tags[1]] && article.pendingColumns.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `pairs that were sent become edits`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (main, article, store) = (shop.main, shop.articles[0], shop.test.store)
    try article.add(shop.tags[0], to: \.tags)
    try await main.save()
    try await store.pending.acknowledgeAll()
    main.undoManager.limit = .saves(9)
    try article.remove(shop.tags[0], from: \.tags)
    try article.add(shop.tags[1], to: \.tags)
    try await main.save()
    let sent = try await Self.change(store)
    let second = try await store.fileContent()
    try await main.undoManager.undo()
    #expect(article.pendingColumns.isEmpty)
    try await store.pending.acknowledge(sent)
    #expect(article.tags == [shop.tags[0]] && article.pendingColumns.names == ["tags"])
    let edit = try #require(try await Self.change(store).edits.first)
    #expect(edit.added == [shop.tags[0].entityID.untyped] && edit.removed == [shop.tags[1].entityID.untyped])
    // The way forward leads to the pairs that the server has.
    try await main.undoManager.redo()
    #expect(article.tags == [shop.tags[1]])
    let removals = "SELECT 1 FROM main.\"Article,tags,removed\" WHERE member = ?"
    #expect(try main.connection.rows(removals, [.integer(shop.tags[1].entityID.pk)]) { _ in true }.isEmpty)
    try await store.pending.acknowledgeAll()
    #expect(try await store.fileContent() != second)
    #expect(article.pendingColumns.isEmpty)
    #expect(try await store.check().isEmpty)
  }
}
