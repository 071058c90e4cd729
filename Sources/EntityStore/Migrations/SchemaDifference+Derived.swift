// Derived properties that came, went, or are computed in another way. Nothing is lost with their values.

extension SchemaDifference {
  /// Drops the columns of derived properties that are not declared any more, and those that a derived property of another type
  /// takes the name of.
  func dropDerived(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name], !wasCurrent else { return }
    for property in stored.properties where property.derivation != nil {
      let new = declared[entity.name]?[property.name]
      if let new, new.type == property.type, new.isOptional == property.isOptional { continue }
      if new != nil, new?.derivation == nil { continue }
      try editor.change(
        "'\(entity.name).\(property.name)' was derived, and is \(new == nil ? "dropped" : "made anew")",
        rows: "SELECT count(*) FROM \(entity.table)"
      ) { try editor.dropProperty(property.name, of: entity.name) }
    }
  }

  /// How a property that is derived in the file, in the entity or in both differs; `nil` where it does not.
  func words(ofDerived old: StoredProperty, _ new: StoredProperty) -> String? {
    guard old.derivation != new.derivation else { return nil }
    if new.derivation == nil { return "is not derived any more" }
    return old.derivation == nil ? "is derived" : "is derived in another way"
  }
}

extension FileEditor {
  /// The rows that are read and written at a time.
  private static var batch: Int { 1_000 }

  /// Computes the derived properties of all rows whose values are others: new ones, those of another function, and those whose
  /// sources a migration changed.
  func settleDerived(_ model: SchemaModel) throws {
    for entity in model.entities where !entity.derived.isEmpty {
      guard let stored = schema[entity.name] else { continue }
      // A property that was none before may have been edited.
      for index in entity.derived.indices where try isMarked(entity.name, entity.properties[index].name) {
        try moveMarks(entity.name, from: entity.properties[index].name, to: nil)
      }
      let columns = Array(entity.sources(of: entity.derived).union(entity.derived).indices)
      guard columns.allSatisfy({ stored[entity.properties[$0].name] != nil }) else { continue }
      try settleDerived(entity, columns)
    }
  }

  private func settleDerived(_ entity: EntityModel, _ columns: [Int]) throws {
    let names = (["_pk"] + columns.map { entity.properties[$0].name.quoted }).joined(separator: ", ")
    let derived = Array(entity.derived.indices)
    let places = derived.map { "\(entity.properties[$0].name.quoted) = ?" }.joined(separator: ", ")
    let select = "SELECT \(names) FROM \(entity.table) WHERE _pk > ? ORDER BY _pk LIMIT \(Self.batch)"
    let update = try Statement("UPDATE \(entity.table) SET \(places) WHERE _pk = ?", on: connection)
    var last = Int64.min
    while true {
      var changed: [[StoredValue]] = []
      let rows = try connection.rows(select, [.integer(last)]) { row in
        var sources = RowValues(count: entity.properties.count)
        for (place, column) in columns.enumerated() { sources[column] = row.value(place + 1) }
        var values = RowValues(count: entity.properties.count)
        entity.derive(entity.derived, from: sources, into: &values)
        if derived.contains(where: { !values[$0].isIdentical(to: sources[$0]) }) {
          changed.append(derived.map { values[$0] } + [row.value(0)])
        }
        return row.int64(0)
      }
      for values in changed { try update.run(values) }
      guard rows.count == Self.batch, let end = rows.last else { return }
      last = end
    }
  }
}
