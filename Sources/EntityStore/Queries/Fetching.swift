extension EntityContext {
  /// The objects that a query finds. Unsaved changes of this context count: the query runs over them too, in SQL.
  ///
  /// - Throws: ``StoreError``.
  public func fetch<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> [E] {
    let model = try core.schema.model(E.self)
    return try entry {
      let source = try self.source(model)
      let select = query.sql(model.columnList, from: source)
      return try connection.rows(select.sql, select.values) { row in
        object(model, from: row) as? E
      }.compactMap(\.self)
    }
  }

  /// All objects of an entity, in a fixed order.
  public func fetch<E: ManagedEntity>(_ type: E.Type) throws -> [E] { try fetch(EntityQuery<E>()) }

  /// The object with a uid; `nil` when there is none, or only a placeholder.
  ///
  /// `context.fetch(User.self, uid: 42)`
  /// // … WHERE ("id" IS ? AND _placeholder = 0)
  public func fetch<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> E? {
    let model = try core.schema.model(type)
    guard let index = model.uid else {
      throw StoreError(.invalidSchema, "'\(model.name)' has no uid to fetch by.")
    }
    return try fetch(EntityQuery<E>(predicate: .column(model.properties[index].name, is: uid.storedValue))).first
  }

  /// How many objects a query finds, its limit aside.
  public func count<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int {
    let model = try core.schema.model(E.self)
    return try entry {
      let condition = query.condition()
      return try connection.rows(
        "SELECT count(*) FROM \(try source(model)) WHERE \(condition.sql)", condition.values
      ) { Int($0.int64(0)) }.first ?? 0
    }
  }
}
