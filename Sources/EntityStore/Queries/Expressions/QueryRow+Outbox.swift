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

  /// Whether the object has an entry of a state that a person settles. An entry that the outbox tries again by itself is
  /// none, and an edit since then is the person's answer. Edits of embedded objects count once they are sent.
  package func hasHeldEntry(_ state: OutboxEntry.State) -> EntityPredicate {
    EntityPredicate(
      "EXISTS (SELECT 1 FROM \(sql: OutboxTable.table) AS e WHERE e.entity = \(.text(E.entityName)) AND e.pk = \(alias)._pk AND \(sql: OutboxTable.isHeld(as: state)))"
    )
  }
}
