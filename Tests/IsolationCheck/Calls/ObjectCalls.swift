import EntityRequests
import EntityStore

extension Scene {
  /// The calls on objects, which the main actor alone has.
  @MainActor func checkObjects() async throws {
    try Client.install(client, replacing: true)
    let context = store.main
    let word = try context.insert(Word.self)
    word.uid = 1
    let taken = try context.insert(Word.self)
    taken.uid = 2
    try saveNow(context)
    await hold(on: MainActor.shared)
    defer { letGo() }

    let actor = MainActor.shared
    let mode = mode
    var name = "EntityStore.swift background(as:_:)"
    do {
      try await store.background { _ in if mode == .throwing { throw Stop() } }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    name = "ContextSaving.swift save()"
    do {
      word.text = "edited"
      if mode == .throwing { word.uid = 2 }
      try await context.save()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    context.rollback()
    name = "EntityContext+Conflicts.swift save(conflicts:)"
    do {
      word.text = "edited again"
      if mode == .throwing { word.uid = 2 }
      try await context.save(conflicts: .mine)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    context.rollback()
    try await checkVerbs(of: word, on: actor)
  }

  @MainActor private func checkVerbs(of word: Word, on actor: MainActor) async throws {
    let file = "RemoteEntity+ObjectVerbs.swift "
    let tail = "options:modify:progress:)"
    var name = file + "get(_:query:\(tail)"
    do {
      try await word.get()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = "RemoteEntity+Relationships.swift get(_:query:\(tail)"
      try await word.get(\.next)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "head(_:query:allowing:modify:progress:)"
      try await word.head()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = file + "post(_:query:\(tail)"
      try await word.post()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "put(_:query:\(tail)"
      try await word.put()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "patch(_:query:\(tail)"
      try await word.patch()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    try await checkPropertyVerbs(of: word, on: actor)
    try await checkPendingVerbs(of: word, on: actor)
    do {
      name = file + "delete(_:query:deletesOn404:allowing:modify:progress:)"
      try await word.delete()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  @MainActor private func checkPropertyVerbs(of word: Word, on actor: MainActor) async throws {
    let file = "RemoteEntity+PropertyVerbs.swift "
    let tail = "to:query:options:modify:progress:)"
    var name = ""
    do {
      name = file + "post(_:_:\(tail)"
      try await word.post(\.text)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "post(_:\(tail)"
      try await word.post([\.text])
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "put(_:_:\(tail)"
      try await word.put(\.text)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "put(_:\(tail)"
      try await word.put([\.text])
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "patch(_:_:\(tail)"
      try await word.patch(\.text)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "patch(_:\(tail)"
      try await word.patch([\.text])
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  /// The synchronous save, for where overloading would pick the other one.
  private func saveNow(_ context: EntityContext) throws { try context.save() }
}
