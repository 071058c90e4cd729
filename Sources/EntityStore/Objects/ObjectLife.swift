/// The life of an object in its context. The methods of ``ObjectState`` below are the only ones that change it:
///
/// | | `delete` | `undelete` | `beginInsertion` | `endInsertion` | `failInsertion` | `foundRow` | `lostRow` |
/// |---|---|---|---|---|---|---|---|
/// | `new` | `deleted` | | `inserting` | | | `saved` | `deleted` |
/// | `inserting` | `withdrawn` | | | `saved` | `new` | `saved` | `deleted` |
/// | `withdrawn` | | `inserting` | | `deleting` | `deleted` | `deleting` | `deleted` |
/// | `fault` | `deleting` | | | | | `saved` | `deleted` |
/// | `saved` | `deleting` | | | | `new` | | `deleted` |
/// | `deleting` | | `saved` | | | | | `deleted` |
/// | `deleted` | | | | | | | |
///
/// An empty place leaves the life as it is. A `deleted` object of a unit becomes `saved` again when the unit's rows go back
/// to an earlier state, that of a child when its parent takes a deletion back, and that of the main context when an undo
/// of a save brings its row back: see ``ObjectState/rowMayBeBack()``. An object whose changes are undone has the life that it
/// had before them: see ``ObjectState/goBack(to:)``.
enum ObjectLife: UInt8 {
  /// Inserted here, not saved.
  case new
  /// A save that inserts it is under way.
  case inserting
  /// Deleted here while a save that inserts it is under way.
  case withdrawn
  /// In its row; no value was read.
  case fault
  /// In its row.
  case saved
  /// Deleted here, not saved.
  case deleting
  /// Its row is gone, or will never be.
  case deleted
}

extension ObjectState {
  /// Whether it was inserted here and is not known to have a row.
  var isInserted: Bool { life == .new || life == .inserting || life == .withdrawn }

  /// Whether its deletion is not saved.
  var isDeleting: Bool { life == .deleting || life == .withdrawn }

  /// Whether it was deleted, here or elsewhere.
  var isGone: Bool { life == .deleted || isDeleting }

  /// The context deletes it.
  func delete() {
    flags.remove(.deletedThere)
    switch life {
    case .new: life = .deleted
    case .inserting: life = .withdrawn
    case .fault:
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
    case .new, .inserting, .fault, .saved, .deleted: break
    }
  }

  /// A save that inserts it begins.
  func beginInsertion() { if life == .new { life = .inserting } }

  /// The save that inserts it is committed.
  func endInsertion() {
    switch life {
    case .inserting: life = .saved
    case .withdrawn: life = .deleting
    case .new, .fault, .saved, .deleting, .deleted: break
    }
  }

  /// The save that inserts it failed. One that is being deleted by now had its row found, which may be there still: to
  /// delete a row that is not there does nothing.
  func failInsertion() {
    switch life {
    case .inserting, .saved: life = .new
    case .withdrawn: life = .deleted
    case .new, .fault, .deleting, .deleted: break
    }
  }

  /// Its row was found or written: it was inserted, by whomever.
  func foundRow() {
    switch life {
    case .new, .inserting, .fault: life = .saved
    case .withdrawn: life = .deleting
    case .saved, .deleting, .deleted: break
    }
  }

  /// Its row is gone, or will never be.
  func lostRow() { life = .deleted }

  /// Drops what was set and not saved.
  func dropEdits() {
    dirty = ColumnMask()
    fromResponse = ColumnMask()
    flags.remove(.editedAfterDelete)
  }

  /// A placeholder becomes an object. The save that writes it, or the merge of another one's, ends that.
  func fill() {
    flags.remove(.placeholder)
    flags.insert(.filled)
  }

  /// It stays a placeholder.
  func unfill() {
    flags.remove(.filled)
    flags.insert(.placeholder)
  }

  /// The changes since were none; see ``ChangeJournal``.
  func goBack(to earlier: ObjectLife) { life = earlier }

  /// The rows, or the changes of the parent, went back to an earlier state: whether it is still deleted shows when it is
  /// read.
  func rowMayBeBack() { if life == .deleted { life = .saved } }
}
