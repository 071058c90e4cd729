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
  /// - Throws: ``StoreError``, also of kind `invalidValue` when the parts are not those of the entity's uid.
  public func fetch<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> E? {
    try fetch(type, uid: uid.text(for: core.schema.model(type)))
  }

  /// Deletes the object with a composite uid, if there is one.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: A value for each part of the uid.
  /// - Returns: Whether there was such an object. A placeholder does not count.
  /// - Throws: ``StoreError``, also of kind `invalidValue` when the parts are not those of the entity's uid.
  @discardableResult
  public func delete<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> Bool {
    try delete(type, uid: uid.text(for: core.schema.model(type)))
  }

  /// The object with a composite uid: an existing one, or a new one with this uid.
  ///
  /// ```swift
  /// let line = try context.upsert(OrderLine.self, uid: ["order": 5, "line": 2])
  /// ```
  /// Saving refuses a new object with the uid of an existing one; use this method to get the existing object.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - uid: A value for each part of the uid.
  /// - Throws: ``StoreError``: `invalidSchema` for an entity without composite uid, `invalidValue` when the parts are
  ///   not those of the entity's uid, `unknownEntity`, `readOnly`.
  @discardableResult
  public func upsert<E: ManagedEntity>(_ type: E.Type, uid: CompositeUID) throws -> E {
    try upsert(type, uid: uid.text(for: core.schema.model(type)))
  }
}

extension ObjectState {
  /// Ends the edit of a composite uid once none of its parts is edited.
  func endUIDEdit() {
    if let parts = model.uidParts, dirty.intersection(parts.mask).isEmpty { dirty.remove(parts.uid) }
  }
}

extension ManagedEntity {
  /// Adds the composite uid, made of the object's parts, to the values of the row.
  func storeComposite(_ parts: UIDParts, into row: inout RowValues) {
    var own = RowValues(count: row.count)
    own.wanted = parts.mask
    _$store(into: &own)
    row[parts.uid] = parts.uid(of: own)
  }
}
