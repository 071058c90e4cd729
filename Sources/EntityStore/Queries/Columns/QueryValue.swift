/// A value in a query: an attribute, also of a linked object, or another value that SQL computes.
///
/// Its type decides its conditions: values are equal or not, numbers and texts have an order, texts have a beginning
/// and an end, and numbers can be added. `V` is the value's type in Swift.
public struct QueryValue<V: AttributeValue>: Sendable {
  /// The value in the form of rows.
  private let plain: SQLFragment
  private(set) var fallback: SQLExpression.Fallback?
  /// The way in which texts are made equal that differ in case or in accents.
  private(set) var fold: TextFold?

  init(sql: SQLFragment, fallback: SQLExpression.Fallback? = nil) {
    plain = sql
    self.fallback = fallback
  }

  init<W>(_ text: QueryValue<W>, _ fold: TextFold) {
    plain = text.plain
    self.fold = fold
  }

  var sql: SQLFragment { folded(by: fold) }

  func folded(by fold: TextFold?) -> SQLFragment {
    switch fold {
    case nil: plain
    case .asciiCase?: "lower(\(plain))"
    case let fold?: "_entity_fold(\(plain), \(sql: "\(fold.rawValue)"))"
    }
  }

  private func compared<W>(_ comparison: String, with other: QueryValue<W>) -> EntityPredicate {
    let fold = fold ?? other.fold
    return EntityPredicate("\(folded(by: fold)) \(sql: comparison) \(other.folded(by: fold))")
  }
}

extension QueryValue: QueryExpression {
  public typealias Value = V

  public var _expression: SQLExpression { SQLExpression(sql: sql, fallback: fallback) }
  public static func _value(_ stored: StoredValue) -> V? { V._value(stored) }
  public static var _neutral: V? { V._neutral }
}

/// A value of Bool is a condition by itself: `$0.isActive && $0.age > 21`
/// // (t0."isActive" IS 1 AND t0."age" > ?)
///
/// A value that may be `nil` holds where it is `true`.
extension QueryValue: QueryCondition where V._Unwrapped == Bool {
  public var _predicate: EntityPredicate { EntityPredicate("\(sql) IS 1") }
}

// Equality is SQLite's IS, which also has a result for NULL. Text compares byte by byte: case counts, and two spellings
// of one accented character differ. NaN is equal to nothing, as in Swift: `==` finds no row, `!=` finds each row. A
// value is compared in the form that rows have. A raw value without a case is equal to no case, although the property
// reads as its default, and `isUnrecognized` finds it. JSON is compared as a whole.

extension QueryValue {
  /// `$0.age == 21`, `$0.email == nil`
  /// // t0."age" IS ?, t0."email" IS NULL
  ///
  /// `$0.role == .admin`
  /// // t0."role" IS ?
  ///
  /// `$0.tags == ["new"]`, compared as JSON with sorted keys; `$0.settings == nil`
  /// // t0."tags" IS ?, t0."settings" IS NULL
  ///
  /// `$0.name.ignoringCase == "émile"`
  /// // _entity_fold(t0."name", 0) IS ?
  public static func == (column: Self, value: V) -> EntityPredicate {
    EntityPredicate(column.sql, equals: ComparedValue(value, column.fold))
  }

  /// `$0.email != "a@example.com"`, true for rows without one
  /// // t0."email" IS NOT ?
  ///
  /// `$0.role != .admin`
  /// // t0."role" IS NOT ?
  ///
  /// `$0.tags != ["new"]`, `$0.settings != nil`
  /// // t0."tags" IS NOT ?, t0."settings" IS NOT NULL
  ///
  /// `$0.name.ignoringCase != "émile"`, true for rows without a name
  /// // _entity_fold(t0."name", 0) IS NOT ?
  public static func != (column: Self, value: V) -> EntityPredicate {
    EntityPredicate(column.sql, differsFrom: ComparedValue(value, column.fold))
  }

