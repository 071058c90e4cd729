/// The values of one row, handed to an object to load.
public struct RowReader {
  private enum Source {
    /// The row under the cursor; `offset` is the result column of the property with index 0.
    case statement(Statement, offset: Int)
    case values(RowValues)
  }

  private let source: Source
  /// The properties to load: the others were edited, and stay.
  private let mask: ColumnMask

  init(_ statement: Statement, _ mask: ColumnMask, offset: Int) {
    source = .statement(statement, offset: offset)
    self.mask = mask
  }

  init(_ values: RowValues, _ mask: ColumnMask) {
    source = .values(values)
    self.mask = mask.intersection(values.mask)
  }

  func contains(_ index: Int) -> Bool { mask.contains(index) }

  func value(_ index: Int) -> StoredValue {
    switch source {
    case .statement(let statement, let offset): statement.value(index + offset)
    case .values(let values): values[index]
    }
  }

  func link(_ index: Int) -> Int64 {
    switch source {
    case .statement(let statement, let offset): statement.int64(index + offset)
    case .values(let values): values.link(index)
    }
  }
}
