/// Brings a file to the declared schema: gives names and values new places, sets aside the parts that the app removed, and
/// adds the parts that the file lacks.
///
/// In a trial of the editor it finds out whether there is anything to do, or what stands in the way.
struct SchemaDifference {
  let schema: SchemaModel
  /// The entities that the app removed.
  let removed: [String]
  let editor: FileEditor
  /// Whether the file had exactly the declared schema once, and was changed since: then the app is the older one.
  let wasCurrent: Bool
  let declared: StoredSchema

  init(_ schema: SchemaModel, removed: [String], _ editor: FileEditor, wasCurrent: Bool) {
    self.schema = schema
    self.removed = removed
    self.editor = editor
    self.wasCurrent = wasCurrent
    declared = StoredSchema(schema)
  }

  private var entities: [EntityModel] { schema.entities.filter { !$0.isLinks } }

  /// - Throws: ``StoreError`` of kind `schemaMismatch` that names the first difference that needs a step.
  func apply() throws {
    try renameEntities()
    let lists = try bringBackEntities()
    // Names first, in all entities: a column that is set aside may refer to an entity that has another name now.
    for entity in entities { try renameProperties(entity) }
    for list in lists { try markRows(list) }
    for entity in entities { try setAsideProperties(entity) }
    try setAsideEntities()
    for entity in schema.entities {
      if editor.schema[entity.name] == nil { try addEntity(entity) } else { try applyProperties(entity) }
    }
    for entity in entities { try settleNames(entity) }
    noteCircles()
  }

  // MARK: Names

  private func renameEntities() throws {
    let there = editor.schema.entities.filter { !$0.isLinks }
    let names = Set(there.map(\.name)).subtracting(entities.map(\.name))
    // An entity that was set aside comes back, unless one that must go somewhere has its former name.
    let aside = Set((editor.schema.removed ?? []).map(\.entity.name))
    let waiting = entities.filter { entity in
      aside.contains(entity.name) && editor.schema[entity.name] == nil
        && !entity.formerNames.contains { names.contains($0) }
    }
    let moves = try moves(
      entities.map { ($0.name, $0.formerNames) }, there.map { ($0.name, $0.renamedFrom) }, prefix: "",
      waiting: Set(waiting.map(\.name)))
    try change(moves, prefix: "") {
      for move in Renames.inOrder(moves, there: there.map(\.name)) { try editor.renameEntity(move.from, to: move.to) }
    }
  }

