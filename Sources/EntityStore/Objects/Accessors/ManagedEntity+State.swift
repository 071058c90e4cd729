import Observation

extension ManagedEntity {
  /// The object's identity within its store. It is final once the object is inserted. Before that no store can find the
  /// object by it.
  public var entityID: EntityID<Self> { EntityID(pk: _$state.pk) }

  /// The context that the object lives in. `nil` before the object is inserted, after its store is gone, and after the
  /// closure of its context has ended.
  public var entityContext: EntityContext? { _$state.context.flatMap { $0.saves.isOver ? nil : $0 } }

  /// Whether the object's store is gone because nobody holds it, or the closure of its unit or read has ended.
  ///
  /// A detached object reads as its last values, and a property that was not loaded reads as its default. Setting a
  /// property does nothing. Calls that can throw, such as a save, throw ``StoreError`` of kind `storeGone`, or
  /// `wrongContext` after a closure. Verbs throw the error of requests that is also called `storeGone`.
  public var isDetached: Bool { _$state.context.map(\.isDetached) ?? (_$state.loose == nil) }

  /// Whether the object was deleted: here, in another context, or because it turned out to be the same as another
  /// object. Its last values stay readable; changing it makes the next save throw. Observable.
  public var isDeleted: Bool {
    _$state.prepareRead(of: self)?.access(self, keyPath: \Self.isDeleted)
    return _$state.isGone
  }

  /// The object that replaced this one, when both turned out to be the same on the server.
  public var forwardedTo: EntityID<Self>? {
    _$state.forwardedTo == 0 ? nil : EntityID(pk: _$state.forwardedTo)
  }

  /// Whether the object is inserted in its context and not yet saved. `false` for a copy in a draft, even if the
  /// original is inserted in the context that made the draft.
  public var isInserted: Bool { _$state.isInserted && _$state.loose == nil }

  /// Whether the object has unsaved changes. A property that was set back to the row's value is no change. An object in
  /// no context has no changes.
  public var hasChanges: Bool { _$state.hasChanges && _$state.loose == nil }

  /// Whether only the uid of the object is known: another object refers to it, and the server has not sent it yet.
  /// Always `false` if the entity has nothing but a uid. ``placeholders`` finds such objects.
  public var isPlaceholder: Bool {
    _$state.context?.fulfil(self)
    return _$state.flags.contains(.placeholder)
  }
}
