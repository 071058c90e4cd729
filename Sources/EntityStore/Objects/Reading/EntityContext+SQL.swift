extension EntityContext {
  /// The objects whose row ids SQL selects, in its order; a row id that is selected twice gives its object twice.
  /// Unsaved changes count where the SQL names an entity as `\(User.self)`.
  ///
  /// ```swift
  /// let users = try context.fetch(User.self, sql: """
  ///   SELECT u._pk FROM \(User.self) AS u JOIN \(Post.self) AS p ON p.author = u._pk
  ///   GROUP BY u._pk HAVING max(p.date) < \(lastYear)
  ///   """)
  /// ```
  /// It runs two statements: the SQL, and one for the rows.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - sql: One SELECT with a column `_pk`; its other columns are not used. Rows without a `_pk` are left out, and so
  ///     are objects that the context does not see.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for SQL that SQLite refuses, that does more than read, or that
  ///   has no column `_pk` or two of them.
  public func fetch<E: ManagedEntity>(_ type: E.Type, sql: SQL) throws -> [E] {
    let model = try core.schema.model(E.self)
    loaded.streaks.end()
    return try merging.entry {
      loaded.counters.counts.fetches += 1
      let pks = try reading.rowIDs(sql)
      guard !pks.isEmpty else { return [] }
      let list = StoredValue.list(Set(pks).map { .integer($0) })
      let rows: SQLFragment =
        "SELECT \(sql: model.columnList) FROM \(rows: E.self) WHERE _pk IN (SELECT value FROM _entity_values(\(list)))"
      var found: [Int64: E] = [:]
      for case let object as E in try reading.select(rows, read: { reading.object(model, from: $0) }) {
        found[object._$state.pk] = object
      }
      return pks.compactMap { found[$0] }
    }
  }

  /// The values that SQL selects: one value for each row, or several as a tuple. No object is made.
  ///
  /// ```swift
  /// let rows = try context.fetch(sql: "SELECT city, count(*) FROM \(Address.self) GROUP BY city", as: (String?, Int).self)
  /// let oldest = try context.fetch(sql: "SELECT max(age) FROM \(User.self)", as: Int?.self).first
  /// ```
  ///
  /// - Parameters:
  ///   - sql: One SELECT. Unsaved changes count where the SQL names an entity as `\(User.self)`.
  ///   - type: The types of the columns, in their order. Each is a type that an attribute can have; for a column that
  ///     may be NULL it is an Optional.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for SQL that SQLite refuses, that does more than read, or that
  ///   has a different number of columns; `invalidValue` for a value that the type does not have.
  @_disfavoredOverload
  public func fetch<each V: AttributeValue>(
    sql: SQL, as type: (repeat each V).Type
  ) throws -> [(repeat each V)] {
    var count = 0
    for _ in repeat (each V).self { count += 1 }
    return try reading.values(sql, columns: count) { row in
      var index = 0
      func next<W: AttributeValue>(_ type: W.Type) throws -> W {
        defer { index += 1 }
        return try row.value(index)
      }
      return (repeat try next((each V).self))
    }
  }

  /// The values of one column: `fetch(sql: "SELECT max(age) FROM \(User.self)", as: Int?.self)`.
  ///
  /// - Parameters:
  ///   - sql: One SELECT. Unsaved changes count where the SQL names an entity as `\(User.self)`.
  ///   - type: The type of the column.
  /// - Throws: The same errors as for several columns.
  public func fetch<V: AttributeValue>(sql: SQL, as type: V.Type) throws -> [V] {
    try reading.values(sql, columns: 1) { try $0.value(0) }
  }

  // MARK: Plans

  /// SQLite's plan for a query, with the present unsaved changes. Nothing is fetched.
  ///
  /// ```swift
  /// print(try context.explain(User.where { $0.email == "a@example.com" }))
  /// // SEARCH t0 USING INDEX User,email (email=?)
  /// ```
  ///
  /// - Parameter query: The query.
  /// - Throws: ``StoreError``.
  public func explain<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> QueryPlan {
    try reading.explain(query.sql(core.schema.model(E.self).columnList))
  }

  /// SQLite's plan for a query for values. Nothing is fetched.
  ///
  /// - Parameter query: The query.
  /// - Throws: ``StoreError``.
  public func explain<E: ManagedEntity, Values>(_ query: ValueQuery<E, Values>) throws -> QueryPlan {
    try reading.explain(query.sql())
  }

  /// SQLite's plan for SQL. Nothing is fetched.
  ///
  /// - Parameter sql: One SELECT.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for SQL that SQLite refuses, or that does more than read.
  public func explain(sql: SQL) throws -> QueryPlan { try reading.explain(sql.fragment, isOfApp: true) }
}

