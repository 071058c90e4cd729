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

  @available(*, unavailable, message: "the column is of another type than the value, or SQLite has no such order of it")
  @_disfavoredOverload
  public static func < <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is of another type than the value, or SQLite has no such order of it")
  @_disfavoredOverload
  public static func <= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is of another type than the value, or SQLite has no such order of it")
  @_disfavoredOverload
  public static func > <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  @available(*, unavailable, message: "the column is of another type than the value, or SQLite has no such order of it")
  @_disfavoredOverload
  public static func >= <W>(column: Self, value: W) -> EntityPredicate { unavailable }

  // Never run: a use of an unavailable declaration does not compile.
  private static var unavailable: EntityPredicate { EntityPredicate("0") }
}
