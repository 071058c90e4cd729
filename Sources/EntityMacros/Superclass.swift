public import EntityStore

extension ManagedEntity {
  /// The initialiser of an entity that may have a superclass calls this. With a superclass the call does not compile,
  /// because `self` is used before the superclass is initialised.
  @inlinable public func _entityHasNoSuperclass() {}
}
