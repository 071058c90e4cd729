import EntityRequests
import EntityStore

/// The calls that the main context alone has.
extension Scene {
  @MainActor func checkObjects() async throws {
    try Client.install(client, replacing: true)
    let (context, actor) = (store.main, MainActor.shared)
    let word = try context.insert(Word.self)
    word.uid = 1
    try context.insert(Word.self).uid = 2
    try saveNow(context)
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    let mode = mode
    do { try await store.background { _ in if mode == .throwing { throw Stop() } } } catch { failure = error }
    saw("EntityStore.swift background(as:_:)", &failure, on: actor)
    word.text = "edited"
    if mode == .throwing { word.uid = 2 }
    do { try await context.save() } catch { failure = error }
    saw("ContextSaving.swift save()", &failure, on: actor)
    context.rollback()
    word.text = "edited again"
    if mode == .throwing { word.uid = 2 }
    do { try await context.save(conflicts: .mine) } catch { failure = error }
    saw("EntityContext+Conflicts.swift save(conflicts:)", &failure, on: actor)
    context.rollback()
    await checkVerbs(of: word, on: actor)
  }

  @MainActor private func checkVerbs(of word: Word, on actor: MainActor) async {
    var failure: (any Error)?
    let file = "RemoteEntity+ObjectVerbs.swift "
    do { try await word.get() } catch { failure = error }
    saw(file + "get(_:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.get(\.next) } catch { failure = error }
    saw("RemoteEntity+Relationships.swift get(_:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.head() } catch { failure = error }
    saw(file + "head(_:query:allowing:modify:progress:)", &failure, fails: fails, on: actor)
    // The word is no placeholder, and there are none.
    do { try await word.load() } catch { failure = error }
    saw("RemoteEntity+Loading.swift load(_:)", &failure, fails: false, on: actor)
    do { try await Word.fillPlaceholders() } catch { failure = error }
    saw("RemoteEntity+Loading.swift fillPlaceholders(limit:in:)", &failure, fails: false, on: actor)
    do { try await word.post(\.text) } catch { failure = error }
    saw(file + "post(_:to:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.put(\.text) } catch { failure = error }
    saw(file + "put(_:to:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.patch() } catch { failure = error }
    saw(file + "patch(_:to:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.sending(.patch, [\.text]).send() } catch { failure = error }
    saw("Request.swift send(progress:)", &failure, on: actor)
    do { try await word.postPending() } catch { failure = error }
    saw("RemoteEntity+PendingVerbs.swift postPending(to:query:options:modify:progress:)", &failure, on: actor)
    word.text = "pending"
    do { try await word.patchPending() } catch { failure = error }
    saw("RemoteEntity+PendingVerbs.swift patchPending(to:query:options:modify:progress:)", &failure, on: actor)
    do { try await word.delete() } catch { failure = error }
    saw(file + "delete(_:query:deletesOn404:allowing:modify:progress:)", &failure, on: actor)
  }

  @MainActor func checkUndo() async throws {
    let (context, actor) = (store.main, MainActor.shared)
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
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    do { try await manager.undo() } catch { failure = error }
    saw("SaveUndoManager.swift undo()", &failure, on: actor)
    do { try await manager.redo() } catch { failure = error }
    saw("SaveUndoManager.swift redo()", &failure, on: actor)
  }

  /// The synchronous calls, for where overloading would pick the other ones.
  private func saveNow(_ context: EntityContext) throws { try context.save() }
  private func undoNow(_ manager: SaveUndoManager) throws { try manager.undo() }
}
