extension EntityContext {
  /// Changes all objects that a query finds, as if the properties of each were set.
  ///
  /// ```swift
  /// try await store.background { context in
  ///   try context.update(Post.where { $0.isRead == false }) {
  ///     $0.set(\.isRead, to: true)
  ///     $0.set(\.views) { $0.views + 1 }
  ///   }
  /// }
  /// ```
  /// In a unit of work only the rows that differ are written, and usually no object is made.
  ///
  /// `context.update(Post.where { $0.isRead == false }) { $0.set(\.views) { $0.views + 1 } }`
  /// // SELECT t0._pk, (t0."views" + ?) FROM "Post" AS t0 WHERE (t0."isRead" IS ? AND t0._placeholder = 0) ORDER BY t0._pk
  /// // … UPDATE "Post" SET "views" = ?, _edited = ? WHERE _pk = ? …
  ///
  /// The main context, a child and an `update(with:)` of a response fetch the objects and set them. The changes are
  /// then unsaved until the save, like other changes. A unit of work does the same where setters or the save do more
  /// than write a row:
  ///
  /// - for an entity with rules (``ValidatedEntity``) or `willSave()` (``SavingEntity``), unless the unit is the
  ///   server's;
  /// - where objects enter an ordered list;
  /// - while unique values change hands in the unit.
  ///
  /// All values are computed before the first object changes. Each changed property counts as a local edit;
  /// `background(as: .server)` makes none. As in a fetch, placeholders are skipped unless the query includes them, and
  /// a limit counts. Uids and lists can't be set.
  ///
  /// - Parameters:
  ///   - query: The objects to change.
  ///   - changes: Sets the new values.
  /// - Returns: How many objects the query found, including those that had the values already.
  /// - Throws: ``StoreError``, of kind `invalidQuery` for a property that an update by query can't set, `invalidValue`
  ///   for a value that the type does not have, `uniqueViolation` where a unit writes the rows; nothing is changed
  ///   then. Where objects are set, the save throws `uniqueViolation`. The error of `changes`.
  @discardableResult
  public func update<E: ManagedEntity>(
    _ query: EntityQuery<E>, _ changes: (inout RowChanges<E>) throws -> Void
  ) throws -> Int {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    var query = query
    query.prefetches = PrefetchTree()
    var given = RowChanges<E>(query.row)
    try changes(&given)
    let model = try core.schema.model(E.self)
    try bulk.check(given, model)
    // A unit first sends its unsaved changes to its transaction.
    if kind == .unit { _ = try merging.entry { try overlay.source(model) } }
    if kind == .unit, let rows, !bulk.needsObjects(model, given) {
      return try bulk.writeRows(query, given, model, rows)
    }
    return try bulk.setObjects(query, given, model)
  }
}

/// Changes of many rows by a query.
struct ContextBulkChanges {
  let context: EntityContext
}

extension ContextBulkChanges {
  /// Whether the objects have to be set, because their setters or their save do more than write the row.
  fileprivate func needsObjects<E: ManagedEntity>(_ model: EntityModel, _ changes: RowChanges<E>) -> Bool {
    guard let rows = context.rows, !context.isOfResponse else { return true }
    // Rules and callbacks apply to local edits only: the server's values are not checked.
    if !rows.isOfServer, !model.callbacks.isDisjoint(with: [.saves, .validates]) { return true }
    // An object that enters an ordered list goes to its end. A value that another row waits for is in no table.
    return !rows.uniqueness.displaced.isEmpty || changes.values.keys.contains { model.position(of: $0) != nil }
  }

  fileprivate func writeRows<E: ManagedEntity>(
    _ query: EntityQuery<E>, _ changes: RowChanges<E>, _ model: EntityModel, _ rows: RowWriter
  ) throws -> Int {
    try context.merging.entry {
      let updates = try newValues(query, changes, model)
      do {
        try rows.atomically {
          rows.uniqueness.suspects.beginQuery()
          rows.uniqueness.claims.beginQuery()
          try updates.write(model, to: rows)
          try rows.uniqueness.settleUniqueValuesOfQuery()
        }
      } catch {
        context.merging.rowsRolledBack()
        throw error
      }
      return updates.pks.count
    }
  }

