extension SQLFragment {
  /// The SQL as an index has it, with literals and without the name of the row.
  ///
  /// It has the form that a query has it in: else SQLite does not see that the index has the rows of the query.
  var ofIndex: IndexCondition {
    var sql = ""
    var columns: [String] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      switch part {
      case .alias:
        guard case .text(".") = rest.popFirst(), case .text(let column) = rest.popFirst(), column.hasPrefix("\"") else {
          return IndexCondition(sql: nil, columns: [])
        }
        sql += column
        columns.append(column)
      case .first: break
      // A function of this package would keep all other programs from writing the file.
      case .text(let text) where !text.contains("_entity_"): sql += text
      case .value(.text(let text)) where text.contains("\0"): return IndexCondition(sql: nil, columns: [])
      case .value(let value): sql += DDL.literal(value)
      case .object(_, let pk): sql += DDL.literal(.integer(pk))
      // An index is of the table, where each link has a target.
      case .target(_, let link): rest = link.parts + rest
      case .text, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .visible, .membership, .search, .overlaid,
        .extreme:
        return IndexCondition(sql: nil, columns: [])
      }
    }
    return IndexCondition(sql: sql, columns: columns)
  }
}
