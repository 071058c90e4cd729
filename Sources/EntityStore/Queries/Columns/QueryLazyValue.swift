/// A lazy attribute in a query: it is `nil` or not, and a query for values selects it.
///
/// ```swift
/// let faces = try context.fetch(User.where { $0.photo != nil }.select { ($0.entityID, $0.photo) })
/// ```
/// The compiler refuses other conditions on a lazy attribute, and refuses to sort by it: either would read the value of
/// each row. The condition on `nil` reads no value. <doc:LargeValues> lists what compiles.
public struct QueryLazyValue<V: AttributeValue>: QueryExpression, QueryOperand {
  public typealias Value = V

  let sql: SQLFragment
  /// The name of the value's type in SQL; NULL where there is no row.
  let type: SQLFragment
  let fallback: SQLExpression.Fallback?

  public var _expression: SQLExpression { SQLExpression(sql: sql, fallback: fallback) }
  public static func _value(_ stored: StoredValue) -> V? { V._value(stored) }
  public static var _neutral: V? { V._neutral }
}

extension QueryLazyValue where V: ExpressibleByNilLiteral {
  /// `$0.photo == nil`, which reads no photo: SQLite finds the type of a value in the head of its row
  /// // ifnull(typeof(t0."photo"), 'null') = 'null'
  public static func == (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate {
    EntityPredicate("ifnull(\(column.type), 'null') = 'null'")
  }

  /// `$0.photo != nil`, which reads none either
  /// // ifnull(typeof(t0."photo"), 'null') <> 'null'
  public static func != (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate {
    EntityPredicate("ifnull(\(column.type), 'null') <> 'null'")
  }
}

extension QueryRow {
  /// A lazy attribute; see ``QueryLazyValue``.
  ///
  /// `User.all.select { ($0.name, $0.photo) }`
  /// // SELECT t0."name", t0."photo" FROM "User" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, LazyValue<V>>>
  ) -> QueryLazyValue<V> {
    let name = E.columns[keyPath: keyPath].name
    return QueryLazyValue(
      sql: "\(lazy: name, of: E.self, alias)", type: "\(lazy: name, of: E.self, alias, isType: true)",
      fallback: .property(keyPath))
  }
}

extension QueryReference {
  fileprivate func lazily<V, W>(_ keyPath: KeyPath<Target.Columns, Column<Target, LazyValue<V>>>) -> QueryLazyValue<W> {
    let name = Target.columns[keyPath: keyPath].name
    let rest: SQLFragment = "FROM \(lazyRows: Target.self) AS p WHERE p._pk = \(_sql.sql))"
    return QueryLazyValue(
      sql: "(SELECT p.\(name: name) \(rest)", type: "(SELECT typeof(p.\(name: name)) \(rest)",
      fallback: .property(keyPath))
  }
}

extension QueryOptionalLink {
  /// A lazy attribute of the target; `nil` without a target.
  ///
  /// `$0.boss.photo == nil`
  /// // ifnull((SELECT typeof(p."photo") FROM "User" AS p WHERE p._pk = t0."boss"), 'null') = 'null'
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V>>>
  ) -> QueryLazyValue<V?> { lazily(keyPath) }

  /// An optional lazy attribute of the target; `nil` without a target.
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V?>>>
  ) -> QueryLazyValue<V?> { lazily(keyPath) }
}

extension QueryLink {
  /// A lazy attribute of the target.
  ///
  /// `$0.owner.photo == nil`
  /// // ifnull((SELECT typeof(p."photo") FROM "User" AS p WHERE p._pk = t0."owner"), 'null') = 'null'
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, LazyValue<V>>>
  ) -> QueryLazyValue<V> { lazily(keyPath) }
}
