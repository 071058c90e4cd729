/// Which objects of an entity to fetch, in which order and how many. It is Sendable and makes no object.
public struct EntityQuery<E: ManagedEntity>: Sendable {
  public enum Order: Sendable {
    /// From the smallest; rows without a value come first.
    case ascending
    case descending
  }

  let predicate: Predicate?
  var includesPlaceholders = false
  private var order: [String] = []
  private var limit: Int?
  private var offset = 0

  package init(predicate: Predicate? = nil, includesPlaceholders: Bool = false) {
    self.predicate = predicate
    self.includesPlaceholders = includesPlaceholders
  }

  /// Adds a sort key; the first one added counts first. What no key tells apart comes in the order of the
  /// row ids: for objects of one context, the order they were made.
  ///
  /// `User.where { $0.active == true }.sorted(by: \.age, .descending)`
  /// // … ORDER BY "age" DESC, _pk
  public func sorted<V: AttributeValue>(by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending)
    -> Self
  {
    sorted(by: E.columns[keyPath: column].name, order)
  }

  /// By the raw values, not by what `<` means between them.
  public func sorted<V: RawRepresentable>(
    by column: KeyPath<E.Columns, Column<E, V>>, _ order: Order = .ascending
  ) -> Self where V.RawValue: AttributeValue {
    sorted(by: E.columns[keyPath: column].name, order)
  }

  public func sorted<V: RawRepresentable>(
    by column: KeyPath<E.Columns, Column<E, V?>>, _ order: Order = .ascending
  ) -> Self where V.RawValue: AttributeValue {
    sorted(by: E.columns[keyPath: column].name, order)
  }

  private func sorted(by name: String, _ order: Order) -> Self {
    var query = self
    query.order.append(name.quoted + (order == .descending ? " DESC" : ""))
    return query
  }

  /// At most `count` objects, after the first `offset` ones.
  public func limited(to count: Int, offset: Int = 0) -> Self {
    var query = self
    query.limit = max(0, count)
    query.offset = max(0, offset)
    return query
  }

  /// The condition alone.
  package func condition() -> Predicate {
    let visible = includesPlaceholders ? nil : Predicate("_placeholder = 0")
    switch (predicate, visible) {
    case (let predicate?, let visible?): return predicate && visible
    case (let one?, nil), (nil, let one?): return one
    case (nil, nil): return Predicate("1")
    }
  }

  /// The query on `source`, which has the columns of the entity's table.
  func sql(_ columns: String, from source: String) -> Predicate {
    let condition = condition()
    var sql = "SELECT \(columns) FROM \(source) WHERE \(condition.sql)"
    sql += " ORDER BY \((order + ["_pk"]).joined(separator: ", "))"
    var values = condition.values
    if let limit {
      sql += " LIMIT ? OFFSET ?"
      values += [.integer(Int64(limit)), .integer(Int64(offset))]
    }
    return Predicate(sql, values)
  }
}

extension ManagedEntity {
  /// The objects that meet a condition.
  ///
  /// `User.where { $0.email == nil && $0.age > 21 }`
  /// // SELECT … FROM "User" WHERE (("email" IS NULL AND "age" > ?) AND _placeholder = 0) ORDER BY _pk
  public static func `where`(_ predicate: (QueryRow<Self>) -> Predicate) -> EntityQuery<Self> {
    EntityQuery(predicate: predicate(QueryRow()))
  }

  /// All objects.
  public static var all: EntityQuery<Self> { EntityQuery() }
}
