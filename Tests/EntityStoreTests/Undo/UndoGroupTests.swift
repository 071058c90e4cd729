import TestSchema
import Testing

@testable import EntityStore

/// Groups of saves, which are one step.
@MainActor struct UndoGroupTests {
  @Test(arguments: Place.usual)
  func `a group of saves is one step`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let first = try await desk.content()
    let undo = desk.main.undoManager
    undo.beginGroup()
    desk.ada.name = "one"
    try await desk.main.save()
    undo.beginGroup()
    desk.ada.name = "two"
    try desk.main.delete(desk.ben)
    try await desk.main.save()
    undo.endGroup()
    #expect(!undo.canUndo)
    undo.endGroup()
    let second = try await desk.content()
    #expect(try undo.undoAtOnce())
    #expect(try await desk.content() == first)
    #expect(!undo.canUndo)
    #expect(try undo.redoAtOnce())
    #expect(try await desk.content() == second)
    undo.beginGroup()
    desk.ada.name = "three"
    try await desk.main.save()
    #expect(errorKind { try undo.undo() } == .wrongContext)
    undo.endGroup()
    #expect(desk.ada.name == "three")
  }

  /// Nothing can be undone within a group, and a menu hears of that.
  @Test(arguments: Place.usual)
  func `an open group has nothing to undo or redo`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let undo = desk.main.undoManager
    for name in ["one", "two"] {
      desk.ada.name = name
      try await desk.main.save()
    }
    try await undo.undo()
    let (canUndo, canRedo) = (Watcher { _ = undo.canUndo }, Watcher { _ = undo.canRedo })
    undo.beginGroup()
    #expect(!undo.canUndo && !undo.canRedo)
    #expect(canUndo.fired && canRedo.fired)
    #expect(errorKind { try undo.redo() } == .wrongContext)
    #expect(await asyncErrorKind { try await undo.undo() } == .wrongContext)
    undo.endGroup()
    // A group without a save is no step, and ends nothing.
    #expect(undo.canUndo && undo.canRedo)
    #expect(canUndo.fired && canRedo.fired)
    undo.endGroup()
    try await undo.redo()
    #expect(desk.ada.name == "two")
  }

  @Test(arguments: Place.usual)
  func `an empty undo manager throws within a group too`(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    let undo = desk.main.undoManager
    undo.beginGroup()
    #expect(errorKind { try undo.undo() } == .wrongContext)
    undo.endGroup()
    #expect(try !undo.undoAtOnce())
  }

  /// The undo of the group takes the second row of the pair out, and brings the first one back.
  @Test(arguments: Place.usual)
  func `a pair that was taken out and put back is undone and redone`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (main, article, tag) = (shop.main, shop.articles[0], shop.tags[0])
    try article.add(tag, to: \.tags)
    try await main.save()
    let first = try await shop.test.store.fileContent()
    main.undoManager.limit = .saves(9)
    main.undoManager.beginGroup()
    try article.remove(tag, from: \.tags)
    try await main.save()
    try article.add(tag, to: \.tags)
    try await main.save()
    main.undoManager.endGroup()
    let second = try await shop.test.store.fileContent()
    for _ in 0..<2 {
      try await main.undoManager.undo()
      #expect(try await shop.test.store.fileContent() == first)
      try await main.undoManager.redo()
      #expect(try await shop.test.store.fileContent() == second)
      #expect(article.tags == [tag])
    }
  }
}