  fileprivate func setObjects<E: ManagedEntity>(
    _ query: EntityQuery<E>, _ changes: RowChanges<E>, _ model: EntityModel
  ) throws -> Int {
    let (objects, updates) = try context.merging.entry {
      let objects = try context.fetch(query)
      let updates = try newValues(query, changes, model)
      let places = Dictionary(uniqueKeysWithValues: updates.pks.enumerated().map { ($1, $0) })
      return (objects.map { ($0, places[$0._$state.pk]) }, updates)
    }
    // Observers hear of each change, and may read and save. So no read is open here.
    for (object, place) in objects {
      guard let place, !object._$state.isGone else { continue }
      let row = updates.row(place)
      for index in row.mask.indices {
        let property = model.properties[index]
        if case .object(let target)? = changes.values[index] {
          property.link(object, target)
        } else {
          _ = property.set(object, row[index])
        }
      }
    }
    return objects.count
  }

  /// The rows that a query finds, with their new values.
  private func newValues<E: ManagedEntity>(
    _ query: EntityQuery<E>, _ changes: RowChanges<E>, _ model: EntityModel
  ) throws -> RowUpdates {
    var computed: [(index: Int, sql: SQLFragment)] = []
    for (index, value) in changes.values.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .computed(let sql): computed.append((index, sql))
      case .value(let value):
        // This includes NaN, for which SQLite has no value.
        guard model.properties[index].stored(value) == nil else { continue }
        throw StoreError(
          .invalidValue,
          "'\(model.name).\(model.properties[index].name)' can't have the value that the update sets: give it another one."
        )
      case .object: continue
      }
    }
    var updates = RowUpdates(model, columns: computed.map(\.index))
    let columns = SQLFragment.joined(["\(query.row)._pk"] + computed.map(\.sql), ", ")
    context.loaded.counters.counts.valueQueries += 1
    _ = try context.reading.select(query.select(columns)) { statement in
      let pk = statement.int64(0)
      updates.pks.append(pk)
      for (offset, column) in computed.enumerated() {
        let property = model.properties[column.index]
        guard let value = property.stored(statement.value(offset + 1)) else {
          throw StoreError(
            .invalidValue,
            "The value that the update computes for '\(model.name).\(property.name)' is none of the property's type in some row. "
              + "Leave the row out by a condition.", objects: [model.id(pk)])
        }
        updates.values.append(property.rules?.normalize?(value) ?? value)
      }
    }
    // After the query, which sends a unit's new objects to its transaction: only now do their rows exist.
    for (index, value) in changes.values {
      switch value {
      case .value(let stored): updates.common[index] = model.properties[index].rules?.normalize?(stored) ?? stored
      case .object(let target): updates.common.setLink(target?._$state.pk ?? 0, index)
      case .computed: break
      }
    }
    return updates
  }

  /// - Throws: ``StoreError`` of kind `invalidQuery`, `invalidValue`, `wrongContext` or `objectDeleted`.
  fileprivate func check<E: ManagedEntity>(_ changes: RowChanges<E>, _ model: EntityModel) throws {
    if let (property, error) = changes.mistake {
      throw StoreError(
        .invalidValue, "'\(model.name).\(property)' can't be set to the value of the update: \(error.reason).")
    }
    for (index, value) in changes.values {
      let property = model.properties[index]
      guard !model.identity.contains(index) else {
        throw StoreError(
          .invalidQuery,
          "'\(model.name).\(property.name)' is the uid, or a part of it: an update by query can't change it. Set it in each object."
        )
      }
      guard !property.isDerived else {
        throw StoreError(
          .invalidQuery,
          "'\(model.name).\(property.name)' is derived: its value follows from other attributes, and can't be set.")
      }
      guard case .object(let target?) = value else { continue }
      guard target._$state.context === context else { throw StoreError.foreign(target) }
      guard !target._$state.isGone else {
        throw StoreError(
          .objectDeleted,
          "'\(model.name).\(property.name)' can't be set to an object that is deleted. Check isDeleted first.",
          objects: [target._$state.id])
      }
    }
  }
}
