/// The owner of a ``StoreCore``: it hears that the main context has commits to merge.
protocol CommitListener: AnyObject, Sendable {
  /// Called on any thread.
  func scheduleMerge()
}
