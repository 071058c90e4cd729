import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Lazy values are read for an undo where they changed, and nowhere else.
@MainActor struct UndoLazyTests {
  /// Two portraits of the server, and a main context that undoes saves.
  private func filled(_ place: Place) async throws -> (
    studio: Studio, ids: [EntityID<Portrait>], main: EntityContext
  ) {
    let studio = try Studio(place)
    let ids = try await studio.fill(2)
    studio.store.main.undoManager.limit = .saves(9)
    return (studio, ids, studio.store.main)
  }

  @Test(arguments: Place.usual)
  func `no save or undo of another property reads lazy values`(_ place: Place) async throws {
    let (studio, ids, main) = try await filled(place)
    let portrait = try #require(try main.object(ids[0]))
    _ = studio.lazyReads()
    portrait.title = "changed"
    try await main.save()
    try await main.undoManager.undo()
    try await main.undoManager.redo()
    #expect(studio.lazyReads().isEmpty)
    #expect(portrait.title == "changed")
    #expect(try await studio.picture(of: ids[0]) == Studio.picture(1))
  }

  @Test(arguments: Place.usual)
  func `an undo brings a changed lazy value back`(_ place: Place) async throws {
    let (studio, ids, main) = try await filled(place)
    let portrait = try #require(try main.object(ids[0]))
    let first = try await studio.store.fileContent()
    portrait.picture = nil
    portrait.story = "another one"
    portrait.title = "changed"
    try await main.save()
    let second = try await studio.store.fileContent()
    #expect(first != second)
    try await main.undoManager.undo()
    #expect(try await studio.store.fileContent() == first)
    #expect(portrait.picture == Studio.picture(1) && portrait.story == "story 1")
    try await main.undoManager.redo()
    #expect(try await studio.store.fileContent() == second)
    #expect(portrait.picture == nil && portrait.story == "another one")
    // A value of the same length that others wrote.
    try await studio.change(ids[0]) { $0.story = "another two" }
    await #expect(throws: StoreError.self) { try await main.undoManager.undo() }
    try await studio.change(ids[0]) { $0.story = "another one" }
    try await main.undoManager.undo()
    #expect(portrait.picture == Studio.picture(1))
  }

  @Test(arguments: Place.usual)
  func `a deleted object comes back with its lazy values`(_ place: Place) async throws {
    let (studio, ids, main) = try await filled(place)
    let first = try await studio.store.fileContent()
    let portrait = try #require(try main.object(ids[1]))
    try main.delete(portrait)
    try await main.save()
    try await main.undoManager.undo()
    #expect(try await studio.store.fileContent() == first)
    #expect(portrait.picture == Studio.picture(2))
    // A value beyond the limit is not read.
    main.undoManager.limit = .saves(9, bytes: 50_000)
    _ = studio.lazyReads()
    try main.delete(portrait)
    try await main.save()
    #expect(!main.undoManager.canUndo)
    #expect(studio.lazyReads().allSatisfy { !$0.contains("picture") })
  }

  @Test(arguments: Place.usual)
  func `the undo of an insertion is a conflict where others changed its lazy values`(_ place: Place) async throws {
    let studio = try Studio(place)
    let main = studio.store.main
    main.undoManager.limit = .saves(9)
    let portrait = try main.insert(Portrait.self)
    portrait.picture = Studio.picture(7)
    try await main.save()
    let id = portrait.entityID
    try await studio.change(id) { $0.picture = Studio.picture(8) }
    let kind = await asyncErrorKind { try await main.undoManager.undo() }
    #expect(kind == .conflict)
    try await studio.change(id) { $0.picture = Studio.picture(7) }
    try await main.undoManager.undo()
    #expect(portrait.isDeleted)
    try await main.undoManager.redo()
    #expect(portrait.picture == Studio.picture(7))
  }

  @Test(arguments: Place.usual)
  func `the undo of an acknowledged edit notes no base`(_ place: Place) async throws {
    let studio = try Studio(place)
    let ids = try await studio.fill(1)
    let main = studio.store.main
    main.undoManager.limit = .saves(9)
    let portrait = try #require(try main.object(ids[0]))
    portrait.picture = Studio.picture(5)
    portrait.price = 5
    try await main.save()
    try await studio.store.pending.acknowledgeAll()
    try await main.undoManager.undo()
    #expect(portrait.picture == Studio.picture(1) && portrait.price == 0)
    #expect(portrait.pendingColumns.names.sorted() == ["picture", "price"])
    let notes = try await studio.store.read { context in
      try context.connection.rows("SELECT property, has_base FROM \(EditNotes.table) ORDER BY property") {
        "\($0.text(0) ?? "") \($0.int64(1))"
      }
    }
    #expect(notes == ["picture 0", "price 1"])
  }
}
