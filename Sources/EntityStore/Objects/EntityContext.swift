/// A view of the store through objects: one object per row, loaded when it is needed, changed in memory, saved together.
///
/// A context is used where it comes from: `store.main` on the main actor, other contexts within the closure that gets
/// them. It is synchronous; nothing happens between two of its calls. An object belongs to one context: to use it in
/// another context, hand over its ``ManagedEntity/entityID``.
public final class EntityContext {
  package enum Kind: Sendable {
    case main, unit, reading
  }

  package let core: StoreCore
  package let kind: Kind
  let connection: Connection
  /// Writes the changes of this context, where it is the context of a unit of work.
  package let rows: RowWriter?
  /// Whether the context belongs to the unit that takes in a response. Such a unit is written as a whole or not at all,
  /// so no part of it can be kept or rolled back by itself.
  package let isOfResponse: Bool
  let lineage: ContextLineage
  let loaded: LoadedObjects
  let unsaved: UnsavedState
  @usableFromInline let arrival = ArrivalState()
  package let news: NewsState
  let saves = SaveState()

  init(
    _ core: StoreCore, kind: Kind, connection: Connection, rows: RowWriter? = nil, isOfResponse: Bool = false,
    parent: EntityContext? = nil
  ) {
    self.core = core
    self.kind = kind
    self.connection = connection
    self.rows = rows
    self.isOfResponse = isOfResponse
    let entities = core.schema.entities
    lineage = ContextLineage(core.nextContextID(), kind, parent: parent)
    loaded = LoadedObjects(entities, holdsYoung: isOfResponse)
    unsaved = UnsavedState(entities, isDoubtful: lineage.isOverlayUsed)
    news = NewsState(entities)
    rows?.observers.add(self)
    if let parent {
      news.mergedGeneration = parent.news.mergedGeneration
      conflictPolicy = parent.conflictPolicy
    }
  }

  /// True when a setter has to look at the arriving value first, for a type that is stored as a raw value.
  @inlinable @inline(__always) func isArriving(_ form: _AttributeForm) -> Bool {
    form == .raw && arrival.attention.bits & 2 != 0
  }

  // MARK: Parts

  // The parts that EntityRequests uses are inlined there: a call would count a reference to the context.

  /// The links of one object to another, and the objects that link to it.
  var relations: ContextRelations { ContextRelations(context: self) }
  /// To-many relationships: members, pairs, places.
  @inlinable @inline(__always) package var lists: ContextLists { ContextLists(context: self) }
  /// Changes of properties, before they are saved.
  @inlinable @inline(__always) package var edits: ContextEditing { ContextEditing(context: self) }
  /// The temporary tables with unsaved values, which queries read.
  var overlay: ContextOverlay { ContextOverlay(context: self) }
  /// The edits that the server does not have yet.
  @inlinable @inline(__always) package var pendingEdits: ContextPendingEdits { ContextPendingEdits(context: self) }
  /// Changes of many rows by a query.
  var bulk: ContextBulkChanges { ContextBulkChanges(context: self) }
  /// Insertion of new objects, and of loose ones.
  var entrants: ContextEntrants { ContextEntrants(context: self) }
  /// Reads of the file: objects, prefetching, related objects.
  @inlinable @inline(__always) package var reading: ContextReading { ContextReading(context: self) }
  /// Values of responses in objects.
  @inlinable @inline(__always) package var answers: ContextAnswers { ContextAnswers(context: self) }
  /// Saves and rollbacks.
  @inlinable @inline(__always) package var saving: ContextSaving { ContextSaving(context: self) }
  /// Undo and redo of saves.
  var undoing: ContextUndoing { ContextUndoing(context: self) }
  /// The commits of other contexts.
  var merging: ContextMerging { ContextMerging(context: self) }
  /// The observers of objects.
  var observers: ContextObservers { ContextObservers(context: self) }
  /// Drafts and children, and their parent.
  @inlinable @inline(__always) package var family: ContextFamily { ContextFamily(context: self) }

  // MARK: Settings

  /// Whether a loop that reads a related object of each object reads some of the related objects ahead. Lists are read
  /// ahead only where a query asks for it, see ``EntityQuery/prefetching(_:)``.
  public var batchesFaults: Bool {
    get { loaded.batchesFaults }
    set { loaded.batchesFaults = newValue }
  }

  /// The policy for properties that were edited here and changed by others since. A save of this context uses it where
  /// neither the entity nor the save has a policy; see ``ConflictPolicy``. A unit of work needs none: nobody else
  /// changes a row while it runs.
  public var conflictPolicy: ConflictPolicy {
    get { saves.conflictPolicy }
    set { saves.conflictPolicy = newValue }
  }

