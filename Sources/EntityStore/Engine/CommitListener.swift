/// The one whose core a ``StoreCore`` is: it hears that the main context has commits to merge.
protocol CommitListener: AnyObject, Sendable {
  /// Called on any thread.
  func scheduleMerge()
}
