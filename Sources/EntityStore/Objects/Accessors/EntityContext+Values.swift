extension EntityContext {
  /// The values that a query selects, in its order. No object is made.
  ///
  /// ```swift
  /// for (name, age) in try context.fetch(User.all.select { ($0.name, $0.age) }) { print(name, age ?? 0) }
  /// ```
  /// `context.fetch(User.all.select { $0.city })`
  /// // SELECT t0."city" FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  ///
  /// A raw value for which the type has no case reads as the property's default, as in the property itself.
  ///
  /// - Parameter query: The query.
  /// - Returns: The values of each row: one value, or a tuple.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers does not fit into an `Int`, or where the
  ///   type does not have a value and there is no default for it.
  public func fetch<E: ManagedEntity, Values>(_ query: ValueQuery<E, Values>) throws -> [Values] {
    // For the compiler, a closure whose value can't be selected has an empty pack as its result.
    guard !query.columns.sql.isEmpty else { throw ContextReading.selectsNothing }
    guard !query.rows.lacksKeys else {
      throw StoreError(
        .invalidQuery,
        "The groups have no key: the closure of 'grouped' gives none, or one that can't be a key. Group by attributes, counts of "
          + "lists or ids.")
    }
    return try merging.entry {
      loaded.counters.counts.valueQueries += 1
      return try ContextReading.explainingSums {
        try reading.select(query.sql()) { try query.columns.values($0.row, core.schema) }
      }
    }
  }

  // An overload for one value: with it the compiler knows the type within the same expression. It knows the members of
  // a pack only once the result has a name (6.3.1).

  /// A count or another aggregate of all objects that a query finds.
  ///
  /// ```swift
  /// let oldest = try context.aggregate(User.where { $0.isActive }) { $0.max { $0.age } }
  /// ```
  /// `context.aggregate(User.all) { $0.max { $0.age } }`
  /// // SELECT max(t0."age") FROM "User" AS t0 WHERE t0._placeholder = 0
  ///
  /// - Parameters:
  ///   - query: The query. Its limit counts.
  ///   - value: The value to compute over all objects, which are `$0`.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers does not fit into an `Int`.
  public func aggregate<E: ManagedEntity, X: QueryExpression>(
    _ query: EntityQuery<E>, _ value: (QueryGroup<E>) -> X
  ) throws -> X.Value {
    let query = query.unlimited()
    let columns: SelectedColumns<X.Value> = .of(value(QueryGroup<E>(query.row)))
    return try reading.aggregate(query, columns)
  }

  /// Counts and other aggregates of all objects that a query finds.
  ///
  /// ```swift
  /// let (count, average) = try context.aggregate(User.all) { ($0.count, $0.average { $0.age }) }
  /// ```
  /// `context.aggregate(User.all) { ($0.count, $0.max { $0.age }) }`
  /// // SELECT count(*), max(t0."age") FROM "User" AS t0 WHERE t0._placeholder = 0
  ///
  /// - Parameters:
  ///   - query: The query. Its limit counts.
  ///   - values: The values to compute over all objects, which are `$0`: a tuple.
  /// - Throws: ``StoreError``, of kind `invalidValue` where a sum of integers does not fit into an `Int`.
  public func aggregate<E: ManagedEntity, each X: QueryExpression>(
    _ query: EntityQuery<E>, _ values: (QueryGroup<E>) -> (repeat each X)
  ) throws -> (repeat (each X).Value) {
    let query = query.unlimited()
    let columns = values(QueryGroup<E>(query.row))
    return try reading.aggregate(query, .of(repeat each columns))
  }
}

extension ContextReading {
  fileprivate func aggregate<E: ManagedEntity, Values>(
    _ query: EntityQuery<E>, _ columns: SelectedColumns<Values>
  ) throws -> Values {
    guard !columns.sql.isEmpty else { throw Self.selectsNothing }
    let list = SQLFragment.joined(columns.sql, ", ")
    // For a single smallest or largest value, SQLite itself takes the first row of an index too.
    let key = columns.sql.count == 1 ? columns.sql[0].extreme : nil
    let sql: SQLFragment =
      "\(first: query.row)SELECT \(list) \(key.map { query.found(first: $0) } ?? query.found)"
    let found = try context.merging.entry {
      context.loaded.counters.counts.valueQueries += 1
      return try Self.explainingSums { try select(sql) { try columns.values($0.row, context.core.schema) } }
    }
    // Without groups there is exactly one row, even over no objects.
    guard let first = found.first else { throw StoreError(.corrupt, "SQLite gave no row for an aggregate.") }
    return first
  }

  fileprivate static var selectsNothing: StoreError {
    StoreError(
      .invalidQuery,
      "The query selects no value: its closure gives none, or one that can't be selected. Select attributes, counts of lists, "
        + "ids and aggregates.")
  }

  /// SQLite has one code for all errors of statements, and only a text for this one
  /// (https://sqlite.org/lang_aggfunc.html#sumunc).
  fileprivate static func explainingSums<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .sqlite && error.message.contains("integer overflow") {
      throw StoreError(
        .invalidValue, "A sum of integers is larger than an Int can be. Add the values up as Double, or in Swift.",
        sqliteCode: error.sqliteCode, sql: error.sql)
    }
  }
}
