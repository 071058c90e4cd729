import Synchronization

/// Follows the pending changes of a store, and the entries of its outbox, for the outbox.
package final class PendingWatch: Sendable {
  private let core: StoreCore
  private let subscription: CommitSubscription
  /// The last news, and the generation that it begins after: whoever asks again after that generation gets it again.
  private let told = Mutex((after: Int64(-1), news: News(generation: -1)))

  package init(_ core: StoreCore) {
    self.core = core
    subscription = CommitSubscription(core, isOfPending: true)
  }

  /// Waits for a commit.
  ///
  /// - Returns: `false` when the task was cancelled, and once the store was closed.
  package func wait() async -> Bool { atCaller(await subscription.wait(nil)) }

  /// The rows whose pending changes may have changed, of commits after a generation. The file is looked at, because
  /// commits of other processes are known a moment later.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func news(after covered: Int64) async throws -> News {
    let present: Int64
    do { present = atCaller(try await core.reading { $0.generation }) } catch { throw atCaller(error) }
    var found = told.withLock { $0.after == covered ? $0.news : News(generation: covered) }
    guard present != found.generation else { return found }
    let news = atCaller(await subscription.wholeNews(after: found.generation, upTo: present, nil))
    found.generation = max(found.generation, news.generation)
    take(news, into: &found)
    told.withLock { [found] in $0 = (covered, found) }
    return found
  }

  private func take(_ news: CommitNews, into found: inout News) {
    guard !news.hasUnknown else {
      found.rows = nil
      found.changesNotes = true
      return
    }
    for summary in news.summaries where summary.changesNotes {
      found.changesNotes = true
      for (entity, changes) in summary.entities {
        // A pair that changed names no owner.
        guard case .rows(let rows) = changes, !core.schema.entities[entity].isLinks else {
          found.rows = nil
          return
        }
        found.rows?.formUnion(rows.keys.lazy.map { RowKey(entity: entity, pk: $0) })
      }
      found.rows?.formUnion(summary.noted)
      for forward in summary.forwards {
        found.rows?.insert(RowKey(entity: forward.entity, pk: forward.from))
        found.rows?.insert(RowKey(entity: forward.entity, pk: forward.to))
      }
    }
  }

  package struct News: Sendable {
    /// The generation up to which the news goes.
    package var generation: Int64
    /// Whether pending changes or entries may have changed.
    package var changesNotes = false
    /// The rows; `nil` where any row may have changed.
    package var rows: Set<RowKey>? = []
  }
}
