/// The columns of a query for values, and the function that makes the values from a row.
///
/// The type does not name the expressions. So the compiler knows the types of a row's values wherever the query is
/// used.
struct SelectedColumns<Values>: Sendable {
  let sql: [SQLFragment]
  /// Makes the values of a row whose columns are those of ``sql``.
  let values: @Sendable (RowCursor, SchemaModel) throws -> Values

  // A tuple of a pack is taken apart for the call: the compiler (6.3.1) crashes where the tuple is passed on whole.
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