extension ContextReading {
  fileprivate struct AppRow {
    let statement: Statement
    let names: [String]

    func value<V: AttributeValue>(_ index: Int) throws -> V {
      guard let value = V._value(statement.value(index)) else {
        throw StoreError(
          .invalidValue,
          "The column '\(names[index])' has no value in some row, or one that '\(V.self)' does not have. Ask for an Optional "
            + "where there may be none.", sql: statement.sql)
      }
      return value
    }
  }

  fileprivate func values<Values>(_ sql: SQL, columns count: Int, _ read: (AppRow) throws -> Values) throws -> [Values]
  {
    context.loaded.streaks.end()
    return try context.merging.entry {
      context.loaded.counters.counts.valueQueries += 1
      let statement = try prepared(sql)
      defer { statement.reset() }
      let names = statement.columns
      guard names.count == count else {
        throw StoreError(
          .invalidQuery, "The SQL has \(names.count) columns, and \(count) values are asked for.", sql: statement.sql)
      }
      var rows: [Values] = []
      while try statement.step() { rows.append(try read(AppRow(statement: statement, names: names))) }
      return rows
    }
  }

  fileprivate func rowIDs(_ sql: SQL) throws -> [Int64] {
    let statement = try prepared(sql)
    defer { statement.reset() }
    let names = statement.columns
    let places = names.indices.filter { names[$0].lowercased() == "_pk" }
    guard places.count == 1, let place = places.first else {
      throw StoreError(
        .invalidQuery,
        "The SQL has \(places.isEmpty ? "no column" : "more than one column") '_pk'. Objects are found by it: select the '_pk' "
          + "of the entity.", sql: statement.sql)
    }
    var pks: [Int64] = []
    while try statement.step() {
      if case .integer(let pk) = statement.value(place) { pks.append(pk) }
    }
    return pks
  }

  /// The statement of an app's SQL, with its values bound.
  private func prepared(_ sql: SQL) throws -> Statement {
    let text = try sql.fragment.rendered(
      context.core.schema, search: context.overlay.searchLayers, lazies: context.overlay.lazySource,
      context.overlay.source)
    let statement = try context.connection.prepareReading(text.sql, values: text.values.count)
    try statement.bind(text.values)
    return statement
  }

  fileprivate func explain(_ query: SQLFragment, isOfApp: Bool = false) throws -> QueryPlan {
    try context.merging.entry {
      let rendered = try query.rendered(
        context.core.schema, search: context.overlay.searchLayers, lazies: context.overlay.lazySource,
        context.overlay.source)
      let sql = rendered.sql
      if isOfApp || rendered.isOfApp {
        guard try !context.connection.prepareReading(sql, values: rendered.values.count).isPlan else {
          throw StoreError(.invalidQuery, "The SQL is an EXPLAIN already: give the SELECT alone.", sql: sql)
        }
      }
      // Not cached: nobody asks for the same plan many times.
      let statement = try Statement("EXPLAIN QUERY PLAN \(sql)", on: context.connection)
      try statement.bind(rendered.values)
      var steps: [QueryPlan.Step] = []
      while try statement.step() {
        steps.append(
          .init(id: Int(statement.int64(0)), parent: Int(statement.int64(1)), text: statement.text(3) ?? ""))
      }
      return QueryPlan(sql: sql, steps: steps)
    }
  }
}
