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
}
