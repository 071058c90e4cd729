extension QueryRow {
  /// Whether the object has an entry of the outbox with one of the states. Live queries follow the entries.
  package func hasOutboxEntry(in states: OutboxEntry.State...) -> EntityPredicate { hasOutboxEntry(in: states) }

  /// The same for a list of states. With an empty list, no object has one.
  package func hasOutboxEntry(in states: [OutboxEntry.State]) -> EntityPredicate {
    let isOfState = SQLFragment.isIn("e.state", states.map { .integer($0.rawValue) })
    return EntityPredicate(
      "EXISTS (SELECT 1 FROM \(sql: OutboxTable.table) AS e WHERE e.entity = \(.text(E.entityName)) AND e.pk = \(alias)._pk AND \(isOfState))"
    )
  }
}
