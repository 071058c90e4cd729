extension StoreCore {
  /// From now on, objects that are made here and that a query finds stand in a stored collection until an answer has them.
  package func place<E: ManagedEntity>(
    _ query: EntityQuery<E>, in key: AnswerKey, first isFirst: Bool
  ) throws {
    guard !answers.hasPlacement(key) else { return }
    let row = query.row
    // The notes of objects that were made here name no property.
    let isNew = EntityPredicate(
      "\(row)._pk IN (SELECT _note.pk FROM \(sql: EditNotes.table) AS _note WHERE _note.entity = \(.text(E.entityName)) AND _note.property = '') AND NOT EXISTS (SELECT 1 FROM \(sql: CollectionTables.memberTable) AS _m WHERE _m.pk = \(row)._pk AND _m.collection = \(collection: key.text))"
    )
    var new = query.unsorted()
    new.predicate = new.predicate.map { $0 && isNew } ?? isNew
    let rendered = try new.rowIDs().rendered(schema) { $0.table }
    answers.add(
      CollectionPlacement(
        key: key, entity: E.entityName, isFirst: isFirst, sql: rendered.sql, values: rendered.values))
  }
}
