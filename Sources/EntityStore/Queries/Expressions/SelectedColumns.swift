/// The columns of a query for values, and the way from a row to its values.
///
/// The expressions are gone from the type: the compiler knows the values of a row then wherever a query is used.
struct SelectedColumns<Values>: Sendable {
  let sql: [SQLFragment]
  /// The values of a row whose columns are those of ``sql``.
  let values: @Sendable (RowCursor, SchemaModel) throws -> Values

  // A tuple of a pack is taken apart for the call: the compiler crashes where it is handed on whole (6.3.1).
  static func of<each X: QueryExpression>(_ columns: repeat each X) -> Self where Values == (repeat (each X).Value) {
    var sql: [SQLFragment] = []
    for column in repeat each columns { sql.append(column._expression.sql) }
    return Self(sql: sql) { row, schema in
      var index = 0
      func next<C: QueryExpression>(_ column: C) throws -> C.Value {
        defer { index += 1 }
        return try column.value(row.value(index), schema)
      }
      return (repeat try next(each columns))
    }
  }
}
