// Parts that the app removed. They are set aside with their values: as a column without constraint and index, or as a
// table that refers to no other. They come back, or a step drops them.

extension FileEditor {
  private static let prefix = "_removed"

  /// A name that no declared part can have: `_removed,nickname`, then `_removed2,nickname`.
  private func freeName(_ name: String, _ taken: [String]) -> String {
    let taken = Set(taken.map { $0.lowercased() })
    var number = 1
    while true {
      let free = "\(Self.prefix)\(number == 1 ? "" : "\(number)"),\(name)"
      if !taken.contains(free.lowercased()) { return free }
      number += 1
    }
  }

  // MARK: Properties

  func setAside(_ name: String, of entity: String) throws {
    let number = try self.entity(entity)
    let index = try property(name, of: number)
    let stored = schema.entities[number]
    let property = stored.properties[index]
    let column = freeName(name, stored.removed?.map(\.column) ?? [])
    try dropIndex(stored, property)
    try takeApart(number)
    schema.entities[number].dropIndexes(of: name)
    if try property.isNotNull || property.target != nil || hasDefault(entity, name) {
      // The value of a placeholder is the default, which nobody has set.
      try replaceColumn(
        entity, name, with: column, { "\($0.quoted) \(property.sqlType)" },
        (name.quoted, "_placeholder = 0 AND \(name.quoted) IS NOT NULL"))
    } else {
      try renameColumn(entity, name, to: column)
    }
    var marks: String?
    if try isMarked(entity, name) {
      marks = "\(column),edited"
      try run("ALTER TABLE main.\(entity.quoted) ADD COLUMN \("\(column),edited".quoted) INTEGER")
      try run(
        "UPDATE main.\(entity.quoted) SET \("\(column),edited".quoted) = 1 "
          + "WHERE instr(',' || _edited || ',', ?1) > 0", [.text(",\(name),")])
      try moveNotes(of: name, to: column, in: entity)
      try moveMarks(entity, from: name, to: nil)
    }
    schema.entities[number].properties.remove(at: index)
    schema.entities[number].removed =
      (stored.removed ?? []) + [RemovedProperty(name: name, type: property.type, column: column, marks: marks)]
  }

  /// The notes of the edits of a property go aside with its column, and come back with it.
  private func moveNotes(of property: String, to new: String, in entity: String) throws {
    try run(
      "UPDATE OR REPLACE \(EditNotes.table) SET property = ?1 WHERE entity = ?2 AND property = ?3",
      [.text(new), .text(entity), .text(property)])
  }

  /// Makes a column that was set aside the column of a property.
  func bringBack(_ removed: RemovedProperty, of entity: String, as property: StoredProperty, default value: StoredValue)
    throws
  {
    let number = try self.entity(entity)
    let column = removed.column.quoted
    if property.isNotNull || property.target != nil || !value.isNull {
      // A target may be gone by now. The key of its row is never given to another row.
      let isThere = property.target.map { " AND \(column) IN (SELECT _pk FROM main.\($0.quoted))" } ?? ""
      try replaceColumn(
        entity, removed.column, with: property.name, Self.definition(of: property, default: value),
        (column, column + " IS NOT NULL" + isThere))
    } else {
      try renameColumn(entity, removed.column, to: property.name)
    }
    if let marks = removed.marks {
      try run(
        "UPDATE main.\(entity.quoted) SET _edited = coalesce(_edited || ',', '') || ?1 WHERE \(marks.quoted) = 1",
        [.text(property.name)])
      try moveNotes(of: removed.column, to: property.name, in: entity)
      if property.isNotNull { try fillBases(of: property.name, in: entity, with: value) }
      try dropColumn(entity, marks)
    }
    schema.entities[number].removed?.removeAll { $0.column == removed.column }
    if schema.entities[number].removed?.isEmpty == true { schema.entities[number].removed = nil }
    schema.entities[number].properties.append(property)
    try addIndex(schema.entities[number], property)
  }

  // MARK: Entities and lists

  /// Sets the table of an entity aside, with the tables of its lists.
  func setAsideEntity(_ name: String) throws {
    for list in schema.lists(of: name) { try setAsideTable(list.name) }
    try setAsideTable(name)
  }

  /// Sets a list aside. The list names no inverse.
  func setAsideList(_ name: String, of entity: String) throws {
    try setAsideTable("\(entity),\(name)")
    try moveMarks(entity, from: name, to: nil)
  }

