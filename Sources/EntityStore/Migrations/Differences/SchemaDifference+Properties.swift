// Properties that differ from the file, or that the file lacks.

extension SchemaDifference {
  func addEntity(_ entity: EntityModel) throws {
    guard let new = declared[entity.name] else { return }
    let defaults = Dictionary(entity.properties.map { ($0.name, $0.defaultValue) }) { first, _ in first }
    try editor.change("\(new.label) is new", isAdditive: true) {
      try editor.addEntity(new, defaults: defaults, last: entity.lazyNames)
    }
  }

  func applyProperties(_ entity: EntityModel) throws {
    for property in entity.properties where property.isStored {
      guard let stored = editor.schema[entity.name], let new = declared[entity.name]?[property.name] else { continue }
      if let old = stored[property.name] {
        if entity.isLinks {
          guard old.type == new.type else { throw typeMismatch(old, new, "\(stored.label)") }
        } else {
          try change(old, to: new, property, entity)
        }
      } else if let removed = ([property.name] + property.formerNames).lazy
        .compactMap({ setAside($0, property, stored) }).first
      {
        try bringBack(removed, as: new, property, entity)
      } else {
        try add(new, property, entity)
      }
    }
  }

  /// A composite uid keeps its parts, and their order. The uids of all rows, of waiting links, and of deletions that
  /// the server has not heard of are made of these parts.
  func checkUID(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name], let new = declared[entity.name], stored.uid != new.uid else {
      return
    }
    func words(_ entity: StoredEntity) -> String {
      let names = entity.uid ?? entity.properties.filter(\.isUID).map(\.name)
      return names.isEmpty ? "no uid" : "the uid \(names.map { "'\($0)'" }.joined(separator: ", "))"
    }
    throw Self.mismatch(
      "'\(entity.name)' has \(words(new)) in the app, and \(words(stored)) in the file. A uid of several parts does not "
        + "change: give the entity another name and say that the former one was removed, or begin with a new file")
  }

  private func add(_ new: StoredProperty, _ property: PropertyModel, _ entity: EntityModel) throws {
    let name = "'\(entity.name).\(property.name)'"
    if property.isRequired, !editor.isTrial, try lacking("1", entity) > 0 {
      throw Self.mismatch("\(name) is new and required, and the file has rows without it")
    }
    // It comes last, because its content follows from all others.
    if property.isCoverage { return }
    if property.isAge { return try addAges(new, entity) }
    if let link = property.positionOf { return try addPositions(new, link, entity) }
    try editor.change("\(name) is new", isAdditive: true) {
      do {
        try editor.addProperty(new, to: entity.name, default: property.defaultValue)
      } catch let error as StoreError where error.kind == .schemaMismatch {
        throw Self.mismatch("\(name) is new and unique, but all rows of the file would get its default")
      }
    }
  }

  /// Makes a list ordered. Its members keep the order in which they were read: that of their row ids. Memberships have
  /// row ids of their own, so their positions are written from the row ids of the members.
  private func addPositions(_ new: StoredProperty, _ link: Int, _ entity: EntityModel) throws {
    guard case .toOne(let target, let list?, _) = entity.properties[link].kind else { return }
    let label = "'\(schema.entities[target].name).\(schema.entities[target].properties[list].name)'"
    try editor.change(
      "\(label) is ordered", isAdditive: true, rows: entity.isLinks ? "SELECT count(*) FROM \(entity.table)" : nil
    ) {
      try editor.addProperty(new, to: entity.name, default: .null)
      guard entity.isLinks else { return }
      try editor.run(
        "UPDATE \(entity.table) SET \(new.name.quoted) = "
          + "\(entity.properties[1 - link].name.quoted) << \(ListOrder.rowShift)")
    }
  }

  private func bringBack(
    _ removed: RemovedProperty, as new: StoredProperty, _ property: PropertyModel, _ entity: EntityModel
  ) throws {
    let name = "'\(entity.name).\(property.name)'"
    try editor.change(
      "\(name) comes back with the values that the file kept",
      rows: "SELECT count(\(removed.column.quoted)) FROM \(entity.table)"
    ) {
      try editor.bringBack(removed, of: entity.name, as: new, default: property.defaultValue)
    }
    if property.isRequired, !editor.isTrial, try lacking("\(property.name.quoted) IS NULL", entity) > 0 {
      throw Self.mismatch("\(name) comes back as required, and the file has rows without it")
    }
    if new.isOneToOne == true { try checkTargets(name, property, entity) }
  }

  /// The number of rows without a value. A placeholder does not count: only its uid is known.
  private func lacking(_ condition: String, _ entity: EntityModel) throws -> Int64 {
    try editor.count("SELECT count(*) FROM \(entity.table) WHERE _placeholder = 0 AND \(condition)")
  }

  private func change(
    _ old: StoredProperty, to declared: StoredProperty, _ property: PropertyModel, _ entity: EntityModel
  ) throws {
    var new = declared
    new.renamedFrom = old.renamedFrom
    guard old != new else { return }
    let name = "'\(entity.name).\(property.name)'"
    var words: [String] = []
    if let derived = self.words(ofDerived: old, new) { words.append(derived) }
    if old.type != new.type {
      guard let from = AttributeType(name: old.type), let to = AttributeType(name: new.type), from.isPart(of: to) else {
        throw typeMismatch(old, new, name)
      }
      words.append("is \(new.type) instead of \(old.type)")
    }
    guard old.isUID == new.isUID else {
      throw Self.mismatch("\(name) is \(old.isUID ? "the uid" : "no uid") in the file, unlike in the entity")
    }
    if old.isOptional != new.isOptional {
      words.append(new.isOptional ? "may have no value" : "always has a value")
      if !new.isOptional, !property.isDerived { try checkValues(name, property, entity, &words) }
    }
    if old.isUnique != new.isUnique {
      words.append(new.isUnique ? "is unique" : "is not unique any more")
    } else if old.isIndexed != new.isIndexed {
      words.append(new.isIndexed ? "is indexed" : "is not indexed any more")
    }
    if old.isOneToOne != new.isOneToOne {
      words.append(new.isOneToOne == true ? "is one-to-one" : "is not one-to-one any more")
      if new.isOneToOne == true { try checkTargets(name, property, entity) }
    }
    let isDerivedAnew = old.derivation != nil && new.derivation != nil && old.derivation != new.derivation
    let isSameColumn =
      old.type == new.type && old.isOptional == new.isOptional && (isDerivedAnew || old.derivation == new.derivation)
    var before = old
    before.derivation = new.derivation
    try editor.change(
      "\(name) \(words.joined(separator: ", "))", isAdditive: isSameColumn, isRefill: isDerivedAnew && before == new,
      rows: isSameColumn && !isDerivedAnew ? nil : "SELECT count(*) FROM \(entity.table)"
    ) { try editor.changeProperty(old, of: entity.name, to: new, default: property.defaultValue) }
  }

  /// Whether each row has a value, or gets the declared default.
  private func checkValues(_ name: String, _ property: PropertyModel, _ entity: EntityModel, _ words: inout [String])
    throws
  {
    guard !editor.isTrial else { return }
    let rows = try lacking("\(property.name.quoted) IS NULL", entity)
    guard rows > 0 else { return }
    let count = rows == 1 ? "1 row" : "\(rows) rows"
    guard property.facts.isDefaultDeclared else {
      let way = property.isRequired ? "" : "Declare a default, which they get, or "
      throw Self.mismatch(
        "\(name) is optional in the file and required in the entity, and \(count) \(rows == 1 ? "has" : "have") no value. "
          + "\(way)\(way.isEmpty ? "Give" : "give") them one in a step")
    }
    words.append("\(count) without one \(rows == 1 ? "gets" : "get") the default")
  }

  private func typeMismatch(_ old: StoredProperty, _ new: StoredProperty, _ name: String) -> StoreError {
    Self.mismatch("\(name) is \(old.type) in the file and \(new.type) in the entity")
  }
}
