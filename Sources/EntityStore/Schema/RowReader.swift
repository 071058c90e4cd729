/// The values of one row, handed to an object to load.
public struct RowReader {
  let statement: Statement
  /// The properties to load: the others were edited, and stay.
  let mask: ColumnMask
  /// The result column of the property with index 0.
  let offset: Int

  func contains(_ index: Int) -> Bool { mask.contains(index) }
  func value(_ index: Int) -> StoredValue { statement.value(index + offset) }
  func link(_ index: Int) -> Int64 { statement.int64(index + offset) }
}
