extension SkipLog {
  /// The changes that were skipped, as they are at the end of the transaction. Changes of rows that are gone by then
  /// are left out.
  package func changes(_ rows: RowWriter) throws -> SkippedChanges {
    var changes: [SkippedChange] = []
    for entry in entries where entry.isWhole || !entry.columns.isEmpty {
      let model = rows.schema.entities[entry.key.entity]
      // A composite uid stays with its parts, which are named.
      let names = entry.columns.indices.map { model.properties[$0] }.filter { !$0.isComposite }.map(\.name)
      let values = entry.columns.indices.compactMap { entry.values[$0] }
      func add(_ id: AnyEntityID?, _ uid: StoredValue) {
        changes.append(
          SkippedChange(
            reason: entry.key.reason, entity: model.name,
            uid: model.uidType.flatMap { uid.uidText($0) }.map { String($0.prefix(200)) },
            id: id, properties: names, values: values))
      }
      guard entry.key.uid.isNull, entry.key.reason != .gone || !entry.columns.isEmpty else {
        add(entry.key.pk == 0 ? nil : model.id(entry.key.pk), entry.key.uid)
        continue
      }
      let pk = rows.collisions.survivor(model, entry.key.pk)
      let uid = model.uid.map { ColumnMask($0) } ?? ColumnMask()
      guard let (row, values) = try rows.find(model, pk: pk)?.read(model, uid) else { continue }
      // Nobody knew a placeholder as an object that could be deleted.
      if entry.key.reason == .denied, row.isPlaceholder { continue }
      add(model.id(pk), model.uid.map { values[$0] } ?? .null)
    }
    return SkippedChanges(changes, others: others)
  }
}
