// Changes the names of entities, properties and lists. Tables, columns, indexes, marks and the stored schema follow.

extension FileEditor {
  func renameEntity(_ old: String, to new: String) throws {
    let number = try entity(old)
    for list in schema.lists(of: old) { try renameTable(of: list.name, to: "\(new),\(list.list ?? "")") }
    try renameTable(of: old, to: new)
    schema.entities[number].renamedFrom = nil
    let (former, now) = (StoredProperty.link(to: old), StoredProperty.link(to: new))
    for entity in schema.entities.indices { schema.entities[entity].changeTarget(former, now) }
    for entity in (schema.removed ?? []).indices {
      schema.removed?[entity].entity.changeTarget(former, now)
      if schema.removed?[entity].entity.owner == old, let list = schema.removed?[entity].entity.list {
        schema.removed?[entity].entity.name = "\(new),\(list)"
      }
    }
  }

  /// Gives the table of an entity, or the two tables of a list, another name.
  private func renameTable(of old: String, to new: String) throws {
    let number = try entity(old)
    let former = schema.entities[number]
    try dropIndexes(former)
    try takeApart(number)
    schema.entities[number].name = new
    if apart.remove(old) != nil { apart.insert(new) }
    let now = schema.entities[number]
    try renameTable(former.name, to: now.name)
    if former.isLinks {
      try renameTable(former.removedName, to: now.removedName)
    } else {
      try moveNotes(from: former.name, to: now.name)
    }
    try addIndexes(now)
  }

  func renameProperty(_ old: String, of entity: String, to new: String) throws {
    let number = try self.entity(entity)
    let index = try property(old, of: number)
    let property = schema.entities[number].properties[index]
    try dropIndex(schema.entities[number], property)
    try takeApart(number)
    try renameColumn(entity, old, to: new)
    schema.entities[number].renameInIndexes(old, to: new)
    schema.entities[number].properties[index].name = new
    schema.entities[number].properties[index].renamedFrom = nil
    try addIndex(schema.entities[number], schema.entities[number].properties[index])
    try moveMarks(entity, from: old, to: new)
    if let part = schema.entities[number].uid?.firstIndex(of: old) { schema.entities[number].uid?[part] = new }
    let position = PropertyModel.positionName(of: old)
    guard let place = schema.entities[number].index(position) else { return }
    schema.entities[number].properties[place].name = PropertyModel.positionName(of: new)
    try renameColumn(entity, position, to: PropertyModel.positionName(of: new))
  }

  /// Gives a many-to-many relationship another name, on the side that has its tables.
  func renameList(_ old: String, of entity: String, to new: String) throws {
    try renameTable(of: "\(entity),\(old)", to: "\(entity),\(new)")
    try moveMarks(entity, from: old, to: new)
  }
}

extension StoredEntity {
  fileprivate mutating func changeTarget(_ old: String, _ new: String) {
    for index in properties.indices where properties[index].type == old { properties[index].type = new }
    for index in (removed ?? []).indices where removed?[index].type == old { removed?[index].type = new }
  }
}