  private func setAsideTable(_ name: String) throws {
    try takeApart(try self.entity(name))
    apart.remove(name)
    let entity = schema.entities.remove(at: try self.entity(name))
    let aside = RemovedEntity(entity: entity, table: freeName(name, schema.removed?.map(\.table) ?? []))
    try dropIndexes(entity)
    for property in entity.properties where property.target != nil {
      for table in entity.isLinks ? [entity.name, entity.removedName] : [entity.name] {
        try replaceColumn(
          table, property.name, with: property.name, { "\($0.quoted) \(property.sqlType)" },
          (property.name.quoted, "\(property.name.quoted) IS NOT NULL"))
      }
    }
    try renameTable(entity.name, to: aside.table)
    if entity.isLinks {
      try renameTable(entity.removedName, to: aside.removedTable)
    } else {
      try moveNotes(from: entity.name, to: aside.table)
    }
    schema.removed = (schema.removed ?? []) + [aside]
  }

  /// Makes tables that were set aside the tables of entities. They may refer to each other.
  func bringBackEntities(_ aside: [RemovedEntity]) throws {
    for removed in aside {
      try renameTable(removed.table, to: removed.entity.name)
      if removed.entity.isLinks {
        try renameTable(removed.removedTable, to: removed.entity.removedName)
      } else {
        try moveNotes(from: removed.table, to: removed.entity.name)
      }
      schema.entities.append(removed.entity)
      apart.insert(removed.entity.name)
      schema.removed?.removeAll { $0.table == removed.table }
    }
    if schema.removed?.isEmpty == true { schema.removed = nil }
    for removed in aside {
      let entity = removed.entity
      for property in entity.properties {
        guard let target = property.target else { continue }
        guard schema.index(target) != nil else {
          try loseTarget(property, of: entity.name)
          continue
        }
        try linkAgain(property, to: target, of: entity, table: entity.name, onDelete: "")
        if entity.isLinks {
          try linkAgain(property, to: target, of: entity, table: entity.removedName, onDelete: DDL.cascade)
        }
      }
      try schema[entity.name].map { try addIndexes($0) }
    }
  }

  private func linkAgain(
    _ property: StoredProperty, to target: String, of entity: StoredEntity, table: String, onDelete: String
  ) throws {
    let column = property.name.quoted
    let isThere = "\(column) IN (SELECT _pk FROM main.\(target.quoted))"
    if entity.isLinks {
      try run("DELETE FROM main.\(table.quoted) WHERE \(column) IS NOT NULL AND NOT \(isThere)")
    }
    try replaceColumn(
      table, property.name, with: property.name,
      { name in
        var between = property
        between.name = name
        return DDL.column(between, onDelete: onDelete)
      }, (column, isThere))
  }

  /// The entity that a link refers to is gone, so the link stays set aside.
  private func loseTarget(_ property: StoredProperty, of entity: String) throws {
    let number = try self.entity(entity)
    let column = freeName(property.name, schema.entities[number].removed?.map(\.column) ?? [])
    try renameColumn(entity, property.name, to: column)
    schema.entities[number].dropIndexes(of: property.name)
    schema.entities[number].properties.removeAll { $0.name == property.name }
    schema.entities[number].removed =
      (schema.entities[number].removed ?? [])
      + [RemovedProperty(name: property.name, type: property.type, column: column)]
  }

  // MARK: Dropping

  func dropRemoved(_ removed: RemovedProperty, of entity: String) throws {
    let number = try self.entity(entity)
    try dropColumn(entity, removed.column)
    if let marks = removed.marks {
      try dropColumn(entity, marks)
      try dropNotes(of: removed.column, in: entity)
    }
    schema.entities[number].removed?.removeAll { $0.column == removed.column }
    if schema.entities[number].removed?.isEmpty == true { schema.entities[number].removed = nil }
  }

  func dropRemoved(_ removed: RemovedEntity) throws {
    try run("DROP TABLE main.\(removed.table.quoted)")
    if removed.entity.isLinks {
      try run("DROP TABLE main.\(removed.removedTable.quoted)")
    } else {
      try moveNotes(from: removed.table, to: nil)
    }
    schema.removed?.removeAll { $0.table == removed.table }
    if schema.removed?.isEmpty == true { schema.removed = nil }
  }
}
