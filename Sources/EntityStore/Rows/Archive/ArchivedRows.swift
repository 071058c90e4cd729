/// The new row ids for those of an archive. All row ids move by the same number, and so do the positions in ordered
/// lists: a row without a position stands where its row id says, see ``ListOrder``.
struct ArchivedRows {
  private let range: ClosedRange<Int64>?
  /// The number that is added to a row id of the archive.
  private let shift: Int64
  /// The first row id that the archive gets.
  let first: Int64
  /// The first row id behind those that the archive needs.
  private(set) var end: Int64

  /// - Parameter first: The first row id that the store can give.
  init(_ header: ArchiveHeader, from first: Int64) {
    range = header.count > 0 ? header.firstRow...header.lastRow : nil
    shift = first - header.firstRow
    self.first = first
    end = first
  }

  /// The new row id of a row of the archive; `nil` for a row id outside of the archive's range.
  func row(_ pk: Int64) -> Int64? {
    guard range?.contains(pk) == true else { return nil }
    let row = pk + shift
    return row < ListOrder.rows ? row : nil
  }

  /// Does the same as ``row(_:)``, for a row that is about to be written, or that a note is about.
  mutating func take(_ pk: Int64) -> Int64? {
    guard let row = row(pk) else { return nil }
    end = max(end, row + 1)
    return row
  }

  /// The row id of the target of a link.
  func link(_ value: StoredValue) -> StoredValue? {
    switch value {
    case .null: .null
    case .integer(let pk): row(pk).map(StoredValue.integer)
    default: nil
    }
  }

  /// The new position of a row in an ordered list; `nil` for a position that no row can have.
  func position(_ value: StoredValue) -> StoredValue? {
    guard !value.isNull else { return .null }
    guard case .integer(let position) = value else { return nil }
    let (moved, isTooLarge) = position.addingReportingOverflow(shift << ListOrder.rowShift)
    return isTooLarge ? nil : .integer(moved)
  }
}
