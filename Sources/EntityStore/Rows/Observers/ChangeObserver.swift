/// A change of a row, as its observers hear of it.
struct ObservedChange {
  let model: EntityModel
  let pk: Int64
  let kind: CommitSummary.RowChange.Kind
  /// The columns and lists that changed.
  let columns: ColumnMask
  /// Whether the objects of the context whose changes are written have the values already.
  let isDirect: Bool
  /// Whether the row itself was written. Else it changed with another one, as a list does with the links of its members.
  let isWrite: Bool
  /// Whether the row was inserted, and was no placeholder before.
  let isMade: Bool

  var key: RowKey { RowKey(entity: model.number, pk: pk) }
}

/// Hears of each change that a unit makes, in the order of the changes.
///
/// The summary of the commit, the history, the image of a save, the log of deletions and a context are observers. A unit has
/// them in one list, ``ChangeObservers``: another one needs no change where rows are written.
protocol ChangeObserver: AnyObject {
  /// Columns of a row are about to be written.
  func willWrite(_ model: EntityModel, _ pk: Int64, _ columns: ColumnMask)
  func didChange(_ change: ObservedChange)
  /// The row is about to be deleted.
  ///
  /// - Parameter ends: The two links of a pair.
  func willDelete(_ model: EntityModel, _ pk: Int64, ends: RowValues?, in rows: RowWriter) throws
  /// A row was merged into another one.
  func didForward(_ model: EntityModel, from: Int64, to: Int64)
  /// The notes of local edits of a row change.
  func willChangeEdits(_ model: EntityModel, _ pk: Int64)
  /// Local edits of a row, which stay, have other bases by now.
  func didChangeBases(_ model: EntityModel, _ pk: Int64)
  /// The note of the deletion of an object changes.
  func willChangeDeletion(_ model: EntityModel, _ pk: Int64)
  /// A part of the changes was undone; which one is not known.
  func didUndo()
}

extension ChangeObserver {
  func willWrite(_ model: EntityModel, _ pk: Int64, _ columns: ColumnMask) {}
  func didChange(_ change: ObservedChange) {}
  func willDelete(_ model: EntityModel, _ pk: Int64, ends: RowValues?, in rows: RowWriter) throws {}
  func didForward(_ model: EntityModel, from: Int64, to: Int64) {}
  func willChangeEdits(_ model: EntityModel, _ pk: Int64) {}
  func didChangeBases(_ model: EntityModel, _ pk: Int64) {}
  func willChangeDeletion(_ model: EntityModel, _ pk: Int64) {}
  func didUndo() {}
}

/// The observers of a unit, in the order in which they hear of a change.
final class ChangeObservers {
  // Without checks of exclusive access: a unit runs on one thread, and `tell` works on a copy of the list.
  @exclusivity(unchecked) private var all: [any ChangeObserver] = []

  func add(_ observer: any ChangeObserver) { all.append(observer) }
  func remove(_ observer: any ChangeObserver) { all.removeAll { $0 === observer } }

  func tell(_ event: (any ChangeObserver) throws -> Void) rethrows { for observer in all { try event(observer) } }
}
