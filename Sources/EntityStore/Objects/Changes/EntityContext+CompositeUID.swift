extension EntityContext {
  /// The object with a composite uid; `nil` when there is none, or only a placeholder.
  ///
  /// ```swift
  /// try context.fetch(OrderLine.self, uid: ["order": 5, "line": 2])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: A value for each part of the uid.
  /// - Throws: ``StoreError``, also of kind `invalidValue` for parts that are not those of the entity.
  public func fetch<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> E? {
    try fetch(type, uid: uid.text(for: core.schema.model(type)))
  }

  /// Deletes the object with a composite uid, if there is one.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: A value for each part of the uid.
  /// - Returns: Whether there was one. A placeholder is none.
  /// - Throws: ``StoreError``, also of kind `invalidValue` for parts that are not those of the entity.
  @discardableResult
  public func delete<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> Bool {
    try delete(type, uid: uid.text(for: core.schema.model(type)))
  }

  /// The object with a composite uid: the one that is here, or a new one that has it.
  ///
  /// ```swift
  /// let line = try context.upsert(OrderLine.self, uid: ["order": 5, "line": 2])
  /// ```
  /// Saving refuses an object that was inserted with the uid of another one; this is the way to take that one.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: A value for each part of the uid.
  /// - Throws: ``StoreError``: `invalidSchema` for an entity without composite uid, `invalidValue` for parts that are not
  ///   those of the entity, `unknownEntity`, `readOnly`.
  @discardableResult
  public func upsert<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> E {
    try upsert(type, uid: uid.text(for: core.schema.model(type)))
  }
}

extension ObjectState {
  /// A composite uid is changed as long as one of its parts is.
  func endUIDEdit() {
    if let parts = model.uidParts, dirty.intersection(parts.mask).isEmpty { dirty.remove(parts.uid) }
  }
}

extension ManagedEntity {
  /// Adds the composite uid of the object's parts to the values that the row wants.
  func storeComposite(_ parts: UIDParts, into row: inout RowValues) {
    var own = RowValues(count: row.count)
    own.wanted = parts.mask
    _$store(into: &own)
    row[parts.uid] = parts.uid(of: own)
  }
}
