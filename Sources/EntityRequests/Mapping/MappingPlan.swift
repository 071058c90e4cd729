import EntityStore

/// Where the properties of an entity are found in a response object, worked out once for a response.
final class MappingPlan {
  let model: EntityModel
  /// Whether the entity's `update(with:)` is written by hand: then objects are made for it.
  let isByHand: Bool
  let uidKey: String
  /// The type of the uid; `nil` for entities without one.
  let uidType: AttributeType?
  /// Properties whose key is a plain one.
  private let fields: [(key: [UInt8], property: Int)]
  /// Properties whose key is a path.
  private let paths: [(key: String, property: Int)]

  init(_ model: EntityModel) {
    self.model = model
    let remote = model.type as? any RemoteEntity.Type
    isByHand = remote?.updatesByHand ?? false
    var keys = model.properties.map(\.key)
    if let uid = model.uid {
      // The uid's property has a key in the schema's style; what the server calls it is for the entity to say.
      uidKey = remote?.responseUIDKey ?? model.properties[uid].declaredKey ?? "id"
      keys[uid] = uidKey
      if case .attribute(let type, _) = model.properties[uid].kind { uidType = type } else { uidType = nil }
    } else {
      uidKey = ""
      uidType = nil
    }
    let all = keys.enumerated()
    fields = all.filter { !$0.element.contains(".") }.map { (Array($0.element.utf8), $0.offset) }
    paths = all.filter { $0.element.contains(".") }.map { ($0.element, $0.offset) }
  }

  /// Hands each property that is present to `body`, with its value. Of a key that stands twice the last value counts.
  func forEachProperty(of object: ResponseObject, _ body: (Int, ResponseValue) throws -> Void) rethrows {
    // Objects of one list have their keys in one order: the next key is most likely the next field.
    var hint = 0
    try object.forEachField { key, value in
      for step in 0..<fields.count {
        let place = hint + step < fields.count ? hint + step : hint + step - fields.count
        guard fields[place].key.count == key.count, fields[place].key.elementsEqual(key) else { continue }
        hint = place + 1 < fields.count ? place + 1 : 0
        try body(fields[place].property, value)
        return
      }
    }
    for (key, property) in paths {
      if let value = object[key] { try body(property, value) }
    }
  }

  /// The uid in a response object as it is stored; `nil` when there is none.
  func uid(of object: ResponseObject) throws -> StoredValue? {
    guard let uidType, let value = object[uidKey], !value.isNull else { return nil }
    return try uid(value, uidType)
  }

  /// A value that names an object of this entity, as a link by id does.
  func uid(_ value: ResponseValue) throws -> StoredValue? {
    guard let uidType else { return nil }
    return try uid(value, uidType)
  }

  private func uid(_ value: ResponseValue, _ type: AttributeType) throws -> StoredValue {
    guard let stored = AttributeConversion.storedValue(value, type) else {
      throw MappingError(
        model.name, model.uid.map { model.properties[$0].name } ?? "", uidKey,
        "\(AttributeConversion.expectation(type)) was expected, and there is \(value.kindName)")
    }
    return stored
  }

  /// The stored value of an attribute.
  func attribute(_ property: Int, _ value: ResponseValue, _ type: AttributeType, isOptional: Bool) throws -> StoredValue
  {
    guard let stored = AttributeConversion.storedValue(value, type) else {
      throw error(property, "\(AttributeConversion.expectation(type)) was expected, and there is \(value.kindName)")
    }
    guard isOptional || !stored.isNull || property == model.uid else {
      throw error(property, "the property is not optional, and there is null")
    }
    return stored
  }

  func error(_ property: Int, _ reason: String) -> MappingError {
    MappingError(
      model.name, model.properties[property].name, property == model.uid ? uidKey : model.properties[property].key,
      reason)
  }
}
