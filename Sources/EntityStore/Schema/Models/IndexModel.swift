/// The condition for the rows in a partial index, as SQL with literals: an index has no parameters.
struct IndexCondition: Sendable {
  /// `nil` for a condition that an index can't have.
  let sql: String?
  /// The names of the condition's columns, quoted.
  let columns: [String]
}

/// An ``EntityIndex``, as the store uses it.
struct IndexModel: Sendable {
  let columns: [Int]
  /// The names of the columns.
  let names: [String]
  let isUnique: Bool
  let condition: String?
  /// The columns, and the columns of the condition.
  let mask: ColumnMask

  /// The columns, as a list in SQL.
  var list: String { names.map(\.quoted).joined(separator: ", ") }

  /// `'Ticket.project', 'Ticket.number'`
  static func label(_ entity: String, _ names: [String]) -> String {
    names.map { "'\(entity).\($0)'" }.joined(separator: ", ")
  }
}
