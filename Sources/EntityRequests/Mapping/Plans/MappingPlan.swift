import EntityJSON
import EntityStore
import Foundation

/// Where the properties of an entity are found in a response object, worked out once for a response.
final class MappingPlan {
  let model: EntityModel
  /// Whether the entity's `update(with:)` is written by hand: then objects are made to run it.
  var isByHand: Bool { runUpdate != nil }
  /// Runs an `update(with:)` that is written by hand. It casts to no protocol, which Swift would look up at run time.
  let runUpdate: ((any ManagedEntity, ResponseObject) throws -> Void)?
  let uidKey: String
  /// The key paths of the uid in objects that lack `uidKey`.
  let otherUIDKeys: [String]
  /// The type of the uid; `nil` for entities without one.
  let uidType: AttributeType?
  /// The parts of a composite uid.
  let uidParts: UIDParts?
  let deletionKey: String?
  let deletedElements: DeletedElements?
  /// The relationships to entities without uid whose objects live in this entity's objects. A link with an inverse is
  /// left out, because its target is the parent.
  let embedding: [Int]
  /// All entities without uid that a relationship leads to.
  let embedded: Set<Int>
  /// Properties whose key is no path. Of several properties with one key, only the first is here.
  let fields: [Int]
  /// The keys of `fields`.
  private let keys: JSONFieldNames
  /// The other properties with the key of a property in `fields`, by that property.
  let twins: [Int: [Int]]
  /// Properties whose key is a path.
  let paths: [PropertyPath]
  /// The keys of the to-one links, with their target entities.
  private(set) lazy var nested: [(key: String, entity: Int)] = model.properties.compactMap {
    if case .toOne(let target, _, _) = $0.kind { ($0.key, target) } else { nil }
  }
  /// Whether any attribute has rules.
  let hasRules: Bool
  /// The attribute by which other objects name objects of the entity.
  let nameAttribute: Int?
  /// The values that mean nothing in the properties; `nil` where none does.
  let nothing: NothingRules?
  /// The properties that are cleared when an object lacks their keys.
  let clearing: ClearedProperties?
  /// Whether a key that an update by hand reads may have a rule.
  var asksMapper: Bool { hasRules || clearing != nil }
  /// Whether objects are put on the trail while they are mapped: they, or objects that are nested in them, may ask for
  /// their context.
  var isOnTrail: Bool
  let hasRelationships: Bool
  /// The properties that are filled from the context of an object.
  let origins: PropertyOrigins?
  /// The attribute that says how new an object is.
  let version: VersionAttribute?
  /// How objects say that they belong to the entity; `nil` when every object does.
  let discriminator: Discriminator?
  let unrecognized: UnrecognizedValues
  private var attributesByKey: [String: [PropertyModel]] = [:]
  /// The cells of the fields in a batch; `nil` for an entity whose objects are taken in one by one.
  private(set) lazy var cells = CellPlan(self)
  /// Whether the properties are read from keys, and from nothing else.
  var isPlain: Bool { origins == nil && clearing == nil && version == nil }

  /// Where responses have the uid of an entity.
  static func uidKey(of model: EntityModel) -> String? {
    guard let uid = model.uid, model.uidParts == nil else { return nil }
    return (model.type as? any RemoteEntity.Type)?.responseUIDKey ?? model.properties[uid].key
  }

