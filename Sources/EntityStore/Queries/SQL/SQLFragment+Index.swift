extension SQLFragment {
  /// The SQL in the form for an index, with literals and without the name of the row.
  ///
  /// The form is that of a query: otherwise SQLite does not see that the index has the query's rows.
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
      // No other program could write the file if the index used a function of this package.
      case .text(let text) where !text.contains("_entity_"): sql += text
      case .value(.text(let text)) where text.contains("\0"): return IndexCondition(sql: nil, columns: [])
      case .value(let value): sql += DDL.literal(value)
      case .object(_, let pk): sql += DDL.literal(.integer(pk))
      // An index belongs to the table, where each link has a target.
      case .target(_, let link): rest = link.parts + rest
      case .text, .rows, .lazyRows, .lazy, .raw, .objects, .invalid, .visible, .membership, .search, .overlaid,
        .collection, .extreme:
        return IndexCondition(sql: nil, columns: [])
      }
    }
    return IndexCondition(sql: sql, columns: columns)
  }
}
