extension RowWriter {
  /// - Throws: ``StoreError`` of kind `invalidValue` when a row lacks one of the relationships in `mask`.
  func checkRequired(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws {
    if postponesRequired {
      return incomplete[RowKey(entity: model.number, pk: pk), default: ColumnMask()].formUnion(mask)
    }
    guard let found = try find(model, pk: pk) else { return }
    guard let index = mask.indices.first(where: { found.link($0) == 0 }) else { return }
    throw StoreError(
      .invalidValue,
      "'\(model.name).\(model.properties[index].name)' is required, and an object (row \(pk)) has none: it was never set, "
        + "or was taken out of the list on the other side. Set it, or delete the object.", objects: [model.id(pk)])
  }

  /// Checks the rows that were allowed to lack a relationship for a while.
  func checkPostponed() throws {
    for (key, mask) in incomplete.sorted(by: { $0.key.pk < $1.key.pk }) {
      try checkRequired(schema.entities[key.entity], key.pk, mask)
    }
    incomplete = [:]
  }

  func checkNulls(_ model: EntityModel, _ pk: Int64, _ row: RowValues, _ mask: ColumnMask? = nil) throws {
    for index in (mask ?? row.mask).indices where row[index].isNull && !model.identity.contains(index) {
      guard case .attribute(_, isOptional: false) = model.properties[index].kind else { continue }
      throw StoreError(
        .invalidValue, "'\(model.name).\(model.properties[index].name)' is not optional and has no value.",
        objects: [model.id(pk)])
    }
  }
}