  /// - Parameter nothing: The client's values that mean nothing.
  init(
    _ model: EntityModel, _ schema: SchemaModel, _ unrecognized: UnrecognizedValues, nothing: NothingValues = []
  ) {
    self.model = model
    self.unrecognized = unrecognized
    let remote = model.type as? any RemoteEntity.Type
    hasRules = !model.ruled.isEmpty
    origins = PropertyOrigins(model)
    discriminator = remote?.discriminator
    version = VersionAttribute(model)
    nameAttribute = remote.flatMap { Self.nameAttribute(of: $0, model) }
    clearing = ClearedProperties(model)
    self.nothing = NothingRules(model, inherited: nothing)
    isOnTrail = origins != nil || remote?.updatesByHand == true
    hasRelationships = model.properties.contains { if case .attribute = $0.kind { false } else { true } }
    runUpdate = remote.flatMap { Self.update(of: $0) }
    deletionKey = remote?.deletionKey
    deletedElements = remote?.deletedElements
    var keys = model.properties.map(\.key)
    uidParts = model.uidParts
    otherUIDKeys = model.uid == nil || model.uidParts != nil ? [] : remote?.otherUIDKeys ?? []
    uidKey = Self.uidKey(of: model) ?? model.uidParts?.parts.map(\.key).joined(separator: ", ") ?? ""
    if let uid = model.uid {
      keys[uid] = uidKey
      if case .attribute(let type, _) = model.properties[uid].kind { uidType = type } else { uidType = nil }
    } else {
      uidType = nil
    }
    let targets = model.properties.map { $0.target.flatMap { schema.entities[$0].uid == nil ? $0 : nil } }
    embedding = targets.indices.filter { index in
      if case .toOne(_, .some, _) = model.properties[index].kind { false } else { targets[index] != nil }
    }
    embedded = Set(targets.compactMap(\.self))
    // The uid is read separately: it says which row the values go to.
    let all = keys.enumerated().filter { $0.offset != model.uid && !model.hidden.contains($0.offset) }
      .map { (property: $0.offset, key: $0.element, path: JSONKeyPath($0.element)) }
    var first: [String: Int] = [:]
    var twins: [Int: [Int]] = [:]
    for (property, _, path) in all where path.isOneKey {
      let key = path.keys[0]
      if let first = first[key] { twins[first, default: []].append(property) } else { first[key] = property }
    }
    self.twins = twins
    let plain = all.filter { $0.path.isOneKey && first[$0.path.keys[0]] == $0.property }
    fields = plain.map(\.property)
    self.keys = JSONFieldNames(plain.map { $0.path.keys[0] })
    paths = all.filter { !$0.path.isOneKey }.map { property, key, path in
      // The keys of a map are the uids of its objects.
      let target = path.isOfMany ? model.properties[property].target : nil
      let takesNull =
        if case .attribute(_, let isOptional) = model.properties[property].kind {
          isOptional
        } else {
          !model.required.contains(property)
        }
      return PropertyPath(
        property, key, path, uidKey: target.flatMap { Self.uidKey(of: schema.entities[$0]) }, takesNull: takesNull)
    }
  }

  /// The keys of an object's uid, of its deletion and of its type.
  var keysOfIdentity: [String] {
    (uidParts?.parts.map(\.key) ?? [uidKey] + otherUIDKeys) + [deletionKey, discriminator?.key].compactMap(\.self)
  }

  /// Whether objects of an entity ask for their context: an update by hand may do so.
  static func usesContext(_ model: EntityModel) -> Bool {
    guard let remote = model.type as? any RemoteEntity.Type else { return false }
    return remote.updatesByHand || remote.hasOrigins
  }

  private static func update<E: RemoteEntity>(
    of type: E.Type
  ) -> ((any ManagedEntity, ResponseObject) throws -> Void)? {
    guard type.updatesByHand else { return nil }
    return { object, response in
      guard let object = object as? E else { return }
      try object.runUpdate(response)
    }
  }

  /// Whether an object has anything to do with the entity: its uid, or at least one key of its properties. An entity
  /// without uid takes any object.
  func recognizes(_ object: JSONObject) -> Bool {
    uidType == nil || hasUIDKey(object) || hasProperties(in: object)
  }

  /// Whether an object has a key of its uid.
  func hasUIDKey(_ object: JSONObject) -> Bool {
    object.contains(uidKey) || otherUIDKeys.contains(where: object.contains)
  }

  /// Whether an object has at least one key of the entity's properties, besides its uid.
  func hasProperties(in object: JSONObject) -> Bool {
    var isKnown = false
    do { try forEachProperty(of: object) { _, _ in isKnown = true } } catch { return true }
    return isKnown
  }

