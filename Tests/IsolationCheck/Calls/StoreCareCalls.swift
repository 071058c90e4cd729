import EntityStore
import Foundation

extension Scene {
  func checkStoreCare(on actor: isolated any Actor) async throws {
    await hold(on: actor)
    defer { letGo() }
    // A store that can be closed is closed by it.
    let closes = mode == .returning || mode == .throwing
    let store = closes ? try EntityStore(.inMemory, entities: [Word.self]) : store
    if mode == .throwing { try await MainActor.run { _ = try store.main.insert(Word.self) } }
    let name = "EntityStore+Closing.swift close(discardsUnsaved:)"
    do {
      try await store.close()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  func checkMaintenance(on actor: isolated any Actor) async {
    await hold(on: actor)
    defer { letGo() }
    let file = "EntityStore+Care.swift "
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("isolation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    if mode != .throwing { try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    var name = file + "backup(to:replaces:)"
    do {
      try await store.backup(to: folder.appendingPathComponent("copy"))
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    // Nothing that the others do can fail them.
    let fails = mode == .busy || mode == .cancelled
    do {
      name = file + "check(_:)"
      _ = try await store.check()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = file + "checkpoint()"
      try await store.checkpoint()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = file + "vacuum()"
      try await store.vacuum()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    do {
      name = file + "fileSizes()"
      _ = try await store.fileSizes()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
  }
}
