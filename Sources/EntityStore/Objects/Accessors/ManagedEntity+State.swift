import Observation

extension ManagedEntity {
  /// The object's identity within its store, final from the moment it is inserted. Before that no store finds an object by
  /// it.
  public var entityID: EntityID<Self> { EntityID(pk: _$state.pk) }

  /// The context that the object lives in; `nil` before the object is inserted into one, once its store is gone, and once the
  /// closure that it was made for has ended.
  public var entityContext: EntityContext? { _$state.context.flatMap { $0.saves.isOver ? nil : $0 } }

  /// Whether the object's store is gone, for nobody holds it, or the closure of its unit or read has ended.
  ///
  /// The object reads its last values then, and a property that was not loaded reads as its default. A property that is
  /// set stays as it was; calls that can throw, a save among them, throw ``StoreError`` of kind `storeGone`, or
  /// `wrongContext` after a closure, and verbs the error of requests that is called `storeGone` too.
  public var isDetached: Bool { _$state.context.map(\.isDetached) ?? (_$state.loose == nil) }

  /// Whether the object was deleted: here, in another context, or because it turned out to be the same as another one.
  /// Its last values stay readable; changing it makes the next save throw. Observable.
  public var isDeleted: Bool {
    _$state.prepareRead(of: self)?.access(self, keyPath: \Self.isDeleted)
    return _$state.isGone
  }

  /// The object that took this one's place, when both turned out to be the same on the server.
  public var forwardedTo: EntityID<Self>? {
    _$state.forwardedTo == 0 ? nil : EntityID(pk: _$state.forwardedTo)
  }

  /// Whether the object is inserted in its context and not yet saved. A copy in a draft is of an object that its context
  /// found: it is not inserted, also where the object is in the context that made the draft.
  public var isInserted: Bool { _$state.isInserted && _$state.loose == nil }

  /// Whether the object has changes that are not saved. A property that was set back to the row's value is no change, and an
  /// object that is in no context has none.
  public var hasChanges: Bool { _$state.hasChanges && _$state.loose == nil }

  /// Whether the row only stands for a uid that another object refers to: the server has not sent it yet. Never where the
  /// entity has nothing but its uid. ``placeholders`` finds them.
  public var isPlaceholder: Bool {
    _$state.context?.fulfil(self)
    return _$state.flags.contains(.placeholder)
  }
}
