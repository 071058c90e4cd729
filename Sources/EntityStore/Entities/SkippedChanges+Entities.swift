extension SkippedChanges {
  /// The listed changes of one object: why it was not updated.
  public func of<E: ManagedEntity>(_ id: EntityID<E>) -> [SkippedChange] { filter { $0.id == id.untyped } }
}
