/// The number of objects of a response that were inserted, updated and so on.
public struct EntityCounts: Sendable, Hashable {
  /// New here, or known only as a placeholder before. An object with nothing but its uid counts as new when another
  /// object first refers to it.
  public var inserted = 0
  /// At least one column changed.
  public var updated = 0
  /// Equal to the rows in the store: nothing was written.
  public var unchanged = 0
  /// Deleted because the request asked for it, or the response said that they are gone.
  public var deleted = 0
  /// Still there, although the response lacks them or says that they are deleted, or DELETE deleted them on the server:
  /// another object requires them, or a delete rule denies the deletion. When nothing prevents it any more, a later
  /// response that lacks them, or says again that they are deleted, deletes them.
  public var denied = 0
  /// Objects of the response that were skipped because they can't be taken in; see ``ResponseOptions/skipping``.
  public var refused = 0
  /// Rows written in all entities, including the rows of nested objects.
  public var rowsWritten = 0

  public init() {}

  mutating func add(_ other: EntityCounts) {
    inserted += other.inserted
    updated += other.updated
    unchanged += other.unchanged
    deleted += other.deleted
    denied += other.denied
    refused += other.refused
    rowsWritten += other.rowsWritten
  }
}
