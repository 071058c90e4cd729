import Observation

// The accessors of lazy attributes. A value that was read or set is kept beside the slot, in its stored form. Otherwise
// only the row has the value. The functions are not inlined, because reading the row takes longer than a call.

extension ManagedEntity {
  /// Reads a lazy attribute: its value is read from the row unless it is kept here. Isolation: that of the object's
  /// context.
  ///
  /// A getter can't throw. If the row can't be read, the property reads as its default, and the next call of the
  /// context that can throw throws the error.
  public func _get<V: AttributeValue>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, LazyValue<V>>,
    _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    let state = _$state
    if state.attention.bits != 0, let registrar = state.prepareRead(of: self) {
      registrar.access(self, keyPath: keyPath())
    }
    let index = column.index
    loadLazies(ColumnMask(index))
    let plain = Column<Self, V>(index, column.name)
    if state.keptValue(index) != nil { return _decodedValue(plain) }
    // Nothing is kept if the row is deleted or can't be read. The next read asks the row again.
    return state.defaultValue(index).flatMap { V._value($0) } ?? V._neutral ?? Self._noValue(plain)
  }

  /// Sets a lazy attribute. If the present value is known and equal, nothing changes. If only the row has the present
  /// value, the value is not read, and the save compares the two.
  public func _set<V: AttributeValue>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, LazyValue<V>>,
    _ slot: @autoclosure () -> Slot<V>, _ value: V, _ store: (Slot<V>) -> Void
  ) {
    let state = _$state
    let index = column.index
    guard let context = state.context else { return _setLoose(keyPath(), index, value, isLazy: true, store) }
    context.fulfil(self)
    let stored: StoredValue
    do {
      stored = try V._stored(_isNormalized(index) ? _normal(index, value) : value)
    } catch {
      return context.refuse(state, index, error)
    }
    let old = state.lazyValue(index)
    // An update by hand also calls the setter for an absent key, with the value that the property has.
    let isArriving = context.consumeArriving()?.isFor(index, stored, V.self) == true
    guard !isArriving, old?.isIdentical(to: stored) != true else { return context.confirm(self, state, index) }
    guard context.beginChange(of: self, state, index) else { return context.held(self, state, index, stored) }
    let isUndone =
      context.remembersEdits(of: state, index) && context.edits.undoesLazyEdit(of: state, index, from: old, to: stored)
    if let registrar = state.registrar {
      registrar.withMutation(of: self, keyPath: keyPath()) { state.keep(KeptValue(stored: stored), index) }
    } else {
      state.keep(KeptValue(stored: stored), index)
    }
    context.endChange(of: self, state, index, isUndone: isUndone)
  }

  /// Takes a given value. For a row under a cursor it drops the value that was read, because the row may have a new
  /// one.
  public func _load<V: AttributeValue>(
    _ row: RowReader, _ column: Column<Self, LazyValue<V>>, _ store: (Slot<V>) -> Void
  ) {
    guard row.contains(column.index) else { return }
    _$state.keep(row.isOfCursor ? nil : KeptValue(stored: row.value(column.index)), column.index)
  }

  /// Stores the value, if it is known.
  public func _store<V: AttributeValue>(
    _ row: inout RowValues, _ column: Column<Self, LazyValue<V>>, _ slot: Slot<V>
  ) {
    guard row.wanted.contains(column.index), let value = _$state.lazyValue(column.index) else { return }
    row[column.index] = value
  }

  // For a property whose type is no attribute type, as in UnknownAttributes.swift. These functions never run.

  @_disfavoredOverload
  public func _get<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, LazyValue<V>>,
    _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    Self._noValue(Column<Self, V>(column.index, column.name))
  }

  @_disfavoredOverload
  public func _set<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, LazyValue<V>>,
    _ slot: @autoclosure () -> Slot<V>, _ value: V, _ store: (Slot<V>) -> Void
  ) {}

  @_disfavoredOverload
  public func _load<V>(_ row: RowReader, _ column: Column<Self, LazyValue<V>>, _ store: (Slot<V>) -> Void) {}

  @_disfavoredOverload
  public func _store<V>(_ row: inout RowValues, _ column: Column<Self, LazyValue<V>>, _ slot: Slot<V>) {}

  /// Reads those lazy properties in `mask` whose value only the row has. An error waits for the next call that can
  /// throw.
  func loadLazies(_ mask: ColumnMask) {
    let state = _$state
    guard !state.model.lazy.intersection(mask).isEmpty, let context = state.context else { return }
    do {
      try context.edits.loadLazies(of: state, mask)
    } catch {
      context.unsaved.deferredError = error
    }
  }
}

extension ObjectState {
  /// The stored form of a lazy property's value; `nil` if only the row has it.
  func lazyValue(_ index: Int) -> StoredValue? {
    if let kept = keptValue(index) { return kept }
    // An object without a row has nothing to read.
    return isInserted || context == nil ? model.properties[index].defaultValue : nil
  }
}

extension ContextEditing {
  /// Reads the lazy properties whose value only the row has, each by its own statement.
  func loadLazies(of state: ObjectState, _ mask: ColumnMask) throws {
    for index in mask.intersection(state.model.lazy).indices where state.lazyValue(index) == nil {
      // A deleted object keeps the values that were read, and has no other values.
      guard state.life != .deleted, let value = try rowValue(of: state, lazy: index) else { continue }
      // The merge before the read may have brought the value.
      if state.lazyValue(index) == nil { state.keep(KeptValue(stored: value), index) }
    }
  }

  /// The value of a lazy property in the row, or in unsaved changes of contexts above; `nil` if the row is deleted.
  private func rowValue(of state: ObjectState, lazy index: Int) throws -> StoredValue? {
    try self.context.merging.entry(isGetter: true) {
      var above = self.context.lineage.parent
      while let context = above {
        if let object = context.unsaved.changed[state.model.number][state.pk],
          let value = object._$state.lazyValue(index)
        {
          return value
        }
        above = context.lineage.parent
      }
      self.context.loaded.counters.counts.lazyValues += 1
      return try storedLazy(state.model, state.pk, index)
    }
  }

  /// The value of a lazy property in its row; `nil` if the row is deleted.
  func storedLazy(_ model: EntityModel, _ pk: Int64, _ index: Int) throws -> StoredValue? {
    try context.connection.rows(model.selectLazy(index), [.integer(pk)]) { $0.value(0) }.first
  }

  /// Like ``undoesEdit(of:_:from:to:)``. The edit of a value that was never read has no base.
  ///
  /// - Parameter old: The present value of the property; `nil` if only the row has it.
  func undoesLazyEdit(of state: ObjectState, _ index: Int, from old: StoredValue?, to new: StoredValue) -> Bool {
    let isInRow = !state.isInserted && !state.saving.contains(index)
    guard state.dirty.contains(index) else {
      if let old { state.setBase(old, row: isInRow ? old : nil, of: index) }
      return false
    }
    guard isInRow, !isOnItsWay(state) else { return false }
    return state.bases.row(of: index)?.isIdentical(to: new) ?? false
  }
}
