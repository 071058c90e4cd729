/// A value of a property that its slot can't hold.
@usableFromInline struct KeptValue {
  /// A JSON text, or a raw value for which the property's type has no value.
  let stored: StoredValue
  /// Whether the stored value is known to have no value in the property's type. The property then reads as its default.
  let isUnreadable: Bool
  /// The decoded value of the text, once it was needed.
  let decoded: AnyObject?

  @usableFromInline init(stored: StoredValue, isUnreadable: Bool = false, decoded: AnyObject? = nil) {
    self.stored = stored
    self.isUnreadable = isUnreadable
    self.decoded = decoded
  }

  final class Decoded<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}

/// A raw value for the next setter, which is called with the value that the property already has.
///
/// `assign("rank", to: &rank)` always calls the setter: also for an absent key, and for a raw value that the type does
/// not have. If the row has such a raw value, or is about to get one, the property reads as its default. Without an
/// arriving value, the setter would write the default over the raw value.
@usableFromInline package struct ArrivingValue {
  /// The new raw value; `nil` leaves the row's value.
  @usableFromInline let raw: StoredValue?
  /// The argument of the setter.
  let current: StoredValue
  /// The property, if it is known.
  let index: Int?
  let type: ObjectIdentifier

  package init<V: AttributeValue>(_ raw: StoredValue?, for current: V, at index: Int?) {
    self.raw = raw
    self.current = (try? V._stored(current)) ?? .null
    self.index = index
    type = ObjectIdentifier(V.self)
  }

  @usableFromInline func isFor<V: AttributeValue>(_ index: Int, _ value: StoredValue, _ valueType: V.Type) -> Bool {
    (self.index ?? index) == index && type == ObjectIdentifier(valueType) && value.isIdentical(to: current)
  }
}

extension EntityContext {
  /// Takes the arriving value out: it is only for the next setter.
  @usableFromInline func consumeArriving() -> ArrivingValue? {
    guard let value = arrival.arriving else { return nil }
    arrival.arriving = nil
    return value
  }
}

extension ContextEditing {
  /// The next setter is called with the value that the property has.
  package func expect(_ value: ArrivingValue) { context.arrival.arriving = value }

  /// An update by hand read a key. The next setter has to know whether the key had a value. Drops an arriving value
  /// whose setter was never called.
  package func expect(absentKey: Bool) {
    forgetArriving()
    context.arrival.readsAbsent = absentKey
  }

  /// An update by hand read a key.
  package func noteRead(isAbsent: Bool) { context.arrival.readsAbsent = isAbsent }

  func forgetArriving() {
    if context.arrival.attention.bits & 2 != 0 { context.arrival.arriving = nil }
  }
}

extension ObjectState {
  /// The stored form of a value that is kept beside the property's slot.
  @usableFromInline func keptValue(_ index: Int) -> StoredValue? { kept.isEmpty ? nil : kept[index]?.stored }

  /// The stored form of a property whose slot is empty.
  @usableFromInline func storedBesideSlot(_ index: Int) -> StoredValue {
    keptValue(index) ?? model.properties[index].defaultValue
  }

  /// The value that a property reads as before it is set.
  @usableFromInline func initialValue(_ index: Int) -> InitialValue {
    if model.identity.contains(index) { return .nothing }
    return model.defaulted.contains(index) ? .declared : .null
  }

  /// The default of a property; `nil` for a uid, which has no value before it is set.
  @usableFromInline func defaultValue(_ index: Int) -> StoredValue? {
    model.identity.contains(index) ? nil : model.defaults[index]
  }

  @usableFromInline func keep(_ value: KeptValue?, _ index: Int) {
    if value != nil || !kept.isEmpty { kept[index] = value }
  }

  @usableFromInline func loadedJSON(_ row: RowReader, _ index: Int) {
    kept[index] = KeptValue(stored: row.value(index))
  }

  /// A raw value was read. It is kept if the type has no value for it.
  @usableFromInline func loadedRaw(_ row: RowReader, _ index: Int, isRecognized: Bool) {
    if isRecognized || row.isNull(index) { return keep(nil, index) }
    kept[index] = KeptValue(stored: row.value(index), isUnreadable: true)
  }

  /// Whether a property has a stored value that its type does not have.
  package var hasUnreadable: Bool { !kept.isEmpty && kept.values.contains(where: \.isUnreadable) }
}

/// The value of an attribute before it is set.
@usableFromInline enum InitialValue {
  /// A uid has no value.
  case nothing
  case null
  /// The declared default.
  case declared
}
