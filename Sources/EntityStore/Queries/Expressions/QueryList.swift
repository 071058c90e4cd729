/// A to-many or many-to-many relationship in a query. Its members are those of the property, including placeholders.
public struct QueryList<T: ManagedEntity>: Sendable {
  let list: ListReference

  /// Whether some member meets a condition.
  ///
  /// `$0.posts.any { $0.title.hasPrefix("A") }`
  /// // EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk AND …)
  public func any<C: QueryCondition>(_ condition: (QueryRow<T>) -> C) -> EntityPredicate {
    let row = QueryRow<T>(alias: RowAlias())
    return EntityPredicate("EXISTS (\(select(row)) AND \(condition(row)._predicate.sql))")
  }

  /// Whether every member meets a condition; true for an empty list.
  ///
  /// `$0.posts.all { $0.title != "" }`
  /// // NOT EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk AND (…) IS NOT TRUE)
  public func all<C: QueryCondition>(_ condition: (QueryRow<T>) -> C) -> EntityPredicate {
    let row = QueryRow<T>(alias: RowAlias())
    return EntityPredicate("NOT EXISTS (\(select(row)) AND (\(condition(row)._predicate.sql)) IS NOT TRUE)")
  }

  /// `$0.posts.isEmpty`
  /// // NOT EXISTS (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk)
  public var isEmpty: EntityPredicate { EntityPredicate("NOT EXISTS (\(select(QueryRow<T>(alias: RowAlias()))))") }

  /// `$0.posts.count > 3`
  /// // (SELECT count(*) FROM (SELECT 1 FROM "Post" AS t1 WHERE t1."author" = t0._pk LIMIT -1)) > ?
  public var count: QueryValue<Int> {
    // A limit that excludes nothing keeps SQLite from counting in one step: then SQLite would read all unsaved and
    // saved rows before it selects those of the list.
    QueryValue(sql: "(SELECT count(*) FROM (\(select(QueryRow<T>(alias: RowAlias()))) LIMIT -1))")
  }

  /// `$0.tags.contains(tag)`
  /// // EXISTS (SELECT 1 FROM "Tag" AS t1
  /// //   WHERE t1._pk IN (SELECT l."member" FROM "Post,tags" AS l WHERE l."owner" = t0._pk) AND t1._pk = ?)
  public func contains(_ object: T) -> EntityPredicate { contains(object.entityID) }

  /// The same as with the object that has the id.
  ///
  /// `$0.tags.contains(id)`
  /// // EXISTS (SELECT 1 FROM "Tag" AS t1
  /// //   WHERE t1._pk IN (SELECT l."member" FROM "Post,tags" AS l WHERE l."owner" = t0._pk) AND t1._pk = ?)
  public func contains(_ id: EntityID<T>) -> EntityPredicate {
    let row = QueryRow<T>(alias: RowAlias())
    return EntityPredicate("EXISTS (\(select(row)) AND \(row.alias)._pk = \(.integer(id.pk)))")
  }

  private func select(_ row: QueryRow<T>) -> SQLFragment {
    "SELECT 1 FROM \(rows: T.self) AS \(row.alias) WHERE \(row.alias, in: list)"
  }
}
