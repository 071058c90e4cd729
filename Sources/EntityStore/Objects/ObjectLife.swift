/// The life of an object in its context. Only the methods of ``ObjectState`` below change it:
///
/// | | `delete` | `undelete` | `beginInsertion` | `endInsertion` | `failInsertion` | `foundRow` | `lostRow` |
/// |---|---|---|---|---|---|---|---|
/// | `new` | `deleted` | | `inserting` | | | `saved` | `deleted` |
/// | `inserting` | `withdrawn` | | | `saved` | `new` | `saved` | `deleted` |
/// | `withdrawn` | | `inserting` | | `deleting` | `deleted` | `deleting` | `deleted` |
/// | `unloaded` | `deleting` | | | | | `saved` | `deleted` |
/// | `saved` | `deleting` | | | | `new` | | `deleted` |
/// | `deleting` | | `saved` | | | | | `deleted` |
/// | `deleted` | | | | | | | |
///
/// An empty cell leaves the life as it is. A `deleted` object becomes `saved` again in three cases; see
/// ``ObjectState/rowMayBeBack()``:
///
/// - The object is of a unit, and the unit's rows go back to an earlier state.
/// - The object is of a child, and the parent takes a deletion back.
/// - The object is of the main context, and an undo of a save brings its row back.
///
/// An object whose changes are undone gets the life that it had before them: see ``ObjectState/goBack(to:)``.
enum ObjectLife: UInt8 {
  /// Inserted here, not saved.
  case new
  /// A save that inserts it is under way.
  case inserting
  /// Deleted here while a save that inserts it is under way.
  case withdrawn
  /// Has a row; no value was read.
  case unloaded
  /// Has a row, and its values.
  case saved
  /// Deleted here, not saved.
  case deleting
  /// Its row is gone, or will never exist.
  case deleted
}

extension ObjectState {
  /// Whether the object was inserted here and is not known to have a row.
  var isInserted: Bool { life == .new || life == .inserting || life == .withdrawn }

  /// Whether the object has an unsaved deletion.
  var isDeleting: Bool { life == .deleting || life == .withdrawn }

  /// Whether the object was deleted, here or elsewhere.
  var isGone: Bool { life == .deleted || isDeleting }

  /// The context deletes it.
  func delete() {
    flags.remove(.deletedThere)
    switch life {
    case .new: life = .deleted
    case .inserting: life = .withdrawn
    case .unloaded:
      life = .deleting
      stale = model.stored.subtracting(unsaved)
    case .saved: life = .deleting
    case .withdrawn, .deleting, .deleted: break
    }
  }

  /// The context drops the deletion.
  func undelete() {
    switch life {
    case .withdrawn: life = .inserting
    case .deleting: life = .saved
    case .new, .inserting, .unloaded, .saved, .deleted: break
    }
  }

  /// A save that inserts it begins.
  func beginInsertion() { if life == .new { life = .inserting } }

  /// The save that inserts it is committed.
  func endInsertion() {
    switch life {
    case .inserting: life = .saved
    case .withdrawn: life = .deleting
    case .new, .unloaded, .saved, .deleting, .deleted: break
    }
  }

  /// The save that inserts the object failed. If the object is `deleting` by now, its row was found, and may still
  /// exist. Deleting a row that does not exist does nothing.
  func failInsertion() {
    switch life {
    case .inserting, .saved: life = .new
    case .withdrawn: life = .deleted
    case .new, .unloaded, .deleting, .deleted: break
    }
  }

  /// The object's row was found or written: somebody inserted it.
  func foundRow() {
    switch life {
    case .new, .inserting, .unloaded: life = .saved
    case .withdrawn: life = .deleting
    case .saved, .deleting, .deleted: break
    }
  }

  /// The object's row is gone, or will never exist.
  func lostRow() { life = .deleted }

  /// Drops the unsaved edits.
  func dropEdits() {
    dirty = ColumnMask()
    fromResponse = ColumnMask()
    flags.remove(.editedAfterDelete)
  }

  /// A placeholder becomes an object. The `filled` flag ends with the save that writes it, or with the merge of another
  /// context's save.
  func fill() {
    flags.remove(.placeholder)
    flags.insert(.filled)
  }

  /// The object stays a placeholder.
  func unfill() {
    flags.remove(.filled)
    flags.insert(.placeholder)
  }

  /// The later changes of the object are undone; see ``ChangeJournal``.
  func goBack(to earlier: ObjectLife) { life = earlier }

  /// The rows, or the changes of the parent, went back to an earlier state. The next read shows whether the object is
  /// still deleted.
  func rowMayBeBack() { if life == .deleted { life = .saved } }
}
