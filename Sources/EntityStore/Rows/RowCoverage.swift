// The column of the properties that no response ever had; see ``ManagedEntity/tracksCoverage``.

extension RowSource {
  /// The columns among those of a write that count as loaded: a response has them, or they were set here. A value that
  /// follows from another change says nothing.
  func covers(_ given: ColumnMask) -> ColumnMask {
    if case .effect = self { ColumnMask() } else { given }
  }
}

extension MissingProperties {
  /// The properties that are left once a write has some of them.
  ///
  /// - Parameter said: The properties that the source of the write knows to be left; `nil` where it does not say.
  func left(by covered: ColumnMask, saying said: MissingProperties?) -> MissingProperties {
    var left = self
    left.known.subtract(covered)
    if let said {
      left.known = left.known.intersection(said.known)
      if said.isEmpty { left.others = nil }
    }
    return left
  }
}

/// How much of a row is known, and since when.
package struct RowKnowledge {
  let rows: RowWriter
}

extension RowKnowledge {
  /// The properties that a new row lacks: those that its response does not have. An object that was made here lacks
  /// none.
  ///
  /// - Parameters:
  ///   - given: The columns that the row gets, from `source`.
  ///   - said: The value for the column that the source has; `nil` for none.
  func missing(
    _ model: EntityModel, _ given: ColumnMask, lists: ColumnMask, _ source: RowSource, isPlaceholder: Bool,
    saying said: StoredValue?
  ) -> StoredValue {
    var missing = MissingProperties()
    if let said {
      missing = model.missing(said)
    } else if !source.isEdit || rows.isOfServer || isPlaceholder {
      missing.known = model.coverable
    }
    missing.known.subtract(given.union(lists))
    return model.names(missing)
  }

  /// Notes properties of a row as missing again: the edit ends that had given them values.
  func noteUnloaded(_ model: EntityModel, _ pk: Int64, _ properties: ColumnMask) throws {
    guard let coverage = model.coverage, !properties.isEmpty, let found = try rows.find(model, pk: pk) else { return }
    var missing = model.missing(found.value(coverage))
    missing.known.formUnion(properties)
    var row = RowValues(count: model.properties.count)
    row[coverage] = model.names(missing)
    _ = consume found
    try rows.write(model, pk, ColumnMask(coverage), row, edited: nil, fills: false)
    rows.note(model, pk, .updated, ColumnMask(coverage), .effect)
  }

  /// Notes properties of a row as loaded, though no response had their keys: the server was asked for them.
  package func noteLoaded(_ model: EntityModel, _ pk: Int64, _ properties: ColumnMask) throws {
    guard model.coverage != nil, let found = try rows.find(model, pk: pk) else { return }
    var none = RowValues(count: model.properties.count)
    none.heardLists = properties
    _ = try rows.update(
      model, found, none, .response(.keepingEdits, newer: ColumnMask()), [.leavesPlaceholder, .unshown])
  }
}
