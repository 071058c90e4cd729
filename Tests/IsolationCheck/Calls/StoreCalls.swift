import EntityJSON
import EntityRequests
import EntityStore
import Foundation

extension Scene {
  /// Whether calls fail that have no other error than that of a store that can't be used.
  private var isBarred: Bool { mode == .busy || mode == .cancelled }

  func checkStore(on actor: isolated any Actor) async throws {
    let mode = mode
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    do { try await store.background { _ in if mode == .throwing { throw Stop() } } } catch { failure = error }
    saw("EntityStore.swift background(as:_:)", &failure, on: actor)
    do {
      _ = try await store.background { context in
        try context.insert(Word.self).uid = 7
        if mode == .throwing { throw Stop() }
        return 7
      }
    } catch { failure = error }
    saw("EntityStore.swift background(as:_:)", &failure, on: actor)
    do { try await store.read { _ in if mode == .throwing { throw Stop() } } } catch { failure = error }
    saw("EntityStore.swift read(_:)", &failure, on: actor)
    do {
      _ = try await store.read { context in
        if mode == .throwing { throw Stop() }
        return try context.count(Word.all)
      }
    } catch { failure = error }
    saw("EntityStore.swift read(_:)", &failure, on: actor)

    // The failures of these are elements.
    let values = store.observe { _ in if mode == .throwing { throw Stop() } }
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next()
    saw("StoreObservation.swift next()", &failure, fails: false, on: actor)
    iterator = values.makeAsyncIterator()
    _ = await iterator.next(isolation: actor)
    saw("StoreObservation.swift next(isolation:)", &failure, fails: false, on: actor)
    for await _ in values { break }
    saw("StoreObservation.swift next(isolation:)", &failure, fails: false, on: actor)
    var changes = store.changes(of: Word.all).makeAsyncIterator()
    _ = await changes.next()
    saw("QueryChanges.swift next()", &failure, fails: false, on: actor)
    changes = store.changes(of: Word.all).makeAsyncIterator()
    _ = await changes.next(isolation: actor)
    saw("QueryChanges.swift next(isolation:)", &failure, fails: false, on: actor)
  }

  func checkCommits(on actor: isolated any Actor) async throws {
    var failure: (any Error)?
    var commits = store.commits.makeAsyncIterator()
    try await commit()
    _ = await commits.next()
    saw("StoreCommits.swift next()", &failure, fails: false, on: actor)
    try await commit()
    _ = await commits.next(isolation: actor)
    saw("StoreCommits.swift next(isolation:)", &failure, fails: false, on: actor)
  }

  /// Where the task is cancelled, the commit is another one's.
  private func commit() async throws {
    let store = store
    try await Task.detached {
      let uid = Int.random(in: 1_000...1_000_000_000)
      while true {
        do { return try await store.background { try $0.insert(Word.self).uid = uid } } catch let error as StoreError
          where error.kind == .writerBusy
        {}
      }
    }.value
  }

  func checkSnapshots(on actor: isolated any Actor) async throws {
    let store = store
    // A response to ask, in each mode.
    let response = await Task.detached {
      while true {
        if let response = try? await Word.upsert(from: [["id": 1, "text": "one"]], in: store) { return response }
      }
    }.value
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    do { _ = try await response.snapshots() } catch { failure = error }
    saw("EntityResponse+Snapshots.swift snapshots()", &failure, fails: isBarred, on: actor)
    do { _ = try await response.snapshots(of: Word.self) } catch { failure = error }
    saw("EntityResponse+Snapshots.swift snapshots(of:)", &failure, fails: isBarred, on: actor)
  }

  func checkPending(on actor: isolated any Actor) async {
    await hold(on: actor)
    defer { letGo() }
    let (pending, id, file) = (store.pending, EntityID<Word>(pk: 1), "StorePending.swift ")
    var failure: (any Error)?
    do { _ = try await pending.changes() } catch { failure = error }
    saw(file + "changes()", &failure, fails: isBarred, on: actor)
    do { _ = try await pending.changes(of: Word.self) } catch { failure = error }
    saw(file + "changes(of:)", &failure, fails: isBarred, on: actor)
    do { _ = try await pending.count() } catch { failure = error }
    saw(file + "count()", &failure, fails: isBarred, on: actor)
    do { _ = try await pending.export() } catch { failure = error }
    saw("StorePending+Export.swift export()", &failure, fails: isBarred, on: actor)
    do { try await pending.discard(id) } catch { failure = error }
    saw(file + "discard(_:)", &failure, fails: isBarred, on: actor)
    do { try await pending.discard(id, \.text) } catch { failure = error }
    saw(file + "discard(_:_:)", &failure, fails: isBarred, on: actor)
    do { try await pending.discardAll() } catch { failure = error }
    saw(file + "discardAll()", &failure, fails: isBarred, on: actor)
    do { try await pending.acknowledge(id) } catch { failure = error }
    saw(file + "acknowledge(_:)", &failure, fails: isBarred, on: actor)
    do { try await pending.acknowledge(id, \.text) } catch { failure = error }
    saw(file + "acknowledge(_:_:)", &failure, fails: isBarred, on: actor)
    do { try await pending.acknowledgeAll() } catch { failure = error }
    saw(file + "acknowledgeAll()", &failure, fails: isBarred, on: actor)
    do { try await store.reset(discardsPending: true) } catch { failure = error }
    saw("EntityStore.swift reset(discardsPending:)", &failure, fails: isBarred, on: actor)
  }

