/// Where values come from. The source decides about local edits.
package enum RowSource {
  /// Set here. All but the columns that came from a response count as local edits, and so do `lists`, whose
  /// memberships are rows of their own.
  case edit(fromResponse: ColumnMask, lists: ColumnMask = ColumnMask())
  /// Read from a response. The policy says which columns stay; an edit that is overwritten ends. `newer` are the columns
  /// that newer answers wrote.
  case response(MergePolicy, newer: ColumnMask)
  /// Values that follow from another change: they are no edit, and no column stays as it is.
  case effect
}

extension RowWriter {
  func editedMask(_ model: EntityModel, _ source: RowSource, changed: ColumnMask) -> ColumnMask {
    // Of a membership, the column of the side whose list it was edited through is no response's.
    guard case .edit(let fromResponse, let lists) = source, !marksNothing else { return ColumnMask() }
    return changed.union(lists).subtracting(fromResponse).subtracting(model.unmarked)
  }
}

extension RowSource {
  /// Whether the object that the row is of has the values already.
  var isDirect: Bool {
    if case .edit = self { true } else { false }
  }

  var lists: ColumnMask {
    if case .edit(_, let lists) = self { lists } else { ColumnMask() }
  }

  /// Those of the columns `mask` that a response has.
  func answered(_ mask: ColumnMask) -> ColumnMask {
    switch self {
    case .edit(let fromResponse, _): mask.intersection(fromResponse)
    case .response: mask
    case .effect: ColumnMask()
    }
  }
}
