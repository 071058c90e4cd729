/// The earlier states of objects during a call that changes many of them, in case it fails midway.
///
/// The save of a child sets the objects of its parent one after the other. Setters and lists read rows meanwhile, and a
/// read may fail. The parent then goes back to the states in the journal. The context records an object before its
/// first change, so the cost depends on the number of objects that change.
final class ChangeJournal {
  fileprivate struct Entry {
    let object: any ManagedEntity
    /// `nil` for an object that was made during the call.
    let before: ObjectState.Unsaved?
    /// The earlier values; `nil` for an unloaded object.
    let values: RowValues?
    /// Whether the object was held as a changed one.
    let isChanged: Bool
    /// For a membership: the sides of its edits, and whether it is from a response.
    let link: (madeSide: Int, endedSide: Int, isFromResponse: Bool)?
  }

  fileprivate var entries: [Entry] = []
  private var known: Set<ObjectIdentifier> = []
  /// How many objects had been deleted without ever being saved.
  fileprivate let discarded: Int

  fileprivate init(discarded: Int) { self.discarded = discarded }

  fileprivate func note(_ object: any ManagedEntity, isNew: Bool, isChanged: Bool) {
    guard known.insert(ObjectIdentifier(object)).inserted else { return }
    let state = object._$state
    let link = object as? LinkRow
    entries.append(
      Entry(
        object: object, before: isNew ? nil : ObjectState.Unsaved(state),
        values: isNew || state.life == .unloaded ? nil : object.values(state.model.stored), isChanged: isChanged,
        link: link.map { ($0.madeSide, $0.endedSide, $0.isFromResponse) }))
  }
}

extension ObjectState {
  /// Everything that an edit or a deletion changes in an object, except its values.
  fileprivate struct Unsaved {
    let life: ObjectLife
    let flags: Flags
    let (dirty, fromResponse, edited, staleAfterSave): (ColumnMask, ColumnMask, ColumnMask, ColumnMask)
    let (stale, epoch): (ColumnMask, UInt32)
    let lists: [Int: Set<Int64>]
    let bases: EditBases
    let kept: [Int: KeptValue]
    let positions: [Int: Int64]

    init(_ state: ObjectState) {
      (life, flags) = (state.life, state.flags)
      (dirty, fromResponse) = (state.dirty, state.fromResponse)
      (edited, staleAfterSave) = (state.edited, state.staleAfterSave)
      (stale, epoch) = (state.stale, state.epoch)
      (lists, bases) = (state.lists, state.bases)
      (kept, positions) = (state.kept, state.positions)
    }
  }

  fileprivate func goBack(to before: Unsaved) {
    goBack(to: before.life)
    flags = before.flags
    (dirty, fromResponse) = (before.dirty, before.fromResponse)
    (edited, staleAfterSave) = (before.edited, before.staleAfterSave)
    // The object will catch up with later epochs again.
    (stale, epoch) = (before.stale, before.epoch)
    (lists, bases) = (before.lists, before.bases)
    (kept, positions) = (before.kept, before.positions)
  }
}

extension ContextEditing {
  /// Runs `body` so that its unsaved changes are made as a whole: if it throws, none remains.
  ///
  /// Observers are told at the end of the entry that encloses `body`.
  func allOrNothing<T>(_ body: () throws -> T) throws -> T {
    let journal = ChangeJournal(discarded: context.unsaved.discarded.count)
    context.unsaved.journal = journal
    defer { context.unsaved.journal = nil }
    do {
      return try body()
    } catch {
      context.unsaved.journal = nil
      goBack(to: journal)
      throw error
    }
  }

  /// Records an object that is about to change, or whose edits are about to end.
  func willChange(_ object: any ManagedEntity) {
    guard let journal = context.unsaved.journal else { return }
    let state = object._$state
    journal.note(object, isNew: false, isChanged: context.unsaved.changed[state.model.number][state.pk] === object)
  }

  /// Records an object that was just made.
  func wasMade(_ object: any ManagedEntity) { context.unsaved.journal?.note(object, isNew: true, isChanged: false) }

  private func goBack(to journal: ChangeJournal) {
    context.unsaved.discarded.removeLast(max(0, context.unsaved.discarded.count - journal.discarded))
    context.reading.drop()
    for entry in journal.entries {
      let (object, state) = (entry.object, entry.object._$state)
      let touched = state.dirty.union(entry.before?.dirty ?? ColumnMask())
      context.unsaved.letGo(of: state)
      if let before = entry.before {
        if let values = entry.values { object.loadColumns(RowReader(values, values.mask)) }
        state.goBack(to: before)
      } else {
        state.dropEdits()
        state.lists = [:]
        state.lostRow()
      }
      if let link = object as? LinkRow, let before = entry.link {
        (link.madeSide, link.endedSide, link.isFromResponse) = before
      }
      if entry.isChanged { context.unsaved.hold(object, state) }
      context.overlay.rowPending(state.model, state.pk)
      context.observers.notifyLater(object, nil)
      for index in touched.indices { context.observers.notifyLater(object, index) }
    }
  }
}
