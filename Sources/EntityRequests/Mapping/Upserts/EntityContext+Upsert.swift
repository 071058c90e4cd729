public import EntityJSON
public import EntityStore

extension EntityContext {
  /// Updates the object that a response describes, or makes it. The change is in the store once the context is saved.
  ///
  /// ```swift
  /// let user = try context.upsert(User.self, from: ["id": 42, "email": "a@example.com"])
  /// ```
  /// Only keys that are present are written, and properties with unacknowledged edits stay. Without a uid, in the
  /// response or given, a new object is made.
  ///
  /// - Parameters:
  ///   - response: An object of a response, or a literal.
  ///   - uid: The object's uid, if it is known from elsewhere. It wins over the uid in the response.
  /// - Throws: ``MappingError``; ``StoreError``, of kind `readOnly` in `read`. An object that existed keeps the values
  ///   that were set before the error, unsaved; ``rollback()`` drops them.
  @discardableResult
  public func upsert<E: ManagedEntity>(
    _ type: E.Type, from response: JSONObject, uid: (some UIDValue)? = Int?.none
  ) throws -> E {
    try answers.map(type, response, uid?.storedValue, isNew: false)
  }

  /// Updates the object with a composite uid from a response, or makes it. The change is in the store once the context
  /// is saved.
  ///
  /// ```swift
  /// let line = try context.upsert(OrderLine.self, from: ["article": "book"], uid: ["order": 5, "line": 2])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - response: An object of a response, or a literal.
  ///   - uid: The object's uid, which wins over the uid in the response.
  /// - Throws: ``MappingError``; ``StoreError``, also of kind `invalidValue` when the parts are not those of the
  ///   entity's uid.
  @discardableResult
  public func upsert<E: ManagedEntity>(_ type: E.Type, from response: JSONObject, uid: CompositeUID) throws -> E {
    try answers.map(type, response, named: uid.stored(for: core.schema.model(type)), isNew: false)
  }

  /// Makes a new object from a response, even if an object has its uid. Saving makes the two objects one.
  ///
  /// - Throws: ``MappingError``; ``StoreError``.
  @discardableResult
  public func insert<E: ManagedEntity>(
    _ type: E.Type, from response: JSONObject, uid: (some UIDValue)? = Int?.none
  ) throws -> E {
    try answers.map(type, response, uid?.storedValue, isNew: true)
  }
}

extension ContextAnswers {
  fileprivate func map<E: ManagedEntity>(
    _ type: E.Type, _ response: JSONObject, _ uid: StoredValue?, isNew: Bool
  ) throws -> E {
    guard context.kind != .reading else {
      throw StoreError(
        .readOnly, "A context of `read` can't change anything. Use `background` or the main context.")
    }
    guard !context.family.isChild else {
      throw StoreError(
        .wrongContext, "A draft has edits and takes in no response. Use `background` or the main context.")
    }
    let named = try uid.flatMap { uid in
      try UpsertSession(context.core, .keepingEdits).plan(try context.core.schema.model(type)).uid(uid.uidInResponse)
    }
    return try map(type, response, named: named, isNew: isNew)
  }

  /// - Parameter given: The uid, if it is known from elsewhere.
  fileprivate func map<E: ManagedEntity>(
    _ type: E.Type, _ response: JSONObject, named given: StoredValue?, isNew: Bool
  ) throws -> E {
    let session = UpsertSession(context.core, .keepingEdits)
    let mapper = Mapper(ObjectTarget(context, session))
    let plan = session.plan(try context.core.schema.model(type))
    if let discriminator = plan.discriminator, plan.isOther(response) {
      throw MappingError(
        E.entityName, "", discriminator.key, "an object of the entity was expected, and it is of another type")
    }
    let outcome = try CurrentUpsert.with(mapper) {
      try mapper.upsert(plan, response, GivenIdentity(uid: given, isNew: isNew))
    }
    // The rows of a unit are written here, so an error of the write is the error of this object.
    if context.kind == .unit { try context.saving.flush() }
    guard let outcome else {
      throw MappingError(
        E.entityName, "", "",
        "it was deleted: by its update, or because the response says so; one with unsent work stays")
    }
    guard let object = existing(plan.model, pk: outcome.pk) as? E else {
      throw MappingError(E.entityName, "", "", "the entity's name belongs to another type")
    }
    return object
  }
}