  /// Whether an object says that it was deleted. Any value of the deletion key counts, unless it means no.
  func isDeletion(_ object: JSONObject) -> Bool {
    guard let deletionKey, let value = object[deletionKey], !value.isBlankUntyped else {
      return false
    }
    return switch value.kind {
    case .null: false
    case .bool: value.bool == true
    case .number: value.double != 0
    case .string: value.string.map { !["", "0", "false", "no"].contains($0.lowercased()) } ?? true
    case .array: value.array?.isEmpty == false
    case .object: value.object?.count != 0
    }
  }

  /// Hands each property whose key is present to `body`, with its value. The uid is left out. If a key occurs twice,
  /// its last value counts.
  ///
  /// - Throws: The error of `body`; ``MappingError`` when the response has a key with dots, and the property's key
  ///   names it as a path.
  func forEachProperty(of object: JSONObject, _ body: (Int, JSONValue) throws -> Void) throws {
    let fields = fields
    if twins.isEmpty, nothing == nil {
      try object.forEachField(named: keys) { place, value in try body(fields[place], value) }
    } else {
      try object.forEachField(named: keys) { place, value in
        try body(fields[place], related(fields[place], value))
        for twin in twins[fields[place]] ?? [] { try body(twin, related(twin, value)) }
      }
    }
    for path in paths {
      let property = path.property
      if let value = path.value(in: object) ?? emptyList(property, path.key, object) {
        if path.isOfMany { try check(value, property) }
        try body(property, related(property, value))
      } else if object.hasDotsInKeys(path.key) {
        throw error(property, Self.dotsInKeys(path.key))
      }
    }
  }

  /// - Throws: ``MappingError`` when a path with brackets led to no list, or an element of an attribute is not there.
  private func check(_ value: JSONValue, _ property: Int) throws {
    var fault = value.fault
    if case .attribute = model.properties[property].kind {
      fault = fault ?? value.array?.lazy.compactMap(\.fault).first
    }
    if let fault { throw MappingError(model.name, model.properties[property].name, fault: fault) }
  }

  /// The error text for a key with dots that the property's key names as a path. A request would write the value in
  /// another place.
  static func dotsInKeys(_ key: String) -> String {
    "a key of the response has a dot in it. Write a backslash before a dot that leads into no object: "
      + "#\"\(key.replacing(".", with: "\\."))\"#"
  }

  /// An empty list in a format without types, which shows as an empty text on the path to the list.
  private func emptyList(_ property: Int, _ key: String, _ object: JSONObject) -> JSONValue? {
    switch model.properties[property].kind {
    case .attribute, .toOne: nil
    case .toMany where model.properties[property].isCounterpart: nil
    case .toMany, .manyToMany: object.value.value(forList: key)
    }
  }

  /// The uid in a response object as it is stored; `nil` when there is none. Null and the empty string name nobody.
  func uid(of object: JSONObject) throws -> StoredValue? {
    if let uidParts { return try uid(of: object, uidParts) }
    return try uidValue(of: object).flatMap { try uid($0) }
  }

  /// The value that an object has for the uid; `nil` when the uid has no key of its own.
  func uidValue(of object: JSONObject) throws -> JSONValue? {
    guard uidType != nil, uidParts == nil, let index = model.uid else { return nil }
    if let value = object.value(for: uidKey) { return value }
    for key in otherUIDKeys { if let value = object.value(for: key) { return value } }
    if object.hasDotsInKeys(uidKey) { throw error(index, Self.dotsInKeys(uidKey)) }
    return nil
  }

  /// The composite uid in a response object; `nil` when a part is missing or names nobody.
  private func uid(of object: JSONObject, _ parts: UIDParts) throws -> StoredValue? {
    try uid(parts) { part, _ in object.value(for: part.key) }
  }

  private func uid(_ parts: UIDParts, _ value: (PropertyModel, Int) -> JSONValue?) throws -> StoredValue? {
    var values: [StoredValue] = []
    for (place, (part, type)) in parts.typed.enumerated() {
      guard let value = value(part, place), !isNobody(value) else { return nil }
      guard let stored = AttributeConversion.storedValue(value, type) else {
        throw error(part.index, AttributeConversion.mismatch(value, type))
      }
      values.append(stored)
    }
    return UIDParts.uid(values)
  }

  /// Whether a value can be the id of an object. A composite uid is an array of its parts.
  func isReference(_ value: JSONValue) -> Bool {
    uidParts == nil ? value.kind == .number || value.kind == .string : value.kind == .array
  }

