import Observation

extension ManagedEntity {
  /// The row's raw value if the property's type does not have it, such as a case that the server knows and the app does
  /// not; otherwise `nil`. Observable.
  ///
  /// The property then reads as its default. Saving other properties keeps the raw value. Setting this property
  /// replaces it, and is an edit even if the property already read as the new value.
  ///
  /// ```swift
  /// user.unrecognizedValue(of: \.role)   // "owner", where `Role` has no such case
  /// ```
  public func unrecognizedValue<V: RawRepresentable>(of keyPath: KeyPath<Self, V>) -> V.RawValue?
  where V.RawValue: ScalarValue {
    unrecognized(keyPath).flatMap(V.RawValue.init(storedValue:))
  }

  /// The row's raw value if an optional property's type does not have it; see the method for a property that is not
  /// optional.
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
