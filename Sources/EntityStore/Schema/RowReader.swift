/// The values of one row, from which an object loads its properties.
@_documentation(visibility: internal)
public struct RowReader {
  /// The row under a cursor; `nil` where the row is in `values`.
  private let row: RowCursor?
  /// The result column of the property with index 0.
  private let offset: Int
  private let values: RowValues
  private static let none = RowValues(count: 0)
  /// The properties to load. The others were edited, and stay.
  @usableFromInline let mask: ColumnMask

  init(_ statement: Statement, _ mask: ColumnMask, offset: Int) {
    row = statement.row
    self.offset = offset
    values = Self.none
    self.mask = mask
  }

  init(_ values: RowValues, _ mask: ColumnMask) {
    row = nil
    offset = 0
    self.values = values
    self.mask = mask.intersection(values.mask)
  }

  @inlinable @inline(__always) func contains(_ index: Int) -> Bool { mask.contains(index) }

  /// Whether the values come from a row of the file.
  var isOfCursor: Bool { row != nil }

  @usableFromInline func value(_ index: Int) -> StoredValue { row?.value(index + offset) ?? values[index] }

  @usableFromInline func isNull(_ index: Int) -> Bool { row?.isNull(index + offset) ?? values[index].isNull }

  /// An INTEGER; `nil` for any other type.
  @usableFromInline func integer(_ index: Int) -> Int64? {
    if let row { return row.integer(index + offset) }
    if case .integer(let integer) = values[index] { return integer }
    return nil
  }

  /// A REAL or an INTEGER; `nil` for any other type.
  @usableFromInline func double(_ index: Int) -> Double? {
    if let row { return row.double(index + offset) }
    switch values[index] {
    case .real(let double): return double
    case .integer(let integer): return Double(integer)
    case .null, .text, .blob: return nil
    }
  }

  /// A TEXT; `nil` for any other type.
  @usableFromInline func text(_ index: Int) -> String? {
    if let row { return row.text(index + offset) }
    if case .text(let text) = values[index] { return text }
    return nil
  }

  /// The row id in a to-one property; 0 for none.
  @usableFromInline func link(_ index: Int) -> Int64 { row?.int64(index + offset) ?? values.link(index) }
}
