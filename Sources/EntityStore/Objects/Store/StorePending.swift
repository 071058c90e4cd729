/// The saved changes that the server has not acknowledged. An app can show them as "not sent yet", send them, or take
/// them back.
///
/// ```swift
/// for change in try await store.pending.changes() { print(change) }
/// // User 7: email was edited from "old" to "mine"
/// try await store.pending.discard(user.entityID, \.email)               // as the server last said it
/// ```
/// Discarding and acknowledging are units of work: contexts follow them like any commit. Unsaved changes are not
/// pending changes; see ``EntityContext/changes``.
public struct StorePending: Sendable {
  let core: StoreCore

  /// All pending changes, in the order of the commits that made them, whatever the clock said; see
  /// ``EntityContext/pendingChanges()``.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  public func changes() async throws -> [PendingChange] { try await core.read { try $0.pendingChanges() } }

  /// The pending changes of one entity.
  public func changes<E: ManagedEntity>(of type: E.Type) async throws -> [PendingChange] {
    try await core.read { try $0.pendingChanges(of: type) }
  }

  /// How many objects have pending changes. This includes objects whose edited properties only another version of the
  /// app declares.
  public func count() async throws -> Int { try await core.read { try $0.pendingCount() } }

  // MARK: Taking back

  /// Takes a change back. An edited property gets the server's last value. If that value is unknown, the property keeps
  /// its own value until the next response. An object that was made here is deleted by the delete rules, and objects of the
  /// server that were moved to it go back. An object that was deleted here comes back with the next response that has it,
  /// and so do the objects that a delete rule deleted with it.
  ///
  /// For an edit, this takes back the properties of the change, with later edits of them.
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

  /// Takes all changes back: those of all objects, or none if one fails.
  public func discardAll() async throws { try await settleAll(discards: true) }

  // MARK: Acknowledging

  /// Marks a change as known to the server, as a response does. The values stay, and later responses may change them. A
  /// deleted object comes back if a response still has it.
  ///
  /// The server has the values of the change. A property that was edited since remains an edit, even if it has the
  /// value of the change again. A property that an undo gave its old value is an edit back to that value. If an undo
  /// removed an object that was made here, the object becomes a deletion for the server too. If an undo brought back an
  /// object that was deleted here, the object is deleted again, unless a delete rule protects it.
  public func acknowledge(_ change: PendingChange) async throws { try await settle(change, discards: false) }

  /// Marks all changes of an object as known to the server.
  public func acknowledge<E: ManagedEntity>(_ id: EntityID<E>) async throws {
    try await core.unit { try $0.pending.settle($0.pending.key(id), nil) }
  }

  /// Marks the edit of one property of an object as known to the server.
  public func acknowledge<E: ManagedEntity, V>(
    _ id: EntityID<E>, _ column: KeyPath<E.Columns, Column<E, V>>
  ) async throws {
    let index = E.columns[keyPath: column].index
    try await core.unit { try $0.pending.settle($0.pending.key(id), ColumnMask(index)) }
  }

  /// Marks all changes as known to the server.
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
      // Objects that were made here may refer to each other, so they are deleted last, and together.
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
