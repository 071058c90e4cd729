import Testing

@testable import EntityStore

/// Saves of before the rows of the file were replaced can't be undone.
@MainActor struct UndoReplacedStoreTests {
  @Test(arguments: Place.allCases)
  func anEmptiedStoreHasNothingToUndo(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    try desk.main.delete(desk.note)
    try await desk.main.save()
    try await desk.store.reset(discardsPending: true)
    #expect(try !desk.main.undoManager.undoAtOnce())
    #expect(!desk.main.undoManager.canUndo)
    #expect(try desk.main.count(Note.all) == 0)
  }
}
