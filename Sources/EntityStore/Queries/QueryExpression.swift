/// A value that SQL computes for each row: a column, a property of a linked object, the count of a list.
public protocol QueryExpression<Value>: Sendable {
  /// The type that the value has in Swift.
  associatedtype Value: AttributeValue

  // The store alone uses the member below.

  var _expression: SQLExpression { get }
}

/// An expression in SQL.
public struct SQLExpression: Sendable {
  let sql: SQLFragment
}

extension QueryColumn: QueryExpression {
  public typealias Value = V

  public var _expression: SQLExpression { SQLExpression(sql: sql) }
}

extension QueryRawColumn: QueryExpression where V: AttributeValue {
  public typealias Value = V

  public var _expression: SQLExpression { SQLExpression(sql: sql) }
}

extension QueryJSONColumn: QueryExpression where V: AttributeValue {
  public typealias Value = V

  public var _expression: SQLExpression { SQLExpression(sql: sql) }
}
