import EntityJSON
import EntityStore

/// Makes the JSON of an object for a request. Embedded objects are nested, and related objects too if `levels` says so.
struct ObjectSender {
  /// The schema of the object's store, for its key style; `nil` for an object in no context when the hook has no store
  /// either.
  private let schema: SchemaModel?
  /// The objects that the current object is nested in, from the outermost.
  private var parents: [any ManagedEntity] = []
  private let nils: NilValues
  /// True for the keys of requests; false for the keys of responses, for an object that is read back.
  private let isForRequest: Bool
  /// How many levels of related objects are nested from here; embedded objects always are.
  private var levels: Int
  private let related: RelatedObjects

  /// The deepest nesting of nested objects. A reader must bound the depth too.
  static let depth = 64

  /// An object that is in no context has the keys of the hook's store.
  init(
    of object: some ManagedEntity, nils: NilValues = .sent, isForRequest: Bool = true, levels: Int = 0,
    related: RelatedObjects = RelatedObjects()
  ) {
    self.nils = nils
    self.isForRequest = isForRequest
    self.levels = levels
    self.related = related
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
    let keys = isForRequest ? try RequestKeys(model) : nil
    for property in properties {
      let key = keys?.declared(property) ?? (property.isUID ? MappingPlan.uidKey(of: model) : nil) ?? property.key
      guard keys?.declared(property) != nil || !JSONKeyPath(key).isShaped else {
        throw RequestError(
          .invalidRequest,
          "'\(model.name).\(property.name)' is read from \"\(key)\", and nothing can be written there. Name its key in requests "
            + "with 'requestKeys'.")
      }
      let value = try value(property, of: object)
      if nils == .leftOut, value.isNull { continue }
      fields.append((key, value))
      try claims.add(property.name, key, value)
    }
    try claims.checkPaths()
    return JSONObject(nesting: fields)
  }

  func value<E: ManagedEntity>(_ property: PropertyModel, of object: E) throws -> JSONValue {
    switch property.kind {
    case .attribute: return try object.exportedAttribute(property)
    case .toOne(_, let inverse, _):
      guard let target = try object.target(property) else { return .null }
      return try value(of: target, property, in: object, without: inverse)
    case .toMany(_, let inverse, _) where property.isCounterpart:
      let member = try related.members(of: object, property.index) ?? object.members(property)
      return try member.first.map { try value(of: $0, property, in: object, without: inverse) } ?? .null
    case .toMany, .manyToMany:
      guard property.isSentByItself || levels > 0 else { return try object.exported(property) }
      return try list(property, of: object, without: property.list?.inverse)
    }
  }

  private func list<E: ManagedEntity>(
    _ property: PropertyModel, of object: E, without wayBack: Int?
  ) throws -> JSONValue {
    let members = try related.members(of: object, property.index) ?? object.members(property)
    return JSONValue(
      try members.filter { !isUnnamedParent($0) }.map { try value(of: $0, property, in: object, without: wayBack) })
  }

  // MARK: Related objects

  /// A related object: the object itself if it is embedded or within the levels, else its uid.
  private func value<E: ManagedEntity>(
    of target: any ManagedEntity, _ property: PropertyModel, in object: E, without wayBack: Int?
  ) throws -> JSONValue {
    if property.leadsToEmbedded { return try nested(target, in: object, levels, without: wayBack) }
    // A placeholder has nothing but its uid. An object that encloses this one is in the JSON already.
    guard levels > 0, !target.isPlaceholder, target !== object, !parents.contains(where: { $0 === target }) else {
      return try object.exportedUID(target, property, mayBeNamed: isForRequest)
    }
    return try nested(target, in: object, levels - 1, without: wayBack)
  }

  /// True when an object that the server does not know yet encloses this one. Its place in the body says how the two
  /// are related, and it has no uid to name it by.
  private func isUnnamedParent(_ object: any ManagedEntity) -> Bool {
    object.serverUID == nil && parents.contains { $0 === object }
  }

  /// - Parameters:
  ///   - levels: How many levels of related objects are nested in it.
  ///   - wayBack: The property of the nested object that leads to its parent.
  private func nested<E: ManagedEntity>(
    _ object: E, in parent: any ManagedEntity, _ levels: Int, without wayBack: Int?
  ) throws -> JSONValue {
    var sender = self
    sender.parents.append(parent)
    sender.levels = levels
    guard parents.count < Self.depth, !sender.parents.contains(where: { $0 === object }) else {
      throw RequestError(
        .invalidRequest,
        "An object of '\(E.entityName)' can't be sent: it is embedded in itself, or more than \(Self.depth) levels deep."
      )
    }
    return try sender.whole(object, without: wayBack).value
  }

