import EntityJSON
import EntityStore

/// The attribute that says how new an object is; see ``RemoteEntity/versionAttribute``.
struct VersionAttribute {
  let property: Int
  private let type: AttributeType
  private let isOptional: Bool
  /// The error of a declaration that names an unsuitable attribute.
  private let mistake: MappingError?

  var isMistaken: Bool { mistake != nil }

  /// `nil` for an entity without a version.
  init?(_ model: EntityModel) {
    guard let remote = model.type as? any RemoteEntity.Type, let keyPath = Self.declared(by: remote) else { return nil }
    guard let index = model.index(of: keyPath),
      case .attribute(let type, let isOptional) = model.properties[index].kind, !model.properties[index].isDerived
    else {
      (property, type, isOptional) = (0, .bool, false)
      mistake = MappingError(model.name, "", "", "the 'versionAttribute' is no attribute that a response has")
      return
    }
    (property, self.type, self.isOptional) = (index, type, isOptional)
    mistake =
      type.facts.hasOrder
      ? nil
      : MappingError(
        model.name, model.properties[index].name, "",
        "the 'versionAttribute' must be a number or a date: others have no order")
  }

  private static func declared<E: RemoteEntity>(by type: E.Type) -> AnyKeyPath? { E.versionAttribute }

  /// The version of an object in a response; `nil` when the object has none.
  ///
  /// - Throws: ``MappingError`` for a value that does not fit the attribute's type, and for a mistake in the
  ///   declaration.
  func version(of object: JSONObject, _ plan: MappingPlan) throws -> StoredValue? {
    if let mistake { throw mistake }
    guard let value = object.value(for: plan.model.properties[property].key), !value.isNull else { return nil }
    return try plan.attribute(property, value, type, isOptional: isOptional)
  }

  /// Whether a version is older than another version.
  func isOlder(_ version: StoredValue, than other: StoredValue) -> Bool {
    switch (version, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    // An integer past `Int64.max` is stored as text.
    case (.integer, .text): type != .decimal
    case (.text(let left), .text(let right)): Self.sortKey(left).lexicographicallyPrecedes(Self.sortKey(right))
    default: false
    }
  }

  /// The text of a decimal is a sort key, `=` and the number. The whole text of an integer is a sort key.
  private static func sortKey(_ text: String) -> Substring.UTF8View { text.prefix { $0 != "=" }.utf8 }
}

extension Mapper {
  /// Whether an object of a response has an older version than its row. The columns that stay because of that are noted
  /// as skipped.
  ///
  /// - Parameters:
  ///   - known: The object of the row, or of the uid.
  ///   - row: The row of the object, whichever uid the row has.
  func checkVersion(
    _ attribute: VersionAttribute, _ plan: MappingPlan, _ object: JSONObject, than known: Target.Known?,
    uid: StoredValue?, row: Int64?
  ) throws -> Bool {
    let isOlder = try isOlderVersion(attribute, plan, object, than: known, uid: uid, isTarget: row != nil)
    guard let skips = session.skips, isOlder || skips.hasOlderVersions, let known,
      let pk = try target.row(plan.model, of: known)
    else { return isOlder }
    skips.noteOlderVersion(plan.model, pk, isOlder: isOlder)
    if isOlder, plan.isDeletion(object) {
      skips.note(plan.model, pk, .olderVersion)
      session.mention(plan.model, pk)
    }
    return isOlder
  }

  /// The version of an object: from its context if the attribute has an origin there, and else from its key. With
  /// `.keepingValues` a version that can't be read counts as absent; the mapping of the property notes it.
  private func version(_ attribute: VersionAttribute, _ plan: MappingPlan, _ object: JSONObject) throws -> StoredValue?
  {
    do {
      if let version = try plan.origins?.value(of: attribute.property, in: session.trail.context, plan) {
        return attribute.isMistaken ? try attribute.version(of: object, plan) : version.isNull ? nil : version
      }
      return try attribute.version(of: object, plan)
    } catch let error as MappingError {
      if session.kept == nil || attribute.isMistaken { throw error }
      return nil
    }
  }

  private func isOlderVersion(
    _ attribute: VersionAttribute, _ plan: MappingPlan, _ object: JSONObject, than known: Target.Known?,
    uid: StoredValue?, isTarget: Bool
  ) throws -> Bool {
    guard let version = try version(attribute, plan, object) else { return false }
    // The request sent this version, so the answer confirms it.
    if isTarget, session.acknowledgedColumns.contains(attribute.property) { return false }
    func isOlder(_ known: Target.Known?) throws -> Bool {
      guard let known, let other = try target.serverValue(plan.model, attribute.property, of: known) else {
        return false
      }
      return attribute.isOlder(version, than: other)
    }
    if try isOlder(known) { return true }
    // This answer may give an object that was made here its uid, after a faster answer made a row with that uid.
    guard isTarget, let uid else { return false }
    return try isOlder(target.known(plan.model, uid: uid, row: nil))
  }
}
