// Edits that were sent, without a sign in the answer that the server has them.

extension SentEdits {
  /// The edits that stay although the request has an answer.
  package enum Unshown: Sendable {
    case none
    case some(ColumnMask)
    /// The server says that it has done nothing yet.
    case all
  }

  /// The edits that the answer acknowledges; `nil` for none.
  func shown(of model: EntityModel) -> SentEdits? {
    let mask: ColumnMask
    switch marker.unshown {
    case .none: return self
    case .all: return nil
    case .some(let unshown): mask = unshown
    }
    var shown = self
    if isUnsaved {
      // A row that the answer makes still needs these required values, as edits.
      for index in mask.intersection(model.required).intersection(values.mask).indices {
        shown.required[index] = values[index]
      }
    }
    shown.values.remove(mask)
    shown.lists = lists.filter { !mask.contains($0.key) }
    shown.otherLists = otherLists.filter { !mask.contains($0.key) }
    shown.orders = orders.filter { !mask.contains($0.key) }
    shown.embedded = embedded.filter { !mask.contains($0.property) }
    return shown
  }

  /// The properties that another request about the object carried with another value, or not at all.
  package func differing(from other: SentEdits) -> ColumnMask {
    var mask = ColumnMask()
    for index in values.mask.indices
    where !other.values.mask.contains(index) || !values[index].isIdentical(to: other.values[index]) {
      mask.insert(index)
    }
    for (list, members) in lists where other.lists[list] != members { mask.insert(list) }
    for (list, members) in orders where other.orders[list] != members { mask.insert(list) }
    for group in embedded {
      let before = other.embedded.first { $0.property == group.property }
      if before.map({ !group.isSame(as: $0) }) ?? true { mask.insert(group.property) }
    }
    return mask
  }
}

extension SentEdits.Embedded {
  fileprivate func isSame(as other: SentEdits.Embedded) -> Bool {
    members.count == other.members.count
      && zip(members, other.members).allSatisfy {
        $0.pk == $1.pk && $0.differing(from: $1).isEmpty && $1.differing(from: $0).isEmpty
      }
  }
}
