/// The changes that a save took from its context, to be ended or given back.
struct SavedChanges {
  struct Entry {
    let object: any ManagedEntity
    let state: ObjectState
    let mask: ColumnMask
    let fromResponse: ColumnMask
    /// The values that the object's edits are based on. Empty in a unit, in whose transaction nobody else changes a
    /// row.
    var bases: EditBases
    let wasInserted: Bool
    let wasFilled: Bool
    /// Whether the object has no row yet: this save inserts it, or one under way does.
    let isNew: Bool
  }

  let number: Int
  /// Its rows are those of `objects`, in the same order, once `addRows` has added them.
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

  /// The base values of an object's edit of a column.
  func bases(of object: any ManagedEntity, _ column: Int) -> [StoredValue] {
    index.of(self).places[ObjectIdentifier(object)].map { objects[$0].bases.known(of: column) } ?? []
  }

  /// The places of the objects. Made when first needed: most saves end without a question while they are under way.
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

extension ContextSaving {
  /// Takes all unsaved changes: as plain values, and as objects.
  ///
  /// - Throws: ``StoreError`` of kind `objectDeleted`; nothing is taken then.
  func collectChanges(_ policies: ConflictPolicies = ConflictPolicies()) throws -> SavedChanges {
    var saved = try collectObjects(policies)
    saved.set.policies = policies
    addRows(to: &saved)
    if context.kind == .main { context.saves.inFlight.append(saved) }
    return saved
  }

  /// Adds the values of the objects that a save has taken.
  func addRows(to saved: inout SavedChanges) {
    saved.set.rows = saved.objects.map { row(of: $0, $0.object.values(columns(of: $0))) }
  }

  /// - Parameter values: The values of the object in the columns to write.
  func row(of entry: SavedChanges.Entry, _ values: RowValues) -> ChangeSet.Row {
    let state = entry.state
    return ChangeSet.Row(
      entity: state.model.number, pk: state.pk, values: values,
      editedLists: entry.mask.intersection(state.model.lists.union(state.model.ordered)),
      lists: state.hasLists ? state.lists.filter { entry.mask.contains($0.key) } : [:],
      fromResponse: entry.fromResponse, bases: entry.bases,
      isInserted: entry.isNew, traits: traits(of: entry))
  }

  private func traits(of entry: SavedChanges.Entry) -> InsertionTraits {
    let flags = entry.state.flags
    var traits: InsertionTraits = isComplete(entry.state) ? [] : .incomplete
    if flags.contains(.placeholder) { traits.insert(.placeholder) }
    if flags.contains(.isOfServer) { traits.insert(.ofServer) }
    if flags.contains(.takesOver) { traits.insert(.takingOver) }
    if entry.isNew, flags.contains(.hasFreeUID) { traits.insert(.freeUID) }
    return traits
  }

  /// The columns of a taken object to write.
  func columns(of entry: SavedChanges.Entry) -> ColumnMask {
    // A save under way that inserts the object may yet fail or be cancelled. Then this save inserts the whole object.
    entry.isNew ? entry.state.unsaved : entry.mask
  }

  /// Whether an object is complete. It may be incomplete while a response is read into it, if it requires another
  /// object.
  func isComplete(_ state: ObjectState) -> Bool { !state.reading.isUnderWay || state.model.required.isEmpty }

