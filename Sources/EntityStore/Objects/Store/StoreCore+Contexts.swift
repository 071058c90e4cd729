// The engine knows neither contexts nor the store.

extension EntityStore: CommitListener {}

extension StoreCore {
  /// The store that owns this core; `nil` once it is gone. Objects of its contexts may outlive it.
  package var store: EntityStore? { listener as? EntityStore }

  /// Runs `work` within one read transaction, on a reader's executor.
  package func read<T: Sendable>(_ work: @Sendable (EntityContext) throws -> T) async throws -> T {
    try await reading { snapshot in
      let context = EntityContext(self, kind: .reading, connection: snapshot.connection)
      defer { context.finish() }
      context.news.mergedGeneration = snapshot.generation
      let result = try work(context)
      // This check comes first: a transaction that has ended may be the cause of the mistakes.
      try snapshot.check()
      try context.saving.throwMistakes()
      return result
    }
  }

  /// Runs `work` in a unit of work with a context whose changes are written by ``ContextSaving/flushUnit()``.
  package func unit<T: Sendable>(
    saving work: @Sendable (EntityContext, RowWriter) throws -> T
  ) async throws -> T {
    try await unit { rows in
      let context = EntityContext(self, kind: .unit, connection: rows.connection, rows: rows)
      defer { context.finish() }
      try context.saving.beginUnit()
      let result = try work(context, rows)
      try context.saving.throwMistakes()
      return result
    }
  }

  /// Runs `work` in a unit of work with a context that reads the transaction, and the writer of rows. Changes of the
  /// context's objects are not written.
  package func unit<T: Sendable>(
    isDurable: Bool, reading work: @Sendable (EntityContext, RowWriter) throws -> T
  ) async throws -> T {
    try await unit(isDurable: isDurable) { rows in
      let context = EntityContext(self, kind: .unit, connection: rows.connection, rows: rows)
      defer { context.finish() }
      let result = try work(context, rows)
      try context.saving.throwMistakes()
      return result
    }
  }
}
