import EntityJSON
import EntityStore

/// The values of a response that can't be read, and in whose place properties keep theirs.
final class KeptValues {
  private var listed: [MappingError] = []
  private var total = 0

  /// How many are listed; see ``nest(since:in:at:)``.
  var count: Int { listed.count }

  func note(_ error: MappingError) {
    total += 1
    if listed.count < RefusedValues.limit { listed.append(error) }
  }

  /// Those that were noted since there were `count` are of a nested object.
  func nest(since count: Int, in parent: String, at position: Int?) {
    for index in listed.indices.dropFirst(count) { listed[index] = listed[index].nested(in: parent, at: position) }
  }

  var values: RefusedValues { RefusedValues(listed, total: total) }
}

extension Mapper {
  /// Notes a value that can't be read.
  ///
  /// - Throws: The error, where its property does not keep its value for it.
  func keep(_ error: MappingError) throws {
    guard let kept = session.kept else { throw error }
    kept.note(error.at(session.places.current))
  }

  /// Whether the value of a relationship can be read, as far as it names objects by ids, and says of which entity they
  /// are; one that can't is noted. Nested objects are asked for all else when they are mapped.
  ///
  /// - Throws: ``DoubtfulDeletion`` for one that might name objects which seem to be missing.
  func isReadable(_ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue) throws -> Bool {
    guard session.kept != nil else { return true }
    do {
      switch plan.model.properties[property].kind {
      case .attribute: break
      case .toOne:
        let isNobody = try value.object == nil && (value.isNothing || plan.link(property, to: target, value) == nil)
        if isNobody, plan.model.required.contains(property) { throw plan.requiredError(property, value) }
        if let object = value.object {
          try checkType(of: object, plan, property, target)
        } else if !isNobody {
          try checkReference(plan, property, target)
        }
      case .toMany where plan.model.properties[property].isCounterpart:
        if let object = value.object {
          try checkType(of: object, plan, property, target)
        } else if !value.isNothing, try plan.link(property, to: target, value) != nil {
          try checkReference(plan, property, target)
        }
      case .toMany, .manyToMany:
        guard let array = value.list else {
          if value.isNull { break }
          throw plan.error(property, "an array was expected, and there is \(value.kindName)")
        }
        for element in array where !element.isNothing {
          if let object = element.object {
            try checkType(of: object, plan, property, target)
          } else if try plan.link(property, to: target, element) != nil {
            try checkReference(plan, property, target)
          }
        }
      }
      return true
    } catch let error as MappingError {
      if session.seen.isCollecting, session.seen.areAnyCollected(atOrAround: target.model, session.core.schema) {
        throw DoubtfulDeletion(place: session.places.current)
      }
      try keep(error)
      return false
    }
  }

  /// As ``isReadable(_:_:_:_:)``, for a key that an update by hand assigns to a relationship.
  ///
  /// - Parameter isRequired: Whether the relationship has an object always.
  func keepsLink<T: ManagedEntity>(
    _ type: T.Type, _ value: JSONValue, isList: Bool = false, isRequired: Bool = false,
    _ error: (String) -> MappingError
  ) throws -> Bool {
    guard session.kept != nil else { return false }
    let plan = session.plan(try session.core.schema.model(type))
    func isReadable(_ value: JSONValue) -> Bool {
      if value.object != nil { return true }
      guard plan.uidType != nil, plan.isReference(value) else { return false }
      // An id of nobody is none for a required relationship alone.
      do { return try plan.uid(value) != nil || !isRequired } catch { return false }
    }
    let isKept =
      if value.isNothing {
        isRequired
      } else if isList {
        !(value.list?.allSatisfy { $0.isNothing || isReadable($0) } ?? false)
      } else {
        !isReadable(value)
      }
    guard isKept else { return false }
    if session.seen.isCollecting, session.seen.areAnyCollected(atOrAround: plan.model, session.core.schema) {
      throw DoubtfulDeletion(place: session.places.current)
    }
    try keep(
      error(isList ? "its objects can't be read" : "an object or an id was expected, and there is \(value.kindName)"))
    return true
  }
}
