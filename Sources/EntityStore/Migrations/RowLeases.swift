/// The row ids that one connection leases in the file, over its transactions.
///
/// It is a class, so that no access to a variable lasts while the file is read. Each new row takes a key, and the
/// compiler proves that these accesses are exclusive.
final class RowLeases {
  private var keys = PrimaryKeys.Lease()
  /// The end of the last leased range. A rollback takes the lease out of the file, but ids may still be in memory: this
  /// process uses no id of the range again.
  private var end: Int64 = 0
  /// Whether the current transaction leased a range.
  private(set) var hasLeased = false
  /// Whether a part of the current transaction was undone, with the lease.
  private var isLost = false

  /// A transaction begins.
  func begin() {
    hasLeased = false
    isLost = false
  }

  func newPrimaryKey(on connection: Connection) throws -> Int64 {
    if let pk = keys.removeFirst() { return pk }
    keys = try lease(on: connection)
    guard let pk = keys.removeFirst() else { throw StoreError(.sqlite, "No row id could be leased.") }
    return pk
  }

  /// Leases a range within the current transaction.
  func lease(
    _ count: Int64 = PrimaryKeys.leased, on connection: Connection
  ) throws -> PrimaryKeys.Lease {
    let range = try PrimaryKeys.lease(count, on: connection, above: end)
    end = range.end
    hasLeased = true
    isLost = false
    return range
  }

  /// Some changes of the transaction were undone.
  func undone(on connection: Connection) throws {
    guard hasLeased else { return }
    // Where this fails, it is tried again before the commit, and then the commit fails too.
    isLost = true
    try keep(on: connection)
  }

  /// Leases a lost range again.
  func keep(on connection: Connection) throws {
    guard isLost else { return }
    try connection.prepare("UPDATE main._entity_store SET value = max(value, ?) WHERE key = 'next_pk'").run([
      .integer(end)
    ])
    isLost = false
  }

  /// The transaction was rolled back: another process may have leased the same range by now.
  func rolledBack() {
    if hasLeased { keys = PrimaryKeys.Lease() }
  }
}