  private func renameProperties(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name] else { return }
    let lists = editor.schema.lists(of: entity.name)
    let there =
      stored.properties.map { ($0.name, $0.renamedFrom) } + lists.map { ($0.list ?? "", $0.renamedFrom) }
    let properties = entity.properties.filter { $0.isStored || $0.hasPairs }
    let names = Set(there.map(\.0)).subtracting(properties.map(\.name))
    // A column that was set aside comes back, unless one that must go somewhere has its former name.
    let waiting = properties.filter { property in
      !property.formerNames.contains { names.contains($0) } && setAside(property.name, property, stored) != nil
    }
    let prefix = "\(entity.name)."
    let moves = try moves(
      properties.map { ($0.name, $0.formerNames) }, there, prefix: prefix, waiting: Set(waiting.map(\.name)))
    var isList = Set(lists.compactMap(\.list))
    try change(moves, prefix: prefix) {
      for move in Renames.inOrder(moves, there: there.map(\.0)) {
        if isList.remove(move.from) != nil {
          isList.insert(move.to)
          try editor.renameList(move.from, of: entity.name, to: move.to)
        } else {
          try editor.renameProperty(move.from, of: entity.name, to: move.to)
        }
      }
    }
  }

  private func moves(
    _ declared: [Renames.Name], _ there: [(String, String?)], prefix: String, waiting: Set<String> = []
  ) throws -> [Renames.Move] {
    do throws(Renames.Doubt) {
      return try Renames.moves(declared, there: Dictionary(there) { first, _ in first }, waiting: waiting)
    } catch {
      throw Self.mismatch(
        "'\(prefix)\(error.name)' of the file was '\(error.former)' before names changed hands. Keep "
          + "@Renamed(from: \"\(error.former)\") there; if it never was there, the file is of a newer version of the app"
      )
    }
  }

  private func change(_ moves: [Renames.Move], prefix: String, _ body: () throws -> Void) throws {
    guard !moves.isEmpty else { return }
    let words = moves.map { "'\(prefix)\($0.from)' becomes '\(prefix)\($0.to)'" }
    try editor.change(words.joined(separator: ", "), body)
  }

  /// Remembers circles of names, which are not to change hands again.
  private func noteCircles() {
    for (number, stored) in editor.schema.entities.enumerated() {
      guard let entity = declared[stored.name] else { continue }
      if let former = entity.renamedFrom { editor.schema.entities[number].renamedFrom = former }
      for (index, property) in stored.properties.enumerated() {
        guard let former = entity[property.name]?.renamedFrom else { continue }
        editor.schema.entities[number].properties[index].renamedFrom = former
      }
    }
  }

  /// Changes the marks of lists that have neither column nor table, or of which nothing else is left.
  private func settleNames(_ entity: EntityModel) throws {
    guard let number = editor.schema.index(entity.name) else { return }
    let stored = editor.schema.entities[number]
    let setAside = Set((stored.removed ?? []).map(\.name) + removedLists(of: entity.name).compactMap(\.entity.list))
    let open = entity.settledNames.filter { stored.settled?.contains($0) != true && !setAside.contains($0) }
    guard !open.isEmpty else { return }
    try editor.change(
      "the names of lists of '\(entity.name)' in marks of local edits follow", isAdditive: true, isNote: true
    ) {
      for name in open {
        let parts = name.split(separator: ">").map(String.init)
        try editor.moveMarks(entity.name, from: parts[0], to: parts.count > 1 ? parts[1] : nil)
      }
    }
    editor.schema.entities[number].settled = (stored.settled ?? []) + open
  }

  // MARK: Parts that were removed

  private func setAsideProperties(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name] else { return }
    for property in stored.properties {
      if let declared = entity.index(of: property.name).map({ entity.properties[$0] }) {
        guard declared.isStored else {
          throw Self.mismatch(
            "'\(entity.name).\(property.name)' is \(property.type) in the file, and a list in the entity")
        }
        continue
      }
      guard entity.removedNames.contains(property.name) else {
        throw undeclared(property.name, entity)
      }
      try editor.change(
        "'\(entity.name).\(property.name)' is set aside with its values",
        rows: "SELECT count(\(property.name.quoted)) FROM main.\(entity.name.quoted) WHERE _placeholder = 0"
      ) { try editor.setAside(property.name, of: entity.name) }
    }
    for list in editor.schema.lists(of: entity.name) {
      guard let name = list.list else { continue }
      if let declared = entity.index(of: name).map({ entity.properties[$0] }) {
        if declared.hasPairs { continue }
        let now = self.declared[entity.name]?[name]?.type ?? "a list that names an inverse, or whose target does"
        throw Self.mismatch(
          "the file holds '\(entity.name).\(name)' as a many-to-many relationship of the side that names no inverse, and "
            + "in the entity it is \(now)")
      }
      guard entity.removedNames.contains(name) else { throw undeclared(name, entity) }
      try editor.change(
        "'\(entity.name).\(name)' is set aside with its pairs", rows: "SELECT count(*) FROM \(list.table)"
      ) { try editor.setAsideList(name, of: entity.name) }
    }
  }

  private func setAsideEntities() throws {
    for stored in editor.schema.entities where !stored.isLinks && declared[stored.name] == nil {
      guard removed.contains(stored.name) else {
        throw Self.mismatch(
          "the file holds the entity '\(stored.name)', which is not among the store's entities. "
            + origin(
              renamed: "@Entity @Renamed(from: \"\(stored.name)\")",
              removed: "removed: [\"\(stored.name)\"] where the store is opened"))
      }
      try editor.change(
        "'\(stored.name)' is set aside with its rows", rows: "SELECT count(*) FROM \(stored.table)"
      ) { try editor.setAsideEntity(stored.name) }
    }
  }

  private func undeclared(_ name: String, _ entity: EntityModel) -> StoreError {
    if let heir = entity.properties.first(where: { $0.formerNames.contains(name) }) {
      return Self.mismatch(
        "the file holds both '\(entity.name).\(name)' and '\(entity.name).\(heir.name)', which is said to be renamed from "
          + "it. Drop or rename one of them in a step")
    }
    return Self.mismatch(
      "the file holds '\(entity.name).\(name)', which the entity does not declare. "
        + origin(
          renamed: "@Renamed(from: \"\(name)\")",
          removed: "@Entity(removed: \"\(name)\")"))
  }

  /// How a part can be in a file and not in the app.
  private func origin(renamed: String, removed: String) -> String {
    guard !wasCurrent else {
      return
        "A newer version of the app has changed the file, which had the schema of this version before: update the app"
    }
    return "If the file is of a newer version of the app, update the app. If it was renamed, say \(renamed). "
      + "If it was removed, say \(removed)"
  }

  /// - Returns: The lists that came back, under the names that they had.
  private func bringBackEntities() throws -> [StoredEntity] {
    var aside: [RemovedEntity] = []
    var names: [Renames.Move] = []
    for removed in editor.schema.removed ?? [] where editor.schema[removed.entity.name] == nil {
      if removed.entity.isLinks {
        if comesBack(removed.entity) { aside.append(removed) }
      } else if let heir = heir(of: removed.entity) {
        aside.append(removed)
        if heir != removed.entity.name { names.append(.init(from: removed.entity.name, to: heir)) }
      }
    }
    guard !aside.isEmpty else { return [] }
    let words = aside.map { "\($0.entity.label) comes back with what the file kept of it" }
    try editor.change(words.joined(separator: ", ")) { try editor.bringBackEntities(aside) }
    try change(names, prefix: "") { for move in names { try editor.renameEntity(move.from, to: move.to) } }
    return aside.map(\.entity).filter(\.isLinks)
  }

  /// The declared entity that a removed one is.
  private func heir(of removed: StoredEntity) -> String? {
    entities.first { entity in
      editor.schema[entity.name] == nil && (entity.name == removed.name || entity.formerNames.contains(removed.name))
    }?.name
  }

  /// Whether a list that was removed is declared again, with the same ends.
  private func comesBack(_ removed: StoredEntity) -> Bool {
    guard let links = declaredList(removed) else { return false }
    return editor.schema[links.name] == nil
  }

  /// The declared list that one of the file is.
  private func declaredList(_ list: StoredEntity) -> EntityModel? {
    schema.entities.first { links in
      guard links.isLinks, let stored = declared[links.name], stored.owner == list.owner,
        stored.properties.map(\.type) == list.properties.map(\.type)
      else { return false }
      return links.name == list.name || formerNames(ofList: stored).contains(list.list ?? "")
    }
  }

  private func formerNames(ofList links: StoredEntity) -> [String] {
    guard let entity = schema.entities.first(where: { $0.name == links.owner }), let list = links.list,
      let index = entity.index(of: list)
    else { return [] }
    return entity.properties[index].formerNames
  }

  private func removedLists(of entity: String) -> [RemovedEntity] {
    (editor.schema.removed ?? []).filter { $0.entity.owner == entity }
  }

  /// Rows name a list again whose pairs have marks.
  private func markRows(_ links: StoredEntity) throws {
    guard let model = declaredList(links) else { return }
    for side in model.properties {
      guard case .toOne(let target, let list?, _) = side.kind else { continue }
      let name = schema.entities[target].properties[list].name
      let marked = [model.table, model.removedTable].map {
        "_pk IN (SELECT \(side.name.quoted) FROM \($0) WHERE instr(_edited, '\(side.name)') > 0)"
      }
      try editor.run(
        "UPDATE \(schema.entities[target].table) SET _edited = coalesce(_edited || ',', '') || ?1 "
          + "WHERE instr(',' || coalesce(_edited, '') || ',', ',' || ?1 || ',') = 0 AND (\(marked.joined(separator: " OR ")))",
        [.text(name)])
    }
  }

  /// The column that was set aside under a name, if it is of the property's type.
  func setAside(_ name: String, _ property: PropertyModel, _ stored: StoredEntity) -> RemovedProperty? {
    guard stored[property.name] == nil, let type = declared[stored.name]?[property.name]?.type else { return nil }
    return stored.removed?.first { $0.name == name && $0.type == type }
  }

  static func mismatch(_ difference: String) -> StoreError {
    StoreError(
      .schemaMismatch,
      "The store can't be opened: \(difference). The article Migrations says which changes are made by themselves, and how "
        + "a step makes any other one.")
  }
}

extension EntityModel {
  /// The lists without column and table that had other names, as `old>new`, and the names of removed properties: the marks
  /// of rows may have these names.
  var settledNames: [String] {
    let names = Set(properties.map(\.name))
    let lists = properties.filter { !$0.isStored && !$0.hasPairs }.flatMap { list in
      list.formerNames.filter { !names.contains($0) }.map { "\($0)>\(list.name)" }
    }
    return lists + removedNames
  }
}
