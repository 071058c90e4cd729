/// What a property has that its slot can't hold.
struct KeptValue {
  /// A JSON text, or a raw value that is none of the property's type.
  let stored: StoredValue
  /// The text's value, once it was asked for.
  var decoded: AnyObject?

  final class Decoded<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}

/// A raw value that is none of its type's, on its way to an object by a setter that only takes values of the type: the
/// setter gets the value that the property has, and takes this.
package struct ArrivingValue {
  let raw: StoredValue
  /// The value that the setter gets.
  let current: StoredValue
  /// The property, where it is known.
  let index: Int?
  let type: ObjectIdentifier

  package init<C: AttributeCoding>(_ raw: StoredValue, for current: C.Value, at index: Int?, _ coding: C.Type) {
    self.raw = raw
    self.current = (try? C.stored(current)) ?? .null
    self.index = index
    type = ObjectIdentifier(C.self)
  }

  func isFor(_ index: Int, _ value: StoredValue, _ coding: Any.Type) -> Bool {
    (self.index ?? index) == index && type == ObjectIdentifier(coding) && value.isIdentical(to: current)
  }
}
