/// The changes that a save took from its context, to be ended or given back.
struct SavedChanges {
  struct Entry {
    let object: any ManagedEntity
    let state: ObjectState
    let mask: ColumnMask
    let fromResponse: ColumnMask
    /// The values that its edits are based on. In the transaction of a unit nobody else changes a row, so that there are
    /// none.
    var bases: EditBases
    let wasInserted: Bool
    let wasFilled: Bool
    /// Whether its row is inserted: by this save, or by one that is under way.
    let isNew: Bool
  }

  let number: Int
  /// Its rows are those of `objects`, in their order, where they were asked for.
  var set = ChangeSet()
  var objects: [Entry] = []
  var deleted: [any ManagedEntity] = []
  var discarded: [any ManagedEntity] = []

  private let index = Index()

  init(number: Int) { self.number = number }

  func deletes(_ object: any ManagedEntity) -> Bool {
    index.of(self).deleted.contains(ObjectIdentifier(object))
  }

  func fills(_ object: any ManagedEntity) -> Bool {
    index.of(self).places[ObjectIdentifier(object)].map { objects[$0].wasFilled } ?? false
  }

  func values(of object: any ManagedEntity) -> RowValues? {
    index.of(self).places[ObjectIdentifier(object)].map { set.rows[$0].values }
  }

  /// The values that its edit of a column is based on.
  func bases(of object: any ManagedEntity, _ column: Int) -> [StoredValue] {
    index.of(self).places[ObjectIdentifier(object)].map { objects[$0].bases.known(of: column) } ?? []
  }

  /// Where its objects are. It is asked while the save is under way, which most saves never are.
  private final class Index {
    private var known: (places: [ObjectIdentifier: Int], deleted: Set<ObjectIdentifier>)?

    func of(_ saved: SavedChanges) -> (places: [ObjectIdentifier: Int], deleted: Set<ObjectIdentifier>) {
      if let known { return known }
      let places = saved.objects.enumerated().map { (ObjectIdentifier($0.element.object), $0.offset) }
      let new = (
        Dictionary(places, uniquingKeysWith: { first, _ in first }), Set(saved.deleted.map { ObjectIdentifier($0) })
      )
      known = new
      return new
    }
  }
}

extension EntityContext {
  /// Takes all unsaved changes, as plain values and with the objects that have them.
  ///
  /// - Throws: ``StoreError`` of kind `objectDeleted`; nothing is taken then.
  func collectChanges(_ policies: ConflictPolicies = ConflictPolicies()) throws -> SavedChanges {
    var saved = try collectObjects(policies)
    saved.set.policies = policies
    addRows(to: &saved)
    if kind == .main { inFlight.append(saved) }
    return saved
  }

  /// Adds the values of the objects that a save has taken.
  func addRows(to saved: inout SavedChanges) {
    saved.set.rows = saved.objects.map { row(of: $0, $0.object.values(columns(of: $0))) }
  }

  /// - Parameter values: The values of the object in the columns that are written.
  func row(of entry: SavedChanges.Entry, _ values: RowValues) -> ChangeSet.Row {
    let state = entry.state
    return ChangeSet.Row(
      entity: state.model.number, pk: state.pk, values: values,
      editedLists: entry.mask.intersection(state.model.lists.union(state.model.ordered)),
      lists: state.hasLists ? state.lists.filter { entry.mask.contains($0.key) } : [:],
      fromResponse: entry.fromResponse, bases: entry.bases, isInserted: entry.isNew,
      isPlaceholder: state.flags.contains(.placeholder), isComplete: isComplete(state),
      takesOver: state.flags.contains(.takesOver),
      hasFreeUID: entry.isNew && state.flags.contains(.hasFreeUID))
  }

  /// The columns of a taken object that are written.
  func columns(of entry: SavedChanges.Entry) -> ColumnMask {
    // A save under way that inserts it may yet fail or be cancelled: then this one inserts it whole.
    entry.isNew ? entry.state.unsaved : entry.mask
  }

  /// An object that a response is still read into is not complete yet, if it requires another one that may come later.
  func isComplete(_ state: ObjectState) -> Bool { !state.reading.isUnderWay || state.model.required.isEmpty }

