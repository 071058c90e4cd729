/// A value of a property that its slot can't hold.
@usableFromInline struct KeptValue {
  /// A JSON text, or a raw value that is none of the property's type.
  let stored: StoredValue
  /// Whether it is none of the property's type, as far as that is known: the property reads as its default then.
  let isUnreadable: Bool
  /// The text's value, once it was asked for.
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

/// The value that the next setter takes in place of its argument, which is the value that the property has.
///
/// `assign("rank", to: &rank)` calls the setter in every case, also for an absent key and for a value that is none of
/// the type's. Where the row has such a raw value, or is about to get one, the property reads as its default. The
/// setter would then write the default over the raw value.
@usableFromInline package struct ArrivingValue {
  /// `nil` leaves the row's value.
  @usableFromInline let raw: StoredValue?
  /// The value that the setter gets.
  let current: StoredValue
  /// The property, where it is known.
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
  /// The arriving value is for one setter: the next one.
  @usableFromInline func consumeArriving() -> ArrivingValue? {
    guard let value = arrival.arriving else { return nil }
    arrival.arriving = nil
    return value
  }
}

extension ContextEditing {
  /// The next setter is called with what the property has.
  package func expect(_ value: ArrivingValue) { context.arrival.arriving = value }

  /// An update by hand read a key, and the setter that it calls next is to know whether there was a value. A
  /// value for a setter that was never called is forgotten.
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

  /// A raw value was read: one that is none of the type's is kept.
  @usableFromInline func loadedRaw(_ row: RowReader, _ index: Int, isRecognized: Bool) {
    if isRecognized || row.isNull(index) { return keep(nil, index) }
    kept[index] = KeptValue(stored: row.value(index), isUnreadable: true)
  }

  /// Whether a property has a value that is none of its type's.
  package var hasUnreadable: Bool { !kept.isEmpty && kept.values.contains(where: \.isUnreadable) }
}

/// The value of an attribute before it is set.
@usableFromInline enum InitialValue {
  /// A uid has no value.
  case nothing
  case null
  /// The default that it was declared with.
  case declared
}
