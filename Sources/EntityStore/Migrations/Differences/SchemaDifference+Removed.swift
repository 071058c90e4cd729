// Parts of the file that the app does not declare: removed parts, parts that come back, and parts that nothing
// explains.

extension SchemaDifference {
  func setAsideProperties(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name] else { return }
    for property in stored.properties {
      // The positions of a list that is not ordered in this version of the app: a version that orders the list finds
      // them.
      if property.isPosition { continue }
      if property.name == PropertyModel.coverageName, entity.coverage == nil {
        try editor.dropCoverage(of: entity.name)
        continue
      }
      if property.name == PropertyModel.ageName, entity.age == nil {
        try editor.dropAges(of: entity.name)
        continue
      }
      if let declared = entity.index(of: property.name).map({ entity.properties[$0] }) {
        // It is settled once the other side is there.
        if declared.isCounterpart, let target = schema.target(of: declared), target.name == property.target { continue }
        guard declared.isStored else {
          throw Self.mismatch(
            "'\(entity.name).\(property.name)' is \(property.type) in the file, and "
              + (declared.isCounterpart ? "leads to another entity now" : "a list in the entity"))
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

  func setAsideEntities() throws {
    for stored in editor.schema.declared where declared[stored.name] == nil {
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

  /// The reasons why a part can be in a file and not in the app.
  private func origin(renamed: String, removed: String) -> String {
    guard !wasCurrent else {
      return
        "A newer version of the app has changed the file, which had the schema of this version before: update the app"
    }
    return "If the file is of a newer version of the app, update the app. If it was renamed, say \(renamed). "
      + "If it was removed, say \(removed)"
  }

  /// - Returns: The lists that came back, under their former names.
  func bringBackEntities() throws -> [StoredEntity] {
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

  /// The declared entity that takes the place of a removed one.
  private func heir(of removed: StoredEntity) -> String? {
    entities.first { entity in
      editor.schema[entity.name] == nil && (entity.name == removed.name || entity.formerNames.contains(removed.name))
    }?.name
  }

  /// Whether a removed list is declared again, with the same ends.
  private func comesBack(_ removed: StoredEntity) -> Bool {
    guard let links = declaredList(removed) else { return false }
    return editor.schema[links.name] == nil
  }

  /// The declared list for a list of the file.
  private func declaredList(_ list: StoredEntity) -> EntityModel? {
    schema.entities.first { links in
      guard links.isLinks, let stored = declared[links.name], stored.owner == list.owner,
        stored.ends.map(\.type) == list.ends.map(\.type)
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

  func removedLists(of entity: String) -> [RemovedEntity] {
    (editor.schema.removed ?? []).filter { $0.entity.owner == entity }
  }

  /// Names lists as edited in their rows again, where pairs have marks.
  func markRows(_ links: StoredEntity) throws {
    guard let model = declaredList(links) else { return }
    for side in model.ends {
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

  /// The column that was set aside under a name, if it has the property's type.
  func setAside(_ name: String, _ property: PropertyModel, _ stored: StoredEntity) -> RemovedProperty? {
    guard stored[property.name] == nil, let type = declared[stored.name]?[property.name]?.type else { return nil }
    return stored.removed?.first { $0.name == name && $0.type == type }
  }
}