  /// The stored form of a uid, the same for a number and for a string.
  func uid(_ value: JSONValue) throws -> StoredValue? {
    guard let uidType, !isNobody(value) else { return nil }
    if let uidParts {
      guard let array = value.array, array.count == uidParts.parts.count else {
        throw MappingError(
          model.name, uidParts.label, uidKey,
          "an array of \(uidParts.parts.count) values was expected, one for each part of the uid")
      }
      let values = Array(array)
      return try uid(uidParts) { values[$1] }
    }
    guard let stored = AttributeConversion.storedValue(value, uidType) else {
      throw MappingError(
        model.name, uidName, uidKey, AttributeConversion.mismatch(value, uidType))
    }
    return stored
  }

  /// The error for an object without uid. Nothing says which object it is, so each response would make it anew.
  ///
  /// - Parameter isEmbeddable: Whether the request has `.withoutUID(.embed)`, which is only for members of another
  ///   object's list.
  func unnamedError(isEmbeddable: Bool = false) -> MappingError {
    MappingError(
      model.name, uidName, uidKey,
      "an object of a response needs its uid, by which it is known again, and there is none"
        + (isEmbeddable ? "; `.withoutUID(.embed)` is for members of another object's list" : ""))
  }

  private var uidName: String { uidParts?.label ?? model.uid.map { model.properties[$0].name } ?? "" }

  /// The error for an entity whose objects no response can name.
  func anonymousError(_ role: String) -> MappingError {
    MappingError(
      model.name, "", "", "an entity without uid is no \(role): each response would make its objects anew")
  }

  /// The uid in a link by id to an object of `target`; `nil` when the id names nobody.
  func link(_ property: Int, to target: MappingPlan, _ value: JSONValue) throws -> StoredValue? {
    if let fault = value.fault { throw MappingError(model.name, model.properties[property].name, fault: fault) }
    guard target.isReference(value) else {
      throw error(
        property,
        "an object or \(target.uidParts == nil ? "an id" : "the array of the parts of its uid") was expected, and there is "
          + value.kindName)
    }
    if target.uidParts != nil {
      do { return try target.uid(value) } catch let error as MappingError { throw self.error(property, error.reason) }
    }
    guard let type = target.uidType else {
      throw error(property, "'\(target.model.name)' has no uid, so an id can't name one")
    }
    guard !isNobody(value), nothing?.isZeroID(value, in: model.properties[property]) != true else { return nil }
    guard let stored = AttributeConversion.storedValue(value, type) else {
      throw error(
        property,
        "an object or an id, \(type.facts.expectation), was expected, and there is "
          + AttributeConversion.finding(value, type))
    }
    return stored
  }

  /// The error for null, or an id of nobody, in a required relationship.
  func requiredError(_ property: Int, _ value: JSONValue) -> MappingError {
    error(property, Self.requiredReason(value))
  }

  static func requiredReason(_ value: JSONValue) -> String {
    let found = value.isNull ? "null" : value.kind == .object ? "an object of another type" : "an id of nobody"
    return "the relationship is required, and there is \(found)"
  }

  /// The error for an object that does not belong to the entity.
  func notRecognized(_ what: String) -> MappingError {
    MappingError(
      model.name, "", "",
      "it has \(what). If the objects are under a key of the response, name that as the envelope")
  }

  func missingError(_ property: Int) -> MappingError {
    error(property, "the relationship is required, and the response of a new object lacks it")
  }

  private func isNobody(_ value: JSONValue) -> Bool { value.isNothing || value.isEmptyString }

  /// The stored value of an attribute.
  func attribute(_ property: Int, _ value: JSONValue, _ type: AttributeType, isOptional: Bool) throws -> StoredValue {
    if hasRules, model.ruled.contains(property), let rules = model.properties[property].rules {
      return try attribute(property, value, rules, isOptional: isOptional)
    }
    guard
      let stored = emptyURL(property, value, type) ?? AttributeConversion.storedValue(value, type)
        ?? nothing(property, value)
    else {
      throw error(property, AttributeConversion.mismatch(value, type))
    }
    guard isOptional || !stored.isNull else { throw error(property, Self.isNull) }
    return stored
  }

