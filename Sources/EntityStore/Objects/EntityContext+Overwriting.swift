// A response that is asked to overwrites local edits, and with that they end. The setters of an update by hand tell of it,
// those that are called with an equal value too.

extension EntityContext {
  /// A response says of a property what it is already. That overwrites an edit as well.
  @usableFromInline package func confirm(_ object: any ManagedEntity, _ index: Int) {
    guard let update else { return }
    let isAbsent = takeAbsence()
    if isAbsent { return }
    rows?.noteAnswered(object._$state.model, object._$state.pk, ColumnMask(index))
    noteTaken(object, index)
    if update.policy.keepsEdits || !update.staying(ColumnMask(index), of: object).isEmpty { return }
    overwrite(object, index)
  }

  /// Whether the setter that runs was called for an absent key, with what the property has.
  func takeAbsence() -> Bool {
    defer { readsAbsent = false }
    return readsAbsent
  }

  func overwrite(_ object: any ManagedEntity, _ index: Int) {
    let state = object._$state
    guard state.edited.contains(index) else { return }
    overwritten[RowWriter.RowKey(entity: state.model.number, pk: state.pk), default: ColumnMask()].insert(index)
  }

  /// Ends the saved edits that a response overwrote.
  func endOverwritten() throws {
    guard !overwritten.isEmpty, let rows else { return }
    let ended = overwritten.sorted { ($0.key.entity, $0.key.pk) < ($1.key.entity, $1.key.pk) }
    overwritten = [:]
    for (key, mask) in ended { try rows.acknowledge(core.schema.entities[key.entity], pk: key.pk, mask) }
  }
}
