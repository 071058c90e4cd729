import EntityStore
import Foundation

extension Scene {
  func checkHistory(on actor: isolated any Actor) async throws {
    // Without a history there is an error to throw.
    let store = mode == .returning ? try await Self.storeWithHistory() : store
    await hold(on: actor)
    defer { letGo() }
    let history = store.history
    let token = try JSONDecoder().decode(
      HistoryToken.self, from: Data(#"{"store": "", "generation": 0}"#.utf8))
    var file = "StoreHistory.swift "
    var name = file + "policy()"
    // It is no error to keep none.
    let fails = mode == .busy || mode == .cancelled
    do {
      _ = try await history.policy()
      saw(name, nil, fails: fails, on: actor)
    } catch { saw(name, error, fails: fails, on: actor) }
    var last: HistoryToken?
    do {
      name = file + "token()"
      last = try await history.token()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "commits(after:by:limit:)"
      _ = try await history.commits()
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }

    file = "HistoryUpdates.swift "
    // A sequence of a task that is cancelled ends.
    let breaks = mode == .busy || mode == .throwing
    do {
      name = file + "next()"
      var iterator = history.updates().makeAsyncIterator()
      _ = try await iterator.next()
      saw(name, nil, fails: breaks, on: actor)
    } catch { saw(name, error, fails: breaks, on: actor) }
    do {
      name = file + "next(isolation:)"
      var iterator = history.updates().makeAsyncIterator()
      _ = try await iterator.next(isolation: actor)
      saw(name, nil, fails: breaks, on: actor)
    } catch { saw(name, error, fails: breaks, on: actor) }
    do {
      for try await _ in history.updates() { break }
      saw(name, nil, fails: breaks, on: actor)
    } catch { saw(name, error, fails: breaks, on: actor) }

    file = "StoreHistory.swift "
    do {
      name = file + "prune(upTo:)"
      try await history.prune(upTo: last ?? token)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = file + "prune(before:)"
      try await history.prune(before: Date())
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  private static func storeWithHistory() async throws -> EntityStore {
    var options = StoreOptions()
    options.history = .keepingAll
    let store = try EntityStore(.inMemory, entities: [Word.self], options: options)
    try await store.background { try $0.insert(Word.self).uid = 1 }
    return store
  }
}
