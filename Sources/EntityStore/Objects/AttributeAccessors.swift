// What the accessors of attributes call: an overload for each way in which a type is stored, in front of one
// implementation. Those for any Codable, and for anything at all, are chosen last.

extension ManagedEntity {
  /// Reads an attribute. Isolation: that of the object's context.
  public func _get<V: AttributeValue>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    attribute(PlainCoding<V>.self, keyPath, column, slot)
  }

  /// Sets an attribute. An equal value changes nothing.
  public func _set<V: AttributeValue>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) {
    setAttribute(PlainCoding<V>.self, keyPath, column, slot, value, store)
  }

  public func _load<V: AttributeValue>(_ row: RowReader, _ column: Column<Self, V>, _ slot: inout Slot<V>) {
    loadAttribute(PlainCoding<V>.self, row, column, &slot)
  }

  public func _store<V: AttributeValue>(_ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>) {
    storeAttribute(PlainCoding<V>.self, &row, column, slot)
  }
}

// MARK: Enums and other types with a raw value

extension ManagedEntity {
  /// Reads an attribute that is stored as its raw value. One that is none of the type's reads as the default.
  public func _get<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V where V.RawValue: AttributeValue {
    attribute(RawCoding<V>.self, keyPath, column, slot)
  }

  public func _get<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>
  ) -> V? where V.RawValue: AttributeValue {
    attribute(OptionalCoding<RawCoding<V>>.self, keyPath, column, slot)
  }

  public func _set<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>, _ value: V,
    _ store: (Slot<V>) -> Void
  ) where V.RawValue: AttributeValue {
    setAttribute(RawCoding<V>.self, keyPath, column, slot, value, store)
  }

  public func _set<V: RawRepresentable & SendableMetatype>(
    _ keyPath: KeyPath<Self, V?>, _ column: Column<Self, V?>, _ slot: @autoclosure () -> Slot<V?>, _ value: V?,
    _ store: (Slot<V?>) -> Void
  ) where V.RawValue: AttributeValue {
    setAttribute(OptionalCoding<RawCoding<V>>.self, keyPath, column, slot, value, store)
  }

  public func _load<V: RawRepresentable & SendableMetatype>(
    _ row: RowReader, _ column: Column<Self, V>, _ slot: inout Slot<V>
  ) where V.RawValue: AttributeValue {
    loadAttribute(RawCoding<V>.self, row, column, &slot)
  }

  public func _load<V: RawRepresentable & SendableMetatype>(
    _ row: RowReader, _ column: Column<Self, V?>, _ slot: inout Slot<V?>
  ) where V.RawValue: AttributeValue {
    loadAttribute(OptionalCoding<RawCoding<V>>.self, row, column, &slot)
  }

  public func _store<V: RawRepresentable & SendableMetatype>(
    _ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>
  ) where V.RawValue: AttributeValue {
    storeAttribute(RawCoding<V>.self, &row, column, slot)
  }

  public func _store<V: RawRepresentable & SendableMetatype>(
    _ row: inout RowValues, _ column: Column<Self, V?>, _ slot: Slot<V?>
  ) where V.RawValue: AttributeValue {
    storeAttribute(OptionalCoding<RawCoding<V>>.self, &row, column, slot)
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

// Inlined, so that a property of a plain type pays for nothing that only others need.

extension ManagedEntity {
  @inline(__always)
  private func attribute<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>,
    _ slot: () -> Slot<C.Value>
  ) -> C.Value {
    _$state.context?.willRead(self, keyPath)
    if C.keepsUnrecognized, _$state.kept[column.index] != nil { return initialValue(C.self, column) ?? noValue(column) }
    return slot().value ?? initialValue(C.self, column) ?? C.neutral ?? noValue(column)
  }

  @inline(__always)
  private func setAttribute<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>, _ slot: () -> Slot<C.Value>,
    _ value: C.Value, _ store: (Slot<C.Value>) -> Void
  ) where C.Failure == Never {
    let state = _$state
    guard let context = state.context else { return store(Slot(value)) }
    context.fulfil(self)
    let stored = C.stored(value)
    if C.keepsUnrecognized {
      let kept = state.kept[column.index]
      if let arriving = context.arriving, arriving.isFor(column.index, stored, C.self) {
        context.arriving = nil
        if let kept, kept.stored.isIdentical(to: arriving.raw) { return }
        return context.change(self, column.index, keyPath) {
          state.kept[column.index] = KeptValue(stored: arriving.raw)
        }
      }
      if kept != nil {
        return context.change(self, column.index, keyPath) {
          state.kept[column.index] = nil
          store(Slot(value))
        }
      }
    }
    if let current = slot().value ?? initialValue(C.self, column), C.stored(current).isIdentical(to: stored) { return }
    context.change(self, column.index, keyPath) { store(Slot(value)) }
  }

  @inline(__always)
  private func loadAttribute<C: AttributeCoding>(
    _ coding: C.Type, _ row: RowReader, _ column: Column<Self, C.Value>, _ slot: inout Slot<C.Value>
  ) {
    guard row.contains(column.index) else { return }
    let stored = row.value(column.index)
    slot.value = C.value(stored)
    guard C.keepsUnrecognized else { return }
    let state = _$state
    if slot.value == nil, !stored.isNull {
      state.kept[column.index] = KeptValue(stored: stored)
    } else if !state.kept.isEmpty {
      state.kept[column.index] = nil
    }
  }

  @inline(__always)
  private func storeAttribute<C: AttributeCoding>(
    _ coding: C.Type, _ row: inout RowValues, _ column: Column<Self, C.Value>, _ slot: Slot<C.Value>
  ) where C.Failure == Never {
    guard row.wanted.contains(column.index) else { return }
    if C.keepsUnrecognized, let kept = _$state.kept[column.index] {
      row[column.index] = kept.stored
    } else {
      // What was never set has its default in the row.
      row[column.index] = slot.value.map(C.stored) ?? _$state.model.properties[column.index].defaultValue
    }
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
    guard let value = C.value(stored) ?? initialValue(C.self, column) else { return noValue(column) }
    state.kept[column.index] = KeptValue(stored: stored, decoded: KeptValue.Decoded(value))
    return value
  }

  private func setJSON<C: AttributeCoding>(
    _ coding: C.Type, _ keyPath: KeyPath<Self, C.Value>, _ column: Column<Self, C.Value>, _ value: C.Value
  ) where C.Failure == AttributeError {
    let state = _$state
    state.context?.fulfil(self)
    let stored: StoredValue
    do {
      stored = try C.stored(value)
    } catch {
      state.context?.refuse(state.model, column.name, error)
      return
    }
    let kept = KeptValue(stored: stored, decoded: KeptValue.Decoded(value))
    guard let context = state.context else { return state.kept[column.index] = kept }
    if json(column.index).isIdentical(to: stored) { return }
    context.change(self, column.index, keyPath) { state.kept[column.index] = kept }
  }

  /// Where there is no value to give: the store does not open with a property whose type has no neutral value and whose
  /// default can't be read, and one of a type that no attribute can have does not compile.
  private func noValue<V>(_ column: Column<Self, V>) -> V {
    preconditionFailure("'\(Self.entityName).\(column.name)' is used, but not declared in `properties`.")
  }
}
