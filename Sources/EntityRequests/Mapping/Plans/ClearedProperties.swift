import EntityJSON
import EntityStore

/// The properties that are cleared when an object of a response lacks their keys; see ``RemoteEntity/absentKeys``.
struct ClearedProperties {
  let properties: ColumnMask
  /// The error of a declaration that names an unsuitable property.
  private let mistake: MappingError?

  /// `nil` for an entity that declares no such properties.
  init?(_ model: EntityModel) {
    guard let remote = model.type as? any RemoteEntity.Type else { return nil }
    let declared = Self.declared(by: remote)
    guard declared.isAll || !declared.properties.isEmpty else { return nil }
    var named = ColumnMask()
    var mistake: MappingError?
    for keyPath in declared.properties {
      guard let property = model.index(of: keyPath) else {
        mistake = MappingError(model.name, "", "", "'absentKeys' names a property that no response has")
        continue
      }
      if !declared.isAll, !Self.canBeCleared(property, of: model) {
        mistake = MappingError(
          model.name, model.properties[property].name, model.properties[property].key,
          "'absentKeys' can't clear it: it has no value for none")
      }
      named.insert(property)
    }
    let all = model.properties.indices.filter { Self.canBeCleared($0, of: model) }.reduce(into: ColumnMask()) {
      $0.insert($1)
    }
    properties = declared.isAll ? all.subtracting(named) : named
    self.mistake = mistake
  }

  private static func declared<E: RemoteEntity>(by type: E.Type) -> (properties: [AnyKeyPath], isAll: Bool) {
    (E.absentKeys.properties, E.absentKeys.isAll)
  }

  private static func canBeCleared(_ index: Int, of model: EntityModel) -> Bool {
    let property = model.properties[index]
    guard !model.identity.contains(index), !model.hidden.contains(index), !model.required.contains(index),
      !property.isHidden, !property.isDerived
    else { return false }
    if case .attribute(_, let isOptional) = property.kind { return isOptional || model.defaulted.contains(index) }
    return true
  }

  /// - Throws: ``MappingError`` for a mistake in the declaration.
  func checked() throws -> ColumnMask {
    if let mistake { throw mistake }
    return properties
  }
}

extension MappingPlan {
  /// The properties that an object clears because it lacks their keys.
  ///
  /// - Parameters:
  ///   - present: The properties whose keys the object has. An object without any is a mere reference, and `absentKeys`
  ///     clears nothing in it.
  ///   - replaces: Whether the response replaces whole objects.
  ///   - isOutermost: Whether no other object holds this one: nested objects are often cut short.
  func absent(besides present: ColumnMask, replaces: Bool, isOutermost: Bool) throws -> ColumnMask {
    guard replaces || clearing != nil else { return ColumnMask() }
    var absent = ColumnMask()
    if replaces {
      absent = model.stored.subtracting(model.required).subtracting(model.identity).subtracting(model.hidden)
    }
    if isOutermost, !present.isEmpty, let clearing { absent.formUnion(try clearing.checked()) }
    return absent.subtracting(present).subtracting(origins?.properties ?? ColumnMask())
  }
}

extension Mapper<ObjectTarget> {
  /// The value that an update by hand reads for a key that its object lacks; `nil` when the absence means nothing.
  func absentValue(_ key: String, of object: JSONObject) throws -> StoredValue? {
    guard session.nesting.depth == 1, let plan = updating.last?.plan, let clearing = plan.clearing else { return nil }
    let cleared = try clearing.checked()
    // An object with no key but its uid is a mere reference.
    guard plan.hasProperties(in: object) else { return nil }
    guard let property = plan.model.properties.first(where: { $0.key == key && cleared.contains($0.index) }) else {
      return nil
    }
    if case .attribute = property.kind, plan.model.defaulted.contains(property.index) { return property.defaultValue }
    return .null
  }
}
