import Testing

@testable import EntityStore

/// Steps whose saves end in another order than that of their commits: others are made while one ends.
@MainActor struct UndoStepOrderTests {
  @Test(arguments: Place.usual)
  func `steps stand in the order of their commits`(_ place: Place) throws {
    let test = try TestStore(place)
    let undo = test.store.main.undoManager
    undo.limit = .saves(9)
    func box(_ generation: Int64) -> SaveImageBox {
      let box = SaveImageBox(bytes: 100)
      box.content = .image(SaveImage())
      box.noteGeneration(generation)
      return box
    }
    func next(_ direction: SaveUndoManager.Direction) -> [Int64]? { undo.images(direction)?.map(\.generation) }
    undo.saved(box(11))
    undo.saved(box(10))
    #expect(next(.undo) == [11])
    // A save comes while the last one is being undone, and stays.
    undo.saved(box(12))
    undo.went(.undo, 11, box(13))
    #expect(next(.undo) == [12] && next(.redo) == [13])
    // One that was committed before the undo, and ends after it, leaves what can be redone.
    undo.saved(box(9))
    #expect(next(.undo) == [12] && next(.redo) == [13])
    undo.saved(box(14))
    #expect(next(.redo) == nil)
    // All are let go of while an undo is under way.
    undo.removeAll()
    undo.went(.undo, 14, box(15))
    #expect(!undo.canUndo && !undo.canRedo)
    undo.beginGroup()
    undo.saved(box(17))
    undo.saved(box(16))
    undo.endGroup()
    #expect(next(.undo) == [17, 16])
  }
}
