public import Observation

// The functions that the accessors of an entity's properties call. The overload chooses the kind of the property.
// Attributes are in AttributeAccessors.swift. The slot is an autoclosure, because the row may have to be loaded before
// the slot is read. The accessors of to-one relationships are inlined into the user's module, like those of attributes.

extension ManagedEntity {
  /// Reads a to-one relationship.
  @inlinable @inline(__always)
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Column<Self, T?>, _ slot: @autoclosure () -> Slot<T?>
  ) -> T? {
    let state = _$state
    if state.attention.bits != 0, let registrar = state.prepareRead(of: self) {
      registrar.access(self, keyPath: keyPath())
    }
    let pk = slot().pk
    return pk == 0 ? nil : state.linked(T.self, pk)
  }

  /// Sets a to-one relationship. Both sides change.
  @inlinable @inline(__always)
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Column<Self, T?>, _ slot: @autoclosure () -> Slot<T?>,
    _ value: T?,
    _ store: (Slot<T?>) -> Void
  ) {
    _setLink(keyPath(), column.index, slot().pk, value) { store(Slot(pk: $0)) }
  }

  /// Reads a required to-one relationship.
  ///
  /// A relationship without a target (in a new object, in a placeholder, and after the target is deleted) reads as an
  /// object without a row: `isDeleted` is true, its properties read as neutral values, and setting one makes the next
  /// save throw.
  @inlinable @inline(__always)
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T>, _ column: Column<Self, T>, _ slot: @autoclosure () -> Slot<T>
  ) -> T {
    let state = _$state
    if state.attention.bits != 0, let registrar = state.prepareRead(of: self) {
      registrar.access(self, keyPath: keyPath())
    }
    return _target(T.self, slot().pk)
  }

  /// Sets a required to-one relationship. Both sides change.
  @inlinable @inline(__always)
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T>, _ column: Column<Self, T>, _ slot: @autoclosure () -> Slot<T>,
    _ value: T,
    _ store: (Slot<T>) -> Void
  ) {
    _setLink(keyPath(), column.index, slot().pk, value) { store(Slot(pk: $0)) }
  }

  /// The target of a required link, or an object without a row if there is none.
  @usableFromInline func _target<T: ManagedEntity>(_ type: T.Type, _ pk: Int64) -> T {
    _$state.linked(type, pk) ?? _$state.absent(type)
  }

  @inlinable @inline(__always) func _setLink<V, T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ index: Int, _ slot: @autoclosure () -> Int64, _ value: T?,
    _ store: (Int64) -> Void
  ) {
    let state = _$state
    guard let context = state.context else { return _setLooseLink(index, value) }
    let isPlain = state.attention.bits == 0
    if !isPlain { context.fulfil(self) }
    let old = slot()
    let target = value?._$state
    let change = context.beginLink(of: self, state, index, from: old, to: target, T.self)
    guard change != .none else { return }
    let new = target?.pk ?? 0
    if !isPlain, let registrar = state.registrar {
      registrar.withMutation(of: self, keyPath: keyPath()) { store(new) }
    } else {
      store(new)
    }
    context.endLink(of: self, state, index, from: old, to: new, isUndone: change == .isUndone)
  }

  /// Reads a to-many relationship: in its own order if it has one, and else in a fixed order.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [T]>, _ column: Column<Self, [T]>, _ slot: @autoclosure () -> Slot<[T]>
  ) -> [T] {
    guard let context = _$state.context else { return _looseMembers(keyPath(), column.index) }
    context.observers.observer(of: _$state)?.access(self, keyPath: keyPath())
    return context.relations.members(of: self, column.index, T.self)
  }

  /// Sets a to-many relationship: the objects that leave it lose their link.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [T]>, _ column: Column<Self, [T]>, _ slot: @autoclosure () -> Slot<[T]>,
    _ value: [T],
    _ store: (Slot<[T]>) -> Void
  ) {
    guard let context = _$state.context else { return _setLooseMembers(column.index, value) }
    context.relations.setMembers(of: self, column.index, value)
  }
}

// The functions that `_$load` and `_$store` call, once for each property.

extension ManagedEntity {
  @inlinable @inline(__always)
  public func _load<T: ManagedEntity>(_ row: RowReader, _ column: Column<Self, T?>, _ store: (Slot<T?>) -> Void) {
    guard row.contains(column.index) else { return }
    store(Slot(pk: row.link(column.index)))
  }

  @inlinable @inline(__always)
  public func _load<T: ManagedEntity>(_ row: RowReader, _ column: Column<Self, T>, _ store: (Slot<T>) -> Void) {
    guard row.contains(column.index) else { return }
    store(Slot(pk: row.link(column.index)))
  }

  @inlinable @inline(__always)
  public func _load<T: ManagedEntity>(_ row: RowReader, _ column: Column<Self, [T]>, _ store: (Slot<[T]>) -> Void) {}

  @inlinable @inline(__always)
  public func _store<T: ManagedEntity>(_ row: inout RowValues, _ column: Column<Self, T?>, _ slot: Slot<T?>) {
    guard row.wanted.contains(column.index) else { return }
    row.setLink(slot.pk, column.index)
  }

  @inlinable @inline(__always)
  public func _store<T: ManagedEntity>(_ row: inout RowValues, _ column: Column<Self, T>, _ slot: Slot<T>) {
    guard row.wanted.contains(column.index) else { return }
    row.setLink(slot.pk, column.index)
  }

  @inlinable @inline(__always)
  public func _store<T: ManagedEntity>(_ row: inout RowValues, _ column: Column<Self, [T]>, _ slot: Slot<[T]>) {}

  /// The current values of the properties in `mask`.
  package func values(_ mask: ColumnMask) -> RowValues {
    var row = RowValues(count: _$state.model.properties.count)
    row.wanted = mask
    storeColumns(into: &row)
    return row
  }

  /// Loads values of a row: those of the properties, and the positions in ordered relationships.
  func loadColumns(_ row: RowReader) {
    _$load(row)
    let model = _$state.model
    if !model.positions.isEmpty { _$state.loadPositions(row) }
    if let coverage = model.coverage, row.contains(coverage) { _$state.loadMissing(row, coverage) }
    if let age = model.age, row.contains(age) { _$state.heard = row.integer(age) ?? 0 }
  }

  /// Stores the values that the row wants.
  func storeColumns(into row: inout RowValues) {
    _$store(into: &row)
    let model = _$state.model
    if !model.positions.isEmpty { _$state.storePositions(into: &row) }
    if let parts = model.uidParts, row.wanted.contains(parts.uid) { storeComposite(parts, into: &row) }
    if !model.derived.isEmpty { storeDerived(model, into: &row) }
    if let age = model.age, row.wanted.contains(age) {
      row[age] = _$state.heard == 0 ? .null : .integer(_$state.heard)
    }
    if let coverage = model.coverage, row.wanted.contains(coverage) {
      row[coverage] = model.names(_$state.lacking)
    }
  }
}
