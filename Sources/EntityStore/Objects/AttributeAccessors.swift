// What the accessors of attributes call: an overload for each way in which a type is stored. Those for any Codable, and for
// anything at all, are chosen last. Most attributes are plain; their accessors do nothing that only others need.

extension ManagedEntity {
  /// Reads an attribute. Isolation: that of the object's context.
  public func _get<V: AttributeValue>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    _$state.context?.willRead(self, keyPath)
    return slot().value ?? initialValue(PlainCoding<V>.self, column) ?? V.neutralValue
  }

  /// Sets an attribute. An equal value changes nothing.
  public func _set<V: AttributeValue>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) {
    let state = _$state
    // An object whose store is gone stays as it is.
    guard let context = state.context else { return }
    context.fulfil(self)
    let new = value.storedValue
    let current = (slot().value ?? initialValue(PlainCoding<V>.self, column))?.storedValue
    if let current, current.isIdentical(to: new) { return context.confirm(self, column.index) }
    context.change(self, column.index, keyPath, from: current ?? .null, to: new) {
      store(Slot(PlainCoding<V>.asStored(value, new)))
    }
  }

  public func _load<V: AttributeValue>(_ row: RowReader, _ column: Column<Self, V>, _ slot: inout Slot<V>) {
    guard row.contains(column.index) else { return }
    slot.value = V(storedValue: row.value(column.index))
  }

  public func _store<V: AttributeValue>(_ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>) {
    guard row.wanted.contains(column.index) else { return }
    // What was never set has its default in the row.
    row[column.index] = slot.value?.storedValue ?? _$state.model.properties[column.index].defaultValue
  }
}

// MARK: Enums and other types with a raw value

extension ManagedEntity {
  /// Reads an attribute that is stored as its raw value. One that is none of the type's reads as the default.
  public func _get<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V where V.RawValue: AttributeValue {
    raw(RawCoding<V>.self, keyPath, column, slot)
  }

  public func _get<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>
  ) -> V? where V.RawValue: AttributeValue {
    raw(OptionalCoding<RawCoding<V>>.self, keyPath, column, slot)
  }

  public func _set<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) where V.RawValue: AttributeValue {
    setRaw(RawCoding<V>.self, keyPath, column, slot, value, store)
  }

  public func _set<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>, _ value: V?,
    _ store: (Slot<V?>) -> Void
  ) where V.RawValue: AttributeValue {
    setRaw(OptionalCoding<RawCoding<V>>.self, keyPath, column, slot, value, store)
  }

  public func _load<V: RawRepresentable & SendableMetatype>(
    _ row: RowReader, _ column: Column<Self, V>, _ slot: inout Slot<V>
  ) where V.RawValue: AttributeValue {
    loadRaw(RawCoding<V>.self, row, column, &slot)
  }

  public func _load<V: RawRepresentable & SendableMetatype>(
    _ row: RowReader, _ column: Column<Self, V?>, _ slot: inout Slot<V?>
  ) where V.RawValue: AttributeValue {
    loadRaw(OptionalCoding<RawCoding<V>>.self, row, column, &slot)
  }

  public func _store<V: RawRepresentable & SendableMetatype>(
    _ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>
  ) where V.RawValue: AttributeValue {
    storeRaw(RawCoding<V>.self, &row, column, slot)
  }

  public func _store<V: RawRepresentable & SendableMetatype>(
    _ row: inout RowValues, _ column: Column<Self, V?>, _ slot: Slot<V?>
  ) where V.RawValue: AttributeValue {
    storeRaw(OptionalCoding<RawCoding<V>>.self, &row, column, slot)
  }
}

// MARK: Any other Codable

extension ManagedEntity {
  /// Reads an attribute that is stored as JSON. It is decoded when it is first read.
  @_disfavoredOverload
  public func _get<V: Codable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    json(JSONCoding<V>.self, keyPath, column)
  }

  @_disfavoredOverload
  public func _get<V: Codable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>
  ) -> V? {
    json(OptionalCoding<JSONCoding<V>>.self, keyPath, column)
  }

  /// Sets an attribute that is stored as JSON. A value that JSON can't hold is refused by the next save.
  @_disfavoredOverload
  public func _set<V: Codable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) {
    setJSON(JSONCoding<V>.self, keyPath, column, value)
  }

  @_disfavoredOverload
  public func _set<V: Codable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>, _ value: V?,
    _ store: (Slot<V?>) -> Void
  ) {
    setJSON(OptionalCoding<JSONCoding<V>>.self, keyPath, column, value)
  }

  /// Also for types that no attribute can have, so that their one error is the descriptor's.
  @_disfavoredOverload
  public func _load<V>(_ row: RowReader, _ column: Column<Self, V>, _ slot: inout Slot<V>) {
    guard row.contains(column.index) else { return }
    _$state.kept[column.index] = KeptValue(stored: row.value(column.index))
  }

  @_disfavoredOverload
  public func _store<V>(_ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>) {
    guard row.wanted.contains(column.index) else { return }
    row[column.index] = json(column.index)
  }

  /// For types that no attribute can have.
  @_disfavoredOverload
  public func _get<V>(_ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>) -> V {
    noValue(column)
  }

  @_disfavoredOverload
  public func _set<V>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) {}
}

