import Foundation

/// The tables of the log of commits: see `HistoryLog`.
///
/// A change names its commit by its number: the generation is `number >> 30`. So the changes of a commit stand
/// together, in their order, without an index, and each commit appends to both tables. The kinds of changes are 0 for
/// an inserted row, 1 for an updated row, 2 for a deleted row, and 3 for a row that was merged into another row, its
/// `survivor`. `columns` has the names of the changed properties; NULL stands for all.
enum HistoryTables {
  static let commits = "main._entity_commits"
  static let changes = "main._entity_changes"

  /// The bits of a number that count the changes of one commit.
  static let bits: Int64 = 30

  private static let create = [
    "CREATE TABLE \(commits) (generation INTEGER PRIMARY KEY, time REAL NOT NULL, author TEXT NOT NULL, "
      + "changes_notes INTEGER NOT NULL)",
    "CREATE TABLE \(changes) (number INTEGER PRIMARY KEY, entity TEXT NOT NULL, pk INTEGER NOT NULL, "
      + "kind INTEGER NOT NULL, columns TEXT, uid, survivor INTEGER)",
  ]

  /// Makes the tables, and gives the file an identity.
  static func create(on connection: Connection) throws {
    for sql in create { try connection.execute(sql) }
    try set("id", .text(UUID().uuidString), on: connection)
  }

  /// Gives a copy of a file an identity of its own: from now on the copy's commits differ from those of the file.
  static func renew(on connection: Connection) throws {
    try connection.prepare("UPDATE main._entity_store SET value = ? WHERE key = 'id'").run([.text(UUID().uuidString)])
  }

  static func policy(_ connection: Connection) throws -> StoreOptions.History {
    StoreOptions.History(stored: try value("history", connection))
  }

  /// The identity of the file; `nil` where another program removed it.
  static func identity(_ connection: Connection) throws -> String? {
    guard case .text(let id) = try value("id", connection) else { return nil }
    return id
  }

  /// Keeps the policy in the file, for all who write the file.
  static func set(_ policy: StoreOptions.History, on connection: Connection) throws {
    guard try value("history", connection) != policy.stored else { return }
    try connection.writing {
      try set("history", policy.stored, on: connection)
      if policy == .off { try end(on: connection) }
    }
  }

  /// Ends the log: the rows were changed by other means than commits, or no log is to be kept.
  static func end(on connection: Connection) throws {
    for table in [commits, changes] { try connection.execute("DELETE FROM \(table)") }
  }

  static func value(_ key: String, _ connection: Connection) throws -> StoredValue {
    try connection.rows("SELECT value FROM main._entity_store WHERE key = ?", [.text(key)]) { $0.value(0) }.first
      ?? .null
  }

  static func set(_ key: String, _ value: StoredValue, on connection: Connection) throws {
    try connection.prepare(
      "INSERT INTO main._entity_store (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2"
    ).run([.text(key), value])
  }
}
