import Testing

@testable import EntityStore

/// How much is kept to undo saves.
@MainActor struct UndoLimitTests {
  @Test(arguments: Place.allCases)
  func nothingIsKeptUntilThereIsALimit(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .off
    desk.ada.age = 1
    try await desk.main.save()
    #expect(!desk.main.undoManager.canUndo)
    #expect(try await !desk.main.undoManager.undo())
    desk.main.undoManager.limit = .saves(2)
    for age in 2...5 {
      desk.ada.age = age
      try await desk.main.save()
    }
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(try !desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.age == 3)
    // A new save is another way on.
    desk.ada.age = 9
    try await desk.main.save()
    #expect(!desk.main.undoManager.canRedo && desk.main.undoManager.canUndo)
    desk.main.undoManager.removeAll()
    #expect(!desk.main.undoManager.canUndo)
    #expect(desk.ada.age == 9)
  }

  @Test(arguments: Place.allCases)
  func aSaveThatIsTooLargeLeavesNoWayBack(_ place: Place) async throws {
    let desk = try await UndoDesk(place)
    desk.main.undoManager.limit = .saves(10, bytes: 10_000)
    desk.ada.age = 1
    try await desk.main.save()
    desk.ada.name = String(repeating: "a", count: 20_000)
    try await desk.main.save()
    #expect(!desk.main.undoManager.canUndo)
    desk.ada.age = 2
    try await desk.main.save()
    #expect(try desk.main.undoManager.undoAtOnce())
    #expect(desk.ada.age == 1 && desk.ada.name.count == 20_000)
    #expect(!desk.main.undoManager.canUndo)
  }
}
