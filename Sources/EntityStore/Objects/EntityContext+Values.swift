extension EntityContext {
  /// The values that a query selects, in its order. No object is made.
  ///
  /// ```swift
  /// for (name, age) in try context.fetch(User.all.select { ($0.name, $0.age) }) { print(name, age ?? 0) }
  /// ```
  /// A raw value that no case has reads as the property's default, as the property does.
  ///
  /// - Parameter query: The query.
  /// - Returns: The values of each row: one value, or a tuple.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers is no `Int`, or where a value is none of its
  ///   type's and nothing stands for it.
  public func fetch<E: ManagedEntity, each X: QueryExpression>(
    _ query: ValueQuery<E, repeat each X>
  ) throws -> [(repeat (each X).Value)] {
    // To the compiler a closure whose value can't be selected is one of an empty pack.
    guard !query.isEmpty else { throw Self.selectsNothing }
    return try entry {
      try Self.explainingSums {
        try select(query.sql()) { try values(repeat each query.columns, of: $0.row) }
      }
    }
  }

  // With one value the compiler knows its type within the same expression, too: `try context.fetch(…).first ?? 0`. The
  // members of a pack it knows only once the result has a name (6.3.1).

  /// The values that a query selects, one of each row, in its order. No object is made.
  ///
  /// ```swift
  /// let cities = try context.fetch(User.all.select { $0.address.city }.distinct())   // [String?]
  /// ```
  /// - Parameter query: The query.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers is no `Int`, or where a value is none of its
  ///   type's and nothing stands for it.
  public func fetch<E: ManagedEntity, X: QueryExpression>(_ query: ValueQuery<E, X>) throws -> [X.Value] {
    try entry {
      try Self.explainingSums { try select(query.sql()) { try query.columns.value($0.value(0), core.schema) } }
    }
  }

  /// A count or another aggregate of all objects that a query finds.
  ///
  /// ```swift
  /// let oldest = try context.aggregate(User.where { $0.isActive }) { $0.max { $0.age } }
  /// ```
  /// `context.aggregate(User.all) { $0.max { $0.age } }`
  /// // SELECT max(t0."age") FROM "User" AS t0 WHERE t0._placeholder = 0
  ///
  /// - Parameters:
  ///   - query: The query. A limit of it counts.
  ///   - value: The value of all objects, as `$0`.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers is no `Int`.
  public func aggregate<E: ManagedEntity, X: QueryExpression>(
    _ query: EntityQuery<E>, _ value: (QueryGroup<E>) -> X
  ) throws -> X.Value {
    let query = query.unlimited()
    let column = value(QueryGroup<E>(query.row))
    return try aggregate(query, [column._expression.sql]) { try column.value($0.value(0), core.schema) }
  }

  /// Counts and other aggregates of all objects that a query finds.
  ///
  /// ```swift
  /// let (count, oldest) = try context.aggregate(User.where { $0.isActive }) { ($0.count, $0.max { $0.age }) }
  /// ```
  /// `context.aggregate(User.all) { ($0.count, $0.max { $0.age }) }`
  /// // SELECT count(*), max(t0."age") FROM "User" AS t0 WHERE t0._placeholder = 0
  ///
  /// - Parameters:
  ///   - query: The query. A limit of it counts.
  ///   - values: The values of all objects, as `$0`: a tuple.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers is no `Int`.
  public func aggregate<E: ManagedEntity, each X: QueryExpression>(
    _ query: EntityQuery<E>, _ values: (QueryGroup<E>) -> (repeat each X)
  ) throws -> (repeat (each X).Value) {
    let query = query.unlimited()
    let columns = values(QueryGroup<E>(query.row))
    var list: [SQLFragment] = []
    for column in repeat each columns { list.append(column._expression.sql) }
    guard !list.isEmpty else { throw Self.selectsNothing }
    return try aggregate(query, list) { row throws -> (repeat (each X).Value) in
      try self.values(repeat each columns, of: row)
    }
  }

  private func aggregate<E: ManagedEntity, T>(
    _ query: EntityQuery<E>, _ columns: [SQLFragment], read: (RowCursor) throws -> T
  ) throws -> T {
    let list = SQLFragment.joined(columns, ", ")
    let sql: SQLFragment =
      "\(first: query.row)SELECT \(list) FROM \(rows: E.self) AS \(query.row) WHERE \(query.condition().sql)"
    let found = try entry { try Self.explainingSums { try select(sql) { try read($0.row) } } }
    // Without groups there is one row, whatever it counts.
    guard let first = found.first else { throw StoreError(.corrupt, "SQLite gave no row for an aggregate.") }
    return first
  }

  private func values<each X: QueryExpression>(
    _ columns: repeat each X, of row: RowCursor
  ) throws -> (repeat (each X).Value) {
    var index = 0
    func next<C: QueryExpression>(_ column: C) throws -> C.Value {
      defer { index += 1 }
      return try column.value(row.value(index), core.schema)
    }
    return (repeat try next(each columns))
  }

  private static var selectsNothing: StoreError {
    StoreError(
      .invalidQuery,
      "The query selects no value: its closure gives none, or one that can't be selected. Select attributes, counts of lists, "
        + "ids and aggregates.")
  }

  /// SQLite has one code for all mistakes of statements, and a word for this one (https://sqlite.org/lang_aggfunc.html#sumunc).
  private static func explainingSums<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .sqlite && error.message.contains("integer overflow") {
      throw StoreError(
        .invalidValue, "A sum of integers is larger than an Int can be. Add the values up as Double, or in Swift.",
        sqliteCode: error.sqliteCode, sql: error.sql)
    }
  }
}
