extension Connection {
  /// The number of the last commit that the connection sees.
  ///
  /// - Throws: ``StoreError`` of kind `corrupt`.
  func generation() throws -> Int64 { try number(.generation) }

  /// - Throws: ``StoreError`` of kind `corrupt` where the store's own table lacks the number.
  func number(_ kind: Bookkeeping) throws -> Int64 {
    try kind.check(rows(kind.select) { $0.value(0) }.first, of: location)
  }

  /// How often all rows were replaced, whichever process did it: by a reset, or by the rows of an archive.
  func age() throws -> Int64 {
    try rows("SELECT value FROM main._entity_store WHERE key = 'age'") { $0.int64(0) }.first ?? 0
  }
}

/// The numbers of the store's own table. The code adds to them and shifts them, and another program may have written
/// any value.
enum Bookkeeping: String, CaseIterable {
  /// The number of the last commit.
  case generation
  /// The first row id that nobody has leased.
  case nextPK = "next_pk"

  /// The query of a number. Each read transaction runs one of them.
  var select: String {
    switch self {
    case .generation: "SELECT value FROM main._entity_store WHERE key = 'generation'"
    case .nextPK: "SELECT value FROM main._entity_store WHERE key = 'next_pk'"
    }
  }

  /// The history shifts a generation and the next one.
  private var range: Range<Int64> {
    switch self {
    case .generation: 0..<(1 << (63 - HistoryTables.bits)) - 1
    case .nextPK: 1..<1 << 62
    }
  }

  /// - Parameter value: The value in the file; `nil` where the table lacks it.
  /// - Throws: ``StoreError`` of kind `corrupt`.
  func check(_ value: StoredValue?, of location: StoreLocation) throws -> Int64 {
    if case .integer(let number) = value, range.contains(number) { return number }
    throw StoreError(
      .corrupt,
      "The store's own table in the file at \(location) has no number '\(rawValue)', or one out of range: another program "
        + "changed it.")
  }
}
