/// The changes of a context that no save has taken.
final class UnsavedState {
  /// The objects whose changes a save would write, by entity.
  let changed: [ChangedObjects]
  // Each change is made in one step, so no access needs a check.
  @exclusivity(unchecked) var pending: [PendingRows]
  /// To-many relationships with unsaved changes.
  var keptLists = KeptLists()
  /// Whether a to-many relationship is being set: this gives its members their positions.
  var isSettingList = false
  /// Objects that were deleted without ever being saved. Others may have links to them, and the delete rules apply to
  /// these links at the save.
  var discarded: [any ManagedEntity] = []
  /// Records the changes of a call that changes everything or nothing.
  var journal: ChangeJournal?
  /// Objects with an edited list that others changed too.
  var contested: [any ManagedEntity] = []
  /// Values for a call that sets few of them; their memory is reused.
  // Taken and given back in one step each.
  @exclusivity(unchecked) var spareRow = RowValues(count: 0)
  /// The error of a read that could not throw. The next call that can throw throws it.
  var deferredError: (any Error)?
  /// Mistakes in setters. The next save throws them.
  var refusals = Refusals()

  /// - Parameter isDoubtful: Whether the overlay tables may have rows of an earlier child.
  init(_ entities: [EntityModel], isDoubtful: Bool) {
    changed = entities.map { ChangedObjects($0) }
    pending = entities.map { _ in PendingRows(isDoubtful: isDoubtful) }
  }

  /// Holds an object until its changes are saved.
  func hold(_ object: any ManagedEntity, _ state: ObjectState) { changed[state.model.number][state.pk] = object }

  /// Stops holding an object that has no changes left for a save.
  func letGo(of state: ObjectState) { changed[state.model.number][state.pk] = nil }
}
