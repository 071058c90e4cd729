package import EntityStore

extension StoreCore {
  /// Upserts a response: one transaction on the writer. Nothing of it is written when anything fails, or when the task is
  /// cancelled before the commit.
  ///
  /// - Throws: ``MappingError``; ``StoreError``; ``TooManyMissing``; `CancellationError`.
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    try await attempt(upsert)
  }

  /// One attempt at a response: a unit of work with a session and a context of its own. An attempt that fails is undone as a
  /// whole, and leaves nothing in memory either, so the response can be attempted again.
  func attempt<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    guard upsert.options.isDryRun else { return try await unit { try self.take(upsert, $0) } }
    do {
      return try await unit { rows -> ResponseOutcome<E> in
        rows.deletions = DeletionLog()
        var outcome = try self.take(upsert, rows)
        outcome.details.wouldDelete = rows.deletions?.objects ?? DeletedObjects()
        throw DryRunEnd(outcome: outcome)
      }
    } catch let end as DryRunEnd<E> {
      return end.outcome
    }
  }

  /// Ends the unit of a dry run, and with that undoes it.
  private struct DryRunEnd<E: RemoteEntity>: Error {
    let outcome: ResponseOutcome<E>
  }

  /// Takes a response in within a unit of work.
  private func take<E: RemoteEntity>(_ upsert: ResponseUpsert<E>, _ rows: RowWriter) throws -> ResponseOutcome<E> {
    let session = UpsertSession(
      self, sequence: upsert.sequence, upsert.localEdits.policy, skips: SkipLog(), rows: rows,
      delivery: upsert.context?.delivery)
    rows.skips = session.skips
    let context = EntityContext.ofResponse(self, rows)
    defer {
      session.postponed.removeAll()
      context.finish()
    }
    let objects = Mapper(ObjectTarget(context, session))
    let mapper = Mapper(RowTarget(rows, objects))
    let outcome = try CurrentUpsert.with(objects) {
      try ResponseTransaction(upsert, rows, session, mapper).run()
    }
    try context.throwMistakes()
    rows.afterCommit {
      session.leaveStamps()
      upsert.walk?.add(session.seen.mentioned)
    }
    return outcome
  }
}
