// Members of Swift's collections. A query has some of them under another name, because its closures describe a
// condition and do not decide. It does not have the others.

extension QueryList {
  @available(*, unavailable, renamed: "any(_:)")
  public func contains<C: QueryCondition>(where condition: (QueryRow<T>) -> C) -> EntityPredicate { any(condition) }

  @available(*, unavailable, renamed: "all(_:)")
  public func allSatisfy<C: QueryCondition>(_ condition: (QueryRow<T>) -> C) -> EntityPredicate { all(condition) }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public func any<X: QueryExpression>(_ value: (QueryRow<T>) -> X) -> EntityPredicate { isEmpty }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public func all<X: QueryExpression>(_ value: (QueryRow<T>) -> X) -> EntityPredicate { isEmpty }

  @available(*, unavailable, message: "a query asks all members: '$0.parts.any { $0.age > 1 }'")
  public var first: QueryOptionalLink<T> { QueryOptionalLink(_sql: "NULL") }

  @available(*, unavailable, message: "a query asks all members: '$0.parts.any { $0.age > 1 }'")
  public var last: QueryOptionalLink<T> { QueryOptionalLink(_sql: "NULL") }

  @available(
    *, unavailable, message: "a list is no value: ask '$0.parts.isEmpty', '$0.parts.contains(part)' or '$0.parts.count'"
  )
  public static func == (list: Self, members: [T]) -> EntityPredicate { list.isEmpty }

  @available(
    *, unavailable, message: "a list is no value: ask '$0.parts.isEmpty', '$0.parts.contains(part)' or '$0.parts.count'"
  )
  public static func != (list: Self, members: [T]) -> EntityPredicate { list.isEmpty }
}