  /// Takes the objects that have unsaved changes. If others deleted an object and the policy lets its edits give way,
  /// the edits are dropped.
  ///
  /// - Parameter policies: `nil` in a unit.
  /// - Throws: ``StoreError`` of kind `objectDeleted`; nothing is taken then.
  func collectObjects(_ policies: ConflictPolicies? = nil) throws -> SavedChanges {
    context.saves.savesBegun += 1
    var dropped: [any ManagedEntity] = []
    var saved = SavedChanges(number: context.saves.savesBegun)
    saved.set.isOfUnit = context.kind == .unit
    saved.set.isOfResponse = context.isOfResponse
    saved.set.author = context.author
    // Only the objects of a response are written in the order of their links. A save of the app keeps the order of the
    // entities, which decides which error it throws.
    let numbers = context.isOfResponse ? context.core.schema.writeOrder : Array(context.unsaved.changed.indices)
    for number in numbers where !context.unsaved.changed[number].isEmpty {
      let all = context.unsaved.changed[number].all
      // In the order in which the objects were made, so that a save always writes its rows in the same order.
      for pk in all.sortedRows {
        guard let object = all[pk] else { continue }
        switch part(of: object, policies) {
        case .none: continue
        case .dropped: dropped.append(object)
        case .refused: throw Self.changedAfterDeletion(object._$state)
        case .deletion: collectDeletion(of: object, into: &saved)
        case .change: collectChange(of: object, into: &saved)
        }
      }
    }
    saved.discarded = context.unsaved.discarded
    saved.set.deleted += context.unsaved.discarded.map { .init(entity: $0._$state.model.number, pk: $0._$state.pk) }
    context.unsaved.discarded = []
    for state in saved.objects.lazy.map(\.state) { state.beginSave() }
    for object in dropped { dropChanges(of: object) }
    return saved
  }
}

// The ways in which a save can treat one object.
extension ContextSaving {
  private enum Part {
    case none, change, deletion
    /// The edits of a deleted object, which give way.
    case dropped
    /// The edits of a deleted object, which fail the save.
    case refused
  }

  private func part(of object: any ManagedEntity, _ policies: ConflictPolicies?) -> Part {
    let state = object._$state
    guard !state.flags.contains(.editedAfterDelete) else { return .refused }
    if state.life == .deleted {
      guard !state.dirty.isEmpty else { return .none }
      let yields = policies?.policy(for: state.model).yieldsToDeletion(of: state.model, state.dirty)
      return yields == true ? .dropped : .refused
    }
    if state.isDeleting { return isDeletedByASave(object) ? .none : .deletion }
    // Some objects are held only for a save under way, and have no new changes.
    let isFilled = state.flags.contains(.filled) && isComplete(state)
    return state.life == .new || isFilled || !state.dirty.isEmpty ? .change : .none
  }

  /// Whether there are changes that no save under way has taken.
  var hasUntakenChanges: Bool {
    context.unsaved.changed.contains { changed in
      changed.all.values.contains { object in
        switch part(of: object, nil) {
        case .none: false
        // A save has not yet ended that an object is filled.
        case .change where object._$state.life != .new && object._$state.dirty.isEmpty:
          !context.saves.inFlight.contains { $0.fills(object) }
        case .change, .deletion, .dropped, .refused: true
        }
      }
    }
  }

  private static func changedAfterDeletion(_ state: ObjectState) -> StoreError {
    StoreError(
      .objectDeleted,
      "An object of '\(state.model.name)' (row \(state.pk)) was changed, but is deleted. Check isDeleted, and drop the "
        + "change with `rollback(_:)`.", objects: [state.id])
  }

  private func collectDeletion(of object: any ManagedEntity, into saved: inout SavedChanges) {
    let state = object._$state
    let key = RowKey(entity: state.model.number, pk: state.pk)
    saved.set.deleted.append(key)
    if state.flags.contains(.deletedThere) { saved.set.deletedThere.insert(key) }
    saved.deleted.append(object)
    if state.model.isLinks, let link = object as? LinkRow, !link.isFromResponse {
      saved.set.unlinked.append((key, link.endedSide))
    }
  }

  private func collectChange(of object: any ManagedEntity, into saved: inout SavedChanges) {
    let state = object._$state
    saved.objects.append(
      .init(
        object: object, state: state, mask: state.dirty, fromResponse: state.fromResponse,
        bases: savedBases(of: object, state), wasInserted: state.life == .new,
        wasFilled: state.flags.contains(.filled) && isComplete(state), isNew: state.isInserted))
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
