import Observation

// JSON that is no value of its property's type. The property reads as its default, which `append` and the like would change
// and write over the value. A setter can't tell such a change from a whole value that replaces the old one: both give it a
// value. So a property that was read as its default takes no change but one that says that it replaces the value.

extension ManagedEntity {
  /// Whether the row has a value that is none of the property's type: JSON that was written for another declaration of the
  /// type, or a raw value that no case has. The property reads as its default then. Observable.
  ///
  /// ```swift
  /// if shelf.isUnreadable(\.labels) { shelf.replaceUnreadable(\.labels, with: []) }
  /// ```
  /// Saving other properties keeps the value. Where JSON was read as the default, a change of the property is refused, and the
  /// next save throws ``StoreError`` of kind `invalidValue`. ``replaceUnreadable(_:with:)`` and a response replace the value.
  public func isUnreadable<V: AttributeValue>(_ keyPath: KeyPath<Self, V>) -> Bool {
    // Reading decodes JSON.
    _ = self[keyPath: keyPath]
    let state = _$state
    return state.model.index(of: keyPath).flatMap { state.kept[$0] }?.isUnreadable ?? false
  }

  /// Sets a property as a whole, also where the value that it has can't be read, and is lost by that.
  public func replaceUnreadable<V: AttributeValue>(_ keyPath: ReferenceWritableKeyPath<Self, V>, with value: V) {
    let state = _$state
    if let index = state.model.index(of: keyPath), let kept = state.kept[index], kept.isUnreadable, V._form == .json {
      // As a value that nobody has read.
      state.kept[index] = KeptValue(stored: kept.stored)
    }
    self[keyPath: keyPath] = value
  }
}

extension EntityContext {
  /// Whether an attribute may be set: not where its value could not be read, and was read as the default, which the new value
  /// may have been made of. A response brings whole values.
  @usableFromInline func takesChange<V: AttributeValue>(of state: ObjectState, _ index: Int, _ type: V.Type) -> Bool {
    guard V._form == .json, update == nil, let kept = state.kept[index], kept.isUnreadable, kept.decoded != nil else {
      return true
    }
    refuseUnread(state, index)
    return false
  }
}
