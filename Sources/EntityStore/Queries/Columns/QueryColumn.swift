/// An attribute in a query, or another value that SQL computes.
public struct QueryColumn<V: ScalarValue>: Sendable {
  let sql: SQLFragment
  var fallback: SQLExpression.Fallback?
}

/// Bool, or Bool that may be nil: as a condition, it holds where it is `true`.
public protocol BoolAttribute: ScalarValue {}

extension Bool: BoolAttribute {}
extension Optional: BoolAttribute where Wrapped == Bool {}

/// A column of Bool is a condition by itself: `$0.isActive && $0.age > 21`
/// // (t0."isActive" IS 1 AND t0."age" > ?)
extension QueryColumn: QueryCondition where V: BoolAttribute {
  public var _predicate: EntityPredicate { EntityPredicate("\(sql) IS 1") }
}

// Equality is SQLite's IS: it has an answer for NULL too. Text compares byte by byte: case counts, and so do two
// spellings of one accented character. NaN is equal to nothing, as in Swift: `==` finds no row, `!=` each one.

extension QueryColumn {
  /// `$0.age == 21`, `$0.email == nil`
  /// // t0."age" IS ?, t0."email" IS NULL
  public static func == (column: Self, value: V) -> EntityPredicate {
    EntityPredicate(column.sql, equals: value)
  }

  /// `$0.email != "a@example.com"`, true for rows without one
  /// // t0."email" IS NOT ?
  public static func != (column: Self, value: V) -> EntityPredicate {
    EntityPredicate(column.sql, differsFrom: value)
  }

  /// `$0.firstName == $0.lastName`, true where both are nil
  /// // t0."firstName" IS t0."lastName"
  public static func == (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS \(other.sql)")
  }

  /// `$0.firstName != $0.lastName`
  /// // t0."firstName" IS NOT t0."lastName"
  public static func != (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS NOT \(other.sql)")
  }

  /// `$0.name == $0.boss.name`, where one of the two is optional
  /// // t0."name" IS (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func == (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS \(other.sql)")
  }

  /// `$0.name != $0.boss.name`
  /// // t0."name" IS NOT (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss")
  public static func != (column: Self, other: QueryColumn<V?>) -> EntityPredicate {
    EntityPredicate("\(column.sql) IS NOT \(other.sql)")
  }

  /// `$0.city.isIn(["Oslo", "Rome"])`, of any number
  /// // t0."city" IN (?, ?)
  public func isIn(_ values: [V]) -> EntityPredicate { EntityPredicate(sql, isIn: values) }
}

// Order, for types that SQLite orders as Swift does. Rows without a value match none of these.

extension QueryColumn where V: Comparable {
  /// `$0.age < 21`
  /// // t0."age" < ?
  public static func < (column: Self, value: V) -> EntityPredicate {
    EntityPredicate("\(column.sql) < \(value.storedValue)")
  }
  /// `$0.age <= 21`
  /// // t0."age" <= ?
  public static func <= (column: Self, value: V) -> EntityPredicate {
    EntityPredicate("\(column.sql) <= \(value.storedValue)")
  }
  /// `$0.age > 21`
  /// // t0."age" > ?
  public static func > (column: Self, value: V) -> EntityPredicate {
    EntityPredicate("\(column.sql) > \(value.storedValue)")
  }
  /// `$0.age >= 21`
  /// // t0."age" >= ?
  public static func >= (column: Self, value: V) -> EntityPredicate {
    EntityPredicate("\(column.sql) >= \(value.storedValue)")
  }

  /// `$0.age.isIn(18...65)`
  /// // t0."age" BETWEEN ? AND ?
  public func isIn(_ range: ClosedRange<V>) -> EntityPredicate { between(range.lowerBound, range.upperBound) }
  /// `$0.age.isIn(18..<65)`
  /// // (t0."age" >= ? AND t0."age" < ?)
  public func isIn(_ range: Range<V>) -> EntityPredicate { within(range.lowerBound, range.upperBound) }
}

extension QueryColumn {
  /// `$0.score < 2.5`, of an optional
  /// // t0."score" < ?
  public static func < <W: Comparable>(column: Self, value: W) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) < \(value.storedValue)")
  }
  /// `$0.score <= 2.5`, of an optional
  /// // t0."score" <= ?
  public static func <= <W: Comparable>(column: Self, value: W) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) <= \(value.storedValue)")
  }
  /// `$0.score > 2.5`, of an optional
  /// // t0."score" > ?
  public static func > <W: Comparable>(column: Self, value: W) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) > \(value.storedValue)")
  }
  /// `$0.score >= 2.5`, of an optional
  /// // t0."score" >= ?
  public static func >= <W: Comparable>(column: Self, value: W) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) >= \(value.storedValue)")
  }

  /// `$0.score.isIn(1...2)`, of an optional
  /// // t0."score" BETWEEN ? AND ?
  public func isIn<W: Comparable>(_ range: ClosedRange<W>) -> EntityPredicate where V == W? {
    between(range.lowerBound, range.upperBound)
  }
  /// `$0.score.isIn(1..<2)`, of an optional
  /// // (t0."score" >= ? AND t0."score" < ?)
  public func isIn<W: Comparable>(_ range: Range<W>) -> EntityPredicate where V == W? {
    within(range.lowerBound, range.upperBound)
  }

  private func between<W: ScalarValue>(_ low: W, _ high: W) -> EntityPredicate {
    EntityPredicate("\(sql) BETWEEN \(low.storedValue) AND \(high.storedValue)")
  }

  private func within<W: ScalarValue>(_ low: W, _ high: W) -> EntityPredicate {
    EntityPredicate("(\(sql) >= \(low.storedValue) AND \(sql) < \(high.storedValue))")
  }
}

extension QueryColumn where V: Comparable {
  /// `$0.length < $0.limit`
  /// // t0."length" < t0."limit"
  public static func < (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) < \(other.sql)")
  }
  /// `$0.length <= $0.limit`
  /// // t0."length" <= t0."limit"
  public static func <= (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) <= \(other.sql)")
  }
  /// `$0.length > $0.limit`
  /// // t0."length" > t0."limit"
  public static func > (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) > \(other.sql)")
  }
  /// `$0.length >= $0.limit`
  /// // t0."length" >= t0."limit"
  public static func >= (column: Self, other: Self) -> EntityPredicate {
    EntityPredicate("\(column.sql) >= \(other.sql)")
  }
}

extension QueryColumn {
  /// `$0.length < $0.limit`, of two optionals
  /// // t0."length" < t0."limit"
  public static func < <W: Comparable>(column: Self, other: Self) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) < \(other.sql)")
  }
  /// `$0.length <= $0.limit`, of two optionals
  /// // t0."length" <= t0."limit"
  public static func <= <W: Comparable>(column: Self, other: Self) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) <= \(other.sql)")
  }
  /// `$0.length > $0.limit`, of two optionals
  /// // t0."length" > t0."limit"
  public static func > <W: Comparable>(column: Self, other: Self) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) > \(other.sql)")
  }
  /// `$0.length >= $0.limit`, of two optionals
  /// // t0."length" >= t0."limit"
  public static func >= <W: Comparable>(column: Self, other: Self) -> EntityPredicate where V == W? {
    EntityPredicate("\(column.sql) >= \(other.sql)")
  }
}