  /// An object with all its properties.
  ///
  /// - Parameter wayBack: The property that leads to the enclosing object.
  func whole<E: ManagedEntity>(_ object: E, without wayBack: Int? = nil) throws -> JSONObject {
    let model = model(of: object)
    let isPlaceholder = object.isPlaceholder
    let lacking = object.lacking
    let keys = isForRequest ? try RequestKeys(model) : nil
    let properties = try model.properties.filter { property in
      guard !property.isHidden, property.index != wayBack else { return false }
      // A path with brackets says where a response has the value, and not how a request writes it.
      guard keys?.declared(property) != nil || !JSONKeyPath(property.key).isShaped else { return false }
      if property.isUID { return !object.loadedValues(ColumnMask(property.index))[property.index].isNull }
      guard !isPlaceholder, !lacking.contains(property.index) else { return false }
      if property.isList { return property.isSentByItself || levels > 0 }
      guard property.target != nil, !property.leadsToEmbedded, let target = try object.target(property) else {
        return true
      }
      return !isUnnamedParent(target)
    }
    return try self.object(object, model, properties)
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  static func check(depth: Int) throws {
    guard (0...Self.depth).contains(depth) else {
      throw RequestError(.invalidRequest, "An export has a depth of 0 to \(Self.depth).")
    }
  }

  // MARK: Fields of the caller's

  /// Properties under the caller's keys.
  func object<E: ManagedEntity>(
    _ object: E, _ properties: KeyValuePairs<String, any ExportField>
  ) throws -> JSONObject {
    var fields: [(key: String, value: JSONValue)] = []
    var claims = KeyClaims(entity: E.entityName)
    for (key, field) in properties {
      let (name, value) = try value(field._exportWay[...], of: object)
      if nils == .leftOut, value.isNull { continue }
      fields.append((key, value))
      try claims.add(name, key, value)
    }
    try claims.checkPaths()
    return JSONObject(nesting: fields)
  }

  /// The name and the value of the property at the end of a way through to-one relationships.
  private func value<E: ManagedEntity>(
    _ way: ArraySlice<Int>, of object: E
  ) throws -> (name: String, value: JSONValue) {
    guard let first = way.first else { return ("", .null) }
    let property = model(of: object).properties[first]
    guard way.count > 1 else { return (property.name, try value(property, of: object)) }
    guard let target = try object.target(property) else { return (property.name, .null) }
    let (name, value) = try value(way.dropFirst(), of: target)
    return ("\(property.name).\(name)", value)
  }
}

extension ManagedEntity {
  /// The value of a property for a request, unless it is an embedded object.
  func exported(_ property: PropertyModel) throws -> JSONValue {
    switch property.kind {
    case .attribute: return try exportedAttribute(property)
    case .toMany where property.isCounterpart, .toOne:
      return try target(property).map { try exportedUID($0, property) } ?? .null
    case .toMany where property.isOrdered, .manyToMany:
      return JSONValue(try members(property).map { try exportedUID($0, property) })
    case .toMany:
      throw RequestError(
        .invalidRequest, "'\(Self.entityName).\(property.name)' is a to-many relationship, which has no value to send.")
    }
  }

  func exportedAttribute(_ property: PropertyModel) throws -> JSONValue {
    var mask = ColumnMask()
    mask.insert(property.index)
    return try Self.exportedAttribute(property, loadedValues(mask)[property.index])
  }

  /// A value that an attribute has, or had.
  static func exportedAttribute(_ property: PropertyModel, _ stored: StoredValue) throws -> JSONValue {
    guard case .attribute(let type, _) = property.kind else { return .null }
    let name = "\(entityName).\(property.name)"
    guard let rules = property.rules, !stored.isNull else { return try stored.exported(as: type, name) }
    do {
      return try (rules.write?(stored) ?? stored).exported(as: rules.source, name)
    } catch let error as AttributeError {
      throw RequestError(.invalidRequest, "'\(name)' can't be sent: \(error.reason).")
    }
  }

  /// - Parameter mayBeNamed: Whether the target may be named by another attribute than its uid: in a request.
  fileprivate func exportedUID(
    _ target: any ManagedEntity, _ property: PropertyModel, mayBeNamed: Bool = true
  ) throws -> JSONValue {
    let model = target._$state.model
    guard let uid = target.serverUID, let index = model.uid, let type = model.uidType else {
      throw RequestError(
        .missingUID,
        "'\(Self.entityName).\(property.name)' has an object without uid: the server does not know it yet.")
    }
    if mayBeNamed, let named = Self.self as? any RemoteEntity.Type, named.isNamedInRequests(property) {
      return try exportedName(of: target, property)
    }
    guard let parts = model.uidParts else {
      return try uid.exported(as: type, "\(model.name).\(model.properties[index].name)")
    }
    let values = loadedParts(parts, of: target)
    return try JSONValue(
      zip(parts.typed, values).map { try $1.exported(as: $0.type, "\(model.name).\($0.part.name)") })
  }

  private func exportedName(of target: any ManagedEntity, _ property: PropertyModel) throws -> JSONValue {
    let model = target._$state.model
    guard let type = model.type as? any RemoteEntity.Type, let index = MappingPlan.nameAttribute(of: type, model) else {
      throw RequestError(
        .invalidRequest,
        "'\(Self.entityName).\(property.name)' is to be sent by names, and '\(model.name)' has no `nameAttribute`.")
    }
    // The server does not have the value that an edit has made here.
    let known =
      if let context = target._$state.context {
        try context.answers.serverValue(of: target, index)
      } else {
        Optional(target.loadedValues(ColumnMask(index))[index])
      }
    guard case .text(let name)? = known, !name.isEmpty else {
      throw RequestError(
        .invalidRequest,
        "'\(Self.entityName).\(property.name)' has an object without a name, so that no request can name it.")
    }
    return JSONValue(name)
  }

  private func loadedParts(_ parts: UIDParts, of target: any ManagedEntity) -> [StoredValue] {
    let values = target.loadedValues(parts.mask)
    return parts.parts.map { values[$0.index] }
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

  /// The objects of a relationship, in the order in which they are sent.
  func members(_ property: PropertyModel) throws -> [any ManagedEntity] {
    guard let entityContext else {
      let value = self[keyPath: property.keyPath]
      return value as? [any ManagedEntity] ?? (value as? any ManagedEntity).map { [$0] } ?? []
    }
    return try entityContext.answers.members(of: self, property.index)
  }
}
