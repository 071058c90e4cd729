extension EntityContext {
  /// The entries of the outbox, in the order of their numbers.
  ///
  /// - Parameter key: The object that the entries are about; `nil` for all objects.
  package func outboxEntries(of key: RowKey? = nil) throws -> [OutboxEntry] {
    try merging.entry {
      guard let key else { return try connection.outboxEntries(core.schema) }
      return try connection.outboxEntries(
        core.schema, "entity = ? AND pk = ?", [.text(core.schema.entities[key.entity].name), .integer(key.pk)])
    }
  }
}
