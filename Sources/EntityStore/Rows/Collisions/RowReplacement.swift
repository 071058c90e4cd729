/// Empties the store, or puts the rows of an archive in the place of all others.
struct RowReplacement {
  let rows: RowWriter

  /// Deletes all rows, with the notes of local edits, of deletions and of answers, the collections, the entries of the outbox, and what the
  /// file kept of removed entities.
  func empty(discardsPending: Bool) throws {
    try rows.checkOpen()
    if !discardsPending {
      let count = try rows.connection.rows(EditNotes.countWithEntries) { $0.int64(0) }.first ?? 0
      guard count == 0 else {
        throw StoreError(
          .pendingChanges,
          "The store has changes of \(count) \(count == 1 ? "object" : "objects") that the server has not acknowledged. Send "
            + "them, or lose them with `discardsPending: true`.")
      }
    }
    for model in rows.schema.pairs { try rows.connection.prepare("DELETE FROM \(model.removedTable)").run() }
    for model in rows.schema.pairs + rows.schema.declared {
      try rows.history.noteAll(model, .deleted)
      let count = try rows.execution.deleteAll(model)
      if count > 0 { rows.noteEmptied(model, count) }
    }
    for table in [EditNotes.table, Tombstones.table, VersionTable.table, OutboxTable.table, AnswerNotes.table]
      + [CollectionTables.memberTable, CollectionTables.table] + (try setAside())
    {
      try rows.connection.prepare("DELETE FROM \(table)").run()
    }
    try rows.connection.prepare(
      "INSERT INTO main._entity_store (key, value) VALUES ('age', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
    ).run()
    rows.edits.noteChanges += 1
    rows.edits.forget()
    rows.outbox.forget()
    rows.pairs.removals = [:]
    rows.collections.noteEmptied()
    rows.afterCommit { [answers = rows.writer.answers] in answers.removeAll() }
  }

  /// The tables of entities that the app removed.
  private func setAside() throws -> [String] {
    let sql = "SELECT value FROM main._entity_store WHERE key = 'schema'"
    let text = try rows.connection.rows(sql) { $0.text(0) ?? "" }.first
    let removed = try text.map { try StoredSchema.decode($0) }?.removed ?? []
    return removed.flatMap { aside in
      (aside.entity.isLinks ? [aside.removedTable] : []) + [aside.table]
    }.map { "main.\($0.quoted)" }
  }
}
