extension ManagedEntity {
  /// The server's identifier of this object; `nil` while the object has none.
  package var serverUID: StoredValue? {
    guard let index = _$state.model.uid else { return nil }
    let value = loadedValues(ColumnMask(index))[index]
    return value.isNull ? nil : value
  }

  /// The values of the properties in `mask`, after reading those that are out of date.
  package func loadedValues(_ mask: ColumnMask) -> RowValues {
    _$state.context?.fulfil(self)
    loadLazies(mask)
    return values(mask)
  }
}
