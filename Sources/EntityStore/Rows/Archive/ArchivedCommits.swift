/// The order of the commits that made the pending changes of an archive. The numbers of commits mean nothing to another
/// store. An archive has their places: 0 for the last of the commits, -1 for the one before it.
struct ArchivedCommits {
  private let places: [Int64: Int64]

  init(_ connection: Connection) throws {
    let numbers = try connection.rows(
      "SELECT number FROM \(EditNotes.table) UNION SELECT made FROM \(EditNotes.table) "
        + "UNION SELECT number FROM \(Tombstones.table) UNION SELECT edited FROM \(OutboxTable.table) ORDER BY 1 DESC"
    ) { $0.int64(0) }
    places = Dictionary(uniqueKeysWithValues: zip(numbers, (0..<Int64(numbers.count)).lazy.map { -$0 }))
  }

  func place(of number: Int64) -> Int64 { places[number] ?? 0 }

  /// The number of a restored change; `nil` for a place that no archive has.
  ///
  /// All changes are those of the commit that restores the archive, or of earlier ones. So the number may be negative.
  ///
  /// - Parameter last: The number of the commit that restores the archive.
  static func number(_ place: StoredValue, last: Int64) -> Int64? {
    guard case .integer(let place) = place, (-(1 << 40)...0).contains(place) else { return nil }
    return last + place
  }
}
