import Observation

extension ManagedEntity {
  /// The raw value that the row has where it is none of the property's type, as a case that the server knows and the
  /// app does not; `nil` when it is one. Observable.
  ///
  /// The property reads as its default then. Saving other properties keeps the raw value; setting this one replaces it,
  /// and is an edit even where the property read as that value already.
  ///
  /// ```swift
  /// user.unrecognizedValue(of: \.role)   // "owner", where `Role` has no such case
  /// ```
  public func unrecognizedValue<V: RawRepresentable>(of keyPath: KeyPath<Self, V>) -> V.RawValue?
  where V.RawValue: ScalarValue {
    unrecognized(keyPath).flatMap(V.RawValue.init(storedValue:))
  }

  /// As the other one, for an optional property.
  public func unrecognizedValue<V: RawRepresentable>(of keyPath: KeyPath<Self, V?>) -> V.RawValue?
  where V.RawValue: ScalarValue {
    unrecognized(keyPath).flatMap(V.RawValue.init(storedValue:))
  }

  private func unrecognized<V>(_ keyPath: KeyPath<Self, V>) -> StoredValue? {
    let state = _$state
    state.prepareRead(of: self)?.access(self, keyPath: keyPath)
    return state.model.index(of: keyPath).flatMap { state.kept[$0]?.stored }
  }
}
