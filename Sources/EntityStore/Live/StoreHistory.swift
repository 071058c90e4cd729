public import Foundation

/// The commits of a store, of this process and of others, as the file keeps them. ``StoreOptions/history`` turns it on.
///
/// ```swift
/// let news = try await store.history.commits(after: token)
/// for commit in news { print(commit.author, commit.changes(of: User.self).deleted.map(\.uid)) }
/// token = news.token
/// ```
public struct StoreHistory: Sendable {
  let core: StoreCore

  /// Whether the file keeps a history, and for how long.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public func policy() async throws -> StoreOptions.History {
    try await core.read { try HistoryTables.policy($0.connection) }
  }

  /// The place after the last commit.
  ///
  /// - Throws: ``StoreError`` of kind `historyGone` where the file keeps no history; `CancellationError`.
  public func token() async throws -> StoreHistory.Token { try await core.read { try $0.historyToken() } }

  /// The commits after a place, up to the last one.
  ///
  /// - Parameters:
  ///   - token: The place; `nil` begins at the first commit from which on the file has all commits.
  ///   - authors: The authors whose commits are read. The changes of others cost nothing.
  ///   - limit: The most commits. Their changes are read into memory.
  /// - Returns: The commits, and the place after them.
  /// - Throws: ``StoreError`` of kind `historyGone` where the file keeps no history, or lacks a commit after the token: it was
  ///   pruned, a migration changed rows, or the token is of another store. `CancellationError`.
  public func commits(
    after token: StoreHistory.Token? = nil, by authors: StoreHistory.Authors = .all, limit: Int = .max
  ) async throws -> StoreHistory.Commits {
    let schema = core.schema
    return try await core.read { context in
      let log = HistoryLog(connection: context.connection, schema: schema)
      let (store, start) = (try log.identity(), try token.map { try log.generation(of: $0) } ?? log.start())
      return StoreHistory.Commits(
        try log.commits(after: start, limit: Swift.max(limit, 0), authors.contains), store: store, schema)
    }
  }

  // MARK: Pruning

  /// Removes the commits up to a place, after all followers of the history have read them. Earlier tokens are then
  /// `historyGone`.
  ///
  /// - Parameter token: The place. The token itself can still be used to read on.
  /// - Throws: ``StoreError``: `historyGone` for a token of another store; `writerBusy`, `readOnly`, `diskFull`.
  ///   `CancellationError`.
  public func prune(upTo token: StoreHistory.Token) async throws {
    try await core.unit { rows in
      let generation = try HistoryLog(connection: rows.connection, schema: rows.schema).generation(of: token)
      rows.history.notePruned()
      try rows.connection.prepare("DELETE FROM \(HistoryTables.commits) WHERE generation <= ?").run([
        .integer(generation)
      ])
      try HistoryCare.removeRest(rows.connection)
    }
  }

  /// Removes the commits that were made before a time. A store with ``StoreOptions/History/keeping(_:)`` does so by itself.
  ///
  /// - Parameter date: The time.
  /// - Throws: ``StoreError``: `historyGone` where the file keeps no history; `writerBusy`, `readOnly`, `diskFull`.
  ///   `CancellationError`.
  public func prune(before date: Date) async throws {
    try await core.unit { rows in
      _ = try HistoryLog(connection: rows.connection, schema: rows.schema).identity()
      rows.history.notePruned()
      _ = try HistoryCare.removeCommits(before: date.timeIntervalSince1970, rows.connection)
      try HistoryCare.removeRest(rows.connection)
    }
  }
}

extension EntityStore {
  /// The commits of the store in its file, where ``StoreOptions/history`` keeps them there. ``commits`` needs nothing
  /// in the file, names no author, and ends with the process.
  public var history: StoreHistory { StoreHistory(core: core) }
}
