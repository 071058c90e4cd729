extension StorePending {
  /// The pending changes, now and each time that they change, whoever changes them. Two elements in a row are never
  /// equal. An element that could not be read is a failure, and the sequence goes on.
  ///
  /// ```swift
  /// for await changes in store.pending.updates() { badge.count = try changes.get().count }
  /// ```
  public func updates() -> StoreObservation<[PendingChange]> {
    StoreObservation(core: core, read: { try $0.pendingChanges() }, isSame: ==)
  }
}
