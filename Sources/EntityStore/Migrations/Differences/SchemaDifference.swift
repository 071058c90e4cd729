/// Brings a file to the declared schema: gives names and values new places, sets aside the parts that the app removed,
/// and adds the parts that the file lacks.
///
/// In a trial of the editor, it finds out whether anything must change, and whether something stands in the way.
struct SchemaDifference {
  let schema: SchemaModel
  /// The entities that the app removed.
  let removed: [String]
  let editor: FileEditor
  /// Whether the file once had exactly the declared schema, and was changed since: then this version of the app is the
  /// older one.
  let wasCurrent: Bool
  let declared: StoredSchema

  init(_ schema: SchemaModel, removed: [String], _ editor: FileEditor, wasCurrent: Bool) {
    self.schema = schema
    self.removed = removed
    self.editor = editor
    self.wasCurrent = wasCurrent
    declared = StoredSchema(schema)
  }

  var entities: [EntityModel] { schema.declared }

  /// - Throws: ``StoreError`` of kind `schemaMismatch` that names the first difference that needs a step.
  func apply() throws {
    try renameEntities()
    let lists = try bringBackEntities()
    // Names come first, in all entities: a column that is set aside may refer to an entity under its new name.
    for entity in entities { try renameProperties(entity) }
    for list in lists { try markRows(list) }
    for entity in entities { try checkUID(entity) }
    for entity in entities { try dropDerived(entity) }
    for entity in entities { try setAsideProperties(entity) }
    try setAsideEntities()
    for entity in schema.entities {
      if editor.schema[entity.name] == nil { try addEntity(entity) } else { try applyProperties(entity) }
    }
    for entity in entities { try joinColumns(entity) }
    if !editor.isTrial { try editor.settleDerived(schema) }
    for entity in entities { try settleCoverage(entity) }
    for entity in entities { try applyIndexes(entity) }
    for entity in entities { try settleNames(entity) }
    noteCircles()
    editor.schema.takeNames(of: declared)
  }

  // MARK: Names

  private func renameEntities() throws {
    let there = editor.schema.declared
    let names = Set(there.map(\.name)).subtracting(entities.map(\.name))
    // An entity that was set aside comes back, unless an entity of the file that must get a new name has one of its
    // former names.
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
    // Positions follow their links.
    let there =
      stored.properties.filter { !$0.isPosition }.map { ($0.name, $0.renamedFrom) }
      + lists.map { ($0.list ?? "", $0.renamedFrom) }
    // A link that becomes the side without a column has its column until the two sides are joined.
    let properties = entity.properties.filter {
      ($0.isStored && $0.positionOf == nil) || $0.hasPairs || $0.isCounterpart
    }
    let names = Set(there.map(\.0)).subtracting(properties.map(\.name))
    // A column that was set aside comes back, unless a column of the file that must get a new name has one of its
    // former names.
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

  func change(_ moves: [Renames.Move], prefix: String, _ body: () throws -> Void) throws {
    guard !moves.isEmpty else { return }
    let words = moves.map { "'\(prefix)\($0.from)' becomes '\(prefix)\($0.to)'" }
    try editor.change(words.joined(separator: ", "), body)
  }

  /// Remembers circles of names, so that they do not change hands again.
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

  /// Changes the marks of lists that have neither column nor table, or that have nothing but marks left.
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

  static func mismatch(_ difference: String) -> StoreError {
    StoreError(
      .schemaMismatch,
      "The store can't be opened: \(difference). The article Migrations says which changes are made by themselves, and how "
        + "a step makes any other one.")
  }
}

extension EntityModel {
  /// The lists without column and table that had other names, as `old>new`, and the names of removed properties. The
  /// marks of rows may have these names.
  var settledNames: [String] {
    let names = Set(properties.map(\.name))
    let lists = properties.filter { !$0.isStored && !$0.hasPairs }.flatMap { list in
      list.formerNames.filter { !names.contains($0) }.map { "\($0)>\(list.name)" }
    }
    return lists + removedNames
  }
}
