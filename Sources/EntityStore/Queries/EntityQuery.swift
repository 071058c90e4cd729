/// Which objects of an entity to fetch, in which order and how many. It is Sendable and makes no object.
public struct EntityQuery<E: ManagedEntity>: Sendable {
  public enum Order: Sendable {
    /// From the smallest; rows without a value come first.
    case ascending
    /// From the largest; rows without a value come last.
    case descending
  }

  let predicate: EntityPredicate?
  var includesPlaceholders = false
  private var order: [SQLFragment] = []
  private var limit: Int?
  private var offset = 0

  package init(predicate: EntityPredicate? = nil, includesPlaceholders: Bool = false) {
    self.predicate = predicate
    self.includesPlaceholders = includesPlaceholders
  }

  /// Adds a sort key; the first one added counts first. What no key tells apart comes in the order of the
  /// row ids: for objects of one context, the order they were made.
  ///
  /// `User.where { $0.active == true }.sorted(by: \.age, .descending)`
  /// // … ORDER BY t0."age" DESC, t0._pk
  public func sorted<V: AttributeValue>(by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending)
    -> Self
  {
    sorted(order) { $0[dynamicMember: column] }
  }

  /// By the raw values, not by what `<` means between them.
  public func sorted<V: RawRepresentable>(
    by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending
  ) -> Self where V.RawValue: AttributeValue {
    sorted(by: QueryRow<E>.root[dynamicMember: column].sql, order)
  }

  public func sorted<V: RawRepresentable>(
    by column: KeyPath<E.Columns, Column<E, V?>>, _ order: Order = .ascending
  ) -> Self where V.RawValue: AttributeValue {
    sorted(by: QueryRow<E>.root[dynamicMember: column].sql, order)
  }

  /// Adds a sort key that is no column of the entity itself.
  ///
  /// `User.all.sorted { $0.address.city }.sorted(.descending) { $0.posts.count }`
  /// // … ORDER BY (SELECT p."city" FROM "Address" AS p WHERE p._pk = t0."address"), (SELECT count(*) …) DESC, t0._pk
  public func sorted<V: AttributeValue>(
    _ order: Order = .ascending, by key: (QueryRow<E>) -> QueryColumn<V>
  ) -> Self {
    sorted(by: key(.root).sql, order)
  }

  private func sorted(by key: SQLFragment, _ order: Order) -> Self {
    var query = self
    query.order.append(order == .descending ? "\(key) DESC" : key)
    return query
  }

  /// At most `count` objects, after the first `offset` ones.
  public func limited(to count: Int, offset: Int = 0) -> Self {
    var query = self
    query.limit = max(0, count)
    query.offset = max(0, offset)
    return query
  }

  /// The condition alone, on the row `t0`.
  package func condition() -> EntityPredicate {
    let visible = includesPlaceholders ? nil : EntityPredicate("t0._placeholder = 0")
    switch (predicate, visible) {
    case (let predicate?, let visible?): return predicate && visible
    case (let one?, nil), (nil, let one?): return one
    case (nil, nil): return EntityPredicate("1")
    }
  }

  /// The query for `columns` of the rows.
  func sql(_ columns: String) -> SQLFragment {
    var sql: SQLFragment = "SELECT \(sql: columns) FROM \(rows: E.self) AS t0 WHERE \(condition().sql)"
    sql = "\(sql) ORDER BY \(.joined(order + ["t0._pk"], ", "))"
    guard let limit else { return sql }
    return "\(sql) LIMIT \(.integer(Int64(limit))) OFFSET \(.integer(Int64(offset)))"
  }
}

extension ManagedEntity {
  /// The objects that meet a condition.
  ///
  /// `User.where { $0.email == nil && $0.age > 21 }`
  /// // SELECT … FROM "User" AS t0 WHERE ((t0."email" IS NULL AND t0."age" > ?) AND t0._placeholder = 0) ORDER BY t0._pk
  public static func `where`<C: QueryCondition>(_ condition: (QueryRow<Self>) -> C) -> EntityQuery<Self> {
    EntityQuery(predicate: condition(.root)._predicate)
  }

  /// All objects.
  public static var all: EntityQuery<Self> { EntityQuery() }
}
