public import Observation

// The accessors of attributes: one function for each task, for every type that conforms to `AttributeValue`. They are
// inlined into the user's module and specialised there. Only the path for a loaded value is inlined; the rest is
// called. The key path is an autoclosure, because only observers need it. The slot is an autoclosure, because the row
// may have to be loaded before the slot is read. A slot is stored by a closure and not through `inout`: so the compiler
// proves that accesses are exclusive, and leaves out the checks.

extension ManagedEntity {
  /// Reads an attribute. Isolation: that of the object's context.
  @inlinable @inline(__always)
  public func _get<V: AttributeValue>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    let state = _$state
    if state.attention.bits != 0, let registrar = state.prepareRead(of: self) {
      registrar.access(self, keyPath: keyPath())
    }
    if let value = slot().value { return value }
    return _valueBesideSlot(column)
  }

  /// Sets an attribute. An equal value changes nothing; a value that JSON can't hold is refused by the next save.
  @inlinable @inline(__always)
  public func _set<V: AttributeValue>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>,
    _ value: V, _ store: (Slot<V>) -> Void
  ) {
    let state = _$state
    // An object whose store is gone stays as it is.
    guard let context = state.context else { return _setLoose(keyPath(), column.index, value, store) }
    let isPlain = state.attention.bits == 0
    if !isPlain { context.fulfil(self) }
    if V._form != .json, let current = slot().value, V._isSame(current, value), !context.isArriving(V._form) {
      if context.arrival.attention.bits != 0 { context.confirm(self, state, column.index) }
      return
    }
    var value = value
    if _isNormalized(column.index) {
      value = _normal(column.index, value)
      if V._form != .json, let current = slot().value, V._isSame(current, value) {
        return context.confirm(self, state, column.index)
      }
    }
    if V._form == .scalar {
      let change = _changeScalar(column.index, slot().value, value, context)
      guard change != .none else { return }
      if !isPlain, let registrar = state.registrar {
        registrar.withMutation(of: self, keyPath: keyPath()) { store(Slot(V._asStored(value) ?? value)) }
      } else {
        store(Slot(V._asStored(value) ?? value))
      }
      return context.endChange(of: self, state, column.index, isUndone: change == .isUndone)
    }
    guard let change = _changeKept(column.index, slot().value, value, context) else { return }
    if !isPlain, let registrar = state.registrar {
      registrar.withMutation(of: self, keyPath: keyPath()) { store(change.apply(to: state)) }
    } else {
      store(change.apply(to: state))
    }
    context.endChange(of: self, state, column.index, isUndone: change.isUndone)
  }

  /// Loads the value of a row into a slot. JSON is decoded at the first read.
  @inlinable @inline(__always)
  public func _load<V: AttributeValue>(_ row: RowReader, _ column: Column<Self, V>, _ store: (Slot<V>) -> Void) {
    guard row.contains(column.index) else { return }
    switch V._form {
    case .scalar: store(Slot(V._load(row, column.index)))
    case .raw:
      let value = V._load(row, column.index)
      store(Slot(value))
      _$state.loadedRaw(row, column.index, isRecognized: value != nil)
    case .json: _$state.loadedJSON(row, column.index)
    }
  }

  /// Stores the stored form of a slot's value in a row.
  @inlinable @inline(__always)
  public func _store<V: AttributeValue>(_ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>) {
    guard row.wanted.contains(column.index) else { return }
    if let value = slot.value, let stored = try? V._stored(value) {
      row[column.index] = stored
    } else {
      row[column.index] = _$state.storedBesideSlot(column.index)
    }
  }
}

/// The change of an attribute whose slot can hold every value of its column.
@usableFromInline enum SlotChange {
  /// The attribute stays as it is.
  case none
  case isDone
  /// The change takes an edit back.
  case isUndone
}

/// The change of an attribute whose column may have a value that the slot can't hold.
@usableFromInline struct AttributeChange<V: AttributeValue> {
  /// The new slot.
  @usableFromInline let slot: Slot<V>
  /// The new value beside the slot: JSON, or a raw value that the type does not have.
  @usableFromInline let kept: KeptValue?
  @usableFromInline let index: Int
  /// Whether the change takes an edit back.
  @usableFromInline let isUndone: Bool

  @usableFromInline init(_ slot: Slot<V>, _ kept: KeptValue?, _ index: Int, isUndone: Bool) {
    self.slot = slot
    self.kept = kept
    self.index = index
    self.isUndone = isUndone
  }

  @inlinable @inline(__always) func apply(to state: ObjectState) -> Slot<V> {
    state.keep(kept, index)
    return slot
  }
}

extension ManagedEntity {
  /// The value of an attribute whose slot is empty: a default, JSON that is not decoded yet, or a substitute for a raw
  /// value that the type does not have.
  @inlinable @inline(never) func _valueBesideSlot<V: AttributeValue>(_ column: Column<Self, V>) -> V {
    if V._form == .json { return _decodedValue(column) }
    return _initialValue(column.index) ?? V._neutral ?? Self._noValue(column)
  }

