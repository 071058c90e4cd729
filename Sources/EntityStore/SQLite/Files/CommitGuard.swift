import CSQLite

/// Refuses each commit within a transaction that its connection did not ask for.
///
/// Where the schema changed after a statement was prepared, SQLite undoes the statement and runs it once more by itself
/// (https://sqlite.org/c3ref/prepare.html). Without memory for the undo, SQLite ends the transaction instead, and
/// reports no error. Without the guard, it would commit the second run at once, without the rest of the transaction
/// (seen with 3.40.1).
///
/// Only its connection uses it, and it lives as long as the connection.
final class CommitGuard {
  var isRefusing = false

  /// A commit that the hook refuses is rolled back (https://sqlite.org/c3ref/commit_hook.html).
  func install(on handle: OpaquePointer) {
    sqlite3_commit_hook(
      handle,
      { guardian in
        guard let guardian else { return 0 }
        return Unmanaged<CommitGuard>.fromOpaque(guardian).takeUnretainedValue().isRefusing ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
