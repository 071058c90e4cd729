public import EntityStore

extension ManagedEntity {
  /// Called by the initialiser of an entity that may have a superclass: there it does not compile, as `self` is used before
  /// the superclass is initialised.
  @inlinable public func _entityHasNoSuperclass() {}
}
