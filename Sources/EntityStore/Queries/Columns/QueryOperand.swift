/// The left side of a comparison in a query: a column or a link.
public protocol QueryOperand: Sendable {}

extension QueryColumn: QueryOperand {}
extension QueryRawColumn: QueryOperand {}
extension QueryJSONColumn: QueryOperand {}

// Operands that no comparison takes. Without these the compiler tries each `==` that there is for each one in the
// closure, and ends without a word on which of them it was.

extension QueryOperand {
  @available(*, unavailable, message: "the column is of another type than the value; unwrap one that is optional")
  @_disfavoredOverload
  public static func == <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is of another type than the value; unwrap one that is optional")
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
    message:
      "the column is of another type than the value, or SQLite has no order of it; of raw values, it has that of integers"
  )
  @_disfavoredOverload
  public static func < <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message:
      "the column is of another type than the value, or SQLite has no order of it; of raw values, it has that of integers"
  )
  @_disfavoredOverload
  public static func <= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message:
      "the column is of another type than the value, or SQLite has no order of it; of raw values, it has that of integers"
  )
  @_disfavoredOverload
  public static func > <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(
    *, unavailable,
    message:
      "the column is of another type than the value, or SQLite has no order of it; of raw values, it has that of integers"
  )
  @_disfavoredOverload
  public static func >= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  // Never run: a use of an unavailable declaration does not compile.
  private static var unavailable: EntityPredicate { EntityPredicate("0") }
}

extension Sequence {
  @available(*, unavailable, message: "a query asks its column: write '$0.id.isIn(ids)' for 'ids.contains($0.id)'")
  @_disfavoredOverload
  public func contains<C: QueryOperand>(_ column: C) -> EntityPredicate { EntityPredicate("0") }
}

extension QueryJSONColumn where V: Sequence {
  @available(
    *, unavailable,
    message:
      "a query compares JSON as a whole: make the elements objects of a relationship, or write SQL(\"EXISTS (SELECT 1 FROM json_each(\\($0.labels)) WHERE value = \\(label))\")"
  )
  public func contains(_ element: V.Element) -> EntityPredicate { EntityPredicate("0") }
}