  /// The author of this context's commits in the history of the store; `nil` means ``StoreOptions/author``. It applies
  /// to the main context and to the context of a unit of work.
  public var author: String? {
    get { saves.author }
    set {
      saves.author = newValue
      rows?.author = newValue
    }
  }

  // MARK: Objects

  /// Marks an object as deleted; saving deletes its row and follows the delete rules. If the object is deleted already,
  /// its unsaved edits are dropped.
  ///
  /// The deletion alone sends no request. Until the server has the deletion, no response brings the object back.
  /// ``EntityStore/pending`` lists the deletion, and the verb `delete()` of the object sends it. An object without uid
  /// is an exception: a response of its parent brings it back. Take it out of its parent's relationship instead, and
  /// send the relationship.
  ///
  /// - Throws: ``StoreError``, of kind `readOnly` or `wrongContext`.
  public func delete<E: ManagedEntity>(_ object: E) throws {
    guard !saves.isOver else { throw StoreError.contextIsOver }
    if kind == .main { try core.checkOpen() }
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    let state = object._$state
    guard state.context === self else { throw StoreError.foreign(object) }
    if state.life == .deleted { return edits.forgetEdits(of: object) }
    guard !state.isDeleting else { return }
    fulfil(object)
    // `fulfil` merges commits, and one of them may have deleted the object.
    if state.life == .deleted { return edits.forgetEdits(of: object) }
    let isUnsaved = state.life == .new
    state.delete()
    if isUnsaved {
      // Never saved: only this context and a request that carries the object know of it.
      for marker in state.sent { marker.withdraw() }
      state.dirty = ColumnMask()
      state.fromResponse = ColumnMask()
      unsaved.letGo(of: state)
      unsaved.discarded.append(object)
    } else {
      unsaved.hold(object, state)
    }
    // A deleted membership leaves the lists on both sides.
    overlay.rowPending(state.model, state.pk, leavesLists: state.model.isLinks)
    observers.notifyLater(object, nil)
    // Observers are told last, as they may save or delete too.
    for property in state.model.properties {
      guard case .toOne = property.kind else { continue }
      relations.linkChanged(
        state.model, property.index, from: object.values(ColumnMask(property.index)).link(property.index), to: 0)
    }
    lists.tellLists(with: object)
    if isUnsaved { lists.endMemberships(of: state.pk, state.model) }
    observers.deliver()
  }

  /// The object with an id; `nil` when its row is gone.
  public func object<E: ManagedEntity>(_ id: EntityID<E>) throws -> E? {
    let model = try core.schema.model(E.self)
    if let object = loaded.objects[model.number][id.pk] as? E, object._$state.isInserted { return object }
    return try fetch(EntityQuery<E>(predicate: .rowID(id.pk), includesPlaceholders: true)).first
  }

  /// The objects with the given ids, in their order; those whose rows are gone are left out.
  public func objects<E: ManagedEntity>(_ ids: [EntityID<E>]) throws -> [E] {
    var found: [Int64: E] = [:]
    try merging.entry {
      for start in stride(from: 0, to: ids.count, by: 500) {
        let part = ids[start..<min(start + 500, ids.count)].map(\.pk)
        for object in try fetch(EntityQuery<E>(predicate: .rowIDs(part), includesPlaceholders: true)) {
          found[object._$state.pk] = object
        }
      }
    }
    return ids.compactMap { found[$0.pk] }
  }

  /// Whether a save would write anything. Changes that a save under way has taken do not count, unless it fails.
  public var hasChanges: Bool { holdsChanges && (saves.inFlight.isEmpty || saving.hasUntakenChanges) }

  /// Whether there are unsaved changes, or changes that a save under way has taken.
  var holdsChanges: Bool { unsaved.changed.contains { !$0.isEmpty } }

  /// True for a main context whose store is gone or closed, and for any other context whose closure has ended.
  var isDetached: Bool { saves.isOver || (kind == .main && (core.phase != .open || core.listener == nil)) }

  /// The error for calls on a detached context.
  var detachment: StoreError { core.phase == .open ? StoreError.contextWithoutStore : .closed(core.location) }

  /// Ends the context of a unit or of a read. Later calls throw. The context lets go of its objects, which hold it.
  package func finish() {
    saves.isOver = true
    for number in unsaved.changed.indices {
      unsaved.changed[number].removeAll()
      loaded.objects[number].endYouth()
    }
    loaded.dropHomes()
    unsaved.discarded = []
    saves.inFlight = []
    unsaved.contested = []
    news.notifications = []
    unsaved.keptLists = KeptLists()
    loaded.prefetched.dropAll()
    saves.due = DueCallbacks()
    arrival.update = nil
    rows?.observers.remove(self)
    rows?.uniqueness.valueTaken = nil
    rows?.uniqueness.mayGiveUp = nil
  }
}
