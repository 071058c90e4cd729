/// The space that a store takes, in bytes. See ``EntityStore/EntityStore/fileSizes()``.
public struct StoreFileSizes: Sendable, Hashable {
  /// The database with its free pages, also for a store in memory.
  public let database: Int64
  /// The log; 0 in memory.
  public let log: Int64
  /// The part of the database that deleted rows have left, and that ``EntityStore/EntityStore/vacuum()`` gives back.
  public let free: Int64
}