  /// Takes the objects that have unsaved changes. The edits of an object that others deleted are dropped where the policy
  /// says that such edits give way.
  ///
  /// - Parameter policies: `nil` in a unit.
  /// - Throws: ``StoreError`` of kind `objectDeleted`; nothing is taken then.
  func collectObjects(_ policies: ConflictPolicies? = nil) throws -> SavedChanges {
    savesBegun += 1
    var dropped: [any ManagedEntity] = []
    var saved = SavedChanges(number: savesBegun)
    saved.set.isOfUnit = kind == .unit
    // Nobody but a response has its objects in the order of their links: the order of a save decides which error it throws.
    let numbers = isOfResponse ? core.schema.writeOrder : Array(changed.indices)
    for number in numbers where !changed[number].isEmpty {
      let all = changed[number].all
      // In the order the objects were made: a save writes the same rows the same way each time.
      for pk in all.sortedRows {
        guard let object = all[pk] else { continue }
        let state = object._$state
        let isEdited = !state.dirty.isEmpty && state.life == .deleted
        if isEdited, !state.flags.contains(.editedAfterDelete), let policies,
          policies.policy(for: state.model).yieldsToDeletion(of: state.model, state.dirty)
        {
          dropped.append(object)
          continue
        }
        guard !isEdited, !state.flags.contains(.editedAfterDelete) else {
          throw StoreError(
            .objectDeleted,
            "An object of '\(state.model.name)' (row \(pk)) was changed, but is deleted. Check isDeleted, and drop the "
              + "change with `rollback(_:)`.", objects: [state.model.id(pk)])
        }
        guard state.life != .deleted else { continue }
        if state.isDeleting {
          guard !isDeletedByASave(object) else { continue }
          saved.set.deleted.append(.init(entity: number, pk: pk))
          if state.flags.contains(.deletedThere) { saved.set.deletedThere.insert(.init(entity: number, pk: pk)) }
          saved.deleted.append(object)
          if state.model.isLinks, let link = object as? LinkRow, !link.isFromResponse {
            saved.set.unlinked.append((.init(entity: number, pk: pk), link.endedSide))
          }
          continue
        }
        let isInserted = state.life == .new
        let isFilled = state.flags.contains(.filled) && isComplete(state)
        // Kept for a save that is under way, with nothing new.
        guard isInserted || isFilled || !state.dirty.isEmpty else { continue }
        saved.objects.append(
          .init(
            object: object, state: state, mask: state.dirty, fromResponse: state.fromResponse,
            bases: savedBases(of: object, state), wasInserted: isInserted, wasFilled: isFilled, isNew: state.isInserted)
        )
      }
    }
    saved.discarded = discarded
    saved.set.deleted += discarded.map { .init(entity: $0._$state.model.number, pk: $0._$state.pk) }
    discarded = []
    for state in saved.objects.lazy.map(\.state) { state.beginSave() }
    for object in dropped { dropChanges(of: object) }
    return saved
  }

  /// The changes are committed.
  ///
  /// - Parameter written: For each row, what the save made of it.
  func end(_ saved: SavedChanges, _ written: [ChangeSet.Written]) {
    inFlight.removeAll { $0.number == saved.number }
    if kind == .main { keptLists = KeptLists() }
    var areOver = isOfResponse && saved.deleted.isEmpty
    // The entries are not copied: each has two references to be counted.
    for place in saved.objects.indices {
      let state = saved.objects[place].state
      state.saving.subtract(saved.objects[place].mask)
      if rows?.marksNothing == true {
        state.edited.subtract(written[place].changed)
        state.flags.remove(.madeHere)
      } else {
        state.edited.formUnion(
          written[place].changed.subtracting(saved.objects[place].fromResponse).subtracting(state.model.unmarked))
      }
      if state.hasLists { state.lists = state.lists.filter { state.unsaved.contains($0.key) } }
      if saved.objects[place].wasInserted {
        state.endInsertion()
        state.flags.remove(.hasFreeUID)
        if isMadeHere(saved.objects[place]) { state.flags.insert(.madeHere) }
      } else if saved.objects[place].isNew {
        // This save wrote it whole, though another one was to insert it.
        state.foundRow()
      }
      // One that was filled while the save was under way is still to be saved.
      if saved.objects[place].wasFilled { state.flags.remove(.filled) }
      let late = state.staleAfterSave.union(written[place].yielded).subtracting(state.unsaved)
      state.staleAfterSave = ColumnMask()
      if !late.isEmpty {
        state.stale.formUnion(late.intersection(state.model.stored))
        for index in late.indices { notifyLater(saved.objects[place].object, index) }
      }
      if state.hasChanges || !state.saving.isEmpty { areOver = false }
    }
    if areOver, saved.objects.count == changed.reduce(0, { $0 + $1.count }) {
      // Most batches of a response leave nothing.
      for number in changed.indices where !changed[number].isEmpty { changed[number].removeAll() }
    } else {
      for entry in saved.objects { forget(entry.state) }
    }
    for object in saved.deleted {
      if !object._$state.flags.contains(.editedAfterDelete) { object._$state.dirty = ColumnMask() }
      markDeleted(object)
      forget(object._$state)
    }
    // A pair that was taken out and put back meanwhile is what the row has.
    if kind == .main, hasChanges {
      for entry in saved.objects where entry.wasInserted {
        if let link = entry.object as? LinkRow { endUndoneLists(with: link) }
      }
    }
    for place in saved.objects.indices where !written[place].yielded.isEmpty {
      tellYielded(saved.objects[place], written[place].yielded)
    }
    if !liveQueries.isEmpty { liveQueries.noteMarks(of: Set(saved.objects.map(\.state.model.number))) }
    deliver()
  }

