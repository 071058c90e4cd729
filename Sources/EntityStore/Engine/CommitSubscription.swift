/// Follows the commits of a store from a task, for a sequence. Commits are summed up for it as long as it exists.
final class CommitSubscription: Sendable {
  private let core: StoreCore
  private let log: SummaryLog
  private let commits: AsyncStream<Void>

  /// - Parameter isOfPending: As in ``SummaryLog/isOfPending``.
  init(_ core: StoreCore, isOfPending: Bool = false) {
    self.core = core
    // One waiting call is enough: it takes all commits until then together.
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    commits = stream
    log = SummaryLog(
      isOfPending: isOfPending, committed: { continuation.yield() }, ended: { continuation.finish() })
    core.follow(log)
  }

  deinit { core.unfollow(log) }

  /// The last generation that is known to be in the file.
  var generation: Int64 { core.followers.generation }

  /// Waits for commits.
  ///
  /// - Returns: `false` when the task was cancelled, and once the store was closed.
  func wait(_ isolation: isolated (any Actor)?) async -> Bool {
    var iterator = commits.makeAsyncIterator()
    return await iterator.next(isolation: isolation) != nil
  }

  /// The commits after the generation `covered`, up to another one, or up to the last one that is known.
  func news(after covered: Int64, upTo generation: Int64? = nil) -> CommitNews {
    log.drain(after: covered, upTo: generation ?? self.generation)
  }

  /// Does the same as ``news(after:upTo:)``, and adds the commits of other processes, where the file keeps its history.
  func wholeNews(
    after covered: Int64, upTo generation: Int64? = nil, _ isolation: isolated (any Actor)?
  ) async -> CommitNews {
    let news = news(after: covered, upTo: generation)
    guard news.hasUnknown else { return news }
    let schema = core.schema
    let whole = try? await core.reading { snapshot in
      news.completed(by: HistoryLog(connection: snapshot.connection, schema: schema), after: covered)
    }
    return whole ?? news
  }
}
