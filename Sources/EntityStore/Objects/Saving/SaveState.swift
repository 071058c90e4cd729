/// The saves of a context.
final class SaveState {
  var conflictPolicy = ConflictPolicy.standard
  var author: String?
  var due = DueHooks()
  /// The changes that saves under way have taken.
  var inFlight: [SavedChanges] = []
  var savesBegun = 0
  /// The collisions that a unit had met when it last saved.
  var unitMark: RowWriter.Mark?
  /// Undoes saves; `nil` where nobody asked for it.
  var saveUndo: SaveUndoManager?
  var isSaving = false
  var saveWaiters: [CheckedContinuation<Void, Never>] = []
  /// Whether the closure that the context was made for has ended.
  var isOver = false
}
