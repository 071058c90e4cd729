public import Foundation

/// What went wrong in a store: what happened, where, and what to do about it.
///
/// The message names entities, properties and SQL, never values: values may be private.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// The declared entities do not make a schema: an unknown target, a wrong inverse, a reserved name.
    case invalidSchema
    /// The file holds another schema, and the difference is not one that is applied by itself.
    case schemaMismatch
    /// The file is not a database, or belongs to another application.
    case notAStore
    case cannotOpen
    /// The writer did not become free within `busyTimeout`. The message says for whom it was waited: for a unit of work of
    /// this store, or for another process or store that writes to the file.
    case writerBusy
    /// Reads that run took all readers, and none began or ended within `busyTimeout`.
    case readersBusy
    /// A change in a context that only reads.
    case readOnly
    /// The object, or the row behind it, was deleted.
    case objectDeleted
    /// A uid or unique value that another row holds.
    case uniqueViolation
    /// A delete rule of `.deny` and objects that still refer to the one being deleted.
    case deleteDenied
    /// A link to a row that is not there.
    case brokenLink
    /// An entity type that the store was not opened with.
    case unknownEntity
    /// An object of one context was used in another one.
    case wrongContext
    /// A value that can't be stored in, or read from, its column.
    case invalidValue
    case diskFull
    case corrupt
    /// Any other error of SQLite; see ``sqliteCode``.
    case sqlite
  }

  public let kind: Kind
  public let message: String
  /// SQLite's extended result code (https://sqlite.org/rescode.html).
  public let sqliteCode: Int32?
  /// The statement that failed, with its parameters unbound.
  public let sql: String?

  public init(_ kind: Kind, _ message: String, sqliteCode: Int32? = nil, sql: String? = nil) {
    self.kind = kind
    self.message = message
    self.sqliteCode = sqliteCode
    self.sql = sql
  }

  public var description: String {
    var text = message
    if let sqliteCode { text += " (SQLite \(sqliteCode))" }
    if let sql { text += " in: \(sql)" }
    return text
  }
}

extension StoreError: LocalizedError {
  public var errorDescription: String? { description }
}
