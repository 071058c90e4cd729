/// The space that a store takes, in bytes. See ``EntityStore/EntityStore/fileSizes()``.
public struct StoreFileSizes: Sendable, Hashable {
  /// The database, with what is free in it; of a store in memory too.
  public let database: Int64
  /// The log; 0 in memory.
  public let log: Int64
  /// The part of the database that is of deleted rows, and that ``EntityStore/EntityStore/vacuum()`` gives back.
  public let free: Int64
}
