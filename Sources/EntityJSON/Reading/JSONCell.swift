/// A value of a row, or the lack of one, in 16 bytes: the layout of `entity_cell` in CSQLite, which defines the content
/// of each kind.
package struct JSONCell: BitwiseCopyable, Equatable {
  package var kind: UInt32
  package var length: UInt32
  package var bits: Int64

  @inline(__always)
  package init(_ kind: Kind = .absent, length: Int = 0, bits: Int64 = 0) {
    self.kind = kind.rawValue
    self.length = UInt32(truncatingIfNeeded: length)
    self.bits = bits
  }

  /// The kinds have the numbers of `ENTITY_CELL_…`.
  package enum Kind: UInt32 {
    case absent, null, integer, real
    /// A text of the source, by its place and length.
    case sourceText
    /// A text or a blob in the bytes of a ``CellTable``.
    case text, blob
    /// A value that is not known yet. The reader leaves the value's place on the tape. For a link, `bits` is then the
    /// row of its target.
    case open
  }

  @inline(__always)
  package func isOf(_ kind: Kind) -> Bool { self.kind == kind.rawValue }

  package static let null = JSONCell(.null)

  package var isEmptyText: Bool { length == 0 && (isOf(.text) || isOf(.sourceText)) }

  @inline(__always)
  package init(integer: Int64) { self.init(.integer, bits: integer) }

  /// SQLite keeps no sign of zero.
  @inline(__always)
  package init(real: Double) { self.init(.real, bits: Int64(bitPattern: real == 0 ? 0 : real.bitPattern)) }
}

/// Rows of cells, with the bytes of texts that are not in the source.
package final class CellTable {
  package let columns: Int
  // The checks of exclusive access took a quarter of an ingest. They can be left out: a table is used on one thread, and no
  // access to a variable lasts while anything is called that uses the table.
  /// The cells, row by row.
  @exclusivity(unchecked) private var cells: [JSONCell] = []
  @exclusivity(unchecked) private var bytes: [UInt8] = []

  package var byteCount: Int { bytes.count }

  /// - Parameter columns: At least one.
  package init(columns: Int) { self.columns = columns }

  /// Adds a row without values.
  package func addRow() -> Int {
    cells.append(contentsOf: repeatElement(JSONCell(), count: columns))
    return cells.count / columns - 1
  }

  package func removeLastRow() { cells.removeLast(columns) }

  /// Brings the table back to a number of rows and bytes.
  package func shrink(rows: Int, bytes: Int) {
    cells.removeLast(max(0, cells.count - rows * columns))
    self.bytes.removeLast(max(0, self.bytes.count - bytes))
  }

  package func removeAll() {
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  package subscript(row: Int, column: Int) -> JSONCell {
    @inline(__always) get { cells[row &* columns &+ column] }
    @inline(__always) set { cells[row &* columns &+ column] = newValue }
  }

  /// The cell of a text or a blob whose bytes are kept here.
  package func cell(_ kind: JSONCell.Kind, _ content: some Collection<UInt8>) -> JSONCell {
    let place = bytes.count
    // All bytes at once where they lie together: for a collection that another module names, byte by byte takes ten
    // times as long.
    if content.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
      bytes.append(contentsOf: content)
    }
    return JSONCell(kind, length: bytes.count - place, bits: Int64(place))
  }

  /// Whether two cells have the same value. A text of the source and a text of the table may be equal.
  package func areEqual(_ left: JSONCell, _ right: JSONCell, source: [UInt8]) -> Bool {
    if left == right { return true }
    guard let left = content(of: left, source), let right = content(of: right, source) else { return false }
    return left.isText == right.isText && left.bytes == right.bytes
  }

  /// The bytes of a text or a blob; `nil` for other kinds.
  package func content(of cell: JSONCell, _ source: [UInt8]) -> (isText: Bool, bytes: ArraySlice<UInt8>)? {
    let place = Int(cell.bits)
    let end = place + Int(cell.length)
    switch JSONCell.Kind(rawValue: cell.kind) {
    case .sourceText: return (true, source[place..<end])
    case .text: return (true, bytes[place..<end])
    case .blob: return (false, bytes[place..<end])
    default: return nil
    }
  }
}

extension JSONValue {
  /// The bytes of the whole document. The places of texts count in these.
  package var documentBytes: [UInt8] { document.bytes }

  /// Whether both values belong to one document.
  package func isOfDocument(of other: JSONValue) -> Bool { document === other.document }

  /// A cell that leaves the value open.
  package var openCell: JSONCell { JSONCell(.open, bits: Int64(index)) }

  /// Another value of the same document, by its place on the tape.
  package func value(at place: Int64) -> JSONValue { JSONValue(document: document, index: Int(place)) }
}

extension CellTable {
  /// Lends the cells and the bytes for the length of a call.
  package func lend<T>(
    _ body: (UnsafeBufferPointer<JSONCell>, UnsafeBufferPointer<UInt8>) throws -> T
  ) rethrows -> T {
    // Copies of the arrays' references: no access to the variables lasts while `body` runs.
    let (cells, bytes) = (cells, bytes)
    return try cells.withUnsafeBufferPointer { cells in try bytes.withUnsafeBufferPointer { try body(cells, $0) } }
  }
}
