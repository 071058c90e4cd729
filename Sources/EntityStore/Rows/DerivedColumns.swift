// Derived columns, which a row gets with the columns that they are made of.

extension RowWriter {
  /// The values of a new row with its derived columns.
  func withDerived(_ model: EntityModel, _ given: RowValues) -> RowValues {
    guard !model.derived.isEmpty else { return given }
    var row = given
    model.derive(model.derived, from: given, into: &row)
    return row
  }

  /// The derived columns of a row that is there which get other values; `nil` for none.
  ///
  /// - Parameters:
  ///   - row: The new values.
  ///   - changed: The columns of `row` that are about to be written.
  func derived(
    _ model: EntityModel, _ found: borrowing Found, _ row: RowValues, _ changed: ColumnMask
  ) -> RowValues? {
    let mask = model.derived(from: changed)
    guard !mask.isEmpty else { return nil }
    var sources = RowValues(count: model.properties.count)
    for index in model.sources(of: mask).indices {
      sources[index] = changed.contains(index) ? row[index] : found.value(index)
    }
    var derived = RowValues(count: model.properties.count)
    model.derive(mask, from: sources, into: &derived)
    for index in mask.indices where found.has(derived[index], index) { derived.remove(ColumnMask(index)) }
    return derived.mask.isEmpty ? nil : derived
  }

  /// Computes derived columns of a row anew, after columns that they are made of were written by themselves.
  func derive(_ model: EntityModel, _ pk: Int64, after changed: ColumnMask) throws {
    guard !model.derived(from: changed).isEmpty, let found = try find(model, pk: pk) else { return }
    let none = RowValues(count: model.properties.count)
    let mask = model.derived(from: changed)
    var sources = none
    for index in model.sources(of: mask).indices { sources[index] = found.value(index) }
    var row = none
    model.derive(mask, from: sources, into: &row)
    for index in mask.indices where found.has(row[index], index) { row.remove(ColumnMask(index)) }
    guard !row.mask.isEmpty else { return }
    _ = consume found
    try write(model, pk, row.mask, row, edited: nil, fills: false)
    note(model, pk, .updated, row.mask, .effect)
  }
}
