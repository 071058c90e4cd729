/// A sort key: an expression, and its direction.
struct SortKey: Sendable {
  var sql: SQLFragment
  var isDescending: Bool
  /// Where rows without a value come; `nil` leaves that to SQLite, for which NULL is smaller than any value.
  var nilsFirst: Bool?

  /// Whether rows without a value come before all others.
  var nilsComeFirst: Bool { nilsFirst ?? !isDescending }

  /// The key as a term of `ORDER BY`.
  var term: SQLFragment { term(sql) }

  /// - Parameter sql: The expression, or the name of a column with its value.
  func term(_ sql: SQLFragment) -> SQLFragment {
    let term: SQLFragment = isDescending ? "\(sql) DESC" : sql
    guard let nilsFirst else { return term }
    return nilsFirst ? "\(term) NULLS FIRST" : "\(term) NULLS LAST"
  }

  /// The same key in the opposite direction.
  var reversed: SortKey { SortKey(sql: sql, isDescending: !isDescending, nilsFirst: nilsFirst.map { !$0 }) }

  func renaming(_ row: RowAlias, to other: RowAlias) -> SortKey {
    SortKey(sql: sql.renaming(row, to: other), isDescending: isDescending, nilsFirst: nilsFirst)
  }
}