  /// Null for a value that means nothing in an attribute, and that the attribute can't have.
  func nothing(_ property: Int, _ value: JSONValue) -> StoredValue? {
    nothing?.areNothing(value, in: model.properties[property]) == true ? .null : nil
  }

  /// Null for an empty text in place of a URL, where that means nothing. A URL can have it, and means nothing by it.
  private func emptyURL(_ property: Int, _ value: JSONValue, _ type: AttributeType) -> StoredValue? {
    nothing != nil && type == .url && value.isEmptyString ? nothing(property, value) : nil
  }

  /// Null for a value that means nothing in a relationship; else the value.
  func related(_ property: Int, _ value: JSONValue) -> JSONValue {
    guard let nothing, model.properties[property].isRelationship else { return value }
    return nothing.areNobody(value, in: model.properties[property]) ? .null : value
  }

  /// The stored value of an attribute that has rules.
  private func attribute(
    _ property: Int, _ value: JSONValue, _ rules: AttributeRules, isOptional: Bool
  ) throws -> StoredValue {
    var stored: StoredValue
    do { stored = try AttributeConversion.storedValue(value, rules) } catch {
      guard let null = nothing(property, value) else { throw self.error(property, error.reason) }
      stored = null
    }
    if let isRecognized = rules.isRecognized, !isRecognized(stored) {
      if let null = nothing(property, value) { stored = null } else { noteUnrecognized(property, stored) }
    }
    guard isOptional || !stored.isNull else { throw error(property, Self.isNull) }
    return stored
  }

  /// The same as ``attribute(_:_:_:isOptional:)``, but a raw value that the type does not have is not noted.
  ///
  /// - Returns: `nil` for a value that is an error.
  func storedValue(
    _ property: Int, _ value: JSONValue, _ type: AttributeType, isOptional: Bool
  ) -> (value: StoredValue, isRecognized: Bool)? {
    let rules = model.ruled.contains(property) ? model.properties[property].rules : nil
    var stored =
      rules.map { try? AttributeConversion.storedValue(value, $0) }
      ?? emptyURL(property, value, type) ?? AttributeConversion.storedValue(value, type)
    var isRecognized = stored.flatMap { stored in rules?.isRecognized.map { $0(stored) } } ?? true
    if stored == nil || !isRecognized, let null = nothing(property, value) { (stored, isRecognized) = (null, true) }
    guard let stored, isOptional || !stored.isNull else { return nil }
    return (stored, isRecognized)
  }

  static let isNull = "the property is not optional, and there is null"

  /// Notes a raw value that the property's type does not have. The row keeps the value.
  func noteUnrecognized(_ property: Int, _ stored: StoredValue) {
    unrecognized.note(model.name, model.properties[property].name, stored)
  }

  /// The keys that properties are read from, without those of the properties in `had`.
  func keys(besides had: ColumnMask) -> [String] {
    let others = had.union(model.identity).union(model.hidden).union(origins?.properties ?? ColumnMask())
    return model.properties.filter { !others.contains($0.index) && !$0.isDerived && !$0.isHidden }.map(\.key)
  }

  /// The attributes with a key. If there is none, the attributes with that name.
  func attributes(for key: String) -> [PropertyModel] {
    if let known = attributesByKey[key] { return known }
    func attributes(_ isWanted: (PropertyModel) -> Bool) -> [PropertyModel] {
      model.properties.filter {
        if case .attribute = $0.kind { isWanted($0) && !$0.isHidden } else { false }
      }
    }
    let found = attributes { $0.key == key }
    let all = found.isEmpty ? attributes { $0.name == key } : found
    attributesByKey[key] = all
    return all
  }

  func error(_ property: Int, _ reason: String) -> MappingError {
    MappingError(model.name, model.properties[property].name, model.properties[property].key, reason)
  }
}

extension RemoteEntity {
  fileprivate static var hasOrigins: Bool { !origins.isEmpty }

  fileprivate func runUpdate(_ response: ResponseObject) throws { try update(with: response) }
}
