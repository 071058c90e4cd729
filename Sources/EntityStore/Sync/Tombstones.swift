// Local deletions that the server is yet to hear of: each has a row in a table of its own, so that no response brings the
// object back. An object that the server never had leaves none.

extension RowWriter {
  /// The uid by which the server knows a row that is about to go; `nil` for one that it never had.
  func serverUID(_ model: EntityModel, _ pk: Int64) throws -> StoredValue? {
    guard let index = model.uid, let found = try find(model, pk: pk), !found.row.marks.isNew else { return nil }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  /// An object of the server was deleted here.
  package func leaveTombstone(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue) throws {
    // The same save gave the uid to a new object: it is that object of the server again.
    if let other = try current(model, uid: uid) {
      return try acknowledge(model, pk: other.pk, ColumnMask(), endsInsertion: true)
    }
    hasTombstones[model.number] = true
    areNotesChanged = true
    try connection.prepare(
      "INSERT INTO \(Tombstones.table) (entity, pk, uid, time) VALUES (?, ?, ?, ?) "
        + "ON CONFLICT DO UPDATE SET pk = excluded.pk, time = excluded.time"
    ).run([.text(model.name), .integer(pk), uid, .real(now)])
  }

  /// Whether an object was deleted here, and the server is yet to hear of it.
  package func isDeletedHere(_ model: EntityModel, _ uid: StoredValue) throws -> Bool {
    guard try hasTombstones(model) else { return false }
    return try !connection.rows(
      "SELECT 1 FROM \(Tombstones.table) WHERE entity = ? AND uid = ?", [.text(model.name), uid]
    ) { _ in true }.isEmpty
  }

  /// The server has the deletion, or there is an object with the uid again.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package func endTombstone(_ model: EntityModel, uid: StoredValue) throws -> Bool {
    guard try hasTombstones(model) else { return false }
    return try endTombstone("uid", model, uid)
  }

  @discardableResult
  package func endTombstone(_ model: EntityModel, pk: Int64) throws -> Bool {
    guard try hasTombstones(model) else { return false }
    return try endTombstone("pk", model, .integer(pk))
  }

  /// A row gets the uid among `row`.
  ///
  /// - Returns: Whether it is that of an object that was deleted here.
  func endTombstone(_ model: EntityModel, of row: RowValues) throws -> Bool {
    guard let uid = model.uid, row.mask.contains(uid), !row[uid].isNull else { return false }
    return try endTombstone(model, uid: row[uid])
  }

  private func endTombstone(_ column: String, _ model: EntityModel, _ value: StoredValue) throws -> Bool {
    let ended = try !connection.rows(
      "DELETE FROM \(Tombstones.table) WHERE entity = ? AND \(column) = ? RETURNING 1", [.text(model.name), value]
    ) { _ in true }.isEmpty
    if ended { areNotesChanged = true }
    return ended
  }

  /// Whether objects of an entity were deleted here: mostly none was, and a response with many objects then asks once.
  private func hasTombstones(_ model: EntityModel) throws -> Bool {
    if let known = hasTombstones[model.number] { return known }
    let found = try !connection.rows(
      "SELECT 1 FROM \(Tombstones.table) WHERE entity = ? LIMIT 1", [.text(model.name)]
    ) { _ in true }.isEmpty
    hasTombstones[model.number] = found
    return found
  }
}
