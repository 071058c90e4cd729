import EntityStore

extension StoreError {
  /// Whether the store refused an object, and not the unit as a whole.
  var isOfObject: Bool { [.uniqueViolation, .brokenLink, .invalidValue, .invalidObject].contains(kind) }

  /// The error with the place of the object that the store refused. An error that is about no object stays as it is.
  func at(_ place: MappingError.Place) -> StoreError {
    isOfObject ? beginning("\(place.name) can't be written:") : self
  }
}
