import CSQLite

/// Notes which rows the statements of a connection change, also through foreign keys and triggers.
///
/// SQLite reports each row when the row changes (https://sqlite.org/c3ref/update_hook.html), so a change that is rolled
/// back later is noted too. It does not report tables without row ids.
final class RowWatch {
  private let places: [String: Int]
  /// The changed rows of each table, by its place among the tables.
  private(set) var rows: [Set<Int64>]
  private(set) var count = 0
  /// Rows beyond this number are not noted: see ``isFull``.
  private let most: Int
  private weak var connection: Connection?

  /// - Parameters:
  ///   - tables: The names of the tables whose rows are noted.
  ///   - most: The most rows that are noted.
  init(_ tables: [String], most: Int) {
    places = Dictionary(tables.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    rows = tables.map { _ in [] }
    self.most = most
  }

  deinit { end() }

  /// Whether more rows changed than are noted.
  var isFull: Bool { count > most }

  /// A connection has one watch at a time.
  func begin(on connection: Connection) {
    self.connection = connection
    sqlite3_update_hook(
      connection.handle,
      { watch, _, database, table, row in
        guard let watch, let database, let table, String(cString: database) == "main" else { return }
        Unmanaged<RowWatch>.fromOpaque(watch).takeUnretainedValue().note(String(cString: table), row)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func end() {
    if let connection { sqlite3_update_hook(connection.handle, nil, nil) }
    connection = nil
  }

  private func note(_ table: String, _ row: Int64) {
    guard !isFull, let place = places[table] else { return }
    if rows[place].insert(row).inserted { count += 1 }
  }
}
