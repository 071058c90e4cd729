import EntityRequests
import EntityStore

/// The verbs that name an object by its uid.
extension Scene {
  func checkUIDVerbs(on actor: isolated any Actor) async throws {
    await hold(on: actor)
    defer { letGo() }
    try Client.install(client, replacing: true)
    let file = "RemoteEntity+UIDVerbs.swift "
    let tail = "(uid:query:in:options:modify:progress:)"
    do {
      try await Word.get(uid: 1)
      saw(file + "get" + tail, nil, on: actor)
    } catch { saw(file + "get" + tail, error, on: actor) }
    do {
      try await Word.put(uid: 1)
      saw(file + "put" + tail, nil, on: actor)
    } catch { saw(file + "put" + tail, error, on: actor) }
    do {
      try await Word.patch(uid: 1)
      saw(file + "patch" + tail, nil, on: actor)
    } catch { saw(file + "patch" + tail, error, on: actor) }
    var name = file + "head(uid:query:in:modify:progress:)"
    do {
      try await Word.head(uid: 1)
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    name = file + "delete(uid:query:in:deletesOn404:modify:progress:)"
    do {
      try await Word.delete(uid: 1)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
