extension EntityContext {
  /// Deletes the objects that a query finds, unsaved ones too: the deletion of each of them, in one step for
  /// observers and live queries.
  ///
  /// ```swift
  /// try context.delete(User.where { $0.lastSeen < limit })
  /// ```
  /// In a unit of work: `context.delete(User.where { $0.age > 90 })`
  /// // SELECT t0._pk FROM "User" AS t0 WHERE (t0."age" > ? AND t0._placeholder = 0) ORDER BY t0._pk …
  ///
  /// The delete rules hold when the context saves. As in a fetch, placeholders are passed over unless the query includes
  /// them, and a limit counts. In a unit of work the rows are deleted, and no object is made.
  ///
  /// - Parameter query: The objects to delete.
  /// - Returns: How many objects the query found. Those that delete rules take along are not among them.
  /// - Throws: ``StoreError``; nothing is deleted then.
  @discardableResult
  public func delete<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int {
    guard kind != .reading else { throw Self.readOnly }
    return try entry {
      if let count = try deleteRows(query) { return count }
      let objects = try fetch(query)
      try deleteAll(objects)
      return objects.count
    }
  }

  /// Deletes the rows that a query finds, in the transaction of a unit of work. No object is made.
  ///
  /// - Returns: How many rows the query found; `nil` where their objects are to be deleted: outside of units, and where a delete
  ///   rule is against it as long as other objects are not deleted, too.
  private func deleteRows<E: ManagedEntity>(_ query: EntityQuery<E>) throws -> Int? {
    guard kind == .unit, !isOfResponse, let rows else { return nil }
    let number = try core.schema.model(E.self).number
    counters.counts.valueQueries += 1
    let keys = try select(query.rowIDs()) { RowKey(entity: number, pk: $0.int64(0)) }
    do {
      return try rows.deletion.deleteIfAllowed(keys) ? keys.count : nil
    } catch {
      rowsRolledBack()
      throw error
    }
  }

  /// Deletes objects: the deletion of each of them, in one step for observers and live queries.
  ///
  /// ```swift
  /// try context.delete(user.posts)
  /// ```
  ///
  /// - Parameter objects: Objects of this context. One that comes twice, or that is deleted already, is no error.
  /// - Throws: ``StoreError``, of kind `readOnly` or `wrongContext`; nothing is deleted then.
  public func delete<E: ManagedEntity>(_ objects: some Sequence<E>) throws {
    guard kind != .reading else { throw Self.readOnly }
    // The sequence may be a list of the store, which changes as its objects go.
    let objects = Array(objects)
    try entry { try deleteAll(objects) }
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
  /// - Returns: Whether there was one. A placeholder is none.
  /// - Throws: ``StoreError``, also of kind `invalidSchema` for an entity without uid.
  @discardableResult
  public func delete<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> Bool {
    guard kind != .reading else { throw Self.readOnly }
    return try entry {
      guard let object = try fetch(type, uid: uid) else { return false }
      try delete(object)
      return true
    }
  }

  /// Deletes all of them, or none where one is not of this context.
  private func deleteAll<E: ManagedEntity>(_ objects: [E]) throws {
    for object in objects where object._$state.context !== self { throw Self.foreign(object) }
    for object in objects { try delete(object) }
  }
}
