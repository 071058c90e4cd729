import EntityJSON
import EntityStore

// Objects that a response names by another attribute than their uid; see ``RemoteEntity/nameAttribute``.

extension MappingPlan {
  static func nameAttribute<E: RemoteEntity>(of type: E.Type, _ model: EntityModel) -> Int? {
    guard let index = type.nameAttribute.flatMap({ model.index(of: $0) }),
      case .attribute(.string, _) = model.properties[index].kind
    else { return nil }
    return index
  }

  /// The name of an object of the entity; `nil` for any value but a text, and for an entity whose objects have no names.
  func name(in value: JSONValue) -> StoredValue? {
    guard nameAttribute != nil, value.kind == .string, !value.isEmptyString else { return nil }
    return value.string.map(StoredValue.text)
  }
}

extension Mapper {
  /// The row of the object that a value names.
  ///
  /// - Returns: The outer optional is `nil` for a value that is no name; the inner one when no one object has the name.
  func named(_ target: MappingPlan, _ value: JSONValue) throws -> Int64?? {
    guard let name = target.name(in: value), let index = target.nameAttribute else { return nil }
    guard let pk = try self.target.row(target.model, named: name, index) else { return .some(nil) }
    session.mention(target.model, pk)
    return pk
  }

  /// The same for a relationship. A name that is not known is noted.
  func named(_ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue) throws -> Int64?? {
    guard let found = try named(target, value) else { return nil }
    if found == nil, let name = target.name(in: value) {
      session.unrecognized.note(plan.model.name, plan.model.properties[property].name, name)
      // Nothing says which object is meant, so it may be any that seems to be missing.
      if session.seen.collected.contains(target.model.number) { throw DoubtfulDeletion(place: session.places.current) }
    }
    return found
  }
}

extension RemoteEntity {
  /// Whether requests name the objects of a relationship; see ``namedInRequests``.
  static func isNamedInRequests(_ property: PropertyModel) -> Bool {
    namedInRequests.contains { $0 == property.keyPath }
  }
}
