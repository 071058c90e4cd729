import EntityStore

/// The objects of a response that can't be taken in, by their places, each with its error. An attempt passes over them.
struct Refusals: Sendable {
  private(set) var errors: [MappingError.Place: MappingError] = [:]

  var isEmpty: Bool { errors.isEmpty }
  var count: Int { errors.count }

  func contains(_ place: MappingError.Place) -> Bool { !errors.isEmpty && errors[place] != nil }

  mutating func add(_ error: MappingError, at place: MappingError.Place) {
    if errors[place] == nil { errors[place] = error }
  }

  /// - Returns: Whether any of the refusals is new.
  mutating func add(_ others: Refusals) -> Bool {
    let before = errors.count
    errors.merge(others.errors) { old, _ in old }
    return errors.count > before
  }

  /// The errors in the order of the result: first those of the response's own objects, then those of its parts, each
  /// list in its order.
  var values: RefusedValues {
    func order(_ place: MappingError.Place) -> (Int, Int) { (place.partNumber ?? -1, place.position ?? -1) }
    var values = RefusedValues()
    for (_, error) in errors.sorted(by: { order($0.key) < order($1.key) }) { values.add(error) }
    return values
  }
}

extension MappingError.Place {
  /// Whether the object at this place is one of many. An object that is the whole response can't be passed over.
  var isOfMany: Bool { position != nil || part != nil }
}

/// The error of an attempt that failed for objects of the response.
struct RefusedObjects: Error {
  var refusals = Refusals()
  /// The error that an attempt without tolerance throws.
  let error: any Error

  /// - Returns: `nil` for an error that is about no object: a full disk, a store that is busy.
  init?(_ error: any Error, at place: MappingError.Place?, as entity: String) {
    switch error {
    case let error as MappingError:
      let place = error.position != nil || error.part != nil ? error.place : place
      self.error = place.map(error.at) ?? error
      if let place, place.isOfMany { refusals.add(error.at(place), at: place) }
    case let error as StoreError where error.isOfObject:
      self.error = place.map(error.at) ?? error
      if let place, place.isOfMany {
        let name = error.objects.first?.entityName ?? entity
        refusals.add(MappingError(name, "", "", error.message).at(place), at: place)
      }
    default: return nil
    }
  }

  init(_ refusals: Refusals, _ error: any Error) {
    self.refusals = refusals
    self.error = error
  }
}

/// The error of an object that is not taken in, and that may be any of the objects that the response seems to lack.
struct DoubtfulDeletion: LoggableError {
  let place: MappingError.Place

  var description: String {
    "\(place.name) is not taken in as a whole, and it does not say which objects it has. So the missing objects are "
      + "not known, and the unit was not written."
  }
}
