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
  let id: ContextID
  let connection: Connection
  /// The context that a child lies over, and saves to.
  let parent: EntityContext?
  var children = ChildContexts()
  /// The numbers of the tables of all children, those of their children too; `nil` where there are none.
  let overlayNumbers: OverlayNumbers?
  /// The number of a child's tables.
  let overlayNumber: Int
  /// Of the context at the top: whether a turn of the main actor is to tell the observers of its children.
  var isDeliveryScheduled = false
  /// Takes this context's changes, where it is the context of a unit of work.
  package let rows: RowWriter?

  let objects: [IdentityMap]
  /// The objects whose changes a save would write, by entity.
  let changed: [ChangedObjects]
  var pending: [PendingRows]
  /// Lists whose changes are unsaved.
  var keptLists = KeptLists()
  /// Related objects that were read ahead of their use.
  let prefetched = Prefetched()
  /// Whether a loop that reads a related object of each object reads some of them ahead. Lists are read ahead only where a
  /// query asks for it, see ``EntityQuery/prefetching(_:)``.
  public var batchesFaults = true
  var streaks = FaultStreaks()
  var due = DueHooks()
  var counters = ReadCounters()
  /// Whether a to-many relationship is being set, which gives its members their places.
  var isSettingList = false
  /// Deleted before they were ever saved. Others may hold links to them, for which the delete rules apply at the save.
  var discarded: [any ManagedEntity] = []
  /// Notes what changes, while a call runs that changes all or nothing.
  var journal: ChangeJournal?
  /// The changes that saves under way have taken.
  var inFlight: [SavedChanges] = []
  /// Objects with an edited list that others changed too.
  var contested: [any ManagedEntity] = []
  var savesBegun = 0
  /// Decides what a save of this context does with properties that others changed since they were edited here, where
  /// neither the entity nor the save says otherwise; see ``ConflictPolicy``. A unit of work needs none: nobody else
  /// changes a row while it runs.
  public var conflictPolicy = ConflictPolicy.standard
  /// Whose commits the saves of this context are in the history of the store; `nil` for ``StoreOptions/author``. For the main
  /// context, and for the context of a unit of work.
  public var author: String? { didSet { rows?.author = author } }
  /// The collisions that a unit had met when it last saved.
  var unitMark: RowWriter.Mark?
  /// Whether the closure that the context was made for has ended.
  private(set) var isOver = false
  /// Whether the context is of the unit that takes in a response. All of that is written or nothing, so it has no part
  /// that could be kept or rolled back by itself.
  package let isOfResponse: Bool
  /// Set while values from a response are written to objects.
  var update: ObjectUpdate? {
    get { storedUpdate }
    set {
      storedUpdate = newValue
      noteAttention()
    }
  }
  // It is read, assigned or exchanged, and nothing else runs meanwhile: no access needs a check.
  @exclusivity(unchecked) private var storedUpdate: ObjectUpdate?

  /// Takes `other` for the update that runs, and gives that one for it.
  func exchangeUpdate(_ other: inout ObjectUpdate?) {
    swap(&storedUpdate, &other)
    noteAttention()
  }

  /// Whether the update that runs is one of the object with this state, and keeps local edits.
  func isPlainUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.policy.keepsEdits } ?? false
  }

  /// As ``isPlainUpdate(of:)``, where no order of answers counts.
  func isOnlyUpdate(of state: ObjectState) -> Bool {
    storedUpdate.map { $0.state === state && $0.order == nil && $0.policy.keepsEdits } ?? false
  }

  /// A raw value that the next setter takes in place of the one it is given.
  var arriving: ArrivingValue? {
    get { storedArriving }
    set {
      storedArriving = newValue
      noteAttention()
    }
  }
  private var storedArriving: ArrivingValue?
  /// The duties of a setter of an equal value, as bits: 1 for an update from a response, 2 for a value that is arriving, 4
  /// for an absent key.
  @usableFromInline let attention = AttentionBits()
  /// Whether the update by hand that runs read an absent key last: the next setter is called with the value that the
  /// property has.
  var readsAbsent: Bool {
    get { attention.bits & 4 != 0 }
    set { attention.set(newValue ? attention.bits | 4 : attention.bits & ~4) }
  }
  /// Values for a call that sets few of them, whose memory is used again.
  var spareRow = RowValues(count: 0)
  /// Saved edits that the response overwrites, to be ended when its values are in the rows.
  var overwritten: [RowKey: Overwritten] = [:]
  /// A failure of a read that could not throw, thrown by the next call that can.
  var deferredError: (any Error)?
  /// Mistakes in setters, which can't throw: the next save does.
  var refusals = Refusals()
  /// Counts the times that all objects of an entity were marked stale.
  var epoch = 0
  /// The epoch in which that was last done, by entity.
  var markedEpochs: [Int]
  /// The observers that are to be told of it, and of changed rows.
  var telling: Telling
  /// Whether a commit is being taken over: observers are then told of it in turns.
  var isTakingOver = false
  /// How many rows and objects merges have gone through: the cost of merges.
  package internal(set) var rowsVisited = 0
  /// Results that are kept up to date.
  var liveQueries = LiveQueries()
  /// Registrars of rows whose objects may be gone.
  var observed = ObservedRows()
  private(set) lazy var observerQuestion = ObserverQuestion()
  /// Looks for what is kept of objects that are gone.
  var rounds = Rounds()
  var entryDepth = 0
  /// The last generation whose changes the objects know.
  package internal(set) var mergedGeneration: Int64 = 0
  var notifications: [Notification] = []
  /// Undoes saves; `nil` where nobody asked for it.
  var saveUndo: SaveUndoManager?
  var isSaving = false
  var saveWaiters: [CheckedContinuation<Void, Never>] = []

  /// An observable change, delivered when the context has ended its work.
  struct Notification {
    enum News {
      case property(Int)
      case deletion
      /// A request begins or ends to carry its edits.
      case sending
    }

    let object: any ManagedEntity
    let news: News
  }

  init(
    _ core: StoreCore, kind: Kind, connection: Connection, rows: RowWriter? = nil, isOfResponse: Bool = false,
    parent: EntityContext? = nil
  ) {
    self.core = core
    self.kind = kind
    self.connection = connection
    self.rows = rows
    self.isOfResponse = isOfResponse
    id = core.nextContextID()
    let count = core.schema.entities.count
    objects = (0..<count).map { _ in IdentityMap(holdsYoung: isOfResponse) }
    changed = core.schema.entities.map { ChangedObjects($0) }
    self.parent = parent
    overlayNumbers = parent?.overlayNumbers ?? (kind == .main ? OverlayNumbers() : nil)
    let overlay = parent?.overlayNumbers?.take() ?? (number: 0, isUsed: false)
    overlayNumber = overlay.number
    pending = Array(repeating: PendingRows(isDoubtful: overlay.isUsed), count: count)
    markedEpochs = Array(repeating: 0, count: count)
    telling = Telling(core.schema.entities.map(\.all))
    rows?.observers.add(self)
    if let parent {
      mergedGeneration = parent.mergedGeneration
      conflictPolicy = parent.conflictPolicy
    }
  }

  deinit { if overlayNumber > 0 { overlayNumbers?.give(back: overlayNumber) } }

  private func noteAttention() {
    attention.set(attention.bits & 4 | (update == nil ? 0 : 1) | (arriving == nil ? 0 : 2))
  }

  /// Whether a setter of a type that is stored so is to look at the arriving value first.
  @inlinable @inline(__always) func isArriving(_ form: _AttributeForm) -> Bool {
    form == .raw && attention.bits & 2 != 0
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
    guard !isOver else { throw Self.over }
    if kind == .main { try core.checkOpen() }
    guard kind != .reading else { throw Self.readOnly }
    let state = object._$state
    guard state.context === self else { throw Self.foreign(object) }
    if state.life == .deleted { return forgetEdits(of: object) }
    guard !state.isDeleting else { return }
    fulfil(object)
    // The merge that comes with it may have found it deleted.
    if state.life == .deleted { return forgetEdits(of: object) }
    let isUnsaved = state.life == .new
    state.delete()
    if isUnsaved {
      // Never saved: nothing but this context knows of it, and a request that carries it.
      for marker in state.sent { marker.withdraw() }
      state.dirty = ColumnMask()
      state.fromResponse = ColumnMask()
      changed[state.model.number][state.pk] = nil
      discarded.append(object)
    } else {
      changed[state.model.number][state.pk] = object
    }
    // A deleted membership leaves the lists on both sides.
    rowPending(state.model, state.pk, leavesLists: state.model.isLinks)
    notifyLater(object, nil)
    // Only now that all is said and done: observers may save, or delete too.
    for property in state.model.properties {
      guard case .toOne = property.kind else { continue }
      linkChanged(
        state.model, property.index, from: object.values(ColumnMask(property.index)).link(property.index), to: 0)
    }
    tellLists(with: object)
    if isUnsaved { endMemberships(of: state.pk, state.model) }
    deliver()
  }

  /// Drops the edits of an object whose row is gone: there is nothing to save them to.
  package func forgetEdits(of object: any ManagedEntity) {
    let state = object._$state
    guard state.life == .deleted, state.saving.isEmpty else { return }
    state.dropEdits()
    changed[state.model.number][state.pk] = nil
    rowPending(state.model, state.pk)
  }

  /// The object with an id; `nil` when its row is gone.
  public func object<E: ManagedEntity>(_ id: EntityID<E>) throws -> E? {
    let model = try core.schema.model(E.self)
    if let object = objects[model.number][id.pk] as? E, object._$state.isInserted { return object }
    return try fetch(EntityQuery<E>(predicate: .rowID(id.pk), includesPlaceholders: true)).first
  }

  /// The objects with the given ids, in their order; those whose rows are gone are left out.
  public func objects<E: ManagedEntity>(_ ids: [EntityID<E>]) throws -> [E] {
    var found: [Int64: E] = [:]
    try entry {
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
  public var hasChanges: Bool { changed.contains { !$0.isEmpty } }

  static var over: StoreError {
    StoreError(.wrongContext, "The unit of work is over; its context can't be used any more.")
  }

  static var readOnly: StoreError {
    StoreError(.readOnly, "A context of `read` can't change anything. Use `background` or the main context.")
  }

  /// Whether the store that this is the main context of is gone, or the closure that it was made for has ended.
  var isDetached: Bool { isOver || (kind == .main && (core.phase != .open || core.listener == nil)) }

  /// Why nothing can be done with a context that is detached.
  var detachment: StoreError { core.phase == .open ? Self.storeGone : .closed(core.location) }

  /// Ends the context of a unit or of a read: nothing can be done with it any more, and it lets go of its objects, which
  /// hold it.
  package func finish() {
    isOver = true
    for number in changed.indices {
      changed[number].removeAll()
      objects[number].endYouth()
    }
    discarded = []
    inFlight = []
    contested = []
    notifications = []
    keptLists = KeptLists()
    prefetched.dropAll()
    due = DueHooks()
    update = nil
    rows?.observers.remove(self)
    rows?.uniqueness.valueTaken = nil
    rows?.uniqueness.mayGiveUp = nil
  }

  static var storeGone: StoreError {
    StoreError(
      .storeGone, "The store is gone: nobody holds it any more. Hold it for as long as its objects are changed.")
  }

  static func foreign(_ object: any ManagedEntity) -> StoreError {
    if object._$state.loose != nil { return loose(object) }
    if object._$state.context == nil { return storeGone }
    return foreign(object._$state.model.name, object._$state)
  }

  static func foreign(_ entity: String, _ object: ObjectState? = nil) -> StoreError {
    StoreError(
      .wrongContext, "An object of '\(entity)' belongs to another context. Fetch it here by its entityID.",
      objects: object.map { [$0.id] } ?? [])
  }
}
