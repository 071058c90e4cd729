extension EntityContext {
  /// The objects that a query finds. Unsaved changes of this context count, for every entity that the query names: the
  /// query, in SQL, runs over them too.
  ///
  /// `context.fetch(User.where { $0.age > 21 })`
  /// // SELECT … FROM "User" AS t0 WHERE (t0."age" > ? AND t0._placeholder = 0) ORDER BY t0._pk
  ///
  /// - Throws: ``StoreError``.
  public func fetch<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> [E] {
    let model = try core.schema.model(E.self)
    loaded.streaks.end()
    return try merging.entry {
      loaded.counters.counts.fetches += 1
      let sql = try query.sql(model.columnList).rendered(
        core.schema, search: overlay.searchLayers, lazies: overlay.lazySource, overlay.source)
      let found = try reading.objects(model, of: sql.prepared(on: connection))
      // The model belongs to this class and makes no other objects, so the array can be reinterpreted without a check.
      // A copy would count each reference twice, which is slow for objects that are held weakly.
      let objects = unsafeBitCast(found, to: [E].self)
      try reading.prefetch(query.prefetches, of: objects)
      return objects
    }
  }

  /// All objects of an entity, in the order of their row ids.
  ///
  /// `context.fetch(User.self)`
  /// // SELECT … FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  public func fetch<E: ManagedEntity>(_ type: E.Type) throws -> [E] { try fetch(EntityQuery<E>()) }

  /// The object with a uid; `nil` when there is none, or only a placeholder.
  ///
  /// `context.fetch(User.self, uid: 42)`
  /// // SELECT … FROM "User" WHERE "uid" = ?
  public func fetch<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> E? {
    let model = try core.schema.model(type)
    guard let index = model.uid, let sql = model.selectByUID else {
      throw StoreError(.invalidSchema, "'\(model.name)' has no uid to fetch by.")
    }
    let value = uid.storedValue
    return try merging.entry {
      // In a unit the table itself has the row that a uid leads to, even where a uid moves to another row.
      guard try overlay.source(model) == model.table || kind == .unit else {
        return try fetch(EntityQuery<E>(predicate: .column(model.properties[index].name, is: value))).first
      }
      loaded.counters.counts.fetches += 1
      let statement = try connection.lookUp(model.number, sql)
      defer { statement.reset() }
      try statement.bind(value, at: 1)
      guard try statement.step() else { return nil }
      if model.hasPlaceholders, statement.int64(2) != 0 { return nil }
      return reading.object(model, from: statement) as? E
    }
  }

  /// How many objects a query finds. A limit of the query counts: for the number of all objects, count the query
  /// without it.
  ///
  /// `context.count(User.where { $0.age > 21 })`
  /// // SELECT count(*) FROM (SELECT 1 FROM "User" AS t0 WHERE (t0."age" > ? AND t0._placeholder = 0))
  public func count<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int {
    let sql: SQLFragment = "SELECT count(*) FROM (SELECT 1 \(query.limit == nil ? query.found : query.unordered))"
    return try merging.entry {
      loaded.counters.counts.valueQueries += 1
      return try reading.select(sql) { Int($0.int64(0)) }.first ?? 0
    }
  }

  /// How many objects of all entities the context sees, unsaved changes included.
  ///
  /// `context.count()`, by a statement for each entity
  /// // … SELECT count(*) FROM "User" WHERE _placeholder = 0 …
  public func count() throws -> Int {
    try merging.entry {
      var count = 0
      for model in core.schema.declared {
        let condition = model.hasPlaceholders ? " WHERE _placeholder = 0" : ""
        loaded.counters.counts.valueQueries += 1
        count +=
          try connection.rows("SELECT count(*) FROM \(try overlay.source(model))\(condition)", []) { Int($0.int64(0)) }
          .first
          ?? 0
      }
      return count
    }
  }
}

extension ContextReading {
  /// Runs a query over the rows that this context sees.
  func select<T>(_ query: SQLFragment, read: (Statement) throws -> T) throws -> [T] {
    let statement = try query.rendered(
      context.core.schema, search: context.overlay.searchLayers, lazies: context.overlay.lazySource,
      context.overlay.source
    )
    .prepared(on: context.connection)
    defer { statement.reset() }
    var result: [T] = []
    while try statement.step() { result.append(try read(statement)) }
    return result
  }
}
