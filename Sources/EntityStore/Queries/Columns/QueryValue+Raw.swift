// Types that are stored as their raw values. Raw values have an order where they are integers. They have bits where the
// type is an option set. They are also values of their own.

extension QueryValue {
  /// The column, where its rows have raw values.
  var raw: SQLFragment { .raw(sql, of: V._Unwrapped.self) }
}

extension QueryValue where V._Unwrapped: RawRepresentable, V._Unwrapped.RawValue: IntegerAttributeValue {
  /// `$0.priority < .high`, by the raw values, as a sort key is; a row without a value is not found
  /// // t0."priority" < ?
  @_disfavoredOverload
  public static func < (column: Self, value: V._Unwrapped) -> EntityPredicate { column.ordered("<", value) }

  /// `$0.priority <= .high`, by the raw values, as a sort key is
  /// // t0."priority" <= ?
  @_disfavoredOverload
  public static func <= (column: Self, value: V._Unwrapped) -> EntityPredicate { column.ordered("<=", value) }

  /// `$0.priority > .high`, by the raw values, as a sort key is
  /// // t0."priority" > ?
  @_disfavoredOverload
  public static func > (column: Self, value: V._Unwrapped) -> EntityPredicate { column.ordered(">", value) }

  /// `$0.priority >= .high`, by the raw values, as a sort key is
  /// // t0."priority" >= ?
  @_disfavoredOverload
  public static func >= (column: Self, value: V._Unwrapped) -> EntityPredicate { column.ordered(">=", value) }

  private func ordered(_ comparison: String, _ value: V._Unwrapped) -> EntityPredicate {
    guard case .stored(let stored) = ComparedValue(value) else { return EntityPredicate("0") }
    return EntityPredicate("\(raw) \(sql: comparison) \(stored)")
  }
}

extension QueryValue where V: RawRepresentable, V.RawValue: ScalarValue {
  /// `$0.role.rawValue.hasPrefix("ad")`
  /// // (t0."role" >= ? AND t0."role" < ?)
  public var rawValue: QueryValue<V.RawValue> { QueryValue<V.RawValue>(sql: raw) }
}

extension QueryValue
where V: ExpressibleByNilLiteral, V._Unwrapped: RawRepresentable, V._Unwrapped.RawValue: ScalarValue {
  /// `$0.role.rawValue.hasPrefix("ad")`, of an optional
  /// // (t0."role" >= ? AND t0."role" < ?)
  public var rawValue: QueryValue<V._Unwrapped.RawValue?> { QueryValue<V._Unwrapped.RawValue?>(sql: raw) }
}

extension QueryValue where V._Unwrapped: OptionSet {
  /// `$0.permissions.contains(.write)`; rows without a value contain nothing, not even `[]`
  /// // (t0."permissions" & ?) = ?
  public func contains(_ options: V._Unwrapped) -> EntityPredicate
  where V._Unwrapped.RawValue: SmallIntegerAttributeValue {
    let bits = options.rawValue.storedValue
    return EntityPredicate("(\(raw) & \(bits)) = \(bits)")
  }

  // Never run: the use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message: "SQLite has no bits of a UInt or UInt64: give the option set a raw value of Int, Int64 or a smaller type"
  )
  @_disfavoredOverload
  public func contains(_ options: V._Unwrapped) -> EntityPredicate { EntityPredicate("0") }
}

extension QueryValue where V._Unwrapped: RawRepresentable & CaseIterable {
  /// `$0.role.isUnrecognized`: the server sent a raw value that no case has, and the property reads as its default
  /// // NOT (t0."role" IN (?, ?))
  ///
  /// `$0.role == .guest || $0.role.isUnrecognized` finds the objects that read as `.guest`, if that is the default. An
  /// optional without a default reads as `nil`. A row without a value has no unrecognized value.
  public var isUnrecognized: EntityPredicate {
    let cases = V._Unwrapped.allCases.compactMap { try? V._Unwrapped._stored($0) }
    return EntityPredicate("NOT (\(SQLFragment.isIn(sql, cases)))")
  }
}

extension QueryValue where V._Unwrapped: RawRepresentable {
  // Never run: the use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message: "only an enum says which raw values it has: declare it CaseIterable; to an option set each is one"
  )
  @_disfavoredOverload
  public var isUnrecognized: EntityPredicate { EntityPredicate("0") }
}

extension QueryValue where V._Unwrapped: Sequence & ExpressibleByArrayLiteral {
  @available(
    *, unavailable,
    message:
      "a query compares JSON as a whole: make the elements objects of a relationship, or write SQL(\"EXISTS (SELECT 1 FROM json_each(\\($0.labels)) WHERE value = \\(label))\")"
  )
  @_disfavoredOverload
  public func contains(_ element: V._Unwrapped.Element) -> EntityPredicate { EntityPredicate("0") }
}
