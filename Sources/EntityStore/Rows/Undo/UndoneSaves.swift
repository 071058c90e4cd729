/// The images of the last undos and redos. An app may have sent an edit before it was undone, and acknowledge it afterwards: an image
/// then tells that the edit was undone, and not overwritten by an answer.
///
/// The images end with the process, as the steps of an undo do, and take at most as much memory as the limit of the
/// steps.
struct UndoneSaves {
  private var images: [SaveImage] = []

  var isEmpty: Bool { images.isEmpty }

  /// - Parameter limit: The most memory that the images take, in bytes.
  mutating func add(_ image: SaveImage, limit: Int) {
    // The row ids of a store that was emptied since mean nothing.
    images.removeAll { $0.age != image.age }
    images.append(image)
    var bytes = images.reduce(0) { $0 + $1.bytes }
    while bytes > limit, !images.isEmpty { bytes -= images.removeFirst().bytes }
  }

  /// The images of rows that were not replaced since.
  func since(_ age: Int64) -> UndoneSaves {
    var same = self
    same.images.removeAll { $0.age != age }
    return same
  }

  /// Whether a column of a row went from one value back to another one.
  func hasReverted(_ key: RowKey, _ column: String, from sent: StoredValue, to value: StoredValue) -> Bool {
    images.contains { image in
      guard case .updated(let cells) = image.change(of: key),
        let place = image.columns[key.entity]?.firstIndex(of: column)
      else { return false }
      return cells.contains {
        $0.column == place && $0.before.isIdentical(to: sent) && $0.after.isIdentical(to: value)
      }
    }
  }

  /// The value that a column of a row had before the images changed it; `nil` where none did, or where the column has another
  /// value than the last of them gave it.
  func takenBack(_ key: RowKey, _ column: String, now value: StoredValue) -> StoredValue? {
    let cells = images.compactMap { image -> SaveImage.Cell? in
      guard case .updated(let cells) = image.change(of: key),
        let place = image.columns[key.entity]?.firstIndex(of: column)
      else { return nil }
      return cells.first { $0.column == place }
    }
    guard let first = cells.first, let last = cells.last, last.after.isIdentical(to: value) else { return nil }
    return first.before
  }

  /// Whether the last change of a row brought it back.
  func hasBroughtBack(_ key: RowKey) -> Bool {
    if case .inserted = last(key)?.change(of: key) { true } else { false }
  }

  /// The value of a column in a row whose last change was its removal.
  func takenOut(_ key: RowKey, _ column: String) -> StoredValue? {
    guard let image = last(key), case .deleted(let values) = image.change(of: key) else { return nil }
    return image.columns[key.entity]?.firstIndex(of: column).map { values[$0] }
  }

  /// The image in which a row came or went last.
  private func last(_ key: RowKey) -> SaveImage? {
    images.last { image in
      switch image.change(of: key) {
      case .inserted, .deleted: true
      case .updated, nil: false
      }
    }
  }

  enum PairChange { case cameBack, went }

  /// The last change of the pair with two ends.
  func lastChange(_ links: EntityModel, _ ends: RowValues) -> PairChange? {
    for image in images.reversed() {
      guard let names = image.columns[links.number] else { continue }
      let table = ImageTable(links, names)
      func isPair(_ values: [StoredValue]) -> Bool {
        let values = table.links(values)
        return values.link(0) == ends.link(0) && values.link(1) == ends.link(1)
      }
      for row in image.rows where row.key.entity == links.number {
        switch row.change {
        case .inserted(let values) where isPair(values): return .cameBack
        case .deleted(let values) where isPair(values): return .went
        default: continue
        }
      }
    }
    return nil
  }
}

extension SaveImage {
  /// The change of a row; `nil` where it has none. Rows stand in an order, so that few of them are looked at.
  fileprivate func change(of key: RowKey) -> Change? {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      let other = rows[middle].key
      if (other.entity, other.pk) < (key.entity, key.pk) { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low].key == key ? rows[low].change : nil
  }
}
