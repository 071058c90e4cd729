/// The number of objects of a response that were inserted, updated and so on.
public struct EntityCounts: Sendable, Hashable {
  /// New here, or known only as a placeholder before. An object that has nothing but its uid is new when another one
  /// first refers to it.
  public var inserted = 0
  /// At least one column changed.
  public var updated = 0
  /// Equal to the rows in the store: nothing was written.
  public var unchanged = 0
  /// Deleted because the request asked for it, or the response said that they are gone.
  public var deleted = 0
  /// Missing from the response, said to be deleted by it, or deleted on the server by DELETE, and still there: another object
  /// requires them, or a delete rule denies it. They go with a later response that lacks them or says it again, once nothing
  /// is in the way.
  public var denied = 0
  /// Objects of the response that were skipped because they can't be taken in; see ``ResponseOptions/skipping``.
  public var refused = 0
  /// Rows written in all entities, those of nested objects included.
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
