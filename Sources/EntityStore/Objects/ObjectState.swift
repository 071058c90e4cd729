public import Observation

/// The knowledge of a context about one of its objects, beside the values.
///
/// A fetch makes one for each row. So it has inline the facts that each object has; `ObjectHome` has those that the objects of
/// an entity share, and `ObjectWork` those that most have none of.
@_documentation(visibility: internal)
public final class ObjectState {
  // It changes once, when a loose object is inserted. `enter(_:as:in:)` writes and reads nothing meanwhile, so that accesses
  // need no check.
  @exclusivity(unchecked) @usableFromInline private(set) var home: ObjectHome
  /// The row id. The one of a loose object is negative, and no row's.
  @exclusivity(unchecked) @usableFromInline package private(set) var pk: Int64
  /// Why a getter or a setter must stop before it uses a slot, as bits. 1: somebody may observe the object. 2: values are to be
  /// loaded. It is 0 for a loaded object of a unit or a read, which has no registrar.
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
  /// The epoch of the context that `stale` is of: all of the entity may have been marked since, see
  /// ``ContextObservers/markAllStale(_:)``.
  var epoch: UInt32
  // The first 64 columns of three sets; the others stand in the ``ObjectWork``.
  @exclusivity(unchecked) private var firstEdited: UInt64 = 0
  @exclusivity(unchecked) private var firstDirty: UInt64 = 0
  @exclusivity(unchecked) private var firstFromResponse: UInt64 = 0
  /// Made at the first observable read: most objects are never observed.
  var observers: RowObservers?
  @usableFromInline var registrar: ObservationRegistrar? { observers?.registrar }
  @exclusivity(unchecked) private var work: ObjectWork?

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
    /// Getters tell of reads: somebody may observe them.
    static let observable = Flags(rawValue: 512)
    // Those of ``Reading``.
    static let isRead = Flags(rawValue: 1024)
    static let hasChangedLists = Flags(rawValue: 2048)
    static let hasChangedValues = Flags(rawValue: 4096)
  }

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
    home = context.map { $0.loaded.home(of: model, in: $0) } ?? ObjectHome(model, nil)
    self.pk = pk
    epoch = context?.news.epoch ?? 0
    storedLife = life
    if context?.kind == .main { flags.insert(.observable) }
    noteAttention()
  }

  /// The state of a loose object.
  convenience init(_ model: EntityModel, pk: Int64, loose: LooseGraph, observers: RowObservers? = nil) {
    self.init(model, pk: pk, context: nil, life: .new)
    self.loose = loose
    self.observers = observers
    flags.insert(.observable)
    noteAttention()
  }

  /// A loose object becomes one of a context.
  ///
  /// - Parameter pk: Its row id from then on.
  func enter(_ context: EntityContext, as model: EntityModel, pk: Int64) {
    home = context.loaded.home(of: model, in: context)
    self.pk = pk
    loose = nil
    epoch = context.news.epoch
    if context.kind == .main { flags.insert(.observable) } else { flags.remove(.observable) }
    noteAttention()
  }

  package var model: EntityModel { home.model }

  /// Whether something is to be loaded before a value is used: a bit of ``attention``.
  @inlinable @inline(__always) var isOutOfDate: Bool { attention.bits & 2 != 0 }

  private func noteAttention() {
    attention.set((flags.contains(.observable) ? 1 : 0) | (life == .fault || !stale.isEmpty ? 2 : 0))
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
  @inlinable package var context: EntityContext? { home.context }

  /// The object's untyped id.
  var id: AnyEntityID { model.id(pk) }

  /// Whether the object has changes of its own that a save would write.
  package var hasChanges: Bool { !dirty.isEmpty || isInserted || isDeleting || flags.contains(.filled) }

  /// Whether a save that has not ended has taken changes of the object.
  package var isBeingSaved: Bool { !saving.isEmpty || life == .inserting || life == .withdrawn }

  /// Whether a property was not edited here, saved or not; `false` where the object is to be loaded first.
  @inline(__always) func isUntouched(_ property: Int) -> Bool {
    !isOutOfDate && !edited.union(unsaved.subtracting(fromResponse)).contains(property)
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

// The sets of columns that an edit changes.
extension ObjectState {
  /// Edited and saved here, not yet acknowledged by the server.
  var edited: ColumnMask {
    get { ColumnMask(words: (firstEdited, work?.edited ?? 0)) }
    set {
      firstEdited = newValue.words.0
      if newValue.words.1 != 0 || work != nil { owned.edited = newValue.words.1 }
    }
  }

  /// Edited since the last save.
  var dirty: ColumnMask {
    get { ColumnMask(words: (firstDirty, work?.dirty ?? 0)) }
    set {
      firstDirty = newValue.words.0
      if newValue.words.1 != 0 || work != nil { owned.dirty = newValue.words.1 }
    }
  }

  /// Among the dirty ones: set from a response, so no local edit.
  var fromResponse: ColumnMask {
    get { ColumnMask(words: (firstFromResponse, work?.fromResponse ?? 0)) }
    set {
      firstFromResponse = newValue.words.0
      if newValue.words.1 != 0 || work != nil { owned.fromResponse = newValue.words.1 }
    }
  }

  /// The response that is being read into it, or was last.
  var reading: Reading {
    get {
      Reading(
        isUnderWay: flags.contains(.isRead), hasChangedLists: flags.contains(.hasChangedLists),
        hasChangedValues: flags.contains(.hasChangedValues))
    }
    set {
      flags.subtract([.isRead, .hasChangedLists, .hasChangedValues])
      if newValue.isUnderWay { flags.insert(.isRead) }
      if newValue.hasChangedLists { flags.insert(.hasChangedLists) }
      if newValue.hasChangedValues { flags.insert(.hasChangedValues) }
    }
  }
}

// Each is that of the ``ObjectWork``, where the object has one. A setter makes one for a value that is more than none.
extension ObjectState {
  /// The graph of a loose object, which is in no context.
  var loose: LooseGraph? {
    get { work?.loose }
    set { if newValue != nil || work != nil { owned.loose = newValue } }
  }

  /// Being saved right now, by a save that has not ended.
  var saving: ColumnMask {
    get { work?.saving ?? ColumnMask() }
    set { if !newValue.isEmpty || work != nil { owned.saving = newValue } }
  }

  /// Changed by a commit that was merged before the save that has the column ended; stale once it has.
  var staleAfterSave: ColumnMask {
    get { work?.staleAfterSave ?? ColumnMask() }
    set { if !newValue.isEmpty || work != nil { owned.staleAfterSave = newValue } }
  }

  /// The members that edited many-to-many relationships were set to, by property.
  var lists: [Int: Set<Int64>] {
    get { work?.lists ?? [:] }
    set { if !newValue.isEmpty || work != nil { owned.lists = newValue } }
    _modify { yield &owned.lists }
  }

  /// The values that the unsaved edits are based on.
  var bases: EditBases {
    get { work?.bases ?? EditBases() }
    set { if !newValue.isEmpty || work != nil { owned.bases = newValue } }
  }

  /// The row that the object turned out to be; 0 where it is itself.
  var forwardedTo: Int64 {
    get { work?.forwardedTo ?? 0 }
    set { if newValue != 0 || work != nil { owned.forwardedTo = newValue } }
  }

  /// The edits of the object that requests under way carry.
  var sent: [SentEdits.Marker] {
    get { work?.sent ?? [] }
    set { if !newValue.isEmpty || work != nil { owned.sent = newValue } }
    _modify { yield &owned.sent }
  }

  /// The values that properties have beside their slots, by index: JSON texts, and raw values that are none of their type's.
  var kept: [Int: KeptValue] {
    get { work?.kept ?? [:] }
    set { if !newValue.isEmpty || work != nil { owned.kept = newValue } }
    _modify { yield &owned.kept }
  }

  /// The positions in ordered relationships, by the index of their columns. The class of the object has no slots for them.
  var positions: [Int: Int64] {
    get { work?.positions ?? [:] }
    set { if !newValue.isEmpty || work != nil { owned.positions = newValue } }
    _modify { yield &owned.positions }
  }

  /// To be read again before the next use.
  var stale: ColumnMask {
    get { work?.stale ?? ColumnMask() }
    set {
      if !newValue.isEmpty || work != nil { owned.stale = newValue }
      // Most objects have nothing else there, and each of them becomes stale now and then.
      if newValue.isEmpty, work?.isEmpty == true { work = nil }
      noteAttention()
    }
  }

  private var owned: ObjectWork {
    if let work { return work }
    let made = ObjectWork()
    work = made
    return made
  }

  /// Whether there are any edited lists. Most entities have no such relationship, and the lists need not be looked at.
  var hasLists: Bool { !model.lists.isEmpty && !lists.isEmpty }
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
