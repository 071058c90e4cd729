/// The column of the properties that no response ever had, in a file whose schema changes.
enum CoverageSetup {
  /// Names a property in the rows that may lack it.
  ///
  /// The file does not say which responses it had. A row that has another value than a new row gets has the value from a
  /// response, or it was set here. Of no value, and of the default, nobody knows: the property counts as missing, and
  /// one request settles that. The members of a list may have come with themselves, so a list counts as missing, too. An
  /// object that was made here lacks nothing.
  ///
  /// - Parameter hasPlaceholders: Whether a row may stand for a mere uid.
  static func naming(_ property: PropertyModel, in table: String, _ hasPlaceholders: Bool) -> String {
    let (column, name) = (PropertyModel.coverageName.quoted, property.name.literal)
    func names(_ marks: String, _ text: String) -> String {
      "instr(',' || coalesce(\(marks), '') || ',', ',' || \(text) || ',') > 0"
    }
    var unknown = "1"
    if property.isStored {
      unknown = "(\(property.name.quoted) IS NULL OR \(property.name.quoted) IS \(DDL.literal(property.defaultValue)))"
      unknown = "(\(unknown) AND NOT \(names("_edited", name))\(hasPlaceholders ? " OR _placeholder = 1" : ""))"
    }
    return "UPDATE main.\(table.quoted) SET \(column) = coalesce(\(column) || ',', '') || \(name) "
      + "WHERE \(unknown) AND NOT \(names(column, name)) AND NOT \(names("_edited", EditMarks.new.literal))"
  }
}

extension SchemaDifference {
  /// Brings the names of missing properties in line with the properties of an entity.
  func settleCoverage(_ entity: EntityModel) throws {
    guard let coverage = entity.coverage, let number = editor.schema.index(entity.name),
      let declared = declared[entity.name]?.covered,
      let column = self.declared[entity.name]?[PropertyModel.coverageName]
    else { return }
    let known = editor.schema.entities[number].covered
    let new = declared.filter { known?.contains($0) != true }
    if !new.isEmpty {
      let names = new.map { "'\(entity.name).\($0)'" }.joined(separator: ", ")
      let words = known == nil ? "'\(entity.name)' tracks its coverage" : "\(names) may be missing in rows"
      try editor.change(words, isAdditive: true, rows: "SELECT count(*) FROM \(entity.table)") {
        if editor.schema.entities[number].index(column.name) == nil {
          try editor.addProperty(column, to: entity.name, default: entity.properties[coverage].defaultValue)
        }
        for property in entity.properties where new.contains(property.name) {
          try editor.run(CoverageSetup.naming(property, in: entity.name, entity.hasPlaceholders))
        }
      }
    }
    editor.schema.entities[number].covered = declared
  }
}

extension SchemaDifference {
  /// Begins to note the age of the rows. Nobody knows when a response last had them: their time begins now.
  func addAges(_ new: StoredProperty, _ entity: EntityModel) throws {
    try editor.change(
      "'\(entity.name)' notes the age of its rows", isAdditive: true, rows: "SELECT count(*) FROM \(entity.table)"
    ) {
      try editor.addProperty(new, to: entity.name, default: .null)
      try editor.run(
        "UPDATE \(entity.table) SET \(new.name.quoted) = CAST(strftime('%s', 'now') AS INTEGER) WHERE _placeholder = 0")
    }
  }
}

extension FileEditor {
  /// Ends the notes of the age of an entity's rows.
  func dropAges(of entity: String) throws {
    try change("'\(entity)' does not note the age of its rows any more", isAdditive: true, isNote: true) {
      try dropProperty(PropertyModel.ageName, of: entity)
    }
  }

  /// Ends the tracking of an entity's coverage.
  func dropCoverage(of entity: String) throws {
    let number = try self.entity(entity)
    try change("'\(entity)' does not track its coverage any more", isAdditive: true, isNote: true) {
      try dropProperty(PropertyModel.coverageName, of: entity)
    }
    schema.entities[number].covered = nil
  }

  /// Renames a property among the names of missing properties, or removes it.
  func moveCoverage(_ table: String, from old: String, to new: String?) throws {
    guard let number = schema.index(table), let place = schema.entities[number].covered?.firstIndex(of: old) else {
      return
    }
    if let new {
      schema.entities[number].covered?[place] = new
    } else {
      schema.entities[number].covered?.remove(at: place)
    }
    let column = PropertyModel.coverageName.quoted
    try run(
      "UPDATE main.\(table.quoted) SET \(column) = nullif(trim(replace(',' || \(column) || ',', ?1, ?2), ','), '') "
        + "WHERE instr(',' || \(column) || ',', ?1) > 0",
      [.text(",\(old),"), .text(new.map { ",\($0)," } ?? ",")])
  }
}
