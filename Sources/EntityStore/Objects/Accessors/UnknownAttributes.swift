// The functions that accessors call for a property whose type is no attribute type. The property's descriptor gives the
// one compiler error. Without these functions each accessor would give another error. They never run.

extension ManagedEntity {
  @_disfavoredOverload
  public func _get<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    Self._noValue(column)
  }

  @_disfavoredOverload
  public func _set<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Column<Self, V>, _ slot: @autoclosure () -> Slot<V>,
    _ value: V, _ store: (Slot<V>) -> Void
  ) {}

  @_disfavoredOverload
  public func _load<V>(_ row: RowReader, _ column: Column<Self, V>, _ store: (Slot<V>) -> Void) {}

  @_disfavoredOverload
  public func _store<V>(_ row: inout RowValues, _ column: Column<Self, V>, _ slot: Slot<V>) {}

  // The same functions for a property that names an inverse.

  @_disfavoredOverload
  public func _get<V, T>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Counterpart<Self, T>, _ slot: @autoclosure () -> Slot<V>
  ) -> V {
    Self._noValue(Column<Self, V>(column.index, column.name))
  }

  @_disfavoredOverload
  public func _set<V, T>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ column: Counterpart<Self, T>, _ slot: @autoclosure () -> Slot<V>,
    _ value: V, _ store: (Slot<V>) -> Void
  ) {}

  @_disfavoredOverload
  public func _load<V, T>(_ row: RowReader, _ column: Counterpart<Self, T>, _ store: (Slot<V>) -> Void) {}

  @_disfavoredOverload
  public func _store<V, T>(_ row: inout RowValues, _ column: Counterpart<Self, T>, _ slot: Slot<V>) {}
}
