import EntityStore

extension Scene {
  /// The calls that undo and redo saves, which the main context alone has.
  @MainActor func checkUndo() async throws {
    let context = store.main
    let manager = context.undoManager
    manager.limit = .saves(9)
    let word = try context.insert(Word.self)
    word.uid = 1
    try saveNow(context)
    for text in ["one", "two"] {
      word.text = text
      try saveNow(context)
    }
    // One to undo, and one to redo.
    try undoNow(manager)
    if mode == .throwing { word.text = "unsaved" }
    await hold(on: MainActor.shared)
    defer { letGo() }
    let actor = MainActor.shared
    do {
      try await manager.undo()
      saw("SaveUndoManager.swift undo()", nil, on: actor)
    } catch { saw("SaveUndoManager.swift undo()", error, on: actor) }
    do {
      try await manager.redo()
      saw("SaveUndoManager.swift redo()", nil, on: actor)
    } catch { saw("SaveUndoManager.swift redo()", error, on: actor) }
  }

  /// The synchronous calls, for where overloading would pick the other ones.
  private func saveNow(_ context: EntityContext) throws { try context.save() }
  private func undoNow(_ manager: SaveUndoManager) throws { try manager.undo() }
}
