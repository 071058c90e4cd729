extension ContextAnswers {
  /// The last value of an attribute that the server sent. `nil` if that is unknown, for a placeholder, and for an
  /// object that was made here.
  package func serverValue(of object: any ManagedEntity, _ property: Int) throws -> StoredValue? {
    let state = object._$state
    let mask = ColumnMask(property)
    guard !object.isGone, !object.isPlaceholder, !state.flags.contains(.madeHere) else { return nil }
    let value: StoredValue?
    if state.edited.contains(property) {
      value = try context.merging.entry {
        try context.connection.rows(
          "SELECT base FROM \(EditNotes.table) WHERE entity = ? AND pk = ? AND property = ? AND has_base = 1",
          [.text(state.model.name), .integer(state.pk), .text(state.model.properties[property].name)]
        ) { $0.value(0) }.first
      }
    } else if state.unsavedEdits.contains(property) {
      value = state.bases.base(of: property)
    } else {
      value = object.loadedValues(mask)[property]
    }
    return value.flatMap { $0.isNull ? nil : $0 }
  }

  /// The row of the object whose attribute the server last gave a value; `nil` when there is none, or several have it. An object
  /// of which that is unknown, as one that was made here, is found by its own.
  ///
  /// - Parameter edited: The objects in which the attribute is edited, and not saved.
  package func row(
    _ model: EntityModel, having value: StoredValue, in property: Int, edited: [any ManagedEntity]
  ) throws -> Int64? {
    if let rows = context.rows { return try rows.edits.row(model, named: value, property) }
    var known: [Int64: StoredValue] = [:]
    for object in edited {
      let state = object._$state
      // The file tells of an edit that is saved.
      guard state.unsavedEdits.contains(property), !state.edited.contains(property), !object.isGone,
        !object.isPlaceholder, !state.flags.contains(.madeHere)
      else { continue }
      known[state.pk] = state.bases.base(of: property)
    }
    let name = model.properties[property].name
    let notes = "FROM \(EditNotes.table) WHERE entity = ?2 AND property = ?3 AND has_base = 1"
    let found = try context.merging.entry {
      let source = try context.overlay.source(model)
      return try context.connection.rows(
        "SELECT _pk FROM \(source) WHERE \(name.quoted) = ?1 AND _pk NOT IN (SELECT pk \(notes)) "
          + "UNION SELECT pk \(notes) AND base = ?1 AND pk IN (SELECT _pk FROM \(source)) LIMIT ?4",
        [value, .text(model.name), .text(name), .integer(Int64(2 + known.count))]
      ) { $0.int64(0) }
    }
    let rows = found.filter { known[$0] == nil } + known.filter { $0.value == value }.keys
    return rows.count == 1 ? rows[0] : nil
  }

  /// The objects in which an attribute is edited, and not saved.
  package func unsavedEdits(_ model: EntityModel, of property: Int) -> [any ManagedEntity] {
    context.unsaved.changed[model.number].all.compactMap { _, object in
      object._$state.unsavedEdits.contains(property) ? object : nil
    }
  }
}
