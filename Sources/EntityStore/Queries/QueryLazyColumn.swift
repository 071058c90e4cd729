/// A lazy attribute in a query: it is `nil` or not, and a query for values selects it.
///
/// ```swift
/// let faces = try context.fetch(User.where { $0.photo != nil }.select { ($0.entityID, $0.photo) })
/// ```
/// No other condition names it and no query is sorted by it, for either would read the value of each row. The condition on
/// `nil` reads none.
public struct QueryLazyColumn<V: AttributeValue>: QueryExpression, QueryOperand {
  public typealias Value = V

  let sql: SQLFragment
  /// The name of the value's type in SQL; NULL where there is no row.
  let type: SQLFragment
  let fallback: SQLExpression.Fallback?

  public var _expression: SQLExpression { SQLExpression(sql: sql, fallback: fallback) }
  public static func _value(_ stored: StoredValue) -> V? { V._value(stored) }
  public static var _neutral: V? { V._neutral }
}

extension QueryLazyColumn where V: ExpressibleByNilLiteral {
  /// Whether there is no value: `$0.photo == nil`. SQLite takes the type of a value from the head of its row, and does not read
  /// the value: `ifnull(typeof(t0."photo"), 'null') = 'null'`.
  public static func == (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate {
    EntityPredicate("ifnull(\(column.type), 'null') = 'null'")
  }

  /// Whether there is a value: `$0.photo != nil`, which reads none either.
  public static func != (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate {
    EntityPredicate("ifnull(\(column.type), 'null') <> 'null'")
  }
}

extension QueryRow {
  /// A lazy attribute; see ``QueryLazyColumn``.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, LazyValue<V>>>
  ) -> QueryLazyColumn<V> {
    let name = E.columns[keyPath: keyPath].name
    return QueryLazyColumn(
      sql: "\(lazy: name, of: E.self, alias)", type: "\(lazy: name, of: E.self, alias, isType: true)",
      fallback: .property(keyPath))
  }
}

extension QueryReference {
  fileprivate func lazily<V, W>(_ keyPath: KeyPath<Target.Columns, Column<Target, LazyValue<V>>>) -> QueryLazyColumn<W>
  {
    let name = Target.columns[keyPath: keyPath].name
    let rest: SQLFragment = "FROM \(lazyRows: Target.self) AS p WHERE p._pk = \(_sql.sql))"
    return QueryLazyColumn(
      sql: "(SELECT p.\(name: name) \(rest)", type: "(SELECT typeof(p.\(name: name)) \(rest)",
      fallback: .property(keyPath))
  }
}

extension QueryOptionalLink {
  /// A lazy attribute of the target; `nil` without one.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V>>>
  ) -> QueryLazyColumn<V?> { lazily(keyPath) }

  /// A lazy attribute of the target; `nil` without one.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V?>>>
  ) -> QueryLazyColumn<V?> { lazily(keyPath) }
}

extension QueryLink {
  /// A lazy attribute of the target.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V>>>
  ) -> QueryLazyColumn<V> { lazily(keyPath) }
}