// MARK: The implementation

extension ManagedEntity {
  private func raw<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>,
    _ slot: () -> Slot<C.Value>
  ) -> C.Value {
    let state = _$state
    state.context?.willRead(self, keyPath)
    let value = state.kept[column.index] == nil ? slot().value : nil
    return value ?? initialValue(C.self, column) ?? noValue(column)
  }

  private func setRaw<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>, _ slot: () -> Slot<C.Value>,
    _ value: C.Value, _ store: (Slot<C.Value>) -> Void
  ) where C.Failure == Never {
    let state = _$state
    guard let context = state.context else { return }
    context.fulfil(self)
    let stored = C.stored(value)
    let kept = state.kept[column.index]
    let current = (slot().value ?? initialValue(C.self, column)).map(C.stored)
    let old = kept?.stored ?? current ?? .null
    if let arriving = context.takeArriving(), arriving.isFor(column.index, stored, C.self) {
      guard let raw = arriving.raw, kept?.stored.isIdentical(to: raw) != true else {
        return context.confirm(self, column.index)
      }
      return context.change(self, column.index, keyPath, from: old, to: raw) {
        state.kept[column.index] = KeptValue(stored: raw, isUnreadable: true)
      }
    }
    if kept == nil, let current, current.isIdentical(to: stored) { return context.confirm(self, column.index) }
    context.change(self, column.index, keyPath, from: old, to: stored) {
      state.kept[column.index] = nil
      store(Slot(C.asStored(value, stored)))
    }
  }

  private func loadRaw<C: AttributeCoding>(
    _ coding: C.Type, _ row: RowReader, _ column: Column<Self, C.Value>, _ slot: inout Slot<C.Value>
  ) {
    guard row.contains(column.index) else { return }
    let stored = row.value(column.index)
    slot.value = C.value(stored)
    let isUnreadable = slot.value == nil && !stored.isNull
    _$state.kept[column.index] = isUnreadable ? KeptValue(stored: stored, isUnreadable: true) : nil
  }

  private func storeRaw<C: AttributeCoding>(
    _ coding: C.Type, _ row: inout RowValues, _ column: Column<Self, C.Value>, _ slot: Slot<C.Value>
  ) where C.Failure == Never {
    guard row.wanted.contains(column.index) else { return }
    row[column.index] =
      _$state.kept[column.index]?.stored ?? slot.value.map(C.stored)
      ?? _$state.model.properties[column.index].defaultValue
  }

  /// What an attribute is before it is set. An unset uid reads as zero or empty, which are uids like any other: it has no
  /// value, and setting one is a change.
  private func initialValue<C: AttributeCoding>(_ coding: C.Type, _ column: Column<Self, C.Value>) -> C.Value? {
    let model = _$state.model
    return column.index == model.uid ? nil : C.value(model.properties[column.index].defaultValue)
  }

  // MARK: JSON

  /// The stored form of a JSON attribute.
  private func json(_ index: Int) -> StoredValue {
    let state = _$state
    return state.kept[index]?.stored ?? state.model.properties[index].defaultValue
  }

  private func json<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>
  ) -> C.Value {
    let state = _$state
    state.context?.willRead(self, keyPath)
    let kept = state.kept[column.index]
    if let decoded = kept?.decoded as? KeptValue.Decoded<C.Value> { return decoded.value }
    let stored = json(column.index)
    // A text that is no value of the type was written by another program, or for another declaration.
    let readable = C.value(stored)
    guard let value = readable ?? initialValue(C.self, column) else { return noValue(column) }
    state.kept[column.index] = KeptValue(
      stored: stored, isUnreadable: readable == nil, decoded: KeptValue.Decoded(value))
    return value
  }

  private func setJSON<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>, _ value: C.Value
  ) where C.Failure == AttributeError {
    let state = _$state
    guard let context = state.context else { return }
    context.fulfil(self)
    let stored: StoredValue
    do {
      stored = try C.stored(value)
    } catch {
      context.refuse(state, column.name, error)
      return
    }
    // Decoded when it is read: a text may have less than the value, of a date the microseconds.
    let kept = KeptValue(stored: stored)
    if let arriving = context.takeArriving(), arriving.isFor(column.index, stored, C.self) {
      return context.confirm(self, column.index)
    }
    let old = json(column.index)
    if old.isIdentical(to: stored) { return context.confirm(self, column.index) }
    context.change(self, column.index, keyPath, from: old, to: stored) { state.kept[column.index] = kept }
  }

  /// Where there is no value to give: the store does not open with a property whose type has no neutral value and whose
  /// default can't be read, and one of a type that no attribute can have does not compile.
  private func noValue<V>(_ column: Column<Self, V>) -> V {
    preconditionFailure("'\(Self.entityName).\(column.name)' is used, but not declared in `properties`.")
  }
}
