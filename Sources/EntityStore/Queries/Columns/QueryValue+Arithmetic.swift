// Sums, differences and products of numbers, as SQLite computes them. If one operand is `nil`, the result is `nil`.
// Where the result of integers does not fit Int64, SQLite continues with a Double. That is right in a condition, but it
// is no value of the property's type.

extension QueryValue where V: ScalarValue, V._Unwrapped: NumberAttribute {
  /// `$0.views + 1`
  /// // (t0."views" + ?)
  public static func + (column: Self, value: V) -> Self { column.computed("+", "\(value.storedValue)") }
  /// `$0.views - 1`
  /// // (t0."views" - ?)
  public static func - (column: Self, value: V) -> Self { column.computed("-", "\(value.storedValue)") }
  /// `$0.price * 1.1`
  /// // (t0."price" * ?)
  public static func * (column: Self, value: V) -> Self { column.computed("*", "\(value.storedValue)") }

  /// `$0.likes + $0.shares`
  /// // (t0."likes" + t0."shares")
  public static func + (column: Self, other: Self) -> Self { column.computed("+", other.sql) }
  /// `$0.length - $0.read`
  /// // (t0."length" - t0."read")
  public static func - (column: Self, other: Self) -> Self { column.computed("-", other.sql) }
  /// `$0.price * $0.weight`
  /// // (t0."price" * t0."weight")
  public static func * (column: Self, other: Self) -> Self { column.computed("*", other.sql) }

  private func computed(_ name: String, _ other: SQLFragment) -> Self {
    QueryValue(sql: "(\(sql) \(sql: name) \(other))", fallback: .notANumber)
  }
}
