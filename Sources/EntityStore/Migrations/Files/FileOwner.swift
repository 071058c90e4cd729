extension Connection {
  /// Finds out whether the file is a store's, in the format that this version reads.
  ///
  /// - Throws: ``StoreError``: `notAStore` for a database of another application, `schemaMismatch` for another format,
  ///   `corrupt` where the store's own table lacks a number.
  func checkOwner() throws {
    guard try integer("PRAGMA main.application_id") == StoreSetup.applicationID,
      try integer("SELECT count(*) FROM main.sqlite_schema WHERE name = '_entity_store'") == 1
    else {
      throw StoreError(
        .notAStore, "\(location) is a database of another application. Choose another file; this one is untouched.")
    }
    let format = try integer("SELECT value FROM main._entity_store WHERE key = 'format'")
    guard format == StoreSetup.format else {
      throw StoreError(
        .schemaMismatch,
        "\(location) has format \(format.map(String.init) ?? "?"), and this version of EntityStore reads format "
          + "\(StoreSetup.format) alone. Take the version that wrote the file, or choose another file; this one is untouched."
      )
    }
    for number in Bookkeeping.allCases { _ = try self.number(number) }
  }

  private func integer(_ sql: String) throws -> Int64? { try rows(sql) { $0.int64(0) }.first }
}
