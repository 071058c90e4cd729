public import Observation

// The accessors of transient properties. The object itself has their values: no row has them, so reading one loads
// nothing. There is one exception: an object that sets them when it awakes is read from its row first.

extension ManagedEntity {
  /// Reads a transient property. Isolation: that of the object's context.
  @inlinable @inline(__always)
  public func _getTransient<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ value: @autoclosure () -> V
  ) -> V {
    let state = _$state
    if state.isOutOfDate { state.awakeUnloaded(self) }
    if state.attention.bits != 0, let registrar = state.registrarOfReads {
      registrar.access(self, keyPath: keyPath())
    }
    return value()
  }

  /// Sets a transient property. An equal value is not reported to observers.
  @inlinable @inline(__always)
  public func _setTransient<V: Equatable>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ current: @autoclosure () -> V, _ value: V, _ store: (V) -> Void
  ) {
    if _$state.isOutOfDate { _$state.awakeUnloaded(self) }
    guard let registrar = _$state.registrar, current() != value else { return store(value) }
    registrar.withMutation(of: self, keyPath: keyPath()) { store(value) }
  }

  /// Sets a transient property whose values can't be compared.
  @inlinable @inline(__always)
  public func _setTransient<V>(
    _ keyPath: @autoclosure () -> KeyPath<Self, V>, _ current: @autoclosure () -> V, _ value: V, _ store: (V) -> Void
  ) {
    if _$state.isOutOfDate { _$state.awakeUnloaded(self) }
    guard let registrar = _$state.registrar else { return store(value) }
    registrar.withMutation(of: self, keyPath: keyPath()) { store(value) }
  }

  /// A transient property is about to be changed in place.
  @inlinable public func _willModifyTransient<V>(_ keyPath: @autoclosure () -> KeyPath<Self, V>) {
    if _$state.isOutOfDate { _$state.awakeUnloaded(self) }
    guard let registrar = _$state.registrar else { return }
    registrar.willSet(self, keyPath: keyPath())
  }

  /// A transient property was changed in place.
  @inlinable public func _didModifyTransient<V>(_ keyPath: @autoclosure () -> KeyPath<Self, V>) {
    guard let registrar = _$state.registrar else { return }
    registrar.didSet(self, keyPath: keyPath())
  }
}

extension ObjectState {
  /// Called before a transient property is used of an object that may not be loaded. If the object has an awake callback,
  /// the object is loaded first, and the callback runs.
  @usableFromInline @inline(never) func awakeUnloaded(_ object: any ManagedEntity) {
    if life == .unloaded, model.callbacks.contains(.awakes) { context?.fulfil(object) }
  }

  /// The registrar to tell of a read that needs no row.
  @usableFromInline var registrarOfReads: ObservationRegistrar? {
    guard let context else { return loose?.registrar(of: self) }
    return context.observers.observer(of: self)
  }
}