  /// The value of a JSON text, which is decoded at the first read.
  @usableFromInline func _decodedValue<V: AttributeValue>(_ column: Column<Self, V>) -> V {
    let state = _$state
    let index = column.index
    let kept = state.kept[index]
    if let decoded = kept?.decoded as? KeptValue.Decoded<V> { return decoded.value }
    let stored = state.storedBesideSlot(index)
    // A text that the type can't decode was written by another program, or for another declaration of the type.
    let readable = V._value(stored)
    guard let value = readable ?? _initialValue(index) ?? V._neutral else { return Self._noValue(column) }
    let isUnreadable = readable == nil && !stored.isNull
    state.kept[index] = KeptValue(stored: stored, isUnreadable: isUnreadable, decoded: KeptValue.Decoded(value))
    return value
  }

  /// The value of an attribute before it is set. An unset uid reads as zero or empty, which can also be real uids. So
  /// an unset uid counts as no value, and setting it is always a change.
  @inlinable func _initialValue<V: AttributeValue>(_ index: Int) -> V? {
    switch _$state.initialValue(index) {
    case .nothing: nil
    case .null: V._value(.null)
    case .declared: _$state.defaultValue(index).flatMap { V._value($0) }
    }
  }

  /// Traps, because there is no value to return. No data leads here: the store does not open with a property whose type
  /// has no neutral value and whose default can't be read. It does not open either with a column in `columns` that
  /// `properties` does not declare at the same place (`SchemaModel.checkColumns`). Only a hand-written accessor with a
  /// column that is not in `columns` leads here. A value of an arbitrary type can't be made, and a getter can't throw.
  @usableFromInline static func _noValue<V>(_ column: Column<Self, V>) -> V {
    preconditionFailure("'\(entityName).\(column.name)' is used, but not declared in `properties`.")
  }

  /// Whether the transformer of an attribute maps several values to one form.
  @usableFromInline @inline(never) func _isNormalized(_ index: Int) -> Bool { _$state.model.normalized.contains(index) }

  /// The form in which the server's response would return a value.
  @usableFromInline @inline(never) func _normal<V: AttributeValue>(_ index: Int, _ value: V) -> V {
    guard let normalize = _$state.model.properties[index].rules?.normalize, let stored = try? V._stored(value),
      let normal = normalize(stored)
    else { return value }
    return V._value(normal) ?? value
  }

  /// Begins the change of an attribute whose slot has the column's own form.
  @inlinable func _changeScalar<V: AttributeValue>(
    _ index: Int, _ current: V?, _ value: V, _ context: EntityContext
  ) -> SlotChange {
    let state = _$state
    var current = current
    if current == nil {
      // The setter itself has compared only a slot with a value.
      current = _initialValue(index)
      if let current, V._isSame(current, value) {
        context.confirm(self, state, index)
        return .none
      }
    }
    guard context.beginChange(of: self, state, index) else {
      context.held(self, state, index, (try? V._stored(value)) ?? .null)
      return .none
    }
    let isUndone =
      context.remembersEdits(of: state, index)
      && context.undoesEdit(
        of: state, index, from: current.flatMap { try? V._stored($0) } ?? .null, to: (try? V._stored(value)) ?? .null)
    return isUndone ? .isUndone : .isDone
  }

  /// Begins the change of an attribute whose column may have a value that the slot can't hold.
  ///
  /// - Returns: `nil` if the attribute stays as it is.
  @inlinable @inline(never) func _changeKept<V: AttributeValue>(
    _ index: Int, _ current: V?, _ value: V, _ context: EntityContext
  ) -> AttributeChange<V>? {
    let state = _$state
    let stored: StoredValue
    do {
      stored = try V._stored(value)
    } catch {
      context.refuse(state, index, error)
      return nil
    }
    let old: StoredValue
    switch V._form {
    case .json: old = state.storedBesideSlot(index)
    case .scalar, .raw:
      old = state.keptValue(index) ?? (current ?? _initialValue(index)).flatMap { try? V._stored($0) } ?? .null
    }
    var new = stored
    var isArriving = false
    if let arriving = context.consumeArriving(), arriving.isFor(index, stored, V.self) {
      guard let raw = arriving.raw, V._form == .raw, !old.isIdentical(to: raw) else {
        context.confirm(self, state, index)
        return nil
      }
      new = raw
      isArriving = true
    } else if old.isIdentical(to: stored) {
      context.confirm(self, state, index)
      return nil
    }
    guard context.beginChange(of: self, state, index) else {
      context.held(self, state, index, new)
      return nil
    }
    let isUndone =
      context.remembersEdits(of: state, index) && context.undoesEdit(of: state, index, from: old, to: new)
    let slot = V._form == .json || isArriving ? Slot<V>() : Slot(V._asStored(value) ?? value)
    let kept = V._form == .json || isArriving ? KeptValue(stored: new, isUnreadable: isArriving) : nil
    return AttributeChange(slot, kept, index, isUndone: isUndone)
  }
}
