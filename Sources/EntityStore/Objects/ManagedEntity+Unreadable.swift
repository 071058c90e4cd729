extension ManagedEntity {
  /// Whether the row has a value that is none of the property's type: JSON that was written for another declaration of the
  /// type, or a raw value that no case has. The property reads as its default then. Observable.
  ///
  /// ```swift
  /// if !shelf.isUnreadable(\.labels) { shelf.labels.append(label) }
  /// ```
  /// Saving other properties keeps the value. Setting the property replaces it: a change of the default, as `append` is, too.
  public func isUnreadable<V: AttributeValue>(_ keyPath: KeyPath<Self, V>) -> Bool {
    // Reading decodes JSON.
    _ = self[keyPath: keyPath]
    let state = _$state
    return state.model.index(of: keyPath).flatMap { state.kept[$0] }?.isUnreadable ?? false
  }
}
