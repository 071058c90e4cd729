// Columns and tables that are added, changed or dropped.

extension FileEditor {
  func addEntity(
    _ entity: StoredEntity, defaults: [String: StoredValue] = [:], last: Set<String> = []
  ) throws {
    for sql in DDL.table(entity, defaults: defaults, last: last) { try run(sql) }
    schema.entities.append(entity)
  }

  func addProperty(_ property: StoredProperty, to entity: String, default value: StoredValue) throws {
    let number = try self.entity(entity)
    try run("ALTER TABLE main.\(entity.quoted) ADD COLUMN \(DDL.column(property, default: value))")
    schema.entities[number].properties.append(property)
    try addIndex(schema.entities[number], property)
  }

  /// Changes a column that keeps its name.
  ///
  /// - Parameters:
  ///   - value: The default of the new column.
  ///   - expression: The new value; by default the old value, or the default where there is none.
  func changeProperty(
    _ old: StoredProperty, of entity: String, to new: StoredProperty, default value: StoredValue,
    expression: (value: String, filter: String)? = nil
  ) throws {
    let number = try self.entity(entity)
    let index = try property(old.name, of: number)
    let isSameColumn = old.sqlType == new.sqlType && old.isNotNull == new.isNotNull && old.target == new.target
    let isSameIndex = old.isUnique == new.isUnique && old.hasIndex == new.hasIndex
    guard expression != nil || !isSameColumn else {
      schema.entities[number].properties[index] = new
      if !isSameIndex {
        try dropIndex(schema.entities[number], old)
        try addIndex(schema.entities[number], new)
      }
      return
    }
    try dropIndex(schema.entities[number], old)
    try takeApart(number)
    try replaceColumn(
      entity, old.name, with: new.name, Self.definition(of: new, default: value),
      expression ?? (old.name.quoted, "\(old.name.quoted) IS NOT NULL"))
    if expression != nil || old.sqlType != new.sqlType {
      try forgetBases(of: old.name, in: entity)
    } else if new.isNotNull {
      try fillBases(of: old.name, in: entity, with: value)
    }
    schema.entities[number].properties[index] = new
    try addIndex(schema.entities[number], new)
  }

  /// Drops a column and its values. The marks of its local edits go with it.
  func dropProperty(_ name: String, of entity: String) throws {
    let number = try self.entity(entity)
    let index = try property(name, of: number)
    try dropIndex(schema.entities[number], schema.entities[number].properties[index])
    try takeApart(number)
    schema.entities[number].dropIndexes(of: name)
    try dropColumn(entity, name)
    schema.entities[number].properties.remove(at: index)
    try moveMarks(entity, from: name, to: nil)
    let position = PropertyModel.positionName(of: name)
    if schema.entities[number].index(position) != nil { try dropProperty(position, of: entity) }
  }

  func dropList(_ name: String, of entity: String) throws {
    try dropTable("\(entity),\(name)")
    try moveMarks(entity, from: name, to: nil)
  }

  /// Drops the table of an entity, and the tables of its lists.
  func dropEntity(_ name: String) throws {
    for list in schema.lists(of: name) { try dropTable(list.name) }
    let link = StoredProperty.link(to: name)
    for entity in schema.entities where entity.name != name {
      guard let property = entity.properties.first(where: { $0.type == link }) else { continue }
      let label = entity.isLinks ? entity.label : "'\(entity.name).\(property.name)'"
      throw StoreError(.migrationFailed, "\(label) refers to '\(name)': drop it before.")
    }
    try dropTable(name)
  }

  private func dropTable(_ name: String) throws {
    let entity = schema.entities.remove(at: try self.entity(name))
    apart.remove(name)
    if entity.isLinks { try run("DROP TABLE main.\(entity.removedName.quoted)") }
    try run("DROP TABLE \(entity.table)")
    if !entity.isLinks { try moveNotes(from: entity.name, to: nil) }
  }
}
