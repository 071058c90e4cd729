// Raw values in conditions: their order, where they are integers, and the raw value as a column of its own.

extension QueryRawColumn where V: RawRepresentable & AttributeValue, V.RawValue: IntegerAttributeValue {
  /// `$0.priority < .high`, by the raw values, as a sort key is
  /// // t0."priority" < ?
  public static func < (column: Self, value: V) -> EntityPredicate { column.ordered("<", value) }
  /// `$0.priority <= .high`, by the raw values, as a sort key is
  /// // t0."priority" <= ?
  public static func <= (column: Self, value: V) -> EntityPredicate { column.ordered("<=", value) }
  /// `$0.priority > .high`, by the raw values, as a sort key is
  /// // t0."priority" > ?
  public static func > (column: Self, value: V) -> EntityPredicate { column.ordered(">", value) }
  /// `$0.priority >= .high`, by the raw values, as a sort key is
  /// // t0."priority" >= ?
  public static func >= (column: Self, value: V) -> EntityPredicate { column.ordered(">=", value) }
}

// Of an optional: rows without a value come neither before nor after any.

extension QueryRawColumn {
  /// `$0.priority < .high`, of an optional; a row without a value is not found
  /// // t0."priority" < ?
  public static func < <W: RawRepresentable & AttributeValue>(column: Self, value: W) -> EntityPredicate
  where V == W?, W.RawValue: IntegerAttributeValue {
    column.ordered("<", value)
  }
  /// `$0.priority <= .high`, of an optional; a row without a value is not found
  /// // t0."priority" <= ?
  public static func <= <W: RawRepresentable & AttributeValue>(column: Self, value: W) -> EntityPredicate
  where V == W?, W.RawValue: IntegerAttributeValue {
    column.ordered("<=", value)
  }
  /// `$0.priority > .high`, of an optional; a row without a value is not found
  /// // t0."priority" > ?
  public static func > <W: RawRepresentable & AttributeValue>(column: Self, value: W) -> EntityPredicate
  where V == W?, W.RawValue: IntegerAttributeValue {
    column.ordered(">", value)
  }
  /// `$0.priority >= .high`, of an optional; a row without a value is not found
  /// // t0."priority" >= ?
  public static func >= <W: RawRepresentable & AttributeValue>(column: Self, value: W) -> EntityPredicate
  where V == W?, W.RawValue: IntegerAttributeValue {
    column.ordered(">=", value)
  }
}

extension QueryRawColumn {
  private func ordered<W: AttributeValue>(_ comparison: String, _ value: W) -> EntityPredicate {
    let column = raw(of: W.self)
    guard case .stored(let stored) = ComparedValue(value) else { return EntityPredicate("0") }
    return EntityPredicate("\(column) \(sql: comparison) \(stored)")
  }
}

extension QueryRawColumn where V: RawRepresentable & AttributeValue, V.RawValue: ScalarValue {
  /// `$0.role.rawValue.hasPrefix("ad")`
  /// // (t0."role" >= ? AND t0."role" < ?)
  public var rawValue: QueryColumn<V.RawValue> { QueryColumn(sql: raw(of: V.self)) }
}

/// An Optional of a type with raw values.
public protocol _OptionalRawValue {
  associatedtype _RawValue: ScalarValue
}

extension Optional: _OptionalRawValue where Wrapped: RawRepresentable, Wrapped.RawValue: ScalarValue {
  public typealias _RawValue = Wrapped.RawValue
}

extension QueryRawColumn where V: _OptionalRawValue & AttributeValue {
  /// `$0.role.rawValue.hasPrefix("ad")`, of an optional
  /// // (t0."role" >= ? AND t0."role" < ?)
  public var rawValue: QueryColumn<V._RawValue?> { QueryColumn(sql: raw(of: V.self)) }
}
