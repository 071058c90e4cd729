public import Foundation

/// An error of a store: its cause, its place, and a remedy.
///
/// The message names entities, properties and SQL, never values: values may be private.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable {
    /// The declared entities do not make a schema: an unknown target, a wrong inverse, a reserved name.
    case invalidSchema
    /// The file has another schema, and the store does not remove the difference by itself; or the file is from a newer
    /// version of the app.
    case schemaMismatch
    /// A step of a migration threw, or left the file in a state that differs from the file's own schema. The file is as
    /// it was before the step. ``underlying`` is the error of the step.
    case migrationFailed
    /// The file is not a database, has texts in UTF-16, or belongs to another application.
    case notAStore
    case cannotOpen
    /// The location can't be a file: it is a folder, a device, a pipe or a socket, or a URL that is no file URL.
    case invalidLocation
    /// The writer did not become free within `busyTimeout`. The message names who held it: a unit of work of this
    /// store, or another process or store that writes to the file.
    case writerBusy
    /// Running reads hold all readers, and no read began or ended within `busyTimeout`.
    case readersBusy
    /// A change in a context that only reads, or in a file that can't be written.
    case readOnly
    /// The object, or the row behind it, was deleted.
    case objectDeleted
    /// Others have changed properties since these were edited in the context that saves them, see
    /// ``StoreError/conflicts``. Or others have changed the values that an undo would change back, see
    /// ``StoreError/objects``.
    case conflict
    /// A uid or unique value that another row holds, or values that are unique together.
    case uniqueViolation
    /// A delete rule of `.deny` and objects that still refer to the one being deleted.
    case deleteDenied
    /// A link to a row that is not there.
    case brokenLink
    /// The store can't be emptied, because it has changes that the server has not acknowledged.
    case pendingChanges
    /// An entity type that the store was not opened with, or an entity of an archive that the store does not have.
    case unknownEntity
    /// The text to be restored is no archive of a store.
    case notAnArchive
    /// A newer version of this package wrote the archive, in a format that this version does not read.
    case newerArchive
    /// The archive differs from what was written: a part of it is missing, or was changed.
    case damagedArchive
    /// An object of one context was used in another one.
    case wrongContext
    /// The store of an object, or of the main context, is gone: nobody holds it.
    case storeGone
    /// A value that can't be stored in, or read from, its column.
    case invalidValue
    /// A query that can't be run in this form.
    case invalidQuery
    /// Objects break rules of their entities, or lack the object of a required relationship; see ``StoreError/problems`` and
    /// ``ValidatedEntity``.
    case invalidObject
    /// There is no space for the changes. The store can still be read.
    case diskFull
    /// The file has contents that SQLite never wrote: another program or a fault of the medium changed it.
    case corrupt
    /// The system could not read or write the file, or its folder: the medium is faulty or was removed.
    case ioError
    /// SQLite got no memory.
    case outOfMemory
    /// A value, a statement or a row is longer than SQLite's limits (https://sqlite.org/limits.html).
    case tooLarge
    /// A statement of the same process holds rows that another one is to change, or the locks of the file are not
    /// available.
    case locked
    /// The file of an open store, or a file beside it that belongs to it, was deleted, moved or replaced.
    case fileGone
    /// Another process has written a file that the store opened as a file that nobody writes: on a full disk, or on a
    /// read-only medium.
    case fileChanged
    /// The store was closed.
    case closed
    /// A file that was to be deleted or replaced is open elsewhere.
    case inUse
    /// The store was to be closed, or a save to be undone, and the main context has unsaved changes.
    case unsavedChanges
    /// The file keeps no history, or the history lacks commits after the token: see ``StoreHistory``.
    case historyGone
    /// Any other error of SQLite; see ``sqliteCode``.
    case sqlite
  }

  public let kind: Kind
  public private(set) var message: String
  /// SQLite's extended result code (https://sqlite.org/rescode.html).
  public let sqliteCode: Int32?
  /// The statement that failed, with its parameters unbound.
  public let sql: String?
  /// The objects that the error is about, first the object whose change is refused; empty for an error without objects.
  ///
  /// ``EntityContext/object(_:)-(AnyEntityID)`` returns such an object, and ``EntityContext/rollback(_:)`` drops its
  /// changes, so that the other changes can be saved.
  public private(set) var objects: [AnyEntityID]
  /// The properties that others have changed since they were edited here, with the values of both sides: all conflicts
  /// that make the save fail. See ``ConflictPolicy``.
  public internal(set) var conflicts: [Conflict] = []
  /// The error that a step of a migration threw, and the cause of an error of kind `invalidObject`.
  public internal(set) var underlying: (any Error)?
  /// Whether the process had too many open files. Such an error says nothing about the store's file.
  var lacksDescriptors = false

  public init(
    _ kind: Kind, _ message: String, sqliteCode: Int32? = nil, sql: String? = nil, objects: [AnyEntityID] = []
  ) {
    self.kind = kind
    self.message = message
    self.sqliteCode = sqliteCode
    self.sql = sql
    self.objects = objects
  }

  /// Whether it is about the file, or the machine, and no row: written in another way, the same rows would meet it again.
  var isOfFile: Bool {
    [.diskFull, .corrupt, .ioError, .outOfMemory, .locked, .fileGone, .fileChanged, .closed].contains(kind)
  }

  /// The same error about other objects, each named once.
  func naming(_ objects: [AnyEntityID]) -> StoreError {
    var known: Set<AnyEntityID> = []
    var error = self
    error.objects = objects.filter { known.insert($0).inserted }
    return error
  }

  /// The same error with more text at its end.
  func adding(_ text: String) -> StoreError {
    var error = self
    error.message = "\(message) \(text)"
    return error
  }

  /// The same error with more text before it.
  package func beginning(_ text: String) -> StoreError {
    var error = self
    error.message = "\(text) \(message)"
    return error
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
