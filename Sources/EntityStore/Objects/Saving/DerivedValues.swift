extension ManagedEntity {
  /// Adds the derived values that the row wants, computed from the object's present values, saved or not.
  func storeDerived(_ model: EntityModel, into row: inout RowValues) {
    let wanted = row.wanted.intersection(model.derived)
    guard !wanted.isEmpty else { return }
    var own = RowValues(count: row.count)
    own.wanted = model.sources(of: wanted)
    _$store(into: &own)
    model.derive(wanted, from: own, into: &row)
  }
}
