import Observation

// The accessors of lazy attributes. A value that was read or set is kept beside the slot, in its stored form.
// Where none is kept, the value is in the row alone. The functions are called, and not inlined: reading the row takes longer.

extension ManagedEntity {
  /// Reads a lazy attribute: the row's value is read when there is none here. Isolation: that of the object's context.
  ///
  /// A getter can't throw: where the row can't be read the property has its default, and the next call of the context that can
  /// throw does.
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
    // Nothing is kept of a row that is gone or can't be read: it may be back, and is asked again.
    return state.defaultValue(index).flatMap { V._value($0) } ?? V._neutral ?? Self._noValue(plain)
  }

  /// Sets a lazy attribute. A value that is known and equal changes nothing; one that is in the row alone is not read for it,
  /// and the save compares the two.
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
    // An update by hand calls the setter for an absent key too, with the value that the property has.
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

  /// Takes a value that is given. Of a row under a cursor it lets go of what was read: the row may have another one.
  public func _load<V: AttributeValue>(
    _ row: RowReader, _ column: Column<Self, LazyValue<V>>, _ store: (Slot<V>) -> Void
  ) {
    guard row.contains(column.index) else { return }
    _$state.keep(row.isOfCursor ? nil : KeptValue(stored: row.value(column.index)), column.index)
  }

  /// Gives the value, if it is known.
  public func _store<V: AttributeValue>(
    _ row: inout RowValues, _ column: Column<Self, LazyValue<V>>, _ slot: Slot<V>
  ) {
    guard row.wanted.contains(column.index), let value = _$state.lazyValue(column.index) else { return }
    row[column.index] = value
  }

  // For a property whose type no attribute can have, as in UnknownAttributes.swift. They are never run.

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

  /// Reads the lazy properties among `mask` that are in the row alone. An error waits for the next call that can throw.
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
  /// The value of a lazy property in its stored form; `nil` where it is in the row alone.
  func lazyValue(_ index: Int) -> StoredValue? {
    if let kept = keptValue(index) { return kept }
    // Without a row there is nothing to be read.
    return isInserted || context == nil ? model.properties[index].defaultValue : nil
  }
}

extension ContextEditing {
  /// Reads lazy properties that are in the row alone: each by a statement of its own.
  func loadLazies(of state: ObjectState, _ mask: ColumnMask) throws {
    for index in mask.intersection(state.model.lazy).indices where state.lazyValue(index) == nil {
      // A deleted object keeps the values that were read, and has no others.
      guard state.life != .deleted, let value = try rowValue(of: state, lazy: index) else { continue }
      // The merge that comes with the read may have brought one.
      if state.lazyValue(index) == nil { state.keep(KeptValue(stored: value), index) }
    }
  }

  /// The value of a lazy property in the row, or in the changes that contexts above have not saved; `nil` where the row is gone.
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

  /// The value of a lazy property in its row; `nil` where that is gone.
  func storedLazy(_ model: EntityModel, _ pk: Int64, _ index: Int) throws -> StoredValue? {
    try context.connection.rows(model.selectLazy(index), [.integer(pk)]) { $0.value(0) }.first
  }

  /// As ``undoesEdit(of:_:from:to:)``. An edit of a value that nobody has read is based on nothing.
  ///
  /// - Parameter old: The value that the property has; `nil` where it is in the row alone.
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
