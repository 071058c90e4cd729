import Observation

extension ManagedEntity {
  /// The properties that were edited here, saved or not, and that the server has not acknowledged. Observable.
  ///
  /// A copy in a draft has the pending properties of its original, and those that were edited in the draft.
  ///
  /// ```swift
  /// if user.pendingColumns.contains(\.email) { label.text = "not sent yet" }
  /// ```
  public var pendingColumns: PendingColumns<Self> {
    let state = _$state
    // Its observers are told when a property is edited, and when an edit ends.
    if let registrar = state.prepareRead(of: self) { state.model.noteRead(of: self, registrar) }
    return PendingColumns(model: state.model, mask: localEdits)
  }

  /// Whether a request under way carries edits of the object. Observable.
  public var isSending: Bool {
    _$state.prepareRead(of: self)?.access(self, keyPath: \Self.isSending)
    return !_$state.sent.allSatisfy(\.isOver)
  }

  /// Whether the object has a uid. An object that was made here has none until the response to its POST, unless the app
  /// sets one: its uid reads as the neutral value of its type, such as 0. Observable. Always `false` if the entity has
  /// no uid.
  public var hasUID: Bool {
    guard let index = _$state.model.uid else { return false }
    // The getters register the observer.
    for property in _$state.model.uidParts?.parts ?? [_$state.model.properties[index]] {
      if let keyPath = property.keyPath as? PartialKeyPath<Self> { _ = self[keyPath: keyPath] }
    }
    return serverUID != nil
  }
}

extension QueryRow {
  /// Whether the object has a uid. `!$0.hasUID` finds the objects that the server has not named yet.
  ///
  /// `$0.hasUID`
  /// // t0."id" IS NOT NULL
  public var hasUID: EntityPredicate {
    // A schema without the entity refuses the query.
    guard let name = E.uidKey ?? (E.properties.contains(where: \.isUID) ? PropertyModel.compositeName : nil) else {
      return EntityPredicate("0")
    }
    return EntityPredicate("\(column(name)) IS NOT NULL")
  }

  /// Whether the object has saved changes that the server has not acknowledged. Unsaved changes do not count.
  ///
  /// `$0.hasPendingChanges`
  /// // t0._edited IS NOT NULL
  public var hasPendingChanges: EntityPredicate { EntityPredicate("\(alias)._edited IS NOT NULL") }
}
