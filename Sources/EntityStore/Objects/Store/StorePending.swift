/// The saved changes that the server has not acknowledged: what an app shows as "not sent yet", sends, or takes back.
///
/// ```swift
/// for change in try await store.pending.changes() { print(change) }
/// // User 7: email was edited from "old" to "mine"
/// try await store.pending.discard(user.entityID, \.email)               // as the server last said it
/// ```
/// To discard and to acknowledge is a unit of work: contexts follow it as any commit. Changes that are not saved are none of
/// these; see ``EntityContext/changes``.
public struct StorePending: Sendable {
  let core: StoreCore

  /// All pending changes, in the order in which they were made.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public func changes() async throws -> [PendingChange] { try await core.read { try $0.pendingChanges() } }

  /// Those of one entity.
  public func changes<E: ManagedEntity>(of type: E.Type) async throws -> [PendingChange] {
    try await core.read { try $0.pendingChanges(of: type) }
  }

  /// How many objects have pending changes, those included of which only another version of the app declares the edited
  /// properties.
  public func count() async throws -> Int { try await core.read { try $0.pendingCount() } }

  // MARK: Taking back

  /// Takes a change back. An edited property has the server's last value; where that is not known, it keeps its value until the
  /// next answer. An object that was made here is deleted by the delete rules. One that was deleted here
  /// comes back with the next answer that has it, and so do those that a delete rule took along.
  ///
  /// Of edits, the properties of the change are meant, with the edits that came since.
  ///
  /// - Throws: ``StoreError``, also `deleteDenied`, and `uniqueViolation` where another object has the value by now.
  public func discard(_ change: PendingChange) async throws { try await settle(change, discards: true) }

  /// Takes all changes of an object back.
  public func discard<E: ManagedEntity>(_ id: EntityID<E>) async throws {
    try await core.unit { try $0.pending.discard($0.pending.key(id), nil) }
  }

  /// Takes the edit of one property of an object back: `store.pending.discard(user.entityID, \.email)`. An object that was
  /// made here has no value to go back to, and stays as it is.
  public func discard<E: ManagedEntity, V>(
    _ id: EntityID<E>, _ column: KeyPath<E.Columns, Column<E, V>>
  ) async throws {
    let index = E.columns[keyPath: column].index
    try await core.unit { try $0.pending.discard($0.pending.key(id), ColumnMask(index)) }
  }

  /// Takes all changes back, of all objects or none.
  public func discardAll() async throws { try await settleAll(discards: true) }

  // MARK: Acknowledging

  /// Takes a change as known to the server, as an answer does: the values stay, and later answers may change them. A deleted
  /// object comes back where an answer still has it.
  ///
  /// The server has the values of the change. A property that was edited since stays an edit, also where it has the value of the
  /// change again, and one that an undo gave its old
  /// value is an edit back to it. An object that was made here, and that an undo took out, is deleted for the server too; one that
  /// was deleted here, and that an undo brought back, goes again, unless a delete rule protects it.
  public func acknowledge(_ change: PendingChange) async throws { try await settle(change, discards: false) }

  /// Takes all changes of an object as known to the server.
  public func acknowledge<E: ManagedEntity>(_ id: EntityID<E>) async throws {
    try await core.unit { try $0.pending.settle($0.pending.key(id), nil) }
  }

  /// Takes the edit of one property of an object as known to the server.
  public func acknowledge<E: ManagedEntity, V>(
    _ id: EntityID<E>, _ column: KeyPath<E.Columns, Column<E, V>>
  ) async throws {
    let index = E.columns[keyPath: column].index
    try await core.unit { try $0.pending.settle($0.pending.key(id), ColumnMask(index)) }
  }

  /// Takes all changes as known to the server.
  public func acknowledgeAll() async throws { try await settleAll(discards: false) }

  private func settle(_ change: PendingChange, discards: Bool) async throws {
    try await core.unit { rows in
      guard discards else { return try rows.pending.acknowledge(change) }
      let model = rows.schema.entities[change.key.entity]
      var mask: ColumnMask?
      if change.kind == .edit {
        var edited = ColumnMask()
        for edit in change.edits { if let index = model.index(of: edit.property) { edited.insert(index) } }
        mask = edited
      }
      try rows.pending.discard(change.key, mask)
    }
  }

  private func settleAll(discards: Bool) async throws {
    try await core.unit { rows in
      let context = EntityContext(self.core, kind: .unit, connection: rows.connection, rows: rows)
      defer { context.finish() }
      let changes = try context.pendingChanges()
      // Objects that were made here may refer to each other: they go last, and at once.
      let inserts = changes.filter { $0.kind == .insert }
      for change in changes where !discards || change.kind != .insert {
        if discards { try rows.pending.discard(change.key, nil) } else { try rows.pending.settle(change.key, nil) }
      }
      if discards { try rows.deletion.delete(inserts.map(\.key)) }
    }
  }
}

extension EntityStore {
  /// The saved changes that the server has not acknowledged.
  public var pending: StorePending { StorePending(core: core) }
}

extension PendingSettlement {
  fileprivate func key<E: ManagedEntity>(_ id: EntityID<E>) throws -> RowKey {
    RowKey(entity: try schema.model(E.self).number, pk: id.pk)
  }
}
