import EntityStore

extension StoreError {
  /// The error with the place of the object that the store refused; as it is where it is about no object.
  func at(_ place: MappingError.Place) -> StoreError {
    guard [.uniqueViolation, .brokenLink, .invalidValue].contains(kind) else { return self }
    return StoreError(
      kind, "\(place.name) can't be written: \(message)", sqliteCode: sqliteCode, sql: sql, objects: objects)
  }
}
