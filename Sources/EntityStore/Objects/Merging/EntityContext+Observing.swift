/// A context learns at once of the changes of its own unit.
extension EntityContext: ChangeObserver {
  func didChange(_ change: ObservedChange) {
    merging.rowChanged(change.model, change.pk, change.kind, change.columns, isDirect: change.isDirect)
  }

  func didForward(_ model: EntityModel, from: Int64, to: Int64) { merging.rowForwarded(model, from: from, to: to) }
}
