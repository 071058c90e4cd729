public import Observation

/// What a context knows about one of its objects beside the values.
public final class ObjectState {
  package let model: EntityModel
  package let pk: Int64
  @usableFromInline package internal(set) weak var context: EntityContext?
  /// What a getter or a setter has to see to before it looks at a slot; 0 for the most of objects: a loaded one of a unit.
  @usableFromInline var attention: UInt8 = 0
  var flags: Flags { didSet { noteAttention() } }
  /// Edited since the last save.
  package internal(set) var dirty = ColumnMask()
  /// Being saved right now, by a save that has not ended.
  var saving = ColumnMask()
  /// Edited and saved here, not yet acknowledged by the server.
  package internal(set) var edited = ColumnMask()
  /// Among the dirty ones: set from a response, so no local edit.
  var fromResponse = ColumnMask()
  /// To be read again before the next use.
  var stale = ColumnMask() { didSet { noteAttention() } }
  /// The epoch of the context that `stale` is of: all of the entity may have been marked since, see
  /// ``EntityContext/markAllStale(_:)``.
  var epoch: Int
  /// Changed by a commit that was merged before the save that has the column ended; stale once it has.
  var staleAfterSave = ColumnMask()
  /// Written by a newer answer; an older one leaves them alone.
  var newer = ColumnMask()
  /// Those of ``newer`` that no newer answer wrote: the mapping has set them and the update by hand must not.
  var settled = ColumnMask()
  /// What edited many-to-many relationships were set to, by property.
  var lists: [Int: Set<Int64>] = [:]
  /// What the row has of edited columns, as far as it was asked for.
  var originals = Originals()
  /// Whether a list of it was changed by the response that was last read into it.
  package var hasChangedLists = false
  var forwardedTo: Int64 = 0
  /// Made at the first observable read: most objects are never observed.
  @usableFromInline var registrar: ObservationRegistrar?
  package var sent: [SentEdits.Marker] = []
  /// Whether a response is being read into it: what it requires may be yet to come.
  package var isUpdating = false
  /// What properties have beside their slots, by index: JSON texts, and raw values that are none of their type's.
  var kept: [Int: KeptValue] = [:]

  struct Flags: OptionSet {
    let rawValue: UInt16
    /// No value was read yet.
    static let fault = Flags(rawValue: 1)
    /// Inserted here, not saved yet.
    static let inserted = Flags(rawValue: 2)
    /// A save that inserts it is under way.
    static let inserting = Flags(rawValue: 4)
    /// Deleted here, not saved yet.
    static let deleting = Flags(rawValue: 8)
    /// Its row is gone.
    static let deleted = Flags(rawValue: 16)
    static let placeholder = Flags(rawValue: 32)
    /// Edited after it was deleted here: the save throws.
    static let editedAfterDelete = Flags(rawValue: 64)
    /// A placeholder that became an object here, which is not saved yet.
    static let filled = Flags(rawValue: 128)
    /// Edited, and not acknowledged, in properties that only another version of the app declares.
    static let editedByOthers = Flags(rawValue: 256)
    /// Made by `upsert(_:uid:)`: it takes over a row that has got its uid since.
    static let takesOver = Flags(rawValue: 512)
  }

  init(_ model: EntityModel, pk: Int64, context: EntityContext?, flags: Flags) {
    self.model = model
    self.pk = pk
    self.context = context
    epoch = context?.epoch ?? 0
    self.flags = flags
    isObservable = context?.kind == .main
    noteAttention()
  }

  /// Whether getters tell of reads: somebody may observe them.
  private let isObservable: Bool

  private func noteAttention() {
    attention = (isObservable ? 1 : 0) | (flags.contains(.fault) || !stale.isEmpty ? 2 : 0)
  }

  /// Sees to what a getter has to see to.
  ///
  /// - Returns: What is to be told of the read.
  @usableFromInline @inline(never) func prepareRead(of object: any ManagedEntity) -> ObservationRegistrar? {
    guard let context else { return nil }
    context.fulfil(object)
    return context.observer(of: self)
  }

  /// The object's untyped id.
  var id: AnyEntityID { model.id(pk) }

  /// Whether the object has changes of its own that a save would write.
  var hasChanges: Bool { !dirty.isEmpty || !flags.isDisjoint(with: [.inserted, .deleting, .filled]) }

  /// Whether a save that has not ended has taken changes of the object.
  package var isBeingSaved: Bool { !saving.isEmpty || flags.contains(.inserting) }

  /// What neither a merge nor a re-read may overwrite.
  var unsaved: ColumnMask { dirty.union(saving) }
}
