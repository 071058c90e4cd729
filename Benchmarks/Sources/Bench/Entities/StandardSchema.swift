import EntityClient
import Foundation
import GRDB

/// The tables that a store of ours makes, for the rivals to make as well, and how it opens a database.
enum StandardSchema {
  static func statements() throws -> [String] { try made.get() }

  private static let made = Result<[String], any Error> {
    let scratch = try Scratch()
    let store = try EntityStore(.file(scratch.file), entities: [DeclaredUser.self, DeclaredAddress.self])
    return try withExtendedLifetime(store) {
      try DatabaseQueue(path: scratch.file.path).read { database in
        try String.fetchAll(database, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
      }
    }
  }

  /// Ours in `Connection` and `StoreSetup`.
  static let pragmas = [
    "foreign_keys = ON", "secure_delete = OFF", "cache_size = -16384", "temp_store = MEMORY", "journal_mode = WAL",
    "synchronous = NORMAL", "journal_size_limit = 4194304",
  ]
}
