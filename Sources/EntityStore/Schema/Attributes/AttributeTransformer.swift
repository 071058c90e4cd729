/// Turns a value of the server into the value of a property, and back.
///
/// ```swift
/// enum CentsTransformer: AttributeTransformer {
///   static func value(from cents: Int) -> Decimal { Decimal(cents) / 100 }
///   static func source(from price: Decimal) throws -> Int {
///     guard let cents = Int(exactly: NSDecimalNumber(decimal: price * 100).doubleValue) else {
///       throw AttributeError("whole cents were expected")
///     }
///     return cents
///   }
/// }
/// ```
/// It is applied to responses, on every path, and to the object that `jsonObject(for:)` makes for requests. The store's
/// file keeps the property's own value. Null is not transformed: it is `nil` on both sides.
///
/// Both functions are called on the writer's executor as well as on the main actor.
public protocol AttributeTransformer<Value>: SendableMetatype {
  /// The type of the value that the server sends: a type that an attribute can have, read with the same tolerance, or
  /// any other Codable type.
  associatedtype Source: Codable
  /// The property's type, or the type in the property's Optional.
  associatedtype Value

  /// - Throws: ``AttributeError`` for a source that gives no value. The response then fails with an error that names
  ///   the property.
  static func value(from source: Source) throws -> Value

  /// - Throws: ``AttributeError`` for a value that has no source.
  static func source(from value: Value) throws -> Source
}

/// A transformer that sends several values as one: a date with a time as its day.
///
/// The property takes the form that would come back from the server, so that an object, its row and the server agree.
/// Setters, updates by query and loose objects do so.
public protocol NormalizingTransformer<Value>: AttributeTransformer {
  /// The form of a value: the value that ``AttributeTransformer/value(from:)`` makes of the result of
  /// ``AttributeTransformer/source(from:)``. A value without a source stays as it is. The form of a form is the form
  /// itself.
  static func normalized(_ value: Value) -> Value
}

extension NormalizingTransformer {
  /// The value that the value's source gives.
  public static func normalized(_ value: Value) -> Value {
    (try? source(from: value)).flatMap { try? Self.value(from: $0) } ?? value
  }
}