  /// `$0.firstName == $0.lastName`, true where both are nil
  /// // t0."firstName" IS t0."lastName"
  ///
  /// `$0.name == $0.boss.name`, where one of the two is optional
  /// // t0."name" IS (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss")
  ///
  /// `$0.boss.name == $0.name`
  /// // (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss") IS t0."name"
  ///
  /// `$0.name.ignoringCase == $0.email.ignoringCase`, true where both are nil
  /// // _entity_fold(t0."name", 0) IS _entity_fold(t0."email", 0)
  ///
  /// Both texts are folded in the way of the left one, or of the right one where the left one is not folded.
  public static func == <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared("IS", with: other) }

  /// `$0.firstName != $0.lastName`
  /// // t0."firstName" IS NOT t0."lastName"
  ///
  /// `$0.name != $0.boss.name`
  /// // t0."name" IS NOT (SELECT p."name" FROM "User" AS p WHERE p._pk = t0."boss")
  ///
  /// `$0.name.ignoringCase != $0.email.ignoringCase`
  /// // _entity_fold(t0."name", 0) IS NOT _entity_fold(t0."email", 0)
  ///
  /// Both texts are folded in the way of the left one, or of the right one where the left one is not folded.
  public static func != <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared("IS NOT", with: other) }

  /// `$0.city.isIn(["Oslo", "Rome"])`, of any number
  /// // t0."city" IN (?, ?)
  ///
  /// `$0.role.isIn([.admin, nil])`
  /// // (t0."role" IN (?) OR t0."role" IS NULL)
  ///
  /// `$0.city.ignoringCase.isIn(["oslo", "rome"])`, of any number
  /// // _entity_fold(t0."city", 0) IN (?, ?)
  public func isIn(_ values: [V]) -> EntityPredicate {
    EntityPredicate(sql, isIn: values.map { ComparedValue($0, fold) })
  }
}

// Order, for types that SQLite orders as Swift does. Rows without a value match none of these conditions.

extension QueryValue: QueryOrdered where V._Unwrapped: ScalarValue & Comparable {
  public func _is(_ comparison: String, _ bound: V._Unwrapped) -> EntityPredicate {
    EntityPredicate("\(sql) \(sql: comparison) \(stored(bound))")
  }

  private func stored(_ bound: V._Unwrapped) -> StoredValue {
    fold?.folded(bound.storedValue) ?? bound.storedValue
  }

  /// `$0.age.isIn(18...65)`
  /// // t0."age" BETWEEN ? AND ?
  public func isIn(_ range: ClosedRange<V._Unwrapped>) -> EntityPredicate {
    EntityPredicate("\(sql) BETWEEN \(stored(range.lowerBound)) AND \(stored(range.upperBound))")
  }

  /// `$0.age.isIn(18..<65)`
  /// // (t0."age" >= ? AND t0."age" < ?)
  public func isIn(_ range: Range<V._Unwrapped>) -> EntityPredicate {
    EntityPredicate("(\(sql) >= \(stored(range.lowerBound)) AND \(sql) < \(stored(range.upperBound)))")
  }

  /// `$0.length < $0.limit`
  /// // t0."length" < t0."limit"
  ///
  /// `$0.age < $0.boss.age`, where one of the two is optional
  /// // t0."age" < (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss")
  ///
  /// `$0.boss.age < $0.age`
  /// // (SELECT p."age" FROM "User" AS p WHERE p._pk = t0."boss") < t0."age"
  public static func < <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared("<", with: other) }

  /// `$0.length <= $0.limit`
  /// // t0."length" <= t0."limit"
  public static func <= <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared("<=", with: other) }

  /// `$0.length > $0.limit`
  /// // t0."length" > t0."limit"
  public static func > <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared(">", with: other) }

  /// `$0.length >= $0.limit`
  /// // t0."length" >= t0."limit"
  public static func >= <W>(column: Self, other: QueryValue<W>) -> EntityPredicate
  where W._Unwrapped == V._Unwrapped { column.compared(">=", with: other) }
}
