import Foundation

/// Reads the fields of objects into the rows of a ``CellTable``: the values of most properties in the store's form,
/// without a String or a Date in between.
///
/// A value of another form than its field's is left open: code that knows all rules reads it.
package struct JSONCellReader {
  /// The form in which the values of a field are read.
  package enum Form: Equatable, BitwiseCopyable {
    /// An integer as its digits, within a range.
    case integer(lowest: Int64, highest: Int64)
    case double
    case bool
    case text
    /// The text of a date, as seconds since 1970.
    case date
    /// Every value is left open.
    case open
  }

  package struct Field {
    package let key: String
    let column: Int
    let form: Form
    let takesNull: Bool

    /// - Parameter takesNull: Whether null is a value; otherwise it is left open.
    package init(_ key: String, column: Int, form: Form, takesNull: Bool) {
      self.key = key
      self.column = column
      self.form = form
      self.takesNull = takesNull
    }
  }

  /// The columns for which an object has a value, and the columns with open values: bit `i % 64` of word `i / 64`.
  package struct Columns {
    package var present: (UInt64, UInt64) = (0, 0)
    package var open: (UInt64, UInt64) = (0, 0)

    @inline(__always)
    fileprivate static func insert(_ column: Int, _ set: inout (UInt64, UInt64)) {
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: column)
      if column < 64 { set.0 |= bit } else { set.1 |= bit }
    }

    @inline(__always)
    fileprivate func has(_ column: Int) -> Bool {
      (column < 64 ? present.0 : present.1) & (1 &<< UInt64(truncatingIfNeeded: column)) != 0
    }
  }

  /// A field without its key: a copy of a key counts its references.
  private struct Target: BitwiseCopyable {
    let column: Int
    let form: Form
    let takesNull: Bool
  }

  private let targets: [Target]
  /// The keys, with their places among the bytes, and their words on a tape, without the offset.
  private let bytes: [UInt8]
  private let ranges: [Range<Int>]
  private let words: [UInt64]

  /// - Parameter fields: Each key and each column once; a column is less than 128.
  package init(_ fields: [Field]) {
    targets = fields.map { Target(column: $0.column, form: $0.form, takesNull: $0.takesNull) }
    var bytes: [UInt8] = []
    ranges = fields.map { field in
      let start = bytes.count
      bytes.append(contentsOf: field.key.utf8)
      return start..<bytes.count
    }
    self.bytes = bytes
    words = ranges.map { JSONWord(.string, offset: 0, extent: $0.count).bits }
  }

  /// Reads the fields of an object into a row without values.
  ///
  /// - Returns: `nil` for an object that is not plain: a key stands twice in it, or has escapes. The row then has some
  ///   of its values.
  package func read(_ object: JSONObject, into table: CellTable, row: Int) -> Columns? {
    let document = object.document
    var columns = Columns()
    // The objects of a list have their keys in the same order: the next key is most likely the next field.
    var hint = 0
    var place = object.index + 2
    let end = document.word(at: object.index).extent
    let count = targets.count
    while place < end {
      let key = document.word(at: place)
      let index = place + 1
      let value = document.word(at: index)
      place = value.isContainer ? value.extent : index + 1
      if key.isEscaped { return nil }
      let wanted = key.bits & ~JSONWord.offsets
      var found = -1
      for step in 0..<count {
        let candidate = hint + step < count ? hint + step : hint + step - count
        guard words[candidate] == wanted, isKey(candidate, key, document) else { continue }
        found = candidate
        break
      }
      guard found >= 0 else { continue }
      hint = found + 1 < count ? found + 1 : 0
      let target = targets[found]
      guard !columns.has(target.column) else { return nil }
      Columns.insert(target.column, &columns.present)
      if let cell = cell(value, target, document, table) {
        table[row, target.column] = cell
      } else {
        table[row, target.column] = JSONCell(.open, bits: Int64(index))
        Columns.insert(target.column, &columns.open)
      }
    }
    return columns
  }

  @inline(__always)
  private func isKey(_ candidate: Int, _ key: JSONWord, _ document: JSONDocument) -> Bool {
    bytes.lend(ranges[candidate]) { wanted in document.withSource(of: key) { $0.isEqual(to: wanted) } }
  }

  /// - Returns: `nil` where the value is left open.
  @inline(__always)
  private func cell(_ value: JSONWord, _ target: Target, _ document: JSONDocument, _ table: CellTable) -> JSONCell? {
    if value.tag == .null { return target.takesNull ? JSONCell(.null) : nil }
    switch target.form {
    case .open: return nil
    case .integer(let lowest, let highest):
      guard value.tag == .number, let integer = document.withSource(of: value, JSONNumber.short), lowest <= integer,
        integer <= highest
      else { return nil }
      return JSONCell(integer: integer)
    case .double:
      guard value.tag == .number, let double = document.withSource(of: value, JSONNumber.double), double.isFinite else {
        return nil
      }
      return JSONCell(real: double)
    case .bool:
      switch value.tag {
      case .true: return JSONCell(integer: 1)
      case .false: return JSONCell(integer: 0)
      default: return nil
      }
    case .text:
      switch value.tag {
      case .string: return JSONCell(.sourceText, length: value.extent, bits: Int64(value.offset))
      case .escapedString: return table.cell(.text, JSONText.unescape(document.source(of: value)))
      default: return nil
      }
    case .date:
      guard value.tag == .string, let seconds = document.withSource(of: value, { $0.seconds }) else { return nil }
      // Through Date, which counts from 2001: then the values of the property and the row are equal to the bit.
      return JSONCell(real: Date(timeIntervalSince1970: seconds).timeIntervalSince1970)
    }
  }
}
