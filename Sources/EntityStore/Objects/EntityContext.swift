/// A view of the store through objects: one object per row, loaded when it is needed, changed in memory, saved together.
///
/// A context is used where it comes from: `store.main` on the main actor, others within the closure that gets them. It
/// is synchronous; nothing happens between two of its calls. Objects of one context are not for another one: hand over
/// their ``ManagedEntity/entityID``.
public final class EntityContext {
  package enum Kind: Sendable {
    case main, unit, reading
  }

  package let core: StoreCore
  package let kind: Kind
  let connection: Connection
  /// Takes this context's changes, where it is the context of a unit of work.
  package let rows: RowWriter?
  /// Whether the context is of the unit that takes in a response. All of that is written or nothing, so it has no part
  /// that could be kept or rolled back by itself.
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

  /// Whether a setter of a type that is stored so is to look at the arriving value first.
  @inlinable @inline(__always) func isArriving(_ form: _AttributeForm) -> Bool {
    form == .raw && arrival.attention.bits & 2 != 0
  }

  // MARK: Parts

  // Those that EntityRequests uses are inlined there: a call would count a reference to the context.

  /// The links of one object to another, and those who hold it.
  var relations: ContextRelations { ContextRelations(context: self) }
  /// To-many relationships: members, pairs, places.
  @inlinable @inline(__always) package var lists: ContextLists { ContextLists(context: self) }
  /// Changes of properties, before they are saved.
  @inlinable @inline(__always) package var edits: ContextEditing { ContextEditing(context: self) }
  /// The tables of the values that are not saved, for queries.
  var overlay: ContextOverlay { ContextOverlay(context: self) }
  /// The edits that a server is yet to hear of.
  @inlinable @inline(__always) package var pendingEdits: ContextPendingEdits { ContextPendingEdits(context: self) }
  /// Changes of many rows by a query.
  var bulk: ContextBulkChanges { ContextBulkChanges(context: self) }
  /// Objects that are made, and loose ones that are taken in.
  var entrants: ContextEntrants { ContextEntrants(context: self) }
  /// Reads of the file: faults, prefetching, related objects.
  @inlinable @inline(__always) package var reading: ContextReading { ContextReading(context: self) }
  /// Values of responses in objects.
  @inlinable @inline(__always) package var answers: ContextAnswers { ContextAnswers(context: self) }
  /// Saves and rollbacks.
  @inlinable @inline(__always) package var saving: ContextSaving { ContextSaving(context: self) }
  /// Undo and redo of saves.
  var undoing: ContextUndoing { ContextUndoing(context: self) }
  /// The commits of others.
  var merging: ContextMerging { ContextMerging(context: self) }
  /// Those who observe objects.
  var observers: ContextObservers { ContextObservers(context: self) }
  /// Drafts and children, and their parent.
  @inlinable @inline(__always) package var family: ContextFamily { ContextFamily(context: self) }

  // MARK: Settings

  /// Whether a loop that reads a related object of each object reads some of them ahead. Lists are read ahead only where a
  /// query asks for it, see ``EntityQuery/prefetching(_:)``.
  public var batchesFaults: Bool {
    get { loaded.batchesFaults }
    set { loaded.batchesFaults = newValue }
  }

  /// Decides what a save of this context does with properties that others changed since they were edited here, where
  /// neither the entity nor the save says otherwise; see ``ConflictPolicy``. A unit of work needs none: nobody else
  /// changes a row while it runs.
  public var conflictPolicy: ConflictPolicy {
    get { saves.conflictPolicy }
    set { saves.conflictPolicy = newValue }
  }

  /// Whose commits the saves of this context are in the history of the store; `nil` for ``StoreOptions/author``. For the main
  /// context, and for the context of a unit of work.
  public var author: String? {
    get { saves.author }
    set {
      saves.author = newValue
      rows?.author = newValue
    }
  }

  // MARK: Objects

  /// Marks an object as deleted; saving deletes its row and follows the delete rules. Of an object that is deleted
  /// already, edits that were not saved are dropped.
  ///
  /// No server hears of it by itself. Until one has, no response brings the object back; ``EntityStore/pending`` lists the
  /// deletion, and the verb `delete()` of the object sends it. A response of its parent brings an object without uid back: it
  /// is taken out of the relationship of its parent instead, and the relationship is sent.
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
    // The merge that comes with it may have found it deleted.
    if state.life == .deleted { return edits.forgetEdits(of: object) }
    let isUnsaved = state.life == .new
    state.delete()
    if isUnsaved {
      // Never saved: nothing but this context knows of it, and a request that carries it.
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
    // Only now that all is said and done: observers may save, or delete too.
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

  /// Whether a save would write anything.
  public var hasChanges: Bool { unsaved.changed.contains { !$0.isEmpty } }

  /// Whether the store that this is the main context of is gone, or the closure that it was made for has ended.
  var isDetached: Bool { saves.isOver || (kind == .main && (core.phase != .open || core.listener == nil)) }

  /// Why nothing can be done with a context that is detached.
  var detachment: StoreError { core.phase == .open ? StoreError.contextWithoutStore : .closed(core.location) }

  /// Ends the context of a unit or of a read: nothing can be done with it any more, and it lets go of its objects, which
  /// hold it.
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
    saves.due = DueHooks()
    arrival.update = nil
    rows?.observers.remove(self)
    rows?.uniqueness.valueTaken = nil
    rows?.uniqueness.mayGiveUp = nil
  }
}
