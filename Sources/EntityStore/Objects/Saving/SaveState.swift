/// The saves of a context.
final class SaveState {
  var conflictPolicy = ConflictPolicy.standard
  var author: String?
  var due = DueCallbacks()
  /// The changes that saves under way have taken.
  var inFlight: [SavedChanges] = []
  var savesBegun = 0
  /// The mark of the unit's last save: the collisions until then.
  var unitMark: RowWriter.Mark?
  /// Undoes saves; `nil` if nobody asked for it.
  var saveUndo: SaveUndoManager?
  var isSaving = false
  var saveWaiters: [CheckedContinuation<Void, Never>] = []
  /// Whether the closure of the context has ended.
  var isOver = false
}
