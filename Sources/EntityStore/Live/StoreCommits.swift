/// The commits of a store, see ``EntityStore/EntityStore/commits``.
public struct StoreCommits: AsyncSequence, Sendable {
  public typealias Failure = Never

  let core: StoreCore

  /// Commits count from here on.
  public func makeAsyncIterator() -> Iterator { Iterator(core) }

  public struct Iterator: AsyncIteratorProtocol {
    private let core: StoreCore
    private let subscription: CommitSubscription
    /// The last generation that was handed out.
    private var covered: Int64
    /// In reverse.
    private var waiting: [StoreCommit] = []

    fileprivate init(_ core: StoreCore) {
      self.core = core
      subscription = CommitSubscription(core)
      covered = subscription.generation
    }

    public mutating func next() async -> StoreCommit? { await next(isolation: nil) }

    /// The next commit; `nil` when the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreCommit? {
      while waiting.isEmpty {
        guard await subscription.wait(actor) else { return nil }
        waiting = commits(await subscription.wholeNews(after: covered, actor)).reversed()
      }
      return waiting.popLast()
    }

    private mutating func commits(_ news: CommitNews) -> [StoreCommit] {
      var commits: [StoreCommit] = []
      for summary in news.summaries {
        appendUnknown(upTo: summary.first - 1, to: &commits)
        commits.append(
          StoreCommit(
            generations: summary.first...summary.last, schema: core.schema,
            changes: summary.hasGap ? nil : summary.entities))
        covered = Swift.max(covered, summary.last)
      }
      appendUnknown(upTo: news.generation, to: &commits)
      return commits
    }

    /// Commits that this process did not make.
    private mutating func appendUnknown(upTo generation: Int64, to commits: inout [StoreCommit]) {
      guard covered < generation else { return }
      commits.append(
        StoreCommit(generations: covered + 1...generation, schema: core.schema, changes: nil))
      covered = generation
    }
  }
}

extension EntityStore {
  /// The commits from now on, whoever makes them: which objects came, changed and went. It is for indexes, widgets,
  /// logs, and all other code that follows the whole store.
  ///
  /// ```swift
  /// for await commit in store.commits {
  ///   let users = commit.changes(of: User.self)
  ///   if users.mayBeAny { await index.rebuild() } else { await index.update(users.inserted, users.deleted) }
  /// }
  /// ```
  ///
  /// Commits of other processes since the store was opened may come first. Commits without changes are left out. A
  /// caller that asks seldom gets commits together: see ``StoreCommit/generations``. The sequence ends when its task is
  /// cancelled. An iterator is for one task.
  public var commits: StoreCommits { StoreCommits(core: core) }
}