  /// Whether the row of an object that was inserted says that it was made here.
  private func isMadeHere(_ entry: SavedChanges.Entry) -> Bool {
    guard !isOfResponse, rows?.marksNothing != true else { return false }
    let state = entry.state
    guard !state.model.isLinks, !state.flags.contains(.placeholder) else { return false }
    return state.model.uid.map { !entry.fromResponse.contains($0) } ?? true
  }

  /// The changes are not committed: they are unsaved again.
  func restore(_ saved: SavedChanges) {
    inFlight.removeAll { $0.number == saved.number }
    keptLists.dropAll()
    discarded += saved.discarded
    var withdrawn: [any ManagedEntity] = []
    for entry in saved.objects {
      let state = entry.object._$state
      giveBackBases(of: entry)
      state.saving.subtract(entry.mask)
      state.staleAfterSave.subtract(entry.mask)
      // A column that was edited since has its own word on where it comes from.
      state.fromResponse.formUnion(entry.fromResponse.subtracting(state.dirty))
      state.dirty.formUnion(entry.mask)
      listsChanged(of: entry.object, entry.mask)
      if state.life == .withdrawn { withdrawn.append(entry.object) }
      if entry.wasInserted {
        state.failInsertion()
        // There is no row that another one could change.
        state.bases = EditBases()
      }
      keepUntilSaved(entry.object)
      // It turned out to be another one meanwhile.
      if state.life == .deleted, state.forwardedTo != 0 { moveEdits(of: entry.object, to: state.forwardedTo) }
    }
    for object in saved.deleted { keepUntilSaved(object) }
    for object in withdrawn { endNeverSaved(object) }
  }

  /// The save that was to insert an object failed, and the object was deleted meanwhile: neither is a change.
  private func endNeverSaved(_ object: any ManagedEntity) {
    if let link = object as? LinkRow {
      settleMembership(link)
      return endUndoneLists(with: link)
    }
    let state = object._$state
    discarded.append(object)
    rowPending(state.model, state.pk)
    endMemberships(of: state.pk, state.model)
    // An edit that came after the deletion stays, for the save that meets it to throw.
    if !state.flags.contains(.editedAfterDelete) { forgetEdits(of: object) }
  }

  /// Whether a save that is under way deletes it.
  func isDeletedByASave(_ object: any ManagedEntity) -> Bool { inFlight.contains { $0.deletes(object) } }

  func keepUntilSaved(_ object: any ManagedEntity) {
    let state = object._$state
    changed[state.model.number][state.pk] = object
    rowPending(state.model, state.pk)
  }

  /// Lets go of an object that has no changes left.
  private func forget(_ state: ObjectState) {
    // A unit's rows have the values of its objects; the row writer tells of all other changes. The result of a query is the
    // same before and after the save.
    rowPending(state.model, state.pk, leavesLists: kind == .unit, columns: ColumnMask())
    guard !state.hasChanges, state.saving.isEmpty else { return }
    changed[state.model.number][state.pk] = nil
  }
}

extension ObjectState {
  /// A save has taken the changes of the object.
  fileprivate func beginSave() {
    let mask = dirty
    bases = EditBases()
    saving.formUnion(mask)
    dirty = ColumnMask()
    fromResponse.subtract(mask)
    beginInsertion()
    guard !sent.isEmpty else { return }
    for marker in sent { marker.saved(mask) }
    forgetSent()
  }
}
