/// A query for values instead of objects: a *projection*. SQLite reads only the named columns, and no object is made.
///
/// ```swift
/// let rows = try context.fetch(User.all.select { ($0.name, $0.age) })              // [(String, Int?)]
/// let cities = try context.fetch(User.all.select { $0.address.city }.distinct())   // [String?]
/// ```
/// The values are those of the objects' properties, unsaved changes included.
public struct ValueQuery<E: ManagedEntity, Values>: Sendable {
  let columns: SelectedColumns<Values>
  let rows: SelectedRows
  private var isDistinct = false
  private var limit: RowLimit?

  init(_ columns: SelectedColumns<Values>, of rows: SelectedRows) {
    self.columns = columns
    self.rows = rows
  }

  /// Each combination of values once, at its first place in the order of the query. Values with the same stored form
  /// are equal: text byte by byte, JSON as text.
  ///
  /// `User.all.select { $0.city }.distinct()`
  /// // SELECT v0 FROM (SELECT t0."city" AS v0, t0._pk AS n FROM "User" AS t0 WHERE t0._placeholder = 0)
  /// //   GROUP BY v0 ORDER BY min(n)
  ///
  /// `User.all.sorted(by: \.age).select { $0.city }.distinct()`
  /// // SELECT v0 FROM (SELECT t0."city" AS v0, row_number() OVER (ORDER BY t0."age", t0._pk) AS n
  /// //   FROM "User" AS t0 WHERE t0._placeholder = 0) GROUP BY v0 ORDER BY min(n)
  public func distinct() -> Self {
    var query = self
    query.isDistinct = true
    return query
  }

  /// At most `count` values, after the first `offset` values. Of distinct values, so many different values count. A
  /// limit of the query below counts first.
  ///
  /// `User.all.select { $0.city }.distinct().limited(to: 3)`
  /// // … GROUP BY v0 ORDER BY min(n) LIMIT ? OFFSET ?
  ///
  /// - Parameters:
  ///   - count: The most values.
  ///   - offset: The number of values that are skipped.
  public func limited(to count: Int, offset: Int = 0) -> Self {
    var query = self
    query.limit = limit.narrowed(to: RowLimit(count, after: offset))
    return query
  }

  func sql() -> SQLFragment {
    let expressions = columns.sql
    guard isDistinct else {
      let columns = SQLFragment.joined(expressions, ", ")
      let limit = limit.map { rows.limit.narrowed(to: $0) } ?? rows.limit
      return "\(first: rows.row)SELECT \(columns)\(rows.keys) \(rows.body)\(rows.ordered)\(limit.sql)"
    }
    let names = expressions.indices.map { SQLFragment(stringLiteral: "v\($0)") }
    let columns = zip(expressions, names).map { "\($0) AS \($1)" as SQLFragment }
    let inner: SQLFragment = "SELECT \(.joined(columns, ", ")), \(rows.number) AS n \(rows.found)"
    let list = SQLFragment.joined(names, ", ")
    return "\(first: rows.row)SELECT \(list) FROM (\(inner)) GROUP BY \(list) ORDER BY min(n)\(limit.sql)"
  }
}

/// The rows, or the groups of rows, from which values are selected.
struct SelectedRows: Sendable {
  let row: RowAlias
  /// `FROM … WHERE …`, and `GROUP BY …` where there are groups.
  let body: SQLFragment
  /// The same for a query that combines the rows, with the limit.
  let found: SQLFragment
  /// `ORDER BY …`, with so many keys that no two rows are equal.
  let ordered: SQLFragment
  /// The columns that this order needs.
  var keys: SQLFragment = ""
  /// A number of the row that increases in this order.
  let number: SQLFragment
  var limit: RowLimit?
  /// Whether the query groups by no keys.
  var lacksKeys = false
}

extension EntityQuery {
  // For a single value, the compiler also knows the type within the expression that fetches it. For a pack it does not
  // (6.3.1). The function with the pack is disfavored, because a single value fits both.

  /// One value of each object instead of the objects, in the same order.
  ///
  /// `User.all.select { $0.city }`
  /// // SELECT t0."city" FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  ///
  /// - Parameter value: The value of the object `$0`: an attribute, also of a linked object, the count of a list, the
  ///   id of a linked object or `$0.entityID`.
  public func select<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> ValueQuery<E, X.Value> {
    ValueQuery(.of(value(QueryRow(alias: row))), of: selectedRows)
  }

  /// Values of the objects instead of the objects, in the same order. Several values form a tuple.
  ///
  /// `User.all.sorted(by: \.age).select { ($0.name, $0.address.city) }`
  /// // SELECT t0."name", (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address")
  /// // FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0."age", t0._pk
  ///
  /// - Parameter values: The values of the object `$0`: attributes, also of linked objects, counts of lists, the ids of
  ///   linked objects and `$0.entityID`.
  @_disfavoredOverload
  public func select<each X: QueryExpression>(
    _ values: (QueryRow<E>) -> (repeat each X)
  ) -> ValueQuery<E, (repeat (each X).Value)> {
    let columns = values(QueryRow(alias: row))
    return ValueQuery(.of(repeat each columns), of: selectedRows)
  }

  private var selectedRows: SelectedRows {
    SelectedRows(
      row: row, body: "FROM \(source())",
      found: limit == nil ? found : limited, ordered: ordered, keys: keyColumns,
      number: order.isEmpty
        ? (isReversed ? "-\(row)._pk" : "\(row)._pk") : "row_number() OVER (ORDER BY \(terms))",
      limit: limit)
  }
}