  /// Archives, the care of the file, and its end.
  func checkFiles(on actor: isolated any Actor) async throws {
    let archive = mode == .throwing ? Data() : Data(Self.emptyArchive.utf8)
    let folder = mode == .throwing ? URL(fileURLWithPath: "/none/\(UUID())") : try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("archive")
    if mode != .throwing { try archive.write(to: file) }
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    do { _ = try await store.archive() } catch { failure = error }
    saw("EntityStore+Archive.swift archive()", &failure, fails: isBarred, on: actor)
    do { try await store.archive(to: file) } catch { failure = error }
    saw("EntityStore+Archive.swift archive(to:)", &failure, on: actor)
    do { try await store.restore(from: archive, discardsPending: true) } catch { failure = error }
    saw("EntityStore+Archive.swift restore(from:discardsPending:)", &failure, on: actor)
    do { try await store.restore(from: file, discardsPending: true) } catch { failure = error }
    saw("EntityStore+Archive.swift restore(from:discardsPending:)", &failure, on: actor)
    do { try await store.backup(to: folder.appendingPathComponent("copy")) } catch { failure = error }
    saw("EntityStore+Care.swift backup(to:replaces:)", &failure, on: actor)
    do { _ = try await store.check() } catch { failure = error }
    saw("EntityStore+Care.swift check(_:)", &failure, fails: isBarred, on: actor)
    do { try await store.checkpoint() } catch { failure = error }
    saw("EntityStore+Care.swift checkpoint()", &failure, fails: isBarred, on: actor)
    do { try await store.vacuum() } catch { failure = error }
    saw("EntityStore+Care.swift vacuum()", &failure, fails: isBarred, on: actor)
    do { _ = try await store.fileSizes() } catch { failure = error }
    saw("EntityStore+Care.swift fileSizes()", &failure, fails: isBarred, on: actor)

    do { try await store.evictExpired() } catch { failure = error }
    saw("EntityStore+Eviction.swift evictExpired(keeping:)", &failure, fails: isBarred, on: actor)
    // The entity has no age, which is said before the task is looked at.
    if mode != .cancelled {
      do { try await store.evict(Word.self, olderThan: .zero) } catch { failure = error }
      saw("EntityStore+Eviction.swift evict(_:olderThan:keeping:)", &failure, fails: true, on: actor)
    }
    do { try await store.evict(downTo: .max) } catch { failure = error }
    saw("EntityStore+Eviction.swift evict(downTo:keeping:)", &failure, fails: isBarred, on: actor)

    // A store that can be closed is closed by it.
    let store = isBarred ? store : try EntityStore(.inMemory, entities: [Word.self])
    if mode == .throwing { try await MainActor.run { _ = try store.main.insert(Word.self) } }
    do { try await store.close() } catch { failure = error }
    saw("EntityStore+Closing.swift close(discardsUnsaved:)", &failure, on: actor)
  }

  private static let emptyArchive = """
    {"archive":"EntityClient","format":1,"lastRow":0}
    {"end":0,"checksum":"351666d6"}

    """

  func checkHistory(on actor: isolated any Actor) async throws {
    // Without a history there is an error to throw.
    let store = mode == .returning ? try await Self.storeWithHistory() : store
    await hold(on: actor)
    defer { letGo() }
    let (history, file) = (store.history, "StoreHistory.swift ")
    var failure: (any Error)?
    do { _ = try await history.policy() } catch { failure = error }
    // It is no error to keep none.
    saw(file + "policy()", &failure, fails: isBarred, on: actor)
    var token = try JSONDecoder().decode(StoreHistory.Token.self, from: Data(#"{"store": "", "generation": 0}"#.utf8))
    do { token = try await history.token() } catch { failure = error }
    saw(file + "token()", &failure, on: actor)
    do { _ = try await history.commits() } catch { failure = error }
    saw(file + "commits(after:by:limit:)", &failure, on: actor)

    // A sequence of a task that is cancelled ends.
    let breaks = mode == .busy || mode == .throwing
    var updates = history.updates().makeAsyncIterator()
    do { _ = try await updates.next() } catch { failure = error }
    saw("HistoryUpdates.swift next()", &failure, fails: breaks, on: actor)
    updates = history.updates().makeAsyncIterator()
    do { _ = try await updates.next(isolation: actor) } catch { failure = error }
    saw("HistoryUpdates.swift next(isolation:)", &failure, fails: breaks, on: actor)
    do { for try await _ in history.updates() { break } } catch { failure = error }
    saw("HistoryUpdates.swift next(isolation:)", &failure, fails: breaks, on: actor)

    do { try await history.prune(upTo: token) } catch { failure = error }
    saw(file + "prune(upTo:)", &failure, on: actor)
    do { try await history.prune(before: Date()) } catch { failure = error }
    saw(file + "prune(before:)", &failure, on: actor)
  }

  private static func storeWithHistory() async throws -> EntityStore {
    var options = StoreOptions()
    options.history = .keepingAll
    let store = try EntityStore(.inMemory, entities: [Word.self], options: options)
    try await store.background { try $0.insert(Word.self).uid = 1 }
    return store
  }
}
