/// A query in the form that SQLite gets.
struct RenderedSQL {
  let sql: String
  let values: [StoredValue]
  /// Whether an app wrote a part of the query.
  let isOfApp: Bool

  /// The statement with its values.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` for SQL of an app that SQLite does not accept, that does more than
  ///   read, or that has parameters of its own.
  func prepared(on connection: Connection) throws -> Statement {
    let statement = try statement(on: connection)
    try statement.bind(values)
    return statement
  }

  /// The statement without its values.
  func statement(on connection: Connection) throws -> Statement {
    isOfApp ? try connection.prepareReading(sql, values: values.count) : try connection.prepare(sql)
  }

  /// Checks SQL of an app that is about to become a part of another statement.
  func check(on connection: Connection) throws {
    if isOfApp { _ = try statement(on: connection) }
  }
}
