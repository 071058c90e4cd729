extension EntityContext {
  /// Deletes the objects that a query finds, also unsaved ones. This is like deleting each object, but observers and
  /// live queries hear of it in one step.
  ///
  /// ```swift
  /// try context.delete(User.where { $0.lastSeen < limit })
  /// ```
  /// In a unit of work: `context.delete(User.where { $0.age > 90 })`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE (t0."age" > ? AND t0._placeholder = 0) ORDER BY t0._pk …
  ///
  /// The delete rules apply when the context saves. As in a fetch, placeholders are skipped unless the query includes
  /// them, and a limit counts. In a unit of work the rows are deleted without making objects.
  ///
  /// - Parameter query: The objects to delete.
  /// - Returns: How many objects the query found. Objects that are deleted by the delete rules are not counted.
  /// - Throws: ``StoreError``; nothing is deleted then.
  @discardableResult
  public func delete<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    return try merging.entry {
      if let count = try bulk.deleteRows(query) { return count }
      let objects = try fetch(query)
      try bulk.deleteAll(objects)
      return objects.count
    }
  }

  /// Deletes objects. This is like deleting each object, but observers and live queries hear of it in one step.
  ///
  /// ```swift
  /// try context.delete(user.posts)
  /// ```
  ///
  /// - Parameter objects: Objects of this context. An object that is listed twice, or deleted already, is no error.
  /// - Throws: ``StoreError``, of kind `readOnly` or `wrongContext`; nothing is deleted then.
  public func delete<E: ManagedEntity>(_ objects: some Sequence<E>) throws {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    // Copied, because the sequence may be a list of the store, which changes while its objects are deleted.
    let objects = Array(objects)
    try merging.entry { try bulk.deleteAll(objects) }
  }

  /// Deletes the object with a uid.
  ///
  /// ```swift
  /// try context.delete(User.self, uid: 42)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: The uid of the object.
  /// - Returns: Whether there was such an object. A placeholder does not count.
  /// - Throws: ``StoreError``, also of kind `invalidSchema` for an entity without uid.
  @discardableResult
  public func delete<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> Bool {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    return try merging.entry {
      guard let object = try fetch(type, uid: uid) else { return false }
      try delete(object)
      return true
    }
  }
}

extension ContextBulkChanges {
  /// Deletes the rows that a query finds, in the transaction of a unit of work. No object is made.
  ///
  /// - Returns: How many rows the query found. `nil` if the objects have to be deleted instead: outside of units, and
  ///   where a delete rule forbids the deletion until other objects are deleted too.
  fileprivate func deleteRows<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int? {
    guard context.kind == .unit, !context.isOfResponse, let rows = context.rows else { return nil }
    let number = try context.core.schema.model(E.self).number
    context.loaded.counters.counts.valueQueries += 1
    let keys = try context.reading.select(query.rowIDs()) { RowKey(entity: number, pk: $0.int64(0)) }
    do {
      return try rows.deletion.deleteIfAllowed(keys) ? keys.count : nil
    } catch {
      context.merging.rowsRolledBack()
      throw error
    }
  }

  /// Deletes all the objects, or none if one of them is not of this context.
  fileprivate func deleteAll<E: ManagedEntity>(_ objects: [E]) throws {
    for object in objects where object._$state.context !== context { throw StoreError.foreign(object) }
    for object in objects { try context.delete(object) }
  }
}
