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
}
