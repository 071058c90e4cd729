import EntityStore

/// The notes of the local edits of some rows: see `_entity_edits` in ARCHITECTURE.md.
struct EditedProperties {
  struct Note {
    let base: StoredValue?
    let time: Double?
    let generation: Int64
  }

  private var notes: [Int64: [String: Note]] = [:]

  /// - Parameter pks: Row ids in ascending order.
  init(_ entity: String, _ pks: [Int64], _ reader: StoreFileReader) throws {
    guard let first = pks.min(), let last = pks.max() else { return }
    let found = try reader.rows(
      "SELECT pk, property, base, has_base, time, number FROM main._entity_edits WHERE entity = ? AND pk BETWEEN ? AND ?",
      [.text(entity), .integer(first), .integer(last)], within: .init(rows: 10_000))
    for row in found.rows {
      guard case .integer(let pk) = row[0], case .text(let property) = row[1] else { continue }
      notes[pk, default: [:]][property] = Note(
        base: row[3] == .integer(1) ? row[2] : nil, time: row[4].number, generation: row[5].integer ?? 0)
    }
  }

  subscript(pk: Int64, property: String) -> Note? { notes[pk]?[property] }

  /// The edit of a property that the marks of its row name.
  func edit(_ pk: Int64, _ property: StoreFileSchema.Property) -> Cell.Edit {
    let note = self[pk, property.name]
    return Cell.Edit(
      base: note?.base.map { ValueText($0, type: property.type).text }, since: note?.time.map(ValueText.date))
  }
}

extension StoredValue {
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  var string: String? { if case .text(let text) = self { text } else { nil } }

  var number: Double? {
    switch self {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
