import EntityJSON
import EntityStore

/// Makes the JSON of an object as a request sends it. Its embedded objects are nested.
struct ObjectSender {
  /// That of the object's store, for its key style; `nil` for an object that is in no context where the hook has no store
  /// either.
  private let schema: SchemaModel?
  /// The objects that the one which is made is embedded in, from the outermost.
  private var parents: [any ManagedEntity] = []

  /// Embedded objects in embedded objects end there: a reader that takes them must bound their depth too.
  private static let depth = 64

  /// An object that is in no context has the keys of the hook's store.
  init(of object: some ManagedEntity) {
    schema =
      object.entityContext?.core.schema
      ?? (object.isDetached ? nil : try? Client.current.store.core.schema)
  }

  /// The entity of an object, with the keys of the store's key style.
  func model<E: ManagedEntity>(of object: E) -> EntityModel { (try? schema?.model(E.self)) ?? object._$state.model }

  /// Some properties of an object under their keys.
  func object<E: ManagedEntity>(_ object: E, _ model: EntityModel, _ properties: [PropertyModel]) throws -> JSONObject {
    var fields: [(key: String, value: JSONValue)] = []
    var claims = KeyClaims(entity: model.name)
    for property in properties {
      let key = (property.isUID ? MappingPlan.uidKey(of: model) : nil) ?? property.key
      let value = try value(property, of: object)
      fields.append((key, value))
      try claims.add(property.name, key, value)
    }
    try claims.checkPaths()
    return JSONObject(nesting: fields)
  }

  private func value<E: ManagedEntity>(_ property: PropertyModel, of object: E) throws -> JSONValue {
    switch property.kind {
    case .attribute: return try object.exportedAttribute(property)
    case .toOne(_, let inverse, _):
      guard let target = try object.target(property) else { return .null }
      return try property.leadsToEmbedded
        ? nested(target, in: object, without: inverse) : object.exportedUID(target, property)
    case .toMany(_, let inverse, _):
      guard property.leadsToEmbedded else { return try object.exported(property) }
      return JSONValue(try object.members(property).map { try nested($0, in: object, without: inverse) })
    case .manyToMany(let membership, _):
      guard property.leadsToEmbedded else { return try object.exported(property) }
      return JSONValue(try object.members(property).map { try nested($0, in: object, without: membership.inverse) })
    }
  }

  // MARK: Embedded objects

  /// - Parameter wayBack: The property of the embedded object that leads to its parent.
  private func nested<E: ManagedEntity>(
    _ object: E, in parent: any ManagedEntity, without wayBack: Int?
  ) throws -> JSONValue {
    var sender = self
    sender.parents.append(parent)
    guard parents.count < Self.depth, !sender.parents.contains(where: { $0 === object }) else {
      throw RequestError(
        .invalidRequest,
        "An object of '\(E.entityName)' can't be sent: it is embedded in itself, or more than \(Self.depth) levels deep."
      )
    }
    let model = model(of: object)
    let properties = try model.properties.filter { property in
      guard property.positionOf == nil, property.index != wayBack else { return false }
      switch property.kind {
      case .attribute: return true
      case .toOne:
        // A parent that the server does not know yet has its place in the body.
        guard !property.leadsToEmbedded, let target = try object.target(property) else { return true }
        return target.serverUID != nil || !sender.parents.contains { $0 === target }
      // The other side has a link that says the same.
      case .toMany: return property.isOrdered || property.leadsToEmbedded
      case .manyToMany: return true
      }
    }
    return try sender.object(object, model, properties).value
  }
}

extension ManagedEntity {
  /// The value of a property as it is sent, where it is no embedded object.
  func exported(_ property: PropertyModel) throws -> JSONValue {
    switch property.kind {
    case .attribute: return try exportedAttribute(property)
    case .toOne: return try target(property).map { try exportedUID($0, property) } ?? .null
    case .toMany where property.isOrdered, .manyToMany:
      return JSONValue(try members(property).map { try exportedUID($0, property) })
    case .toMany:
      throw RequestError(
        .invalidRequest, "'\(Self.entityName).\(property.name)' is a to-many relationship, which has no value to send.")
    }
  }

  func exportedAttribute(_ property: PropertyModel) throws -> JSONValue {
    guard case .attribute(let type, _) = property.kind else { return .null }
    var mask = ColumnMask()
    mask.insert(property.index)
    let stored = loadedValues(mask)[property.index]
    let name = "\(Self.entityName).\(property.name)"
    guard let rules = property.rules, !stored.isNull else { return try stored.exported(as: type, name) }
    do {
      return try (rules.write?(stored) ?? stored).exported(as: rules.source, name)
    } catch let error as AttributeError {
      throw RequestError(.invalidRequest, "'\(name)' can't be sent: \(error.reason).")
    }
  }

  fileprivate func exportedUID(_ target: any ManagedEntity, _ property: PropertyModel) throws -> JSONValue {
    let model = target._$state.model
    guard let uid = target.serverUID, let index = model.uid, let type = model.uidType else {
      throw RequestError(
        .missingUID,
        "'\(Self.entityName).\(property.name)' has an object without uid: the server does not know it yet.")
    }
    return try uid.exported(as: type, "\(model.name).\(model.properties[index].name)")
  }

  /// - Throws: ``RequestError`` for a required relationship without a target, which reads as an object without a row.
  fileprivate func target(_ property: PropertyModel) throws -> (any ManagedEntity)? {
    guard let target = self[keyPath: property.keyPath] as? any ManagedEntity else { return nil }
    guard target._$state.pk != 0 else {
      throw RequestError(
        .missingUID, "'\(Self.entityName).\(property.name)' is required, and has no object: set it before it is sent.")
    }
    return target
  }

  /// The objects of a relationship, in the order that they are sent in.
  fileprivate func members(_ property: PropertyModel) throws -> [any ManagedEntity] {
    guard let entityContext else { return self[keyPath: property.keyPath] as? [any ManagedEntity] ?? [] }
    return try entityContext.members(of: self, property.index)
  }
}
