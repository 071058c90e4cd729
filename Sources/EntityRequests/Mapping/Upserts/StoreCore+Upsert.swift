import EntityJSON
package import EntityStore

extension StoreCore {
  /// Deletes a row that the server said is gone. If the row was deleted here before, its deletion is acknowledged. A
  /// row stays if a delete rule holds it, or if another row requires it: the server has done its part, and nothing is
  /// to be repeated.
  ///
  /// - Returns: The counts of the one object, and what was skipped; rows that go by cascade count as written.
  func delete<E: RemoteEntity>(
    _ row: RemovedRow<E>, sequence: RequestNumber, ending entry: OutboxEntryEnd? = nil
  ) async throws -> ResponseOutcome<E> {
    try await unit { rows in
      try entry?.end(in: rows)
      let skips = SkipLog()
      let session = UpsertSession(self, sequence: sequence, .keepingEdits)
      rows.notes.skips = skips
      let model = try self.schema.model(E.self)
      var counts = EntityCounts()
      session.leaveGone(try row.endTombstone(model, in: rows))
      let uidMask = model.uid.map { ColumnMask($0) } ?? ColumnMask()
      if let pk = try row.pk(in: rows), let (found, values) = try rows.find(model, pk: pk)?.read(model, uidMask) {
        let uid = model.uid.map { values[$0] }
        session.touch(model, uid, ColumnMask(), isDeletion: true)
        try rows.outbox.noteVersion(nil, of: RowKey(entity: model.number, pk: pk))
        let ((count, denied), gone) = try rows.notes.gone {
          try rows.deletion.deleteWherePossible([.init(entity: model.number, pk: pk)])
        }
        session.leaveGone(gone)
        counts.rowsWritten = count
        if denied.isEmpty {
          counts.deleted = 1
        } else {
          session.stays(model, uid)
          // Nobody knew a placeholder as an object that could be deleted.
          if !found.isPlaceholder { counts.denied = 1 }
        }
      }
      rows.afterCommit { session.leaveStamps() }
      return ResponseOutcome(ids: [], counts: counts, details: ResponseDetails(skipped: try skips.changes(rows)))
    }
  }

  /// Whether an object was deleted here, and the server is yet to hear of it.
  func isDeletedHere<E: RemoteEntity>(_ row: RemovedRow<E>) async throws -> Bool {
    try await read { context in
      switch row {
      case .object(let id): return try context.pendingEdits.isDeletedHere(id)
      case .uid(let uid): return try context.pendingEdits.isDeletedHere(E.self, uid: uid)
      case .address(let values):
        let address = ObjectAddress(values, of: try schema.model(E.self))
        return try context.pendingEdits.deletedUID(E.self, at: address) != nil
      }
    }
  }
}

extension RemovedRow {
  /// The present row; `nil` when no row has the uid.
  fileprivate func pk(in rows: RowWriter) throws -> Int64? {
    let model = try rows.schema.model(E.self)
    switch self {
    // The row may have become one with another row while the request was under way.
    case .object(let id): return rows.collisions.survivor(model, id.pk)
    case .uid(let uid): return try rows.current(model, uid: uid)?.pk
    case .address(let values): return try rows.edits.onlyRow(model, having: values)
    }
  }

  /// Acknowledges the deletion of an object that was deleted here.
  ///
  /// - Returns: The object, and those whose deletions it caused; empty where it was not deleted here.
  fileprivate func endTombstone(_ model: EntityModel, in rows: RowWriter) throws -> [GoneObject] {
    switch self {
    case .object(let id):
      return try rows.edits.endTombstone(model, pk: rows.collisions.survivor(model, id.pk), .acknowledged)
    case .uid(let uid): return try rows.edits.endTombstone(model, uid: uid, .acknowledged)
    case .address(let values):
      guard let uid = try rows.edits.deletedUID(model, at: ObjectAddress(values, of: model)) else { return [] }
      return try rows.edits.endTombstone(model, uid: uid, .acknowledged)
    }
  }
}

extension ObjectAddress {
  /// The address that a tombstone has for the values. It is empty where one of them is of the uid: the column `uid` has that
  /// value, and nothing finds a tombstone by the others alone.
  fileprivate init(_ values: [(property: Int, value: StoredValue)], of model: EntityModel) {
    self.init()
    guard values.allSatisfy({ !model.identity.contains($0.property) }) else { return }
    for (index, value) in values {
      guard case .attribute(let type, _) = model.properties[index].kind else { continue }
      self[model.properties[index].name] = value.uidText(type)
    }
  }
}

extension EntityStore {
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    try await core.upsert(upsert)
  }

  package func delete<E: RemoteEntity>(_ id: EntityID<E>, sequence: RequestNumber) async throws -> ResponseOutcome<E> {
    try await core.delete(RemovedRow<E>.object(id), sequence: sequence)
  }
}
