/// The changes of a context that no save has taken.
final class UnsavedState {
  /// The objects whose changes a save would write, by entity.
  let changed: [ChangedObjects]
  // Each change of it is one step, so that no access needs a check.
  @exclusivity(unchecked) var pending: [PendingRows]
  /// Lists whose changes are unsaved.
  var keptLists = KeptLists()
  /// Whether a to-many relationship is being set, which gives its members their places.
  var isSettingList = false
  /// Deleted before they were ever saved. Others may hold links to them, for which the delete rules apply at the save.
  var discarded: [any ManagedEntity] = []
  /// Notes what changes, while a call runs that changes all or nothing.
  var journal: ChangeJournal?
  /// Objects with an edited list that others changed too.
  var contested: [any ManagedEntity] = []
  /// Values for a call that sets few of them, whose memory is used again.
  // It is taken and given back in one step each.
  @exclusivity(unchecked) var spareRow = RowValues(count: 0)
  /// A failure of a read that could not throw, thrown by the next call that can.
  var deferredError: (any Error)?
  /// Mistakes in setters, which can't throw: the next save does.
  var refusals = Refusals()

  /// - Parameter isDoubtful: Whether the tables of a child may have rows of an earlier one.
  init(_ entities: [EntityModel], isDoubtful: Bool) {
    changed = entities.map { ChangedObjects($0) }
    pending = entities.map { _ in PendingRows(isDoubtful: isDoubtful) }
  }

  /// Holds an object until its changes are saved.
  func hold(_ object: any ManagedEntity, _ state: ObjectState) { changed[state.model.number][state.pk] = object }

  /// An object has no changes left that a save would write.
  func letGo(of state: ObjectState) { changed[state.model.number][state.pk] = nil }
}

extension EntityContext {
  /// Any row may have changed: lists and objects that were read for later are read again.
  func dropReads() {
    unsaved.keptLists.dropAll()
    loaded.prefetched.dropAll()
  }
}
