/// The entities and properties that the names of an archive stand for. The rules are those for opening a file of the
/// same version.
struct ArchiveNames {
  private let schema: SchemaModel
  /// By the name in the archive; `nil` for an archive that does not list all its names.
  private var entities: [String: EntityModel]?
  /// By the number of the entity, and by the name in the archive.
  private var properties: [Int: [String: PropertyModel]] = [:]
  /// The names of the entities that the app removed.
  private let removed: Set<String>
  /// The entities whose columns are known.
  private var isKnown: Set<Int> = []

  /// - Throws: ``StoreError`` of kind `schemaMismatch`.
  init(_ header: ArchiveHeader, _ schema: SchemaModel, removed: [String]) throws {
    self.schema = schema
    self.removed = Set(removed)
    guard let names = header.names else { return }
    let isList = { (name: String) in name.contains(",") }
    let models = schema.declared
    let heirs = try Self.heirs(
      models.map { ($0.name, $0.formerNames) }, there: names.filter { !isList($0.key) }, prefix: "")
    entities = heirs.compactMapValues { heir in models.first { $0.name == heir } }
    var lists: [String: [String: String?]] = [:]
    for (name, former) in names where isList(name) {
      let (owner, list) = Self.parts(name)
      lists[owner, default: [:]][list] = former
    }
    for (owner, lists) in lists {
      guard let model = entities?[owner] else { continue }
      try add(lists, of: model) { $0.membership != nil }
    }
  }

  /// Takes the names of an entity's columns.
  ///
  /// - Parameter columns: The names of columns, each with its name from before names were exchanged in a circle.
  /// - Throws: ``StoreError`` of kind `schemaMismatch`.
  mutating func add(_ columns: [String: String?], of model: EntityModel) throws {
    isKnown.insert(model.number)
    try add(columns.filter { !Self.isPosition($0.key) }, of: model) {
      ($0.isStored && $0.positionOf == nil) || $0.isCounterpart
    }
  }

  /// A position follows its link: the column is named for the link.
  private static func isPosition(_ name: String) -> Bool { name.hasPrefix(PropertyModel.positionName(of: "")) }

  private mutating func add(
    _ names: [String: String?], of model: EntityModel, where isWanted: (PropertyModel) -> Bool
  ) throws {
    let declared = model.properties.filter(isWanted)
    let heirs = try Self.heirs(
      declared.map { ($0.name, $0.formerNames) }, there: names, prefix: "\(model.name).")
    for (name, heir) in heirs {
      guard let property = declared.first(where: { $0.name == heir }) else { continue }
      properties[model.number, default: [:]][name] = property
    }
  }

  /// The entity that has a name in the archive; `nil` for an entity or a relationship that the app removed.
  ///
  /// - Throws: ``StoreError`` of kind `unknownEntity`.
  func entity(_ name: String) throws -> EntityModel? {
    if let model = entities?[name] { return model }
    if entities == nil,
      let model = schema.entity(ofTable: name) ?? schema.entities.first(where: { $0.formerNames.contains(name) })
    {
      return model
    }
    // The rows of a many-to-many relationship have a name of two parts: the owner's name, and the list's.
    if name.contains(",") {
      guard let owner = try entity(Self.parts(name).owner) else { return nil }
      let list = Self.parts(name).list
      if let property = property(list, of: owner), let membership = property.membership {
        return schema.entities[membership.links]
      }
      if owner.removedNames.contains(list) { return nil }
    }
    if removed.contains(name) { return nil }
    throw StoreError(
      .unknownEntity,
      "The archive has '\(name)', which the store was opened without. Add it to `entities:`, or to "
        + "`removed:` where the app has it no more.")
  }

  /// The property that has a name in the archive.
  func property(_ name: String, of model: EntityModel) -> PropertyModel? {
    if let property = properties[model.number]?[name] { return property }
    if Self.isPosition(name) {
      let link = property(String(name.dropFirst(PropertyModel.positionName(of: "").count)), of: model)
      return link.flatMap { model.position(of: $0.index) }.map { model.properties[$0] }
    }
    if let property = model.properties.first(where: { $0.name == name }) { return property }
    // The archive may also have the property under its present name.
    return isKnown.contains(model.number) ? nil : model.properties.first { $0.formerNames.contains(name) }
  }

  /// The marks of edited properties, with their present names. A mark is left out where the archive has no value of the
  /// property: the app removed it, or only another version of the app declares it. Derived properties have no edits.
  func marks(_ marks: String, of model: EntityModel) -> String {
    marks.split(separator: ",").compactMap { name in
      if name == (model.isLinks ? EditMarks.back : EditMarks.new) { return String(name) }
      return property(String(name), of: model).flatMap { $0.isDerived ? nil : $0.name }
    }.joined(separator: ",")
  }

  /// The properties that no response ever had, with their present names.
  func missing(_ names: String, of model: EntityModel) -> String {
    names.split(separator: ",").compactMap { property(String($0), of: model)?.name }.joined(separator: ",")
  }

  private static func parts(_ name: String) -> (owner: String, list: String) {
    let parts = name.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : "")
  }

  /// The declared names for the names in the archive. A name without a declaration stays as it is.
  private static func heirs(
    _ declared: [Renames.Name], there: [String: String?], prefix: String
  ) throws -> [String: String] {
    do throws(Renames.Doubt) {
      let moves = try Renames.moves(declared, there: there)
      var heirs = Dictionary(uniqueKeysWithValues: there.keys.map { ($0, $0) })
      for move in moves { heirs[move.from] = move.to }
      return heirs
    } catch {
      throw StoreError(
        .schemaMismatch,
        "'\(prefix)\(error.name)' of the archive was '\(error.former)' before names changed hands. Keep "
          + "@Renamed(from: \"\(error.former)\") there; if it never was there, the archive is of a newer version of the app."
      )
    }
  }
}
