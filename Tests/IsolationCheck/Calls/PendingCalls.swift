import EntityRequests
import EntityStore

extension Scene {
  func checkPending(on actor: isolated any Actor) async {
    await hold(on: actor)
    defer { letGo() }
    // They fail where the store can't be used, and a store without changes gives them nothing else to throw.
    let fails = mode == .busy || mode == .cancelled
    let pending = store.pending
    let id = EntityID<Word>(pk: 1)
    var name = "StorePending.swift changes()"
    do {
      _ = try await pending.changes()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift changes(of:)"
      _ = try await pending.changes(of: Word.self)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift count()"
      _ = try await pending.count()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending+Export.swift export()"
      _ = try await pending.export()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift discard(_:)"
      try await pending.discard(id)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift discard(_:_:)"
      try await pending.discard(id, \.text)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift discardAll()"
      try await pending.discardAll()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift acknowledge(_:)"
      try await pending.acknowledge(id)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift acknowledge(_:_:)"
      try await pending.acknowledge(id, \.text)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "StorePending.swift acknowledgeAll()"
      try await pending.acknowledgeAll()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = "EntityStore.swift reset(discardsPending:)"
      try await store.reset(discardsPending: true)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
  }

  @MainActor func checkPendingVerbs(of word: Word, on actor: MainActor) async throws {
    let file = "RemoteEntity+PendingVerbs.swift "
    let tail = "(to:query:options:modify:progress:)"
    var name = file + "postPending" + tail
    do {
      try await word.postPending()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    word.text = "pending"
    do {
      name = file + "patchPending" + tail
      try await word.patchPending()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
