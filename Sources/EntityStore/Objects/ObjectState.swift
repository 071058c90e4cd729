public import Observation

/// The knowledge of a context about one of its objects, beside the values.
///
/// A fetch makes one for each row, so only the facts that every object has are stored inline. `ObjectHome` has the
/// facts that the objects of an entity share. `ObjectWork` has the facts that most objects lack.
@_documentation(visibility: internal)
public final class ObjectState {
  // It changes once, when a loose object is inserted. Nothing else reads or writes it during `enter(_:as:in:)`, so
  // accesses need no check.
  @exclusivity(unchecked) @usableFromInline private(set) var home: ObjectHome
  /// The row id. A loose object has a negative one, which no row has.
  @exclusivity(unchecked) @usableFromInline package private(set) var pk: Int64
  /// Bits that stop a getter or a setter before it uses a slot. 1: somebody may observe the object. 2: values have to
  /// be loaded. The bits are 0 for a loaded object of a unit or a read, which has no registrar.
  @usableFromInline let attention = AttentionBits()
  /// Only the transitions of ``ObjectLife`` change it.
  var life: ObjectLife {
    get { storedLife }
    set {
      storedLife = newValue
      noteAttention()
    }
  }
  // Stored without `willSet` or `didSet`: with them the compiler can't prove that accesses are exclusive.
  private var storedLife: ObjectLife
  // The sets of columns and of flags change in one step each. No access to them lasts while other code runs, so none
  // needs a check. Each setter makes several accesses.
  @exclusivity(unchecked) var flags = Flags()
  /// The context's epoch when `stale` was set. Since then ``ContextObservers/markAllStale(_:)`` may have marked the
  /// whole entity.
  var epoch: UInt32
  // The first 64 columns of three sets; the ``ObjectWork`` has the others.
  @exclusivity(unchecked) private var firstEdited: UInt64 = 0
  @exclusivity(unchecked) private var firstDirty: UInt64 = 0
  @exclusivity(unchecked) private var firstFromResponse: UInt64 = 0
  /// Made at the first observable read: most objects are never observed.
  var observers: RowObservers?
  @usableFromInline var registrar: ObservationRegistrar? { observers?.registrar }
  @exclusivity(unchecked) private var work: ObjectWork?

  /// Facts beside the ``ObjectLife``. They are flags and not stages of it, because an object can have each in several
  /// stages. A placeholder is `new`, `unloaded` or `saved`, and ``fill()`` changes no stage. An object that is edited
  /// after its deletion stays `deleting` or `withdrawn`, until ``dropEdits()`` ends the edit.
  struct Flags: OptionSet {
    let rawValue: UInt16
    static let placeholder = Flags(rawValue: 1)
    /// A placeholder that became an object here, which is not saved yet.
    static let filled = Flags(rawValue: 2)
    /// Edited after it was deleted here: the save throws.
    static let editedAfterDelete = Flags(rawValue: 4)
    /// Edited, and not acknowledged, in properties that only another version of the app declares.
    static let editedByOthers = Flags(rawValue: 8)
    /// Made by `upsert(_:uid:)`: the object takes over a row that got the same uid since.
    static let takesOver = Flags(rawValue: 16)
    /// Made by the unit of a response, which has looked for a row with its uid and found none.
    static let hasFreeUID = Flags(rawValue: 32)
    /// The row says that the object was made here. No response has shown yet that the server has it.
    static let madeHere = Flags(rawValue: 64)
    /// A response that this context took in said that the server has deleted the object.
    static let deletedThere = Flags(rawValue: 128)
    /// Made for an object of a response that has no uid. The server has it, though the row has no uid to show it.
    static let isOfServer = Flags(rawValue: 256)
    /// Getters report reads: somebody may observe them.
    static let observable = Flags(rawValue: 512)
    // The flags of ``Reading``.
    static let isRead = Flags(rawValue: 1024)
    static let hasChangedLists = Flags(rawValue: 2048)
    static let hasChangedValues = Flags(rawValue: 4096)
  }

