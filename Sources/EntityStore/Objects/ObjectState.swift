public import Observation

/// The knowledge of a context about one of its objects, beside the values.
public final class ObjectState {
  // These change once, when a loose object is inserted. `enter(_:as:in:)` writes each by itself and reads none meanwhile, so
  // that accesses need no check.
  @exclusivity(unchecked) package private(set) var model: EntityModel
  /// The row id. The one of a loose object is negative, and no row's.
  @exclusivity(unchecked) @usableFromInline package private(set) var pk: Int64
  /// The context of a unit or of a read. It lets go of its objects when its closure ends, so that no cycle stays.
  @exclusivity(unchecked) @usableFromInline private(set) var unit: EntityContext?
  /// The main context, which lives as long as its store.
  @usableFromInline weak var main: EntityContext?
  /// The graph of a loose object, which is in no context.
  var loose: LooseGraph?
  /// The duties of a getter or a setter before it looks at a slot, as bits; 0 for most objects: a loaded one of a unit or a
  /// read. Such an object has no registrar.
  @usableFromInline let attention = AttentionBits()
  /// Changed by the transitions of ``ObjectLife`` alone.
  var life: ObjectLife {
    get { storedLife }
    set {
      storedLife = newValue
      noteAttention()
    }
  }
  // Without observers, whose accesses the compiler can't prove to be exclusive.
  private var storedLife: ObjectLife
  // The sets of columns and of flags change in one step each: no access to them lasts while anything else runs, so that none
  // needs a check. Each setter makes several.
  @exclusivity(unchecked) var flags = Flags()
  /// Edited since the last save.
  @exclusivity(unchecked) var dirty = ColumnMask()
  /// Being saved right now, by a save that has not ended.
  @exclusivity(unchecked) var saving = ColumnMask()
  /// Edited and saved here, not yet acknowledged by the server.
  @exclusivity(unchecked) var edited = ColumnMask()
  /// Among the dirty ones: set from a response, so no local edit.
  @exclusivity(unchecked) var fromResponse = ColumnMask()
  /// To be read again before the next use.
  var stale: ColumnMask {
    get { storedStale }
    set {
      storedStale = newValue
      noteAttention()
    }
  }
  @exclusivity(unchecked) private var storedStale = ColumnMask()
  /// The epoch of the context that `stale` is of: all of the entity may have been marked since, see
  /// ``EntityContext/markAllStale(_:)``.
  var epoch: Int
  /// Changed by a commit that was merged before the save that has the column ended; stale once it has.
  var staleAfterSave = ColumnMask()
  /// Written by a newer answer; an older one leaves them alone.
  @exclusivity(unchecked) var newer = ColumnMask()
  /// Those of ``newer`` that no newer answer wrote: the mapping has set them and the update by hand must not.
  @exclusivity(unchecked) var settled = ColumnMask()
  /// Links that the object's place in a response says, as long as an update by hand has not set them to an object.
  @exclusivity(unchecked) package internal(set) var placed = ColumnMask()
  /// The members that edited many-to-many relationships were set to, by property.
  var lists: [Int: Set<Int64>] = [:]
  /// Whether there are any. Most entities have no such relationship, and the lists need not be looked at.
  var hasLists: Bool { !model.lists.isEmpty && !lists.isEmpty }
  /// The values that the unsaved edits are based on.
  // As `sent`, changed by assignment alone: each object of a save asks both, and the compiler then proves that accesses are
  // exclusive.
  var bases = EditBases()
  /// The response that is being read into it, or was last.
  @exclusivity(unchecked) var reading = Reading()
  var forwardedTo: Int64 = 0
  /// Made at the first observable read: most objects are never observed.
  var observers: RowObservers?
  @usableFromInline var registrar: ObservationRegistrar? { observers?.registrar }
  var sent: [SentEdits.Marker] = []
  /// The values that properties have beside their slots, by index: JSON texts, and raw values that are none of their
  /// type's.
  var kept: [Int: KeptValue] = [:]

  /// Facts beside the ``ObjectLife``. They are no stages of it, for an object of several stages may have each: a placeholder
  /// is `new`, `fault` or `saved`, and it is filled within that stage, by ``fill()``; an object that is edited after its
  /// deletion stays `deleting` or `withdrawn`, and ``dropEdits()`` ends that.
  struct Flags: OptionSet {
    let rawValue: UInt16
    static let placeholder = Flags(rawValue: 1)
    /// A placeholder that became an object here, which is not saved yet.
    static let filled = Flags(rawValue: 2)
    /// Edited after it was deleted here: the save throws.
    static let editedAfterDelete = Flags(rawValue: 4)
    /// Edited, and not acknowledged, in properties that only another version of the app declares.
    static let editedByOthers = Flags(rawValue: 8)
    /// Made by `upsert(_:uid:)`: it takes over a row that has got its uid since.
    static let takesOver = Flags(rawValue: 16)
    /// Made by the unit of a response, which has looked for a row with its uid and found none.
    static let hasFreeUID = Flags(rawValue: 32)
    /// Its row says that it was made here, and that no answer has shown that the server has it.
    static let madeHere = Flags(rawValue: 64)
    /// Deleted because a response, taken in by the context itself, said that the server has deleted it.
    static let deletedThere = Flags(rawValue: 128)
    /// Made for an object of a response that has no uid: the server has it, though nothing of it says so.
    static let isOfServer = Flags(rawValue: 256)
  }

