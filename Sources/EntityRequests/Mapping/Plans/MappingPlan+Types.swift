import EntityJSON
import EntityStore

// Objects of several entities in one place; see ``Discriminator``.

extension MappingPlan {
  /// Whether the type of an object says that it belongs to another entity.
  func isOther(_ object: JSONObject) -> Bool {
    guard let discriminator, let type = discriminator.type(of: object) else { return false }
    return !discriminator.values.contains(type)
  }

  /// Whether the type of an object says that it belongs to the entity. Without a discriminator every object does.
  func isOne(_ object: JSONObject) -> Bool {
    guard let discriminator else { return true }
    return discriminator.type(of: object).map(discriminator.values.contains) ?? false
  }

  /// Whether an object outside of a relationship is taken as one of the entity. The type of an object of another entity
  /// is noted.
  func takes(_ object: JSONObject) -> Bool {
    guard isOther(object) else { return true }
    tellType(of: object, entity: model.name, place: "")
    return false
  }

  /// Notes the type of an object that is passed over.
  ///
  /// - Parameter place: The key path of the object's list.
  func tellType(of object: JSONObject, entity: String, place: String) {
    guard let discriminator, let type = discriminator.type(of: object) else { return }
    let key = place.isEmpty ? discriminator.key : "\(place).\(discriminator.key)"
    unrecognized.note(entity, key, .text(type))
  }

  /// All relationships with the key of a relationship, that relationship included.
  func relationships(sharing property: Int) -> [Int] {
    let key = model.properties[property].key
    return model.properties.filter {
      if case .attribute = $0.kind { false } else { $0.key == key }
    }.map(\.index)
  }
}

extension Mapper {
  /// Whether an object in a relationship is one of the relationship's entity.
  ///
  /// - Throws: ``MappingError`` for an object without a type, when several relationships have the key.
  func takes(_ object: JSONObject, _ plan: MappingPlan, _ property: Int, _ target: MappingPlan) throws -> Bool {
    guard let discriminator = target.discriminator else { return true }
    guard let type = discriminator.type(of: object) else {
      try checkType(of: object, plan, property, target)
      return true
    }
    if discriminator.values.contains(type) { return true }
    let sharing = plan.relationships(sharing: property)
    // When no relationship takes the object, only the first one notes its type.
    if sharing.first == property {
      let isTaken = sharing.contains { !session.plan(target: plan.model.properties[$0]).isOther(object) }
      if !isTaken { target.tellType(of: object, entity: plan.model.name, place: plan.model.properties[property].key) }
    }
    return false
  }

  /// - Throws: ``MappingError`` for an object without a type, when several relationships have the key.
  func checkType(of object: JSONObject, _ plan: MappingPlan, _ property: Int, _ target: MappingPlan) throws {
    guard let discriminator = target.discriminator, discriminator.type(of: object) == nil else { return }
    let sharing = plan.relationships(sharing: property)
    if sharing.count > 1 { throw plan.untypedError(property, sharing, "its '\(discriminator.key)'") }
  }

  /// - Throws: ``MappingError`` for a bare id when several relationships have the key: an id has no type.
  func checkReference(_ plan: MappingPlan, _ property: Int, _ target: MappingPlan) throws {
    guard let discriminator = target.discriminator else { return }
    let sharing = plan.relationships(sharing: property)
    if sharing.count > 1 { throw plan.untypedError(property, sharing, "an object with its '\(discriminator.key)'") }
  }
}

extension MappingPlan {
  fileprivate func untypedError(_ property: Int, _ sharing: [Int], _ expected: String) -> MappingError {
    let names = sharing.map { "'\(model.properties[$0].name)'" }.joined(separator: " and ")
    return error(property, "\(names) have the key both, so \(expected) is needed to say which of them is meant")
  }
}

extension UpsertSession {
  /// The plan of the entity that a relationship leads to.
  fileprivate func plan(target property: PropertyModel) -> MappingPlan {
    plan(core.schema.entities[property.target ?? 0])
  }
}
