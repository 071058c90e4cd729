import EntityStore

extension StoreError {
  /// Whether the store refused an object, and not the unit as a whole.
  var isOfObject: Bool { [.uniqueViolation, .brokenLink, .invalidValue].contains(kind) }

  /// The error with the place of the object that the store refused; as it is where it is about no object.
  func at(_ place: MappingError.Place) -> StoreError {
    guard isOfObject else { return self }
    return StoreError(
      kind, "\(place.name) can't be written: \(message)", sqliteCode: sqliteCode, sql: sql, objects: objects)
  }
}