  /// The positions in ordered relationships, by the index of their columns. The class of the object has no slots for them.
  var positions: [Int: Int64] = [:]

  /// A response that is read into an object.
  package struct Reading {
    /// Whether it is being read: what the object requires may be yet to come.
    var isUnderWay = false
    /// Whether a list of the object was changed by it.
    package internal(set) var hasChangedLists = false
    /// Whether a value of the object was.
    package internal(set) var hasChangedValues = false
  }

  init(_ model: EntityModel, pk: Int64, context: EntityContext?, life: ObjectLife) {
    self.model = model
    self.pk = pk
    let isOfMain = context?.kind == .main
    unit = isOfMain ? nil : context
    if isOfMain { main = context }
    epoch = context?.news.epoch ?? 0
    storedLife = life
    isObservable = isOfMain
    noteAttention()
  }

  /// The state of a loose object.
  convenience init(_ model: EntityModel, pk: Int64, loose: LooseGraph, observers: RowObservers? = nil) {
    self.init(model, pk: pk, context: nil, life: .new)
    self.loose = loose
    self.observers = observers
    isObservable = true
    noteAttention()
  }

  /// A loose object becomes one of a context.
  ///
  /// - Parameter pk: Its row id from then on.
  func enter(_ context: EntityContext, as model: EntityModel, pk: Int64) {
    let isOfMain = context.kind == .main
    self.model = model
    self.pk = pk
    if isOfMain { main = context } else { unit = context }
    loose = nil
    epoch = context.news.epoch
    isObservable = isOfMain
    noteAttention()
  }

  /// Whether getters tell of reads: somebody may observe them.
  private var isObservable: Bool

  /// Whether something is to be loaded before a value is used: a bit of ``attention``.
  @inlinable @inline(__always) var isOutOfDate: Bool { attention.bits & 2 != 0 }

  private func noteAttention() {
    attention.set((isObservable ? 1 : 0) | (life == .fault || !stale.isEmpty ? 2 : 0))
  }

  /// Sees to what a getter has to see to.
  ///
  /// - Returns: The registrar to be told of the read.
  @usableFromInline @inline(never) func prepareRead(of object: any ManagedEntity) -> ObservationRegistrar? {
    guard let context else { return loose?.registrar(of: self) }
    context.fulfil(object)
    return context.observers.observer(of: self)
  }

  /// The context that the object lives in; `nil` once the store is gone. The context of a unit stays, and is over.
  @inlinable package var context: EntityContext? { unit ?? main }

  /// The object's untyped id.
  var id: AnyEntityID { model.id(pk) }

  /// Whether the object has changes of its own that a save would write.
  package var hasChanges: Bool { !dirty.isEmpty || isInserted || isDeleting || flags.contains(.filled) }

  /// Whether a save that has not ended has taken changes of the object.
  package var isBeingSaved: Bool { !saving.isEmpty || life == .inserting || life == .withdrawn }

  /// Whether a property was neither edited here, saved or not, nor written by a newer answer; `false` where the object is to
  /// be loaded first.
  @inline(__always) func isUntouched(_ property: Int) -> Bool {
    !isOutOfDate
      && !edited.union(unsaved.subtracting(fromResponse)).union(newer).contains(property)
  }

  func loadPositions(_ row: RowReader) {
    for position in model.positions.indices where row.contains(position) { positions[position] = row.integer(position) }
  }

  func storePositions(into row: inout RowValues) {
    for position in model.positions.intersection(row.wanted).indices {
      row[position] = positions[position].map { .integer($0) } ?? .null
    }
  }

  /// The columns that neither a merge nor a re-read may overwrite.
  var unsaved: ColumnMask { dirty.union(saving) }

  /// Those of them that are local edits.
  var unsavedEdits: ColumnMask { unsaved.subtracting(fromResponse).subtracting(model.unmarked) }
}

// The questions and news of the mapping of responses. The variables themselves are the module's: the compiler then proves that
// their accesses are exclusive, and leaves out the checks.

extension ObjectState {
  /// The changes of the object by the response that was last read into it.
  package var lastReading: Reading { reading }

  /// A response begins to be read into the object.
  ///
  /// - Returns: Whether one was being read into it already, of which this is a part.
  package func beginReading() -> Bool {
    if reading.isUnderWay { return true }
    reading = Reading(isUnderWay: true)
    return false
  }

  /// The response, or a part of it, was read.
  ///
  /// - Parameter isUnderWay: Whether more is to come.
  package func endReading(isUnderWay: Bool) { reading.isUnderWay = isUnderWay }

  /// The response changed a list of the object.
  package func noteChangedList() { reading.hasChangedLists = true }

  /// The response said that the server has deleted the object.
  package func noteDeletedThere() { flags.insert(.deletedThere) }

  /// Whether a response is being read into the object.
  package var isReading: Bool { reading.isUnderWay }
}
