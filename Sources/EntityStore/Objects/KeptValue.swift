/// What a property has that its slot can't hold.
struct KeptValue {
  /// A JSON text, or a raw value that is none of the property's type.
  let stored: StoredValue
  /// Whether it is none of the property's type, as far as that is known: the property reads as its default then.
  var isUnreadable = false
  /// The text's value, once it was asked for.
  var decoded: AnyObject?

  final class Decoded<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}

/// What the next setter takes in place of the value it is given, which is the one that the property has.
///
/// `assign("rank", to: &rank)` calls the setter whatever it found. Where the row has a raw value that is none of the
/// type's, or is about to get one, that value would be lost to the one that stands for it.
package struct ArrivingValue {
  /// `nil` leaves what is there.
  let raw: StoredValue?
  /// The value that the setter gets.
  let current: StoredValue
  /// The property, where it is known.
  let index: Int?
  let type: ObjectIdentifier

  package init<C: AttributeCoding>(_ raw: StoredValue?, for current: C.Value, at index: Int?, _ coding: C.Type) {
    self.raw = raw
    self.current = (try? C.stored(current)) ?? .null
    self.index = index
    type = ObjectIdentifier(C.self)
  }

  func isFor(_ index: Int, _ value: StoredValue, _ coding: Any.Type) -> Bool {
    (self.index ?? index) == index && type == ObjectIdentifier(coding) && value.isIdentical(to: current)
  }
}

extension EntityContext {
  /// What arrives is for one setter: the next one.
  func takeArriving() -> ArrivingValue? {
    guard let value = arriving else { return nil }
    arriving = nil
    return value
  }
}

extension ObjectState {
  /// Whether a property has a value that is none of its type's.
  package var hasUnreadable: Bool { !kept.isEmpty && kept.values.contains(where: \.isUnreadable) }
}
