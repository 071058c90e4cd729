/// The unsaved changes of a context as plain values, on their way to the writer.
struct ChangeSet: Sendable {
  struct Row: Sendable {
    let entity: Int
    let pk: Int64
    let values: RowValues
    /// The columns among them that came from a response, and so are no local edits.
    let fromResponse: ColumnMask
    let isInserted: Bool
    let isPlaceholder: Bool
  }

  var rows: [Row] = []
  var deleted: [RowWriter.RowKey] = []

  var isEmpty: Bool { rows.isEmpty && deleted.isEmpty }

  /// Writes the changes.
  ///
  /// - Returns: The columns of each row that were other values before.
  /// - Throws: ``StoreError``: `objectDeleted` when a changed object's row is gone.
  func apply(to writer: RowWriter) throws -> [ColumnMask] {
    var written = Array(repeating: ColumnMask(), count: rows.count)
    // Edits first: what was taken out of a deleted object does not go with it. New rows last: one may have the uid of
    // an object that is deleted, and is another object all the same.
    for (position, row) in rows.enumerated() where !row.isInserted { written[position] = try write(row, to: writer) }
    try writer.delete(deleted)
    for (position, row) in rows.enumerated() where row.isInserted { written[position] = try write(row, to: writer) }
    return written
  }

  private func write(_ row: Row, to writer: RowWriter) throws -> ColumnMask {
    let model = writer.schema.entities[row.entity]
    let source = RowWriter.Source.edit(fromResponse: row.fromResponse)
    if let found = try writer.find(model, pk: row.pk) {
      return try writer.update(model, found, row.values, source, fills: !row.isPlaceholder).changed
    }
    guard row.isInserted else {
      throw StoreError(
        .objectDeleted,
        "An object of '\(model.name)' (row \(row.pk)) was changed, but is deleted. Check isDeleted, and drop the "
          + "change with `rollback(_:)`.")
    }
    return try writer.insert(model, pk: row.pk, row.values, source, isPlaceholder: row.isPlaceholder).changed
  }
}
