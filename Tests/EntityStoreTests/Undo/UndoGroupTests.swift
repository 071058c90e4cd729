import Testing

@testable import EntityStore

/// Groups of saves, which are one step.
@MainActor struct UndoGroupTests {
  @Test(arguments: Place.allCases)
  func aGroupOfSavesIsOneStep(_ place: Place) async throws {
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
}
