/// Where values come from. The source decides about local edits.
package enum RowSource {
  /// Set here.
  case edit(RowEdit)
  /// Read from a response. The policy says which columns stay; an edit that is overwritten ends. `newer` are the columns
  /// that newer answers wrote.
  case response(MergePolicy, newer: ColumnMask)
  /// Values that follow from another change: they are no edit, and no column stays as it is.
  case effect
}

/// An edit of a row.
package struct RowEdit {
  /// The purpose of a write, in a unit whose objects may not have all their values yet.
  package enum Purpose {
    /// To save the values.
    case save
    /// A query is to find them. The row may lack a relationship that it requires until
    /// ``RowChecks/checkPostponed()``, and have the uid of another one until ``RowUniqueness/settleUniqueValues(_:)``.
    case querying
    /// An update by query set them. Objects of the row do not have them.
    case updateByQuery
  }

  /// The columns that came from a response. All others count as local edits.
  package var fromResponse: ColumnMask
  /// The lists that were edited, whose memberships are rows of their own.
  package var lists: ColumnMask
  package var purpose: Purpose
  /// Whether an update by hand of a response set them, or an answer acknowledges them: the server has the object.
  package var isOfResponse: Bool

  package init(
    fromResponse: ColumnMask = ColumnMask(), lists: ColumnMask = ColumnMask(), for purpose: Purpose = .save,
    isOfResponse: Bool = false
  ) {
    self.fromResponse = fromResponse
    self.lists = lists
    self.purpose = purpose
    self.isOfResponse = isOfResponse
  }
}

extension RowSource {
  /// The edit; `nil` for any other source.
  var edit: RowEdit? {
    if case .edit(let edit) = self { edit } else { nil }
  }

  var isEdit: Bool { edit != nil }

  /// Whether the object that the row is of has the values already.
  var isDirect: Bool {
    if case .edit(let edit) = self { edit.purpose != .updateByQuery } else { false }
  }

  /// Whether the row may be incomplete for a while.
  var isPostponing: Bool { edit?.purpose == .querying }

  var lists: ColumnMask { edit?.lists ?? ColumnMask() }

  /// The columns of `mask` that a response has.
  func answered(_ mask: ColumnMask) -> ColumnMask {
    switch self {
    case .edit(let edit): mask.intersection(edit.fromResponse)
    case .response: mask
    case .effect: ColumnMask()
    }
  }

  /// The columns of `changed` that the source marks as edited.
  ///
  /// - Parameter isOfServer: Whether the changes of the unit are the server's.
  func edited(_ model: EntityModel, _ changed: ColumnMask, isOfServer: Bool) -> ColumnMask {
    // A membership was edited through the list of one side: the column of that side is no response's.
    guard case .edit(let edit) = self, !isOfServer else { return ColumnMask() }
    return changed.union(edit.lists).subtracting(edit.fromResponse).subtracting(model.unmarked)
  }
}
