public import EntityStore

// The conditions stand in this module, because nothing but an outbox writes entries, and an entity without one has none.
// The store has the SQL, as it has all SQL.

extension QueryRow where E: OutboxEntity {
  /// Whether a change of the object was refused and waits for a person, as in ``OutboxSendState/refused(_:)``. A live query
  /// runs again when that changes.
  ///
  /// ```swift
  /// let refused = LiveQuery(Order.where { $0.isRefused }, in: store)
  /// ```
  /// An edit that is saved sends a create or an update anew, and ends the state. A change that the server fails at, and that
  /// is tried once an hour, is refused until its next try begins; where it goes with the key and the bytes of the first try, no
  /// edit ends the state. Objects that wait, or whose request is under way, are those with `$0.hasPendingChanges`. An unknown
  /// end can't be a condition: the file does not say which requests are under way. ``LiveOutbox/unknown`` has these changes.
  public var isRefused: EntityPredicate { hasHeldEntry(.refused) }

  /// Whether a person decides between a value of the object here and the server's; see ``Outbox/settle(_:_:)``.
  public var isInConflict: EntityPredicate { hasHeldEntry(.conflict) }

  /// Whether the server does not have the object any more, and a person restores or drops its changes; see
  /// ``Outbox/restore(_:)``.
  public var isGone: EntityPredicate { hasHeldEntry(.gone) }
}
