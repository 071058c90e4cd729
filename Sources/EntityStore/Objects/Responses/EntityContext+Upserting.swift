extension EntityContext {
  /// The object with a uid: an existing one, or a new one with this uid.
  ///
  /// ```swift
  /// let user = try context.upsert(User.self, uid: 42)
  /// user.email = "a@example.com"
  /// ```
  /// Saving refuses a new object with the uid of an existing one; use this method to get the existing object. If a row
  /// gets the uid before a new object is saved, the object takes over that row: the edits of both stay. A placeholder
  /// becomes an object.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` for an entity without uid, `invalidValue` for a uid of another type,
  ///   `unknownEntity`, `readOnly`.
  @discardableResult
  public func upsert<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> E {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    guard !saves.isOver else { throw StoreError.contextIsOver }
    let model = try core.schema.model(type)
    guard let index = model.uid else { throw StoreError(.invalidSchema, "'\(model.name)' has no uid to upsert by.") }
    // A unit finds its new objects by their rows, so they are written first.
    if kind == .unit, hasChanges { try saving.flush(isForQuery: true) }
    if let found = try answers.existing(model, uid: uid.storedValue) as? E {
      // SQLite finds the integer 5 by the text "5", and the text by the integer.
      guard found.serverUID?.isIdentical(to: uid.storedValue) == true else {
        throw ContextAnswers.wrongUID(model, index)
      }
      if found.isPlaceholder { answers.fill(found) }
      // The look-up of a unit is no entry, at whose end the callbacks would run.
      if !saves.due.awakening.isEmpty { saving.awake() }
      return found
    }
    let object = try insert(type)
    guard model.properties[index].set(object, uid.storedValue) else {
      try delete(object)
      throw ContextAnswers.wrongUID(model, index)
    }
    object._$state.flags.insert(.takesOver)
    return object
  }
}

extension ContextAnswers {
  fileprivate static func wrongUID(_ model: EntityModel, _ index: Int) -> StoreError {
    StoreError(.invalidValue, "The uid is of another type than '\(model.name).\(model.label(index))'.")
  }
}
