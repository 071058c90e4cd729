import Foundation

@testable import EntityStore

extension Connection {
  /// One of a test, of which nobody hears.
  convenience init(
    _ location: StoreLocation, opening: Opening = .existing, busyTimeout: Duration, recordsReads: Bool = false
  ) throws {
    try self.init(location, opening: opening, busyTimeout: busyTimeout, recordsReads: recordsReads, log: nil)
  }

  /// The text of all tables: of each its declaration and its rows.
  func content() throws -> [String] {
    // Another connection may have changed the tables.
    forgetStatements()
    let tables = try rows("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' ORDER BY 1") {
      ($0.text(0) ?? "", $0.text(1) ?? "")
    }
    return try tables.flatMap { name, sql in
      let statement = try Statement("SELECT * FROM main.\(name.quoted) ORDER BY 1, 2", on: self)
      defer { statement.reset() }
      var rows = [sql]
      while try statement.step() {
        let values = statement.columns.indices.map { statement.value($0).whole }
        rows.append("\(name): [\(values.joined(separator: ", "))]")
      }
      return rows
    }
  }
}

extension StoredValue {
  /// The value as text. That of `Data` alone has the number of its bytes, and not these.
  fileprivate var whole: String {
    if case .blob(let data) = self { "blob(\(data.base64EncodedString()))" } else { "\(self)" }
  }
}
