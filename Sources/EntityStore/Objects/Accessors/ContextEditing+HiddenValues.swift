// Values of a response that unsaved edits of the main context hide. The writer does not know unsaved edits, and does
// not wait for the main thread. So the context compares them after it has merged the response.

/// The rows that a transaction has written, with the written columns.
package struct WrittenRows: Sendable {
  fileprivate let entities: [Int: CommitSummary.EntityChanges]

  /// The rows that were written so far; `nil` where the summary of the commit names no rows.
  package init?(_ rows: RowWriter) {
    guard let changes = rows.changes?.summary.entities else { return nil }
    entities = changes
  }
}

extension EntityStore {
  /// The unsaved edits of the main context that hide values which a response has written.
  @MainActor package func unsavedEdits(over written: WrittenRows) -> SkippedChanges {
    mainContext?.edits.unsavedEdits(over: written) ?? SkippedChanges()
  }
}

extension ContextEditing {
  /// Compares each edited object with its row. Objects without edits cost nothing.
  fileprivate func unsavedEdits(over written: WrittenRows) -> SkippedChanges {
    var found: [SkippedChange] = []
    for (number, changes) in written.entities.sorted(by: { $0.key < $1.key })
    where !context.unsaved.changed[number].isEmpty {
      let all = context.unsaved.changed[number].all
      for pk in all.sortedRows {
        guard let object = all[pk], let columns = changes.columns(of: pk, object._$state.model) else { continue }
        if let change = unsavedEdit(of: object, over: columns, isNamed: changes.areNamed) { found.append(change) }
      }
    }
    return SkippedChanges(listing: found)
  }

  /// - Parameter isNamed: Whether the response is known to have written the columns. If it changed too many rows to
  ///   name each, only a value counts that differs from the base of the edit.
  private func unsavedEdit(
    of object: any ManagedEntity, over columns: ColumnMask, isNamed: Bool
  ) -> SkippedChange? {
    let (state, model) = (object._$state, object._$state.model)
    let mask = columns.intersection(state.unsavedEdits).intersection(model.stored).subtracting(model.lazy)
    guard !mask.isEmpty, !state.isInserted, !state.isGone, let row = try? rowValues(state, mask) else { return nil }
    let mine = object.values(mask)
    var values: [SkippedChange.Value] = []
    for index in mask.indices where !row[index].isIdentical(to: mine[index]) {
      let base = state.bases.base(of: index)
      if !isNamed, base?.isIdentical(to: row[index]) != false { continue }
      values.append(
        context.core.schema.skippedValue(model, index, base: base, mine: mine[index], theirs: row[index]))
    }
    guard !values.isEmpty else { return nil }
    let uid = model.uid.flatMap { index in model.uidType.flatMap { object.values(ColumnMask(index))[index].uidText($0) }
    }
    return SkippedChange(
      reason: .unsavedEdit, entity: model.name, uid: uid.map { String($0.prefix(200)) }, id: model.id(state.pk),
      properties: values.map(\.property), values: values)
  }
}

extension CommitSummary.EntityChanges {
  fileprivate var areNamed: Bool { if case .rows = self { true } else { false } }

  /// The columns of a row that were written.
  fileprivate func columns(of pk: Int64, _ model: EntityModel) -> ColumnMask? {
    switch self {
    case .all: model.stored
    case .rows(let rows): rows[pk]?.mask
    }
  }
}
