// Columns of types that are stored as something else. They have the conditions that mean the same in SQL as in Swift:
// raw values can't be compared as cases are, and JSON only as a whole. A condition compares the row's value: a raw
// value that no case has is equal to no case, although the property reads as its default. `isUnrecognized` finds it.

extension QueryRow {
  /// An attribute that is stored as its raw value.
  ///
  /// `$0.role == .admin`
  /// // t0."role" IS ?
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>)
    -> QueryRawColumn<V>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: column(keyPath), fallback: .property(keyPath))
  }

  /// An optional attribute that is stored as its raw value.
  ///
  /// `$0.role == nil`
  /// // t0."role" IS NULL
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<E.Columns, Column<E, V?>>)
    -> QueryRawColumn<V?>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: column(keyPath), fallback: .property(keyPath))
  }

  /// An attribute that is stored as JSON.
  ///
  /// `$0.tags != ["new"]`, `$0.settings != nil`
  /// // t0."tags" IS NOT ?, t0."settings" IS NOT NULL
  @_disfavoredOverload
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<E.Columns, Column<E, V>>
  ) -> QueryJSONColumn<V> {
    QueryJSONColumn(sql: column(keyPath), fallback: .property(keyPath))
  }
}

extension QueryLink {
  /// An attribute of the target that is stored as its raw value.
  ///
  /// `$0.owner.role == .admin`
  /// // (SELECT p."role" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>)
    -> QueryRawColumn<V>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// An optional attribute of the target that is stored as its raw value.
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, V?>>)
    -> QueryRawColumn<V?>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// An attribute of the target that is stored as JSON.
  ///
  /// `$0.owner.tags == ["new"]`
  /// // (SELECT p."tags" FROM "User" AS p WHERE p._pk = t0."owner") IS ?
  @_disfavoredOverload
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>
  ) -> QueryJSONColumn<V> {
    QueryJSONColumn(sql: through(keyPath), fallback: .property(keyPath))
  }
}

extension QueryOptionalLink {
  /// An attribute of the target that is stored as its raw value; `nil` without a target.
  ///
  /// `$0.boss.role == .admin`
  /// // (SELECT p."role" FROM "User" AS p WHERE p._pk = t0."boss") IS ?
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>)
    -> QueryRawColumn<V?>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// An optional attribute of the target that is stored as its raw value; `nil` without a target.
  @_disfavoredOverload
  public subscript<V: RawRepresentable & AttributeValue>(dynamicMember keyPath: KeyPath<T.Columns, Column<T, V?>>)
    -> QueryRawColumn<V?>
  where V.RawValue: ScalarValue {
    QueryRawColumn(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// An attribute of the target that is stored as JSON; `nil` without a target.
  ///
  /// `$0.boss.tags == ["new"]`
  /// // (SELECT p."tags" FROM "User" AS p WHERE p._pk = t0."boss") IS ?
  @_disfavoredOverload
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, V>>
  ) -> QueryJSONColumn<V?> {
    QueryJSONColumn(sql: through(keyPath), fallback: .property(keyPath))
  }

  /// An optional attribute of the target that is stored as JSON; `nil` without a target.
  @_disfavoredOverload
  public subscript<V: AttributeValue>(
    dynamicMember keyPath: KeyPath<T.Columns, Column<T, V?>>
  ) -> QueryJSONColumn<V?> {
    QueryJSONColumn(sql: through(keyPath), fallback: .property(keyPath))
  }
}

/// The column of an attribute of a type with raw values.
///
/// The type says how rows have its values, as its raw value or as JSON; conditions ask it and compare that.
public struct QueryRawColumn<V>: Sendable {
  let sql: SQLFragment
  var fallback: SQLExpression.Fallback?
}

extension QueryRawColumn where V: AttributeValue {
  /// `$0.role == .admin`
  /// // t0."role" IS ?
  ///
  /// `$0.role == nil`
  /// // t0."role" IS NULL
  public static func == (column: Self, value: V) -> EntityPredicate { EntityPredicate(column.sql, equals: value) }

  /// `$0.role != .admin`
  /// // t0."role" IS NOT ?
  ///
  /// `$0.role != .admin`, true for rows without one
  /// // t0."role" IS NOT ?
  public static func != (column: Self, value: V) -> EntityPredicate { EntityPredicate(column.sql, differsFrom: value) }

  /// `$0.role.isIn([.admin, .owner])`
  /// // t0."role" IN (?, ?)
  ///
  /// `$0.role.isIn([.admin, nil])`
  /// // (t0."role" IN (?) OR t0."role" IS NULL)
  public func isIn(_ values: [V]) -> EntityPredicate { EntityPredicate(sql, isIn: values) }
}

extension QueryRawColumn {
  /// `$0.permissions.contains(.write)`
  /// // (t0."permissions" & ?) = ?
  public func contains(_ options: V) -> EntityPredicate
  where V: OptionSet & AttributeValue, V.RawValue: SmallIntegerAttributeValue {
    contains(bits: options.rawValue, in: V.self)
  }

  /// `$0.permissions.contains(.write)` of an optional; rows without one contain nothing, not even `[]`
  /// // (t0."permissions" & ?) = ?
  public func contains<W: OptionSet & AttributeValue>(_ options: W) -> EntityPredicate
  where V == W?, W.RawValue: SmallIntegerAttributeValue {
    contains(bits: options.rawValue, in: W.self)
  }

  // Never run: a use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message: "SQLite has no bits of a UInt or UInt64: give the option set a raw value of Int, Int64 or a smaller type"
  )
  @_disfavoredOverload
  public func contains(_ options: V) -> EntityPredicate where V: OptionSet, V.RawValue: IntegerAttributeValue {
    EntityPredicate("0")
  }

  // The same of an optional. One for both would not know what type a leading dot stands for.
  @available(
    *, unavailable,
    message: "SQLite has no bits of a UInt or UInt64: give the option set a raw value of Int, Int64 or a smaller type"
  )
  @_disfavoredOverload
  public func contains<W: OptionSet>(_ options: W) -> EntityPredicate
  where V == W?, W.RawValue: IntegerAttributeValue {
    EntityPredicate("0")
  }

  private func contains<W: AttributeValue>(bits: some SmallIntegerAttributeValue, in type: W.Type) -> EntityPredicate {
    let bits = bits.storedValue
    return EntityPredicate("(\(raw(of: type)) & \(bits)) = \(bits)")
  }

  /// The column, where rows have raw values in it: an order, bits and the like are theirs.
  func raw<W: AttributeValue>(of type: W.Type) -> SQLFragment { .raw(sql, of: type) }
}

/// The column of an attribute that is stored as JSON.
public struct QueryJSONColumn<V>: Sendable {
  let sql: SQLFragment
  var fallback: SQLExpression.Fallback?
}

extension QueryJSONColumn where V: AttributeValue {
  /// `$0.tags == ["new"]`, compared as JSON with sorted keys; `$0.settings == nil`
  /// // t0."tags" IS ?, t0."settings" IS NULL
  public static func == (column: Self, value: V) -> EntityPredicate { EntityPredicate(column.sql, equals: value) }

  /// `$0.tags != ["new"]`, `$0.settings != nil`
  /// // t0."tags" IS NOT ?, t0."settings" IS NOT NULL
  public static func != (column: Self, value: V) -> EntityPredicate { EntityPredicate(column.sql, differsFrom: value) }
}
