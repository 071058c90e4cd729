import CRivals
import EntityClient
import Foundation
import GRDB
import Synchronization

/// The tables of a case: those that a store of ours makes, and its rivals as well.
struct Tables: Sendable {
  /// The first one's objects are the elements of a response.
  let entities: [any ManagedEntity.Type]
  /// Selects the values of all rows, in the order of the uids, without the keys, which each database chooses.
  let digest: String

  /// The table that has the elements of a response.
  var root: String { entities.first?.entityName ?? "" }

  /// Users with their addresses.
  static let standard = Tables(
    entities: [DeclaredUser.self, DeclaredAddress.self],
    digest: """
      SELECT u.uid, u.email, u.firstName, u.lastName, u.age, u.score, u.active, u.createdAt, u.bio, a.uid, a.street, a.city,
      a.state, a.zip FROM "User" u LEFT JOIN "Address" a ON a._pk = u.address ORDER BY u.uid
      """)

  /// The SQL that makes them.
  func statements() throws -> [String] {
    if let known = Self.known.withLock({ $0[root] }) { return known }
    let scratch = try Scratch()
    let store = try EntityStore(.file(scratch.file), entities: entities)
    let made = try withExtendedLifetime(store) {
      try DatabaseQueue(path: scratch.file.path).read { database in
        // SQLite makes the tables of a search with it, and its own with the first AUTOINCREMENT.
        try String.fetchAll(
          database,
          sql: """
            SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_'
            AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
            """)
      }
    }
    Self.known.withLock { $0[root] = made }
    return made
  }

  /// By the name of the root.
  private static let known = Mutex<[String: [String]]>([:])

  /// Ours in `Connection` and `StoreSetup`.
  static let pragmas = [
    "foreign_keys = ON", "secure_delete = OFF", "cache_size = -16384", "temp_store = MEMORY", "journal_mode = WAL",
    "synchronous = NORMAL", "journal_size_limit = 4194304",
  ]
}

extension Database {
  /// The digest of all rows.
  func digest(of tables: Tables) throws -> UInt64 {
    var digest: UInt64 = 0
    guard let handle = sqliteConnection, floor_rows_digest(handle, tables.digest, &digest) else {
      throw ContestError(description: "The rows of \(tables.root) can't be read.")
    }
    return digest
  }
}
