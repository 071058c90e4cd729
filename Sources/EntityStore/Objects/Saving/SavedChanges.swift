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

extension ContextSaving {
  /// Takes all unsaved changes, as plain values and with the objects that have them.
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

  /// - Parameter values: The values of the object in the columns that are written.
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
    context.saves.savesBegun += 1
    var dropped: [any ManagedEntity] = []
    var saved = SavedChanges(number: context.saves.savesBegun)
    saved.set.isOfUnit = context.kind == .unit
    saved.set.isOfResponse = context.isOfResponse
    saved.set.author = context.author
    // Nobody but a response has its objects in the order of their links: the order of a save decides which error it throws.
    let numbers = context.isOfResponse ? context.core.schema.writeOrder : Array(context.unsaved.changed.indices)
    for number in numbers where !context.unsaved.changed[number].isEmpty {
      let all = context.unsaved.changed[number].all
      // In the order the objects were made: a save writes the same rows the same way each time.
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

// The parts of a save that one object may have.
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
    // Some objects are kept for a save that is under way, with nothing new.
    let isFilled = state.flags.contains(.filled) && isComplete(state)
    return state.life == .new || isFilled || !state.dirty.isEmpty ? .change : .none
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
