extension EntityContext {
  /// The object with a uid: the one that is here, or a new one that has it.
  ///
  /// ```swift
  /// let user = try context.upsert(User.self, uid: 42)
  /// user.email = "a@example.com"
  /// ```
  /// Saving refuses an object that was inserted with the uid of another one; this is the way to take that one. A new
  /// object takes over a row that has got its uid by the time it is saved: its own edits stay, and so do those of that row.
  /// A placeholder becomes an object.
  ///
  /// - Throws: ``StoreError``: `invalidSchema` for an entity without uid, `invalidValue` for a uid of another type,
  ///   `unknownEntity`, `readOnly`.
  @discardableResult
  public func upsert<E: ManagedEntity>(_ type: E.Type, uid: some UIDValue) throws -> E {
    guard kind != .reading else { throw StoreError.contextIsReadOnly }
    guard !saves.isOver else { throw StoreError.contextIsOver }
    let model = try core.schema.model(type)
    guard let index = model.uid else { throw StoreError(.invalidSchema, "'\(model.name)' has no uid to upsert by.") }
    // A unit's new objects are found by their rows.
    if kind == .unit, hasChanges { try saving.flush(isForQuery: true) }
    if let found = try answers.existing(model, uid: uid.storedValue) as? E {
      // SQLite finds the integer 5 by the text "5", and the other way round.
      guard found.serverUID?.isIdentical(to: uid.storedValue) == true else {
        throw ContextAnswers.wrongUID(model, index)
      }
      if found.isPlaceholder { answers.fill(found) }
      // A unit has read it without an entry, at whose end objects awake.
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
