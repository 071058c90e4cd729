/// Takes the values of rows out of the file that a server can send again.
///
/// An eviction is no deletion: it leaves no tombstone and no line in the history, for nothing of the data has changed.
/// Contexts hear of it, because queries do not find the objects any more.
package struct RowEviction {
  let rows: RowWriter
  private var connection: Connection { rows.connection }
  private var schema: SchemaModel { rows.schema }

  package init(_ rows: RowWriter) { self.rows = rows }

  /// Makes placeholders of those among some rows that may be evicted.
  ///
  /// - Parameters:
  ///   - before: Only rows that no response had since then, in seconds since 1970.
  ///   - keeps: The rows among its argument that stay.
  /// - Returns: The rows that were evicted.
  package func evict(
    _ pks: [Int64], of model: EntityModel, before: Int64, keeping keeps: ([Int64]) throws -> Set<Int64> = { _ in [] }
  ) throws -> [Int64] {
    guard let plan = EvictionPlan(model), !pks.isEmpty else { return [] }
    var going = try connection.rows(
      "SELECT t._pk FROM \(model.table) AS t WHERE t._pk IN (SELECT value FROM _entity_values(?1)) "
        + "AND t._placeholder = 0 AND t.\(plan.name(plan.age)) <= ?2 AND \(plan.isSettled(schema))",
      [.list(pks.map { .integer($0) }), .integer(before)]
    ) { $0.int64(0) }
    let kept = try keeps(going).union(rows.collections.shown(among: going))
    going.removeAll { kept.contains($0) }
    if !plan.parts.isEmpty { going = try going.filter { try !rows.deletion.hasUnsentWork(model, $0) } }
    guard !going.isEmpty else { return [] }
    let parts = try plan.parts.map { try self.parts($0, of: going, plan) }
    try rows.execution.evict(plan, going)
    for (property, keys) in zip(plan.parts, parts) {
      if case .toMany = property.kind {
        // A member still links to the placeholder.
        try rows.deletion.deleteWherePossible(keys, keeping: .all)
      } else {
        for key in keys { try rows.deletion.deleteEmbedded(schema.entities[key.entity], key.pk, keeping: .all) }
      }
    }
    for pk in going { rows.noteEvicted(model, pk, isGone: false) }
    // An answer that is not modified would prove nothing: its objects, or objects in them, are not there.
    try rows.answerNotes.endAnswers()
    try rows.collections.endLists(of: going)
    return going
  }

  /// The objects without uid that live in some rows.
  private func parts(_ property: PropertyModel, of pks: [Int64], _ plan: EvictionPlan) throws -> [RowKey] {
    let list = StoredValue.list(pks.map { .integer($0) })
    switch property.kind {
    case .attribute, .manyToMany: return []
    case .toOne(let target, _, _):
      return try connection.rows(
        "SELECT \(property.name.quoted) FROM \(plan.model.table) WHERE _pk IN (SELECT value FROM _entity_values(?)) "
          + "AND \(property.name.quoted) IS NOT NULL", [list]
      ) { RowKey(entity: target, pk: $0.int64(0)) }
    case .toMany(let target, let inverse, _):
      let other = schema.entities[target]
      return try connection.rows(
        "SELECT _pk FROM \(other.table) WHERE \(other.properties[inverse].name.quoted) "
          + "IN (SELECT value FROM _entity_values(?))", [list]
      ) { RowKey(entity: target, pk: $0.int64(0)) }
    }
  }

  /// Removes placeholders that evictions made, and that no object needs any more.
  ///
  /// - Parameters:
  ///   - held: Rows that stay.
  ///   - some: The rows that are looked at; `nil` for all.
  ///   - most: The most rows that are removed.
  /// - Returns: How many rows went.
  package func sweep(_ model: EntityModel, keeping held: Set<Int64>, among some: [Int64]? = nil, most: Int) throws
    -> Int
  {
    guard let plan = EvictionPlan(model) else { return 0 }
    let place = some == nil ? "" : "t._pk IN (SELECT value FROM _entity_values(?3)) AND "
    let pks = try connection.rows(
      "SELECT t._pk FROM \(model.table) AS t WHERE \(place)t._placeholder = 1 AND t.\(plan.name(plan.age)) IS NOT NULL "
        + "AND t._pk NOT IN (SELECT value FROM _entity_values(?1)) AND \(plan.isUnused(schema)) LIMIT ?2",
      [.list(held.sorted().map { .integer($0) }), .integer(Int64(most))]
        + (some.map { [.list($0.map { .integer($0) })] } ?? [])
    ) { $0.int64(0) }
    guard !pks.isEmpty else { return 0 }
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      for pk in try rows.execution.clear(other, incoming.property, to: pks) {
        rows.tell(other, pk, .updated, ColumnMask(incoming.property), isDirect: false)
      }
    }
    try rows.execution.delete(model, pks)
    try connection.prepare(
      "DELETE FROM \(VersionTable.table) WHERE entity = ? AND pk IN (SELECT value FROM _entity_values(?))"
    ).run([.text(model.name), .list(pks.map { .integer($0) })])
    for pk in pks { rows.noteEvicted(model, pk, isGone: true) }
    return pks.count
  }
}
