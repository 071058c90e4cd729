import Synchronization

/// Hands out row ids that are never used again.
///
/// Ids come from ranges that the writer leases in the file, in a transaction. So an id that a context gives to a new
/// object is final before any row is written. When a store closes, the rest of its range is skipped; there are 2^63
/// ids. A range is leased before the first unit of work, or before that when an id is needed. So a store that is only
/// read writes nothing.
final class PrimaryKeys: Sendable {
  /// A range of ids that was leased in the file; `next` is the first unused id.
  struct Lease: Sendable {
    var next: Int64 = 0
    var end: Int64 = 0

    mutating func removeFirst() -> Int64? {
      guard next < end else { return nil }
      defer { next += 1 }
      return next
    }
  }

  static let leased: Int64 = 65_536
  private let range = Mutex(Lease())

  /// For contexts outside the writer; `nil` when a new range must be leased.
  func removeFirst() -> Int64? { range.withLock { $0.removeFirst() } }

  var isEmpty: Bool { range.withLock { $0.next >= $0.end } }

  func refill(_ new: Lease) { range.withLock { $0 = new } }

  /// Leases a range within the current write transaction.
  ///
  /// - Parameters:
  ///   - count: The number of ids in the range.
  ///   - floor: The end of the last range that was leased, in a transaction that may have been rolled back.
  static func lease(_ count: Int64 = leased, on connection: Connection, above floor: Int64) throws -> Lease {
    let ends = try connection.rows(
      "UPDATE main._entity_store SET value = max(value, ?) + ? WHERE key = 'next_pk' "
        + "AND typeof(value) = 'integer' AND value > 0 RETURNING value",
      [.integer(floor), .integer(count)]
    ) { $0.value(0) }
    let end = try Bookkeeping.nextPK.check(ends.first, of: connection.location)
    return Lease(next: end - count, end: end)
  }
}
