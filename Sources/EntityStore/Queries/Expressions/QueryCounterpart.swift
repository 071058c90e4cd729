extension SQLFragment {
  /// The row id of the object whose link holds the row with the id `owner`; NULL where there is no such object.
  static func partner<E: ManagedEntity, T: ManagedEntity>(
    _ column: Counterpart<E, T>, of owner: SQLFragment
  ) -> SQLFragment {
    let row = RowAlias()
    let list = ListReference(type: E.self, property: column.index, owner: owner)
    return "(SELECT \(row)._pk FROM \(rows: T.self) AS \(row) WHERE \(row, in: list))"
  }
}
