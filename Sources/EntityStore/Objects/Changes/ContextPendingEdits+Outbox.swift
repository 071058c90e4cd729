extension ContextPendingEdits {
  /// The entries of the outbox, in the order of their numbers.
  ///
  /// - Parameter key: The object that the entries are about; `nil` for all objects.
  package func outboxEntries(of key: RowKey? = nil) throws -> [OutboxEntry] {
    try context.merging.entry {
      guard let key else { return try context.connection.outboxEntries(context.core.schema) }
      return try context.connection.outboxEntries(
        context.core.schema, "entity = ? AND pk = ?",
        [.text(context.core.schema.entities[key.entity].name), .integer(key.pk)])
    }
  }

  /// Whether no object has pending changes, or entries of the outbox.
  package func hasNothingPending() throws -> Bool {
    try context.merging.entry { try context.connection.rows(EditNotes.countWithEntries) { $0.int64(0) }.first == 0 }
  }

  /// The version that the server gave an object, where the store keeps it apart from the object; `nil` where it is not known.
  package func outboxVersion(of key: RowKey) throws -> String? {
    try context.merging.entry { try context.connection.outboxVersion(context.core.schema, key) }
  }

  /// Whether an entry of the outbox has a text in ``OutboxEntry/kept``, also an entry that this version of the app can't
  /// read.
  package func outboxKeeps(_ text: String) throws -> Bool {
    try context.merging.entry {
      try !context.connection.rows(
        "SELECT 1 FROM \(OutboxTable.table) WHERE instr(kept, ?) > 0 LIMIT 1", [.text(text)]
      ) { _ in true }.isEmpty
    }
  }
}
