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
/// file keeps the property's own value. Null goes past it: it is `nil` on both sides.
///
/// Both functions are called on the writer's executor as well as on the main actor.
public protocol AttributeTransformer<Value>: SendableMetatype {
  /// The type of the value that the server sends: one that an attribute can have, read with the same leniency, or any
  /// other Codable.
  associatedtype Source: Codable
  /// The property's type, or the type in the property's Optional.
  associatedtype Value

  /// - Throws: ``AttributeError`` for a source that is no value; the response then fails, naming the property.
  static func value(from source: Source) throws -> Value

  /// - Throws: ``AttributeError`` for a value that has no source.
  static func source(from value: Value) throws -> Source
}
