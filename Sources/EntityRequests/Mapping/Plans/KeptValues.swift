import EntityJSON
import EntityStore

/// The values of a response that can't be read. Their properties keep the values that they have.
final class KeptValues {
  private var listed: [MappingError] = []
  private var total = 0

  /// How many errors are listed; see ``nest(since:in:at:)``.
  var count: Int { listed.count }

  func note(_ error: MappingError) {
    total += 1
    if listed.count < RefusedValues.limit { listed.append(error) }
  }

  /// Marks the errors after the first `count` as errors of a nested object.
  func nest(since count: Int, in parent: String, at position: Int?) {
    for index in listed.indices.dropFirst(count) { listed[index] = listed[index].nested(in: parent, at: position) }
  }

  var values: RefusedValues { RefusedValues(listed, total: total) }
}

extension Mapper {
  /// Notes a value that can't be read.
  ///
  /// - Throws: The error itself, unless properties keep their values (`.keepingValues`).
  func keep(_ error: MappingError) throws {
    guard let kept = session.kept else { throw error }
    kept.note(error.at(session.places.current))
  }

  /// True when the ids in the value of a relationship can be read, and the entity of each object in it is known. A
  /// value that can't be read is noted. All else in nested objects is checked when they are mapped.
  ///
  /// - Throws: ``DoubtfulDeletion`` when a value that can't be read may name objects that seem to be missing.
  func isReadable(_ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue) throws -> Bool {
    guard session.kept != nil else { return true }
    do {
      switch plan.model.properties[property].kind {
      case .attribute: break
      case .toOne:
        if target.name(in: value) != nil { break }
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
        for element in array where !element.isNothing && target.name(in: element) == nil {
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

  /// True when a relationship keeps its objects, because the value that an update by hand assigns to it can't be read.
  /// The rules are those of ``isReadable(_:_:_:_:)``.
  ///
  /// - Parameters:
  ///   - key: The key path of the value.
  ///   - isRequired: Whether the relationship always has an object.
  func keepsLink<T: ManagedEntity>(
    _ type: T.Type, _ value: JSONValue, key: String, isList: Bool = false, isRequired: Bool = false,
    _ error: (String) -> MappingError
  ) throws -> Bool {
    guard session.kept != nil || session.passed != nil else { return false }
    let plan = session.plan(try session.core.schema.model(type))
    if !isList, try passesOver(plan, value, in: key) { return true }
    guard session.kept != nil else { return false }
    func isReadable(_ value: JSONValue) -> Bool {
      if value.object != nil || plan.name(in: value) != nil { return true }
      guard plan.uidType != nil, plan.isReference(value) else { return false }
      // An id of nobody means no object; only a required relationship refuses it.
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
