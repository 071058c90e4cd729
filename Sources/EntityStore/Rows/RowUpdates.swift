// Changes of many rows at once, of which no object is made.

/// New values for rows that a query found.
struct RowUpdates {
  /// The rows, each once.
  var pks: [Int64] = []
  /// The values that all rows get.
  var common: RowValues
  /// The columns that have another value in each row.
  let columns: [Int]
  /// The values of these columns, row by row.
  var values: [StoredValue] = []

  init(_ model: EntityModel, columns: [Int]) {
    common = RowValues(count: model.properties.count)
    self.columns = columns
  }

  /// All new values of a row.
  func row(_ place: Int) -> RowValues {
    var row = common
    for (offset, column) in columns.enumerated() { row[column] = values[place * columns.count + offset] }
    return row
  }
}