  /// The reading of a response into an object.
  package struct Reading {
    /// Whether the reading is under way: required values of the object may be yet to come.
    var isUnderWay = false
    /// Whether the response changed a list of the object.
    package internal(set) var hasChangedLists = false
    /// Whether the response changed a value of the object.
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
  /// - Parameter pk: Its new row id.
  func enter(_ context: EntityContext, as model: EntityModel, pk: Int64) {
    home = context.loaded.home(of: model, in: context)
    self.pk = pk
    loose = nil
    epoch = context.news.epoch
    if context.kind == .main { flags.insert(.observable) } else { flags.remove(.observable) }
    noteAttention()
  }

  package var model: EntityModel { home.model }

  /// True when something has to be loaded before a value is used: a bit of ``attention``.
  @inlinable @inline(__always) var isOutOfDate: Bool { attention.bits & 2 != 0 }

  private func noteAttention() {
    attention.set((flags.contains(.observable) ? 1 : 0) | (life == .unloaded || !stale.isEmpty ? 2 : 0))
  }

  /// Does the work that a getter needs before it reads a slot.
  ///
  /// - Returns: The registrar to tell of the read.
  @usableFromInline @inline(never) func prepareRead(of object: any ManagedEntity) -> ObservationRegistrar? {
    guard let context else { return loose?.registrar(of: self) }
    context.fulfil(object)
    return context.observers.observer(of: self)
  }

  /// The context that the object lives in; `nil` once the store is gone. An object of a unit keeps the unit's context,
  /// which is then over.
  @inlinable package var context: EntityContext? { home.context }

  /// The object's untyped id.
  var id: AnyEntityID { model.id(pk) }

  /// Whether the object has changes of its own that a save would write.
  package var hasChanges: Bool { !dirty.isEmpty || isInserted || isDeleting || flags.contains(.filled) }

  /// Whether a save that has not ended has taken changes of the object.
  package var isBeingSaved: Bool { !saving.isEmpty || life == .inserting || life == .withdrawn }

  /// True when a property has no edit that was made here, saved or not. `false` for an object that has to be loaded
  /// first.
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

  /// The columns in `unsaved` that are local edits.
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

  /// The columns in `dirty` that a response set, so they are no local edits.
  var fromResponse: ColumnMask {
    get { ColumnMask(words: (firstFromResponse, work?.fromResponse ?? 0)) }
    set {
      firstFromResponse = newValue.words.0
      if newValue.words.1 != 0 || work != nil { owned.fromResponse = newValue.words.1 }
    }
  }

  /// The response that is being read into the object, or was read last.
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

// Each variable is the one of the ``ObjectWork``, where the object has one. A setter makes an ``ObjectWork`` only for a
// value that is not empty.
extension ObjectState {
  /// The graph of a loose object, which is in no context.
  var loose: LooseGraph? {
    get { work?.loose }
    set { if newValue != nil || work != nil { owned.loose = newValue } }
  }

  /// The columns that a save under way has taken.
  var saving: ColumnMask {
    get { work?.saving ?? ColumnMask() }
    set { if !newValue.isEmpty || work != nil { owned.saving = newValue } }
  }

  /// The columns that a save under way has taken, and that a commit merged meanwhile changed. They become stale when
  /// the save ends.
  var staleAfterSave: ColumnMask {
    get { work?.staleAfterSave ?? ColumnMask() }
    set { if !newValue.isEmpty || work != nil { owned.staleAfterSave = newValue } }
  }

  /// The properties that no response ever had, without a look at unsaved changes; see ``ManagedEntity/loaded``.
  var missing: ColumnMask {
    get { work?.missing ?? ColumnMask() }
    set { if !newValue.isEmpty || work != nil { owned.missing = newValue } }
  }

  /// When a response last had the object, in seconds since 1970; 0 where that is not known.
  var heard: Int64 {
    get { work?.heard ?? 0 }
    set { if newValue != 0 || work != nil { owned.heard = newValue } }
  }

  /// The members that edited many-to-many relationships were set to, by property index.
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

  /// The row that the object turned out to be; 0 where it has a row of its own.
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

  /// Values beside the slots, by property index: JSON texts, and raw values for which the type has no value.
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
      // Most objects have nothing else in `work`, and each object becomes stale at times.
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

  /// Whether any list is edited. Most entities have no such relationship, so the dictionary is not looked at.
  var hasLists: Bool { !model.lists.isEmpty && !lists.isEmpty }
}

// Questions and reports of the mapping of responses. The stored variables stay inside the module: so the compiler can
// prove that accesses are exclusive, and leaves out the checks.

extension ObjectState {
  /// The changes that the last response made to the object.
  package var lastReading: Reading { reading }

  /// The reading of a response into the object begins.
  ///
  /// - Returns: `true` if a response is being read into the object already; this one is then a part of that response.
  package func beginReading() -> Bool {
    if reading.isUnderWay { return true }
    reading = Reading(isUnderWay: true)
    return false
  }

  /// A response, or a part of it, was read.
  ///
  /// - Parameter isUnderWay: `true` when more of the response is to come.
  package func endReading(isUnderWay: Bool) { reading.isUnderWay = isUnderWay }

  /// The response changed a list of the object.
  package func noteChangedList() { reading.hasChangedLists = true }

  /// The response said that the server has deleted the object.
  package func noteDeletedThere() { flags.insert(.deletedThere) }
}
