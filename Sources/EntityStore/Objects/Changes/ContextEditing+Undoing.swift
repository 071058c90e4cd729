// An unsaved edit ends when the property is set back to the row's value: the property then follows the row again, and
// with it the changes of others. A saved edit, even one that is set back, stays until the server acknowledges it. In a
// unit, a query sends edits to the rows too.

extension EntityContext {
  /// Whether setting a property takes back its unsaved edit.
  ///
  /// - Parameters:
  ///   - old: The present value of the property.
  ///   - new: The value that is about to be set.
  @usableFromInline func undoesEdit(of state: ObjectState, _ index: Int, from old: StoredValue, to new: StoredValue)
    -> Bool
  {
    // The row may not have the value yet that a save under way writes.
    let isInRow = !state.isInserted && !state.saving.contains(index)
    guard state.dirty.contains(index) else {
      state.setBase(old, row: isInRow ? old : nil, of: index)
      return false
    }
    guard isInRow, !edits.isOnItsWay(state) else { return false }
    if state.bases.row(of: index) == nil {
      // The row's value is unknown: a merge changed it, or a save gave the edit back.
      do {
        let row = try edits.rowValue(state, index)
        // An edit of a response's unsaved value gets the row's value as its base.
        if state.fromResponse.contains(index) {
          state.setBase(row, row: row, of: index)
        } else {
          state.setRow(row, of: index)
        }
      } catch {
        unsaved.deferredError = error
      }
    }
    return state.bases.row(of: index)?.isIdentical(to: new) ?? false
  }

  /// Whether the value that a property has becomes the base of its edit.
  @usableFromInline func remembersEdits(of state: ObjectState, _ index: Int) -> Bool {
    // A new object has no row.
    arrival.update == nil && state.life != .new
  }
}

extension ContextEditing {
  /// Removes a column from the edited ones.
  func endEdit(of object: any ManagedEntity, _ index: Int) {
    let state = object._$state
    willChange(object)
    state.dirty.remove(index)
    state.fromResponse.remove(index)
    state.forgetBases(ColumnMask(index))
    state.lists[index] = nil
    state.endUIDEdit()
    if state.dirty.isEmpty { state.flags.remove(.editedAfterDelete) }
    context.overlay.rowPending(state.model, state.pk, leavesLists: true, columns: state.model.withUID(index))
    if !state.hasChanges, !state.isBeingSaved { context.unsaved.letGo(of: state) }
    context.lists.dropListsIfSaved()
  }

  /// Ends the edit of a list that has no unsaved membership left.
  func endUndoneList(of object: any ManagedEntity, _ list: Int) {
    let state = object._$state
    guard let membership = state.model.properties[list].membership, state.dirty.contains(list),
      !state.isInserted, !state.saving.contains(list), !isOnItsWay(state)
    else { return }
    if !context.unsaved.changed[membership.links].hasMemberships(membership.side, of: state.pk) {
      endEdit(of: object, list)
    }
  }

  /// Whether a request carries edits of the object. A value that is set back then differs from the value that the
  /// server will have.
  func isOnItsWay(_ state: ObjectState) -> Bool {
    state.forgetSent()
    return !state.sent.isEmpty
  }

  fileprivate func rowValue(_ state: ObjectState, _ index: Int) throws -> StoredValue? {
    try rowValues(state, ColumnMask(index))?[index]
  }

  /// The present values of a row; `nil` if the row is deleted.
  func rowValues(_ state: ObjectState, _ mask: ColumnMask) throws -> RowValues? {
    try context.merging.entry(isGetter: true) {
      if let above = context.family.changedAbove(state.model, state.pk) { return above.values(mask) }
      let displaced = context.reading.displacedValues(state)
      let statement = try context.connection.prepare(state.model.selectByPK)
      defer { statement.reset() }
      try statement.bind(state.pk, at: 1)
      guard try statement.step() else { return nil }
      var values = RowValues(count: state.model.properties.count)
      for index in mask.indices {
        let isDisplaced = displaced?.mask.contains(index) == true
        values[index] = (isDisplaced ? displaced?[index] : nil) ?? statement.value(index + EntityModel.resultOffset)
      }
      return values
    }
  }
}

extension ObjectState {
  /// Others changed columns: the row's present values are read again when they are needed. The edits keep their earlier
  /// bases.
  func forgetRowValues(_ mask: ColumnMask) {
    guard !bases.isEmpty else { return }
    var left = bases
    left.forgetRow(mask)
    bases = left
  }

  /// Removes the bases of edits that ended, or whose base is unknown from now on.
  func forgetBases(_ mask: ColumnMask) {
    guard !bases.isEmpty else { return }
    var left = bases
    left.remove(mask)
    bases = left
  }

  /// - Parameter row: The present value of the row; `nil` if it is unknown.
  func setBase(_ base: StoredValue?, row: StoredValue?, of index: Int) {
    var all = bases
    all.set(base, row: row, of: index)
    bases = all
  }

  /// - Parameter row: The present value of the edited column in the row; `nil` if it is unknown.
  func setRow(_ row: StoredValue?, of index: Int) {
    var all = bases
    all.setRow(row, of: index)
    bases = all
  }

  /// Adds a value that the row may have by this context's own doing, although the column is edited. A request carries
  /// the value and its response will write it, or the context wrote the value after the edit began.
  func addOwn(_ value: StoredValue, of index: Int, by request: SentEdits.Marker? = nil) {
    guard !bases.isEmpty else { return }
    var all = bases
    all.add(value, of: index, by: request)
    bases = all
  }

  /// Records that properties or lists were set here: requests under way that carry other values do not carry these.
  func noteSet(_ mask: ColumnMask) {
    guard !sent.isEmpty else { return }
    for marker in sent { marker.set(mask) }
  }

  /// The server has a value that a request carried: it becomes the base of a later edit.
  func moveBase(toValueOf request: SentEdits.Marker, of index: Int) {
    guard !bases.isEmpty else { return }
    var all = bases
    all.move(toValueOf: request, of: index)
    bases = all
  }

  /// Forgets the requests that have ended.
  func forgetSent() { sent = sent.filter { !$0.isOver } }
}
