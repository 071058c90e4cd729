package import EntityStore
import Synchronization

extension StoreCore {
  /// Upserts a response in one transaction on the writer. Nothing is written when anything fails, or when the task is
  /// cancelled before the commit.
  ///
  /// If objects may be skipped, and an attempt fails for an object, a search finds all such objects. A further attempt
  /// passes over them. The committed rows come from one attempt alone.
  ///
  /// - Throws: ``MappingError``; ``StoreError``; ``TooManyMissing``; ``DoubtfulDeletion``; `CancellationError`.
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    var upsert = upsert
    // A further attempt starts anew, but its progress does not go back.
    if let progress = upsert.progress {
      let most = MostProgress()
      upsert.progress = { if most.takes($0) { progress($0) } }
    }
    var refusals = Refusals()
    var failures = 0
    while true {
      do {
        return try await attempt(upsert, without: refusals)
      } catch is BatchFailure {
        // The next attempt takes each object by itself. It shows which object the error is about, and whether there is
        // an error at all.
        upsert.isBatching = false
      } catch let failure as RefusedObjects {
        failures += 1
        var found = failure.refusals
        if failures == 1 {
          let searched = try await searchedRefusals(of: upsert)
          if !searched.isEmpty { found = searched }
        }
        // An object that requires a skipped object is skipped in turn. The ninth failed attempt is the last.
        guard refusals.add(found), failures <= 8 else { throw failure.error }
      }
    }
  }

  /// One attempt at a response: a unit of work with a session and a context of its own. An attempt that fails is undone as a
  /// whole, and leaves nothing in memory either, so the response can be attempted again.
  ///
  /// - Parameter refusals: The objects that are passed over.
  /// - Throws: ``RefusedObjects`` when further objects might be skipped.
  private func attempt<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, without refusals: Refusals
  ) async throws -> ResponseOutcome<E> {
    guard upsert.options.isDryRun else { return try await unit { try self.take(upsert, without: refusals, $0) } }
    do {
      return try await unit { rows -> ResponseOutcome<E> in
        rows.notes.deletions = DeletionLog()
        var outcome = try self.take(upsert, without: refusals, rows)
        outcome.details.wouldDelete = rows.notes.deletions?.objects ?? DeletedObjects()
        throw UnitEnd(result: outcome)
      }
    } catch let end as UnitEnd<ResponseOutcome<E>> {
      return end.result
    }
  }

  /// The objects of a response that can't be taken in.
  ///
  /// Each object is taken in by itself, with a session of its own, and undone if it fails. The unit is undone, too. The
  /// session of a failed object is dropped with all that it noted. The checks at the end of a response are left to the
  /// next attempt.
  private func searchedRefusals<E: RemoteEntity>(of upsert: ResponseUpsert<E>) async throws -> Refusals {
    do {
      return try await unit { rows -> Refusals in
        var refusals = Refusals()
        // All pieces share the rows that were made for nested objects: such a row is new, whichever piece has its
        // object.
        let seen = SeenRows()
        seen.counted = Set(self.schema.entities.map(\.number))
        try upsert.forEachPiece { piece in
          try Task.checkCancellation()
          do {
            try rows.atomically {
              try self.within(piece, without: Refusals(), rows, seen: seen) { try $0.takeObjects() }
            }
          } catch let failure as RefusedObjects {
            _ = refusals.add(failure.refusals)
          }
        }
        throw UnitEnd(result: refusals)
      }
    } catch let end as UnitEnd<Refusals> {
      return end.result
    }
  }

  /// The error that undoes a unit and hands its result on.
  private struct UnitEnd<Result: Sendable>: Error {
    let result: Result
  }

  /// Takes a response in within a unit of work.
  private func take<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, without refusals: Refusals, _ rows: RowWriter
  ) throws -> ResponseOutcome<E> {
    rows.notes.noteRepeats()
    var outcome = try within(upsert, without: refusals, rows) { try $0.run() }
    outcome.counts.refused = refusals.count
    var refused = refusals.values
    refused.add(outcome.details.refused)
    outcome.details.refused = refused
    if var note = upsert.note {
      // After "not modified" the objects that were not taken in would never come.
      if !refused.isEmpty || upsert.options.mode == .updateOnly { note.text = nil }
      try rows.answerNotes.keep(note, outcome, upsert, hasOlder: requests.hasOlder(than: upsert.sequence))
    }
    if let position = upsert.position { try rows.answerNotes.keep(position) }
    try upsert.listing?(
      rows,
      ListedObjects(
        pks: outcome.listed, left: outcome.left, hasGone: outcome.hasGone,
        areAll: refused.isEmpty && upsert.options.mode != .updateOnly,
        sequence: upsert.sequence, hasOlder: requests.hasOlder(than: upsert.sequence)))
    return outcome
  }

  /// Runs `body` with a session and a context of its own.
  private func within<E: RemoteEntity, T>(
    _ upsert: ResponseUpsert<E>, without refusals: Refusals, _ rows: RowWriter, seen: SeenRows = SeenRows(),
    _ body: (ResponseTransaction<E>) throws -> T
  ) throws -> T {
    let session = UpsertSession(
      self, sequence: upsert.sequence, upsert.localEdits.policy, rows: rows, options: upsert.options, seen: seen)
    session.trail.delivery = upsert.context?.delivery
    rows.notes.skips = session.skips
    let context = ContextAnswers.ofResponse(self, rows)
    defer {
      session.postponed.removeAll()
      context.finish()
    }
    let objects = Mapper(ObjectTarget(context, session))
    let mapper = Mapper(RowTarget(rows, objects))
    objects.target.rowMapper = mapper
    defer { objects.target.rowMapper = nil }
    let result: T
    do {
      result = try CurrentUpsert.with(objects) {
        try body(try ResponseTransaction(upsert, without: refusals, rows, session, mapper))
      }
      try context.saving.throwMistakes()
    } catch {
      guard upsert.options.skips, !(error is RefusedObjects) else { throw error }
      // The error of a piece is about its one object.
      throw RefusedObjects(error, at: upsert.piece == nil ? nil : session.places.current, as: E.entityName) ?? error
    }
    guard upsert.piece == nil else { return result }
    rows.afterCommit {
      session.leaveStamps()
      upsert.walk?.add(session.seen.mentioned)
      upsert.versions?.add(session.versions)
    }
    return result
  }
}

/// The farthest progress of the attempts at a response.
private final class MostProgress: Sendable {
  private let most = Mutex(-1.0)

  /// Whether the progress is farther than any before.
  func takes(_ progress: Double) -> Bool {
    most.withLock { most in
      guard progress > most else { return false }
      most = progress
      return true
    }
  }
}
