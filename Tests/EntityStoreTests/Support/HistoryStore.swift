import EntityStore
import Testing

@testable import EntityStore

/// A store of its own for one test, whose file keeps the history.
struct HistoryStore: Sendable {
  let store: EntityStore
  let folder: TemporaryFolder

  init(
    _ place: Place, _ policy: StoreOptions.History? = .keepingAll, author: String = "app",
    _ entities: [any ManagedEntity.Type] = TestStore.people
  ) throws {
    folder = try TemporaryFolder()
    store = try EntityStore(
      place == .file ? .file(folder.file) : .inMemory, entities: entities, busyTimeout: .ample,
      options: .history(policy, author: author))
  }

  /// One more store on the file.
  func another(_ policy: StoreOptions.History? = nil, author: String = "other") throws -> EntityStore {
    try EntityStore(
      .file(folder.file), entities: TestStore.people, busyTimeout: .ample, options: .history(policy, author: author))
  }

  var history: StoreHistory { store.history }
}

extension StoreOptions {
  static func history(_ policy: StoreOptions.History?, author: String = "app") -> StoreOptions {
    var options = StoreOptions()
    options.history = policy
    options.author = author
    return options
  }
}

extension StoreHistory.Changes {
  /// The changes as a text: the counts of new objects, the changed properties, and the uids of those that went.
  var text: String {
    "\(inserted.count) \(updated.map { $0.columns.names.joined(separator: "+") }) \(deleted.map { $0.uid ?? "-" })"
  }
}
