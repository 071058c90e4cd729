/// The left side of a comparison in a query: a column or a link.
public protocol QueryOperand: Sendable {}

extension QueryValue: QueryOperand {}

// Operands that have no comparisons. Without these declarations, the compiler tries each existing `==` for each
// comparison in the closure, and its error does not name the wrong one.

extension QueryOperand {
  @available(
    *, unavailable,
    message:
      "the column is of another type than the value: unwrap one that is optional, compare an enum with its cases or '$0.kind.rawValue'"
  )
  @_disfavoredOverload
  public static func == <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message:
      "the column is of another type than the value: unwrap one that is optional, compare an enum with its cases or '$0.kind.rawValue'"
  )
  @_disfavoredOverload
  public static func != <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is never nil: its property is not optional")
  @_disfavoredOverload
  public static func == (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is never nil: its property is not optional")
  @_disfavoredOverload
  public static func != (column: Self, value: _OptionalNilComparisonType) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message: "the column is of another type than the value, or SQLite has no order of it"
  )
  @_disfavoredOverload
  public static func < <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message: "the column is of another type than the value, or SQLite has no order of it"
  )
  @_disfavoredOverload
  public static func <= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message: "the column is of another type than the value, or SQLite has no order of it"
  )
  @_disfavoredOverload
  public static func > <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message: "the column is of another type than the value, or SQLite has no order of it"
  )
  @_disfavoredOverload
  public static func >= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static func && <R: QueryCondition>(left: Self, right: R) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static func && <L: QueryCondition>(left: L, right: Self) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static func || <R: QueryCondition>(left: Self, right: R) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static func || <L: QueryCondition>(left: L, right: Self) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "a value is no condition: compare it, '$0.age > 21'")
  @_disfavoredOverload
  public static prefix func ! (column: Self) -> EntityPredicate { unavailable }

  // Never run: the use of an unavailable declaration does not compile.
  private static var unavailable: EntityPredicate { EntityPredicate("0") }
}

extension Sequence {
  @available(*, unavailable, message: "a query asks its column: write '$0.id.isIn(ids)' for 'ids.contains($0.id)'")
  @_disfavoredOverload
  public func contains<C: QueryOperand>(_ column: C) -> EntityPredicate { EntityPredicate("0") }
}

extension QueryValue where V._Unwrapped: RawRepresentable {
  @available(*, unavailable, message: "an enum of texts has no order that SQLite knows: compare '$0.kind.rawValue'")
  @_disfavoredOverload
  public static func < (column: Self, value: V._Unwrapped) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "an enum of texts has no order that SQLite knows: compare '$0.kind.rawValue'")
  @_disfavoredOverload
  public static func <= (column: Self, value: V._Unwrapped) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "an enum of texts has no order that SQLite knows: compare '$0.kind.rawValue'")
  @_disfavoredOverload
  public static func > (column: Self, value: V._Unwrapped) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "an enum of texts has no order that SQLite knows: compare '$0.kind.rawValue'")
  @_disfavoredOverload
  public static func >= (column: Self, value: V._Unwrapped) -> EntityPredicate { EntityPredicate("0") }
}

// Members of Swift's texts that a query has in another form, or has only for texts.

extension QueryValue where V._Unwrapped == String {
  @available(
    *, unavailable,
    message: "SQLite does not count characters as Swift does; its own count is SQL(\"length(\\($0.name)) > 5\")"
  )
  public var count: QueryValue<Int> { QueryValue<Int>(sql: "0") }

  @available(*, unavailable, message: "compare without regard to case: '$0.name.ignoringCase == text'")
  public func lowercased() -> Self { self }

  @available(*, unavailable, message: "compare without regard to case: '$0.name.ignoringCase == text'")
  public func uppercased() -> Self { self }

  @available(*, unavailable, message: "write '$0.name.ignoringCaseAndAccents.contains(text)'")
  public func localizedStandardContains(_ text: String) -> EntityPredicate { contains(text) }
}

extension QueryValue {
  @available(*, unavailable, message: "a text alone has a beginning; a number is compared, '$0.age >= 10'")
  @_disfavoredOverload
  public func hasPrefix(_ prefix: String) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "a text alone has an end; a number is compared, '$0.age >= 10'")
  @_disfavoredOverload
  public func hasSuffix(_ suffix: String) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "a text contains a text of Swift, and an option set its options")
  @_disfavoredOverload
  public func contains<X>(_ value: X) -> EntityPredicate { EntityPredicate("0") }

  @available(*, unavailable, message: "compare the optional: '$0.nick == text || $0.nick == nil'")
  @_disfavoredOverload
  public static func ?? (column: Self, value: V._Unwrapped) -> QueryValue<V._Unwrapped> {
    QueryValue<V._Unwrapped>(sql: "0")
  }
}
