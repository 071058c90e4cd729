// While unsaved changes lie over a table, a query reads both. SQLite moves the query into each of the two, and uses the
// indexes of each, under conditions (https://sqlite.org/optoverview.html#flattening). Each term of the order must be a
// column of the result. The same query must not count, group or combine the rows in another way. Where a condition is
// not met, SQLite first copies all rows to a table of their own. The queries below meet these conditions. Without
// unsaved changes they are as they look.

extension EntityQuery {
  /// The keys of the order as further columns, behind the wanted columns.
  var keyColumns: SQLFragment { "\(over: E.self, Self.columns(keys))" }

  /// `ORDER BY`, for a query that has ``keyColumns``.
  var ordered: SQLFragment { " ORDER BY \(over: E.self, Self.terms(keys), otherwise: terms)" }

  /// `FROM … WHERE …`, for a query that counts the rows, groups them or numbers them. A limit does not count.
  var found: SQLFragment { body(within: " LIMIT -1") }

  /// The same as ``found``, where the first row in an order is enough.
  func found(first key: SortKey) -> SQLFragment {
    body([key], within: " AND \(key.sql) IS NOT NULL ORDER BY \(Self.terms([key])) LIMIT 1")
  }

  /// The same as ``found``, but with a limit, only the rows in it.
  var limited: SQLFragment {
    guard let limit else { return body(within: "") }
    return
      "\(body(keys, within: " ORDER BY \(Self.terms(keys))\(limit.sql)"))\(over: E.self, "", otherwise: " ORDER BY \(terms)\(limit.sql)")"
  }

  /// The same as ``limited``, where the order does not matter.
  var unordered: SQLFragment { "\(body(within: ""))\(limit.sql)" }

  /// - Parameter end: The end of the query for the rows, while unsaved changes lie over them; empty where no end is
  ///   needed.
  private func body(_ keys: [SortKey] = [], within end: SQLFragment) -> SQLFragment {
    let rows = source()
    guard !end.parts.isEmpty else { return "FROM \(rows)" }
    let begin: SQLFragment = "(SELECT *\(Self.columns(keys)) FROM "
    return "FROM \(over: E.self, begin)\(rows)\(over: E.self, "\(end)) AS \(row)")"
  }

  private static func columns(_ keys: [SortKey]) -> SQLFragment {
    .joined(keys.enumerated().map { ", \($1.sql) AS \(name($0))" }, "")
  }

  private static func terms(_ keys: [SortKey]) -> SQLFragment {
    .joined(keys.enumerated().map { $1.term(name($0)) }, ", ")
  }

  /// No property has such a name.
  private static func name(_ key: Int) -> SQLFragment { "\(name: "_key,\(key)")" }
}
