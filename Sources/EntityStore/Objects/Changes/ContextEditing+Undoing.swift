// An unsaved edit ends when the property is set back to the row's value: the property follows the row again, and with
// it the changes of others. A saved edit stays an edit until the server acknowledges it, also when it is set back. In a
// unit, a query sends edits to the rows too.

extension EntityContext {
  /// Whether setting a property takes back an edit of it that is not saved.
  ///
  /// - Parameters:
  ///   - old: The value that the property has.
  ///   - new: The value that it is about to have.
  @usableFromInline func undoesEdit(of state: ObjectState, _ index: Int, from old: StoredValue, to new: StoredValue)
    -> Bool
  {
    // The row may not have the value that a save under way is to write.
    let isInRow = !state.isInserted && !state.saving.contains(index)
    guard state.dirty.contains(index) else {
      state.setBase(old, row: isInRow ? old : nil, of: index)
      return false
    }
    guard isInRow, !edits.isOnItsWay(state) else { return false }
    if state.bases.row(of: index) == nil {
      // A merge changed it, or the edit was given back by a save.
      do {
        let row = try edits.rowValue(state, index)
        // An edit of a response's unsaved value is based on what the row has.
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

  /// Whether an edit of a property is based on the value that the property has.
  @usableFromInline func remembersEdits(of state: ObjectState, _ index: Int) -> Bool {
    // A new object has no row.
    arrival.update == nil && state.life != .new
  }
}

extension ContextEditing {
  /// Takes the column off the edited ones.
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

  /// Whether a request carries its edits: a value that is set back then differs from the value that the server is about
  /// to have.
  func isOnItsWay(_ state: ObjectState) -> Bool {
    state.forgetSent()
    return !state.sent.isEmpty
  }

  fileprivate func rowValue(_ state: ObjectState, _ index: Int) throws -> StoredValue? {
    try rowValues(state, ColumnMask(index))?[index]
  }

  /// The present values of a row; `nil` where it is gone.
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
  /// Others changed columns: the present values of the row are read again when they are needed. The edits are still based
  /// on the values from before.
  func forgetRowValues(_ mask: ColumnMask) {
    guard !bases.isEmpty else { return }
    var left = bases
    left.forgetRow(mask)
    bases = left
  }

  /// The edits of columns are over, or based on nothing that is known.
  func forgetBases(_ mask: ColumnMask) {
    guard !bases.isEmpty else { return }
    var left = bases
    left.remove(mask)
    bases = left
  }

  /// - Parameter row: The present value of the row; `nil` where it is not known.
  func setBase(_ base: StoredValue?, row: StoredValue?, of index: Int) {
    var all = bases
    all.set(base, row: row, of: index)
    bases = all
  }

  /// - Parameter row: The present value of the row of an edited column; `nil` where it is not known.
  func setRow(_ row: StoredValue?, of index: Int) {
    var all = bases
    all.setRow(row, of: index)
    bases = all
  }

  /// The row may have a value of an edited column by the context's own doing: a request carries it, and its answer writes it, or
  /// the context has written it while the column was edited.
  func addOwn(_ value: StoredValue, of index: Int, by request: SentEdits.Marker? = nil) {
    guard !bases.isEmpty else { return }
    var all = bases
    all.add(value, of: index, by: request)
    bases = all
  }

  /// Properties were set here, or lists were: requests that carry others of their values do not carry these.
  func noteSet(_ mask: ColumnMask) {
    guard !sent.isEmpty else { return }
    for marker in sent { marker.set(mask) }
  }

  /// The server has got a value that a request carried: an edit on top of it is based on that from now on.
  func moveBase(toValueOf request: SentEdits.Marker, of index: Int) {
    guard !bases.isEmpty else { return }
    var all = bases
    all.move(toValueOf: request, of: index)
    bases = all
  }

  /// Forgets the requests that have ended.
  func forgetSent() { sent = sent.filter { !$0.isOver } }
}
