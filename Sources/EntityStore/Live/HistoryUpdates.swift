extension StoreHistory {
  /// The commits after a place in the history, and those to come: see ``StoreHistory/updates(after:by:)``.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = StoreHistory.Commits
    public typealias Failure = any Error

    let core: StoreCore
    let token: StoreHistory.Token?
    let authors: StoreHistory.Authors

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads when it is asked for the next commits. Iterators do not depend on each other.
    public struct Iterator: AsyncIteratorProtocol {
      private let updates: StoreHistory.Updates
      private let subscription: CommitSubscription
      /// The place after the commits that were read.
      private var token: StoreHistory.Token?
      private var hasRead = false
      private var isOver = false

      /// The most commits of an element, and the changed rows after which one ends.
      private static let (commits, rows) = (100, 10_000)

      fileprivate init(_ updates: StoreHistory.Updates) {
        self.updates = updates
        token = updates.token
        subscription = CommitSubscription(updates.core)
      }

      /// The next commits, at least one, as soon as there are any; `nil` when the task was cancelled, and once the store was
      /// closed.
      ///
      /// - Throws: ``StoreError``, of kind `closed` where the store was closed before the first read; the sequence is over then.
      public mutating func next() async throws -> StoreHistory.Commits? {
        do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
      }

      /// Does the same as ``next()``.
      ///
      /// - Parameter actor: The actor of the caller.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws -> StoreHistory.Commits? {
        let result = await result(actor)
        if case .success(.some) = result {} else { isOver = true }
        return try result.get()
      }

      private mutating func result(_ actor: isolated (any Actor)?) async -> Result<StoreHistory.Commits?, any Error> {
        while !isOver {
          do {
            let commits = try await read(actor)
            hasRead = true
            token = commits.token
            if !commits.isEmpty { return .success(commits) }
          } catch {
            if Task.isCancelled { return .success(nil) }
            guard hasRead, updates.core.isLeaving(error) else { return .failure(error) }
          }
          // All commits up to here are read: their summaries need not be kept.
          _ = subscription.news(after: token?.generation ?? 0)
          guard await subscription.wait(actor) else { return .success(nil) }
        }
        return .success(nil)
      }

      private func read(_ actor: isolated (any Actor)?) async throws -> StoreHistory.Commits {
        let (token, authors, schema) = (token, updates.authors, updates.core.schema)
        let (limit, rows) = (Self.commits, Self.rows)
        return try await updates.core.read { context in
          let log = HistoryLog(connection: context.connection, schema: schema)
          let (store, start) = (try log.identity(), try token.map { try log.generation(of: $0) } ?? log.start())
          let part = try log.commits(after: start, limit: limit, rows: rows, authors.contains)
          return StoreHistory.Commits(part, store: store, schema)
        }
      }
    }
  }

  /// The commits after a place: those that are there and those to come, also of other processes. It serves an index, a
  /// widget, or a mirror. Commits come in groups. Process a group, keep its ``StoreHistory/Commits/token``, and go on from
  /// the token in the next run.
  ///
  /// ```swift
  /// for try await commits in store.history.updates(after: token, by: .except(["widget"])) {
  ///   for commit in commits { await index.update(commit.changes(of: User.self)) }
  ///   try save(commits.token)
  /// }
  /// ```
  ///
  /// The sequence ends when its task is cancelled, and when the store is closed. It throws where the history lacks a commit:
  /// see ``commits(after:by:limit:)``. An iterator is for one task.
  ///
  /// - Parameters:
  ///   - token: The place; `nil` begins at the first commit from which on the file has all commits.
  ///   - authors: The authors whose commits are elements. A group without commits is left out.
  public func updates(after token: StoreHistory.Token? = nil, by authors: StoreHistory.Authors = .all)
    -> StoreHistory.Updates
  {
    StoreHistory.Updates(core: core, token: token, authors: authors)
  }
}
