extension EntityContext {
  /// The first object that a query finds, in its order; `nil` where it finds none.
  ///
  /// ```swift
  /// let youngest = try context.fetchOne(User.all.sorted(by: \.age))
  /// ```
  /// `context.fetchOne(User.all.sorted(by: \.age))`
  /// // SELECT … FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0."age", t0._pk LIMIT ? OFFSET ?
  ///
  /// - Parameter query: The query. Its limit and its offset count.
  /// - Throws: ``StoreError``.
  public func fetchOne<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> E? {
    try fetch(query.limited(to: 1)).first
  }

  /// Whether a query finds anything. No object is made.
  ///
  /// `context.exists(User.where { $0.age > 90 })`
  /// // SELECT EXISTS (SELECT t0._pk FROM "User" AS t0 WHERE (t0."age" > ? AND t0._placeholder = 0))
  ///
  /// - Parameter query: The query. Its limit and its offset count.
  /// - Throws: ``StoreError``.
  public func exists<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Bool {
    try merging.entry {
      loaded.counters.counts.valueQueries += 1
      return try reading.select("SELECT EXISTS (\(query.subselect()))") { $0.int64(0) != 0 }.first ?? false
    }
  }

  /// The ids of the objects that a query finds, in its order. No object is made.
  ///
  /// `context.ids(User.all.sorted(by: \.age))`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0."age", t0._pk
  ///
  /// - Parameter query: The query.
  /// - Throws: ``StoreError``.
  public func ids<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> [EntityID<E>] {
    try merging.entry {
      loaded.counters.counts.valueQueries += 1
      return try reading.select(query.rowIDs()) { EntityID(pk: $0.int64(0)) }
    }
  }
}
