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

  /// Whether no object has pending changes, or entries of the outbox.
  package func hasNothingPending() throws -> Bool {
    try merging.entry { try connection.rows(EditNotes.countWithEntries) { $0.int64(0) }.first == 0 }
  }

  /// The version that the server gave an object, where the store keeps it apart from the object; `nil` where it is not known.
  package func outboxVersion(of key: RowKey) throws -> String? {
    try merging.entry { try connection.outboxVersion(core.schema, key) }
  }

  /// Whether an entry of the outbox has a text in ``OutboxEntry/kept``, also an entry that this version of the app can't
  /// read.
  package func outboxKeeps(_ text: String) throws -> Bool {
    try merging.entry {
      try !connection.rows("SELECT 1 FROM \(OutboxTable.table) WHERE instr(kept, ?) > 0 LIMIT 1", [.text(text)]) { _ in
        true
      }.isEmpty
    }
  }
}
