// The engine knows no context, and no store.

extension EntityStore: CommitListener {}

extension StoreCore {
  /// The store that this is the core of; `nil` once that is gone. Objects of its contexts may outlive it.
  package var store: EntityStore? { listener as? EntityStore }

  /// Runs `work` within one read transaction, on a reader's executor.
  package func read<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await reading { snapshot in
      let context = EntityContext(self, kind: .reading, connection: snapshot.connection)
      defer { context.finish() }
      context.news.mergedGeneration = snapshot.generation
      let result = try work(context)
      // First: the mistakes may be those of a transaction that ended.
      try snapshot.check()
      try context.saving.throwMistakes()
      return result
    }
  }
}
