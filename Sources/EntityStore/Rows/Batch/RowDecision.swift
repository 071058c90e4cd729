import CSQLite
package import EntityJSON
import Foundation

/// The decision about a row of a batch.
enum RowDecision {
  case leave
  case insert
  case update(ColumnMask)
  /// The row has edits that the source may not know of, is a placeholder, or is to go by itself: its own rules decide.
  case lookCloser
}

extension RowBatch {
  /// The row id of a row that is written.
  package func pk(_ row: Int) -> Int64 { pks[row] }

  func isFound(_ row: Int) -> Bool { Int32(states[row]) & ENTITY_ROW_FOUND != 0 }
  func isEdited(_ row: Int) -> Bool { Int32(states[row]) & ENTITY_ROW_EDITED != 0 }
  func isPlaceholder(_ row: Int) -> Bool { Int32(states[row]) & ENTITY_ROW_PLACEHOLDER != 0 }
  func makePlaceholder(_ row: Int) { states[row] = UInt8(ENTITY_ROW_PLACEHOLDER) }

  /// The link that the file has in a column; 0 for none.
  func link(_ row: Int, _ column: Int) -> Int64 { links[row * table.columns + column] }

  func differs(_ row: Int, _ column: Int) {
    differing[row * 2 + column / 64] |= 1 << UInt64(column % 64)
  }

  func decision(_ row: Int) -> RowDecision {
    if rows[row].isPassed { return .lookCloser }
    guard isFound(row) else { return .insert }
    if rows[row].isReference {
      // The uid alone does not fill a placeholder.
      if rows[row].present == model.identity { return .leave }
      if isEdited(row) { return .lookCloser }
    } else if Int32(states[row]) & (ENTITY_ROW_EDITED | ENTITY_ROW_PLACEHOLDER) != 0 {
      guard !isPlaceholder(row), marks[UInt32(truncatingIfNeeded: row)] != nil else { return .lookCloser }
    }
    let changed = difference(row)
    if changed.isEmpty { return .leave }
    // A derived value may follow from values that the response lacks.
    return model.derived(from: changed).isEmpty ? .update(changed) : .lookCloser
  }

  /// Gives a new row the defaults of the columns that it lacks, and its derived values.
  func complete(_ row: Int, _ source: [UInt8]) {
    for index in model.defaulted.subtracting(rows[row].present).indices {
      table[row, index] = table.cell(model.defaults[index])
    }
    guard !model.derived.isEmpty else { return }
    var derived = RowValues(count: model.properties.count)
    model.derive(model.derived, from: values(row, source), into: &derived)
    for index in derived.mask.indices { table[row, index] = table.cell(derived[index]) }
  }

  /// The lazy columns that some row has a value for.
  var lazies: ColumnMask {
    model.lazy.isEmpty
      ? ColumnMask() : rows.reduce(into: ColumnMask()) { $0.formUnion($1.present.intersection(model.lazy)) }
  }

  /// The values of a row, for rules that look at one row.
  func values(_ row: Int, _ source: [UInt8]) -> RowValues {
    var values = RowValues(count: model.properties.count)
    for index in rows[row].present.intersection(model.stored).indices {
      values[index] = table.value(table[row, index], source)
    }
    if model.coverage != nil { values.heardLists = rows[row].keys.subtracting(model.stored) }
    return values
  }
}

extension CellTable {
  package func cell(_ value: StoredValue) -> JSONCell {
    switch value {
    case .null: .null
    case .integer(let integer): JSONCell(integer: integer)
    case .real(let real): JSONCell(real: real)
    case .text(let text): cell(.text, text.utf8)
    case .blob(let data): cell(.blob, data)
    }
  }

  func value(_ cell: JSONCell, _ source: [UInt8]) -> StoredValue {
    switch JSONCell.Kind(rawValue: cell.kind) {
    case .integer: return .integer(cell.bits)
    case .real: return .real(Double(bitPattern: UInt64(bitPattern: cell.bits)))
    case .sourceText, .text, .blob:
      guard let content = content(of: cell, source) else { return .null }
      return content.isText ? .text(String(decoding: content.bytes, as: UTF8.self)) : .blob(Data(content.bytes))
    default: return .null
    }
  }
}
