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
    guard state.dirty.contains(index) else {
      state.remember(old, index)
      return false
    }
    guard !isOnItsWay(state) else { return false }
    if state.originals[index] == nil {
      // A merge changed it, or the edit was given back by a save.
      do { state.remember(try rowValue(state, index), index) } catch { deferredError = error }
    }
    return state.originals[index]?.isIdentical(to: new) ?? false
  }

  /// Whether a later edit of a property may take this one back: the row's value is remembered for that.
  @usableFromInline func remembersEdits(of state: ObjectState, _ index: Int) -> Bool {
    // A new object has no row.
    update == nil && !state.isInserted && !state.saving.contains(index)
  }

  /// Takes the column off the edited ones.
  func endEdit(of object: any ManagedEntity, _ index: Int) {
    let state = object._$state
    state.dirty.remove(index)
    state.fromResponse.remove(index)
    state.remember(nil, index)
    state.lists[index] = nil
    if state.dirty.isEmpty { state.flags.remove(.editedAfterDelete) }
    rowPending(state.model, state.pk, leavesLists: true, columns: ColumnMask(index))
    if !state.hasChanges, !state.isBeingSaved { changed[state.model.number][state.pk] = nil }
    dropListsIfSaved()
  }

  /// Ends the edit of a list that has no unsaved membership left.
  func endUndoneList(of object: any ManagedEntity, _ list: Int) {
    let state = object._$state
    guard case .manyToMany(let membership, _) = state.model.properties[list].kind, state.dirty.contains(list),
      !state.isInserted, !state.saving.contains(list), !isOnItsWay(state)
    else { return }
    if !changed[membership.links].hasMemberships(membership.side, of: state.pk) { endEdit(of: object, list) }
  }

  /// Whether a request carries its edits: a value that is set back then differs from the value that the server is about
  /// to have.
  private func isOnItsWay(_ state: ObjectState) -> Bool {
    state.forgetSent()
    return !state.sent.isEmpty
  }

  private func rowValue(_ state: ObjectState, _ index: Int) throws -> StoredValue? {
    try entry(isGetter: true) {
      if let displaced = displacedValues(state), displaced.mask.contains(index) { return displaced[index] }
      let statement = try connection.prepare(state.model.selectByPK)
      defer { statement.reset() }
      try statement.bind(state.pk, at: 1)
      return try statement.step() ? statement.value(index + EntityModel.resultOffset) : nil
    }
  }
}

extension ObjectState {
  /// Others changed columns: the row's values of these are read again when they are needed.
  func forgetOriginals(_ mask: ColumnMask) {
    var left = originals
    left.remove(mask)
    originals = left
  }

  /// The row's value of an edited column; `nil` where it is not known.
  func remember(_ original: StoredValue?, _ index: Int) {
    var all = originals
    all[index] = original
    originals = all
  }

  /// Forgets the requests that have ended.
  func forgetSent() { sent = sent.filter { !$0.isOver } }
}

/// The row's values of edited columns, as far as they were asked for. An object has few of them: searching a list takes
/// less time than making a table.
struct Originals {
  private var values: [(index: Int, value: StoredValue)] = []

  subscript(index: Int) -> StoredValue? {
    get { values.first { $0.index == index }?.value }
    set {
      let place = values.firstIndex { $0.index == index }
      if let place { values.remove(at: place) }
      if let newValue { values.append((index, newValue)) }
    }
  }

  mutating func remove(_ mask: ColumnMask) {
    if !values.isEmpty { values.removeAll { mask.contains($0.index) } }
  }
}
