/// A key of an order: an expression, and the way it sorts.
struct SortKey: Sendable {
  let sql: SQLFragment
  var isDescending: Bool

  /// The key as `ORDER BY` has it.
  var term: SQLFragment { isDescending ? "\(sql) DESC" : sql }

  /// The same key, the other way round.
  var reversed: SortKey { SortKey(sql: sql, isDescending: !isDescending) }

  func renaming(_ row: RowAlias, to other: RowAlias) -> SortKey {
    SortKey(sql: sql.renaming(row, to: other), isDescending: isDescending)
  }
}
