/// The values that the unsaved edits of an object are based on, with the present values of its row.
///
/// The base is the value that the property had before its first unsaved edit. A save compares it with the row: where
/// the row has another value, somebody else has changed the column since. The present value tells whether an edit is
/// set back. Both are the same until others change the row. Then a merge forgets the present value, and the base stays.
///
/// An object has few edited columns: searching a list takes less time than making a table.
struct EditBases: Sendable {
  private struct Other: Sendable {
    var value: StoredValue
    /// The request that carries the value, if one does.
    let request: SentEdits.Marker?
  }

  private struct Entry: Sendable {
    let index: Int
    /// `nil` where the base is not known.
    var base: StoredValue?
    /// Values that the context itself may put into the row: the base of the same column in a save that is under way,
    /// which may yet fail, and the edited value that a request carries, which its answer writes.
    var others: [Other] = []
    /// The present value of the row; `nil` where nobody has read it.
    var row: StoredValue?
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// The columns with a known base.
  var mask: ColumnMask {
    var mask = ColumnMask()
    for entry in entries where entry.base != nil { mask.insert(entry.index) }
    return mask
  }

  func base(of index: Int) -> StoredValue? { entries.first { $0.index == index }?.base }

  /// The base of a column, and the other values that do not come from somebody else.
  func known(of index: Int) -> [StoredValue] {
    entries.first { $0.index == index }.map { ($0.base.map { [$0] } ?? []) + $0.others.map(\.value) } ?? []
  }

  func row(of index: Int) -> StoredValue? { entries.first { $0.index == index }?.row }

  /// - Parameter row: The present value of the row; `nil` where it is not known.
  mutating func set(_ base: StoredValue?, row: StoredValue?, of index: Int) {
    remove(ColumnMask(index))
    if base != nil || row != nil { entries.append(Entry(index: index, base: base, row: row)) }
  }

  mutating func setRow(_ row: StoredValue?, of index: Int) {
    if let place = entries.firstIndex(where: { $0.index == index }) {
      entries[place].row = row
    } else if row != nil {
      entries.append(Entry(index: index, row: row))
    }
  }

  /// Adds a value that the context itself may put into the row.
  mutating func add(_ other: StoredValue, of index: Int, by request: SentEdits.Marker? = nil) {
    guard let place = entries.firstIndex(where: { $0.index == index }) else { return }
    entries[place].others.append(Other(value: other, request: request))
  }

  /// Makes the value that a request carried the base, and drops the values that were added before it. Changes nothing
  /// where the edit was not made on a value of the request, or where a later value is the base already.
  mutating func move(toValueOf request: SentEdits.Marker, of index: Int) {
    guard let place = entries.firstIndex(where: { $0.index == index }),
      let added = entries[place].others.firstIndex(where: { $0.request === request })
    else { return }
    entries[place].base = entries[place].others[added].value
    entries[place].row = nil
    entries[place].others.removeSubrange(...added)
  }

  /// Whether an edited value equals the base of the edit, and nothing under way will change the base.
  func isUndone(_ value: StoredValue, of index: Int) -> Bool {
    guard let entry = entries.first(where: { $0.index == index }), entry.others.isEmpty else { return false }
    return entry.base?.isIdentical(to: value) == true
  }

  mutating func remove(_ mask: ColumnMask) {
    if !entries.isEmpty { entries.removeAll { mask.contains($0.index) } }
  }

  /// Takes the bases of the columns `mask` from a save that gives its edits back. Edits since then are based on values
  /// that no row has got.
  mutating func take(_ mask: ColumnMask, from saved: EditBases) {
    remove(mask)
    for entry in saved.entries where mask.contains(entry.index) {
      entries.append(Entry(index: entry.index, base: entry.base, others: entry.others))
    }
  }

  /// Repoints the bases that are links to an absorbed row, to the row that absorbed it.
  mutating func repoint(_ index: Int, from: Int64, to: Int64) {
    func repointed(_ value: StoredValue) -> StoredValue {
      if case .integer(from) = value { .integer(to) } else { value }
    }
    for place in entries.indices where entries[place].index == index {
      entries[place].base = entries[place].base.map(repointed)
      entries[place].row = entries[place].row.map(repointed)
      for other in entries[place].others.indices {
        entries[place].others[other].value = repointed(entries[place].others[other].value)
      }
    }
  }

  /// Others changed columns of the row.
  mutating func forgetRow(_ mask: ColumnMask) {
    for place in entries.indices where mask.contains(entries[place].index) { entries[place].row = nil }
  }
}
