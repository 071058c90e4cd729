// Indexes over several columns, and over a part of the rows. SQLite drops no column that such an index names
// (https://sqlite.org/lang_altertable.html#altertabdropcolumn), and does not change the names of indexes. So the editor
// removes the indexes of an entity from the file before one of its columns changes, and makes them again after the last
// change of a column.

extension FileEditor {
  /// Removes the indexes of an entity from the file. The schema keeps them.
  func takeApart(_ number: Int) throws {
    let entity = schema.entities[number]
    guard !entity.isLinks, apart.insert(entity.name).inserted else { return }
    var names = (entity.indexes ?? []).map { DDL.indexName(entity, $0) }
    if !isTrial {
      // A version of the package without such indexes may have left others.
      names = try connection.rows(
        "SELECT name FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND instr(name, ',,') > 0",
        [.text(entity.name)]
      ) { $0.text(0) ?? "" }
    }
    for name in names { try run("DROP INDEX main.\(name.quoted)") }
  }

  /// Makes the indexes that were taken out.
  func makeAgain() throws {
    for name in apart.sorted() {
      guard let entity = schema[name] else { continue }
      for index in entity.indexes ?? [] { try make(index, entity) }
    }
    apart = []
  }

  private func make(_ index: StoredIndex, _ entity: StoredEntity) throws {
    try run("DROP INDEX IF EXISTS main.\(DDL.indexName(entity, index).quoted)")
    try run(DDL.index(entity, index))
  }

  func add(_ index: StoredIndex, to number: Int) throws {
    try make(index, schema.entities[number])
    schema.entities[number].indexes = (schema.entities[number].indexes ?? []) + [index]
  }

  func drop(_ index: StoredIndex, of number: Int) throws {
    try run("DROP INDEX IF EXISTS main.\(DDL.indexName(schema.entities[number], index).quoted)")
    schema.entities[number].indexes?.removeAll { $0.isSame(as: index) }
    if schema.entities[number].indexes?.isEmpty == true { schema.entities[number].indexes = nil }
  }

  func set(_ index: StoredIndex, of number: Int) {
    for (place, old) in (schema.entities[number].indexes ?? []).enumerated() where old.isSame(as: index) {
      schema.entities[number].indexes?[place] = index
    }
  }

  /// The number of value combinations that several rows share.
  func clashes(_ index: StoredIndex, _ entity: StoredEntity) throws -> Int64 {
    try count("SELECT count(*) FROM (SELECT 1 \(IndexModel.clashes(entity.table, index.columns, index.condition)))")
  }

  /// Ends a step. Where the step left equal rows, the schema of the file says so: such a file differs from an app that
  /// declares the values as unique together.
  func settleIndexes() throws {
    try makeAgain()
    for (number, entity) in schema.entities.enumerated() {
      for index in entity.indexes ?? [] where try index.isTogether && clashes(index, entity) > 0 {
        var loose = index
        loose.isUnique = nil
        set(loose, of: number)
      }
    }
  }
}

extension SchemaDifference {
  func applyIndexes(_ entity: EntityModel) throws {
    guard let number = editor.schema.index(entity.name) else { return }
    let stored = editor.schema.entities[number].indexes ?? []
    let wanted = declared[entity.name]?.indexes ?? []
    for index in stored where !wanted.contains(where: { $0.isSame(as: index) }) {
      try editor.change("\(label(index, entity)) have no index any more", isAdditive: true) {
        try editor.drop(index, of: number)
      }
    }
    try editor.makeAgain()
    for index in wanted {
      let old = stored.first { $0.isSame(as: index) }
      if old == nil {
        let words = index.isTogether ? "are unique together" : "have an index"
        try editor.change("\(label(index, entity)) \(words)", isAdditive: true) { try editor.add(index, to: number) }
      } else if old?.isTogether != index.isTogether {
        let words = index.isTogether ? "are unique together" : "are not unique together any more"
        try editor.change("\(label(index, entity)) \(words)", isAdditive: true) { editor.set(index, of: number) }
      }
      // Rows may have got equal values by a default.
      guard index.isTogether, !editor.isTrial, !editor.changes.isEmpty else { continue }
      let values = try editor.clashes(index, editor.schema.entities[number])
      guard values == 0 else {
        throw Self.mismatch(
          "\(label(index, entity)) are unique together in the entity, and in the file several rows are alike in them "
            + "(\(values) such \(values == 1 ? "combination" : "combinations"))")
      }
    }
  }

  private func label(_ index: StoredIndex, _ entity: EntityModel) -> String {
    IndexModel.label(entity.name, index.columns) + (index.condition.map { " where \($0)" } ?? "")
  }
}
