/// An object in a child context of its own: a form edits it, and nobody else sees the edits until the draft is saved.
///
/// ```swift
/// let draft = try store.main.edit(user)
/// draft.object.email = "new@example.com"      // user.email is as it was
/// try draft.save()                            // an unsaved edit of user
/// try await store.main.save()
/// ```
/// Hold the draft for as long as you use its object: the object lives in ``context``, which the draft holds. A draft
/// drops its changes when its last reference is gone. Isolation: that of the context that made it.
public struct Draft<E: ManagedEntity> {
  /// The copy.
  public let object: E
  /// The child context. Fetch other objects that the form changes in it, by their ids.
  public let context: EntityContext

  /// Whether a save would change anything.
  public var hasChanges: Bool { context.hasChanges }

  /// Makes the changes unsaved changes of the context that made the draft. Save that context afterwards. The draft
  /// stays, and can be edited again.
  ///
  /// - Parameter conflicts: The policy for properties that have changed in that context since they were edited here. It
  ///   takes precedence over those of the entity and the context.
  /// - Throws: ``StoreError``, of kind `objectDeleted` when the object was deleted meanwhile, `conflict` where the
  ///   context has a different edit, `brokenLink` when a link refers to an object that no longer exists,
  ///   `invalidObject` where rules are broken or a required relationship has no object, `storeGone`, and of the kinds
  ///   of mistakes in setters: `wrongContext`, `invalidValue`, `objectDeleted`. The error of a custom policy. After an
  ///   error nothing is changed, and the draft still has its changes.
  public func save(conflicts: ConflictPolicy? = nil) throws { try context.saving.saveNow(conflicts) }

  /// Drops the changes: the object reads as in the context that made the draft. A new object becomes deleted, and the
  /// draft can't be used any more.
  public func rollback() { context.rollback() }
}

extension EntityContext {
  /// A copy of an object in a child context of its own, to edit it apart from the original.
  ///
  /// - Throws: ``StoreError``, of kind `wrongContext` for an object of another context, and in a context of `background` or
  ///   `read`; `objectDeleted`; `storeGone`.
  public func edit<E: ManagedEntity>(_ object: E) throws -> Draft<E> {
    let state = object._$state
    guard state.context === self else { throw StoreError.foreign(object) }
    fulfil(object)
    guard !state.isGone else {
      throw StoreError(
        .objectDeleted, "An object of '\(state.model.name)' (row \(state.pk)) is deleted, and can't be edited.",
        objects: [state.id])
    }
    let context = try child()
    guard let copy = context.reading.object(state.model, state.pk) as? E else { throw StoreError.foreign(E.entityName) }
    return Draft(object: copy, context: context)
  }

  /// A new object that enters this context only when the draft is saved: until then no query and no list has it.
  ///
  /// ```swift
  /// let draft = try store.main.draft(User.self)
  /// draft.object.email = "a@example.com"
  /// try draft.save()                            // inserted into store.main, with the same entityID
  /// ```
  ///
  /// - Throws: ``StoreError``, of kind `unknownEntity`, `storeGone`, or `wrongContext` in a context of `background` or `read`.
  public func draft<E: ManagedEntity>(_ type: E.Type) throws -> Draft<E> {
    let context = try child()
    return Draft(object: try context.insert(type), context: context)
  }
}
