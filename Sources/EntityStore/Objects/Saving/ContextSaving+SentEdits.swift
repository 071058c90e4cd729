// Edits that a request has sent, on the object that sent them.

extension ContextSaving {
  /// The row's values of an object's edited properties, without unsaved changes.
  func saved<E: ManagedEntity>(
    _ object: E, _ mask: ColumnMask
  ) throws -> (values: RowValues, lists: [Int: Set<Int64>])? {
    let model = object._$state.model
    let pk = object._$state.pk
    return try context.merging.entry(isGetter: true) {
      let statement = try context.connection.prepare(model.selectByPK)
      defer { statement.reset() }
      try statement.bind(pk, at: 1)
      guard try statement.step() else { return nil }
      var values = RowValues(count: model.properties.count)
      for index in mask.intersection(model.stored).indices {
        values[index] =
          model.lazy.contains(index)
          ? try context.edits.storedLazy(model, pk, index) ?? .null : statement.value(index + EntityModel.resultOffset)
      }
      var lists: [Int: Set<Int64>] = [:]
      for list in mask.intersection(model.lists).indices {
        guard let membership = model.properties[list].membership else { continue }
        let links = context.core.schema.entities[membership.links]
        lists[list] = Set(
          try context.connection.rows(links.selectLinks(membership.side, from: links.table), [.integer(pk)]) {
            $0.int64(1)
          })
      }
      return (values, lists)
    }
  }

  /// Whether the object of a row is not saved yet.
  func isInserted(_ entity: Int, _ pk: Int64) -> Bool {
    context.unsaved.changed[entity][pk]?._$state.isInserted == true
  }

  /// Removes unsaved changes from an object whose row has them already.
  func settle(_ object: any ManagedEntity, _ mask: ColumnMask) {
    let state = object._$state
    state.dirty.subtract(mask)
    state.endUIDEdit()
    for list in mask.intersection(state.model.lists).indices { state.lists[list] = nil }
    state.fromResponse.subtract(mask)
    state.forgetBases(mask)
    // The next read also finds out from the row whether a list is edited.
    state.stale.formUnion(mask.intersection(state.model.stored.union(state.model.lists).union(state.model.ordered)))
    context.overlay.rowPending(state.model, state.pk)
    if !state.hasChanges, state.saving.isEmpty { context.unsaved.letGo(of: state) }
  }
}
