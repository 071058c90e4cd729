import EntityJSON
import EntityRequests
import EntityStore

extension Scene {
  func checkSnapshots(on actor: isolated any Actor) async {
    let store = store
    // A response to ask, in each mode.
    let response = await Task.detached {
      while true {
        if let response = try? await Word.upsert(from: [["id": 1, "text": "one"]], in: store) { return response }
      }
    }.value
    await hold(on: actor)
    defer { letGo() }
    // They fail where the store can't be used, and have nothing else to throw.
    let fails = mode == .busy || mode == .cancelled
    let file = "EntityResponse+Snapshots.swift "
    do {
      _ = try await response.snapshots()
      saw(file + "snapshots()", nil, fails: fails, on: actor)
    } catch { saw(file + "snapshots()", error, fails: fails, on: actor) }
    do {
      _ = try await response.snapshots(of: Word.self)
      saw(file + "snapshots(of:)", nil, fails: fails, on: actor)
    } catch { saw(file + "snapshots(of:)", error, fails: fails, on: actor) }
  }
}
