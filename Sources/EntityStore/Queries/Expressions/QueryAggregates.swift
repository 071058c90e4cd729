/// A number that SQLite adds as Swift does.
public protocol NumberAttribute: ScalarValue {
  /// The type of a sum: `Int` for integers, `Double` for other numbers.
  associatedtype Sum: ScalarValue & Comparable & AdditiveArithmetic
}

extension Int: NumberAttribute { public typealias Sum = Int }
extension Int8: NumberAttribute { public typealias Sum = Int }
extension Int16: NumberAttribute { public typealias Sum = Int }
extension Int32: NumberAttribute { public typealias Sum = Int }
extension Int64: NumberAttribute { public typealias Sum = Int }
extension UInt8: NumberAttribute { public typealias Sum = Int }
extension UInt16: NumberAttribute { public typealias Sum = Int }
extension UInt32: NumberAttribute { public typealias Sum = Int }
extension Double: NumberAttribute { public typealias Sum = Double }
extension Float: NumberAttribute { public typealias Sum = Double }

/// The objects of a group, as `$0` in `User.all.grouped { $0.city }.select { ($0.key, $0.count) }`; or all objects that
/// a query finds, in `aggregate` of a context.
///
/// `nil` takes part in no aggregate: the average is the average of the objects that have the value.
public struct QueryGroup<E: ManagedEntity, each K: QueryExpression>: Sendable {
  /// The values that all objects of the group have: one value, or a tuple.
  public let key: (repeat each K)
  fileprivate let row: QueryRow<E>

  // A tuple of a pack is taken apart for the call: the compiler (6.3.1) crashes where the tuple is passed on whole.
  init(_ row: RowAlias, key: repeat each K) {
    self.key = (repeat each key)
    self.row = QueryRow(alias: row)
  }

  /// The number of objects.
  ///
  /// `$0.count`
  /// // count(*)
  public var count: QueryValue<Int> { QueryValue(sql: "count(*)") }

  /// The number of objects with a value.
  ///
  /// `$0.count { $0.email }`
  /// // count(t0."email")
  ///
  /// - Parameter value: The value of an object. Objects with `nil` do not count.
  public func count<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Int> {
    QueryValue(sql: "count(\(value(row)._expression.sql))")
  }

  /// The number of different values.
  ///
  /// `$0.distinctCount { $0.city }`
  /// // count(DISTINCT t0."city")
  ///
  /// - Parameter value: The value of an object. `nil` does not count.
  public func distinctCount<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Int> {
    QueryValue(sql: "count(DISTINCT \(value(row)._expression.sql))")
  }

  /// The smallest value; `nil` where there is none.
  ///
  /// `$0.min { $0.age }`
  /// // min(t0."age")
  ///
  /// `$0.min { $0.score }`
  /// // min(t0."score")
  ///
  /// - Parameter value: The value of an object. Text is compared byte by byte.
  public func min<V>(_ value: (QueryRow<E>) -> QueryValue<V>) -> QueryValue<V._Unwrapped?>
  where V._Unwrapped: ScalarValue & Comparable {
    QueryValue(sql: "\(min: value(row).sql)")
  }

  /// The largest value; `nil` where there is none.
  ///
  /// `$0.max { $0.age }`
  /// // max(t0."age")
  ///
  /// `$0.max { $0.score }`
  /// // max(t0."score")
  ///
  /// - Parameter value: The value of an object. Text is compared byte by byte.
  public func max<V>(_ value: (QueryRow<E>) -> QueryValue<V>) -> QueryValue<V._Unwrapped?>
  where V._Unwrapped: ScalarValue & Comparable {
    QueryValue(sql: "\(max: value(row).sql)")
  }

  /// The sum; 0 where there are no values. A sum of integers that does not fit `Int` throws `invalidValue` when it is
  /// fetched.
  ///
  /// `$0.sum { $0.age }`
  /// // CASE count(t0."age") WHEN 0 THEN 0 ELSE sum(t0."age") END
  ///
  /// - Parameter value: The value of an object.
  public func sum<V>(_ value: (QueryRow<E>) -> QueryValue<V>) -> QueryValue<V._Unwrapped.Sum>
  where V._Unwrapped: NumberAttribute {
    let sql = value(row).sql
    // `coalesce` would be wrong: the sum of two opposite infinities is NULL too, and not 0.
    return QueryValue(sql: "CASE count(\(sql)) WHEN 0 THEN 0 ELSE sum(\(sql)) END", fallback: .notANumber)
  }

  /// The average; `nil` where there is no value.
  ///
  /// `$0.average { $0.age }`
  /// // avg(t0."age")
  ///
  /// - Parameter value: The value of an object.
  public func average<V>(_ value: (QueryRow<E>) -> QueryValue<V>) -> QueryValue<Double?>
  where V._Unwrapped: NumberAttribute {
    QueryValue(sql: "avg(\(value(row).sql))")
  }

  // Never run: the use of an unavailable declaration does not compile.
  @available(
    *, unavailable,
    message:
      "SQLite adds up Double, Float and integers up to Int64 alone: fetch the values with 'select' and add them in Swift"
  )
  @_disfavoredOverload
  public func sum<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Int> { count }

  @available(
    *, unavailable,
    message:
      "SQLite adds up Double, Float and integers up to Int64 alone: fetch the values with 'select' and add them in Swift"
  )
  @_disfavoredOverload
  public func average<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Double?> {
    QueryValue(sql: "NULL")
  }

  @available(
    *, unavailable, message: "SQLite has no order of the value: ask numbers, texts or dates, or '$0.kind.rawValue'"
  )
  @_disfavoredOverload
  public func min<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Int?> { QueryValue<Int?>(sql: "NULL") }

  @available(
    *, unavailable, message: "SQLite has no order of the value: ask numbers, texts or dates, or '$0.kind.rawValue'"
  )
  @_disfavoredOverload
  public func max<X: QueryExpression>(_ value: (QueryRow<E>) -> X) -> QueryValue<Int?> { QueryValue<Int?>(sql: "NULL") }
}
