import Observation

// The functions that the accessors of an entity's properties call. The overload chooses the kind of the property.
// Attributes are in AttributeAccessors.swift. The slot is an autoclosure because reading it may have to wait for the
// row to be loaded first.

extension ManagedEntity {
  /// Reads a to-one relationship.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Column<Self, T?>, _ slot: @autoclosure () -> Slot<T?>
  ) -> T? {
    guard let context = _$state.context else { return nil }
    context.willRead(self, keyPath())
    return context.linked(T.self, slot().pk)
  }

  /// Sets a to-one relationship. Both sides of it change.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T?>, _ column: Column<Self, T?>, _ slot: @autoclosure () -> Slot<T?>,
    _ value: T?,
    _ store: (Slot<T?>) -> Void
  ) {
    setLink(keyPath(), column.index, column.name, { slot().pk }, value) { store(Slot(pk: $0)) }
  }

  /// Reads a required to-one relationship.
  ///
  /// Where there is none (in a new object, in a placeholder, and once the target is deleted) it is an object without a
  /// row: `isDeleted` is true, its properties read as neutral values, and setting one makes the next save throw.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T>, _ column: Column<Self, T>, _ slot: @autoclosure () -> Slot<T>
  ) -> T {
    guard let context = _$state.context else { return EntityContext.absent(T.self, in: nil) }
    context.willRead(self, keyPath())
    return context.linked(T.self, slot().pk) ?? context.absent(T.self)
  }

  /// Sets a required to-one relationship. Both sides of it change.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, T>, _ column: Column<Self, T>, _ slot: @autoclosure () -> Slot<T>,
    _ value: T,
    _ store: (Slot<T>) -> Void
  ) {
    setLink(keyPath(), column.index, column.name, { slot().pk }, value) { store(Slot(pk: $0)) }
  }

  private func setLink<V, T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ index: Int, _ name: String, _ slot: () -> Int64, _ value: T?,
    _ store: (Int64) -> Void
  ) {
    guard let context = _$state.context else { return }
    context.fulfil(self)
    if let value, value._$state.context !== context {
      return context.refuse(_$state, name, isDetached: value._$state.context == nil)
    }
    let old = slot()
    let new = value?._$state.pk ?? 0
    // A link that reads as none and is set to none stays as it is: `assign` writes back the value that it read.
    if old == new || (value != nil && new == 0 && context.linked(T.self, old) == nil) {
      return context.confirm(self, index)
    }
    context.change(self, index, keyPath(), from: StoredValue(link: old), to: StoredValue(link: new)) { store(new) }
    // A response may not change a link that was edited here.
    if !context.keptLists.isEmpty, slot() == new { context.moveInLists(self, index, from: old, to: new) }
    context.linkChanged(_$state.model, index, from: old, to: new)
  }

  /// Reads a to-many relationship; unordered, but the same from one read to the next.
  public func _get<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [T]>, _ column: Column<Self, [T]>, _ slot: @autoclosure () -> Slot<[T]>
  ) -> [T] {
    guard let context = _$state.context else { return [] }
    context.observer(of: _$state)?.access(self, keyPath: keyPath())
    return context.members(of: self, column.index, T.self)
  }

  /// Sets a to-many relationship: the objects that are no longer in it lose their link.
  public func _set<T: ManagedEntity>(
    _ keyPath: @autoclosure () -> KeyPath<Self, [T]>, _ column: Column<Self, [T]>, _ slot: @autoclosure () -> Slot<[T]>,
    _ value: [T],
    _ store: (Slot<[T]>) -> Void
  ) {
    _$state.context?.setMembers(of: self, column.index, value)
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
    _$store(into: &row)
    return row
  }
}
