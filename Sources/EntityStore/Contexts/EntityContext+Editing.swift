import Observation

extension EntityContext {
  /// Changes one property of an object: observers are told, the column becomes dirty.
  func change<E: ManagedEntity, V>(_ object: E, _ index: Int, _ keyPath: KeyPath<E, V>, _ apply: () -> Void) {
    guard kind != .reading, !isOver else {
      deferredError = isOver ? Self.over : Self.readOnly
      return
    }
    let state = object._$state
    guard state.pk != 0 else { return refuseChange(of: state.model) }
    if let update, update.protects(index, of: state) { return }
    if let registrar = state.registrar {
      registrar.withMutation(of: object, keyPath: keyPath, apply)
    } else {
      apply()
    }
    state.dirty.insert(index)
    if state.flags.contains(.deleting) { state.flags.insert(.editedAfterDelete) }
    if update == nil { state.fromResponse.remove(index) } else { state.fromResponse.insert(index) }
    changed[state.model.number][state.pk] = object
    rowPending(state.model, state.pk)
  }

  /// A change of what a required relationship reads as when it has no target.
  func refuseChange(of model: EntityModel) {
    refusal = StoreError(
      .objectDeleted,
      "An object of '\(model.name)' that has no row was changed: a required relationship without a target reads as one. "
        + "Check isDeleted first.")
  }

  /// Remembers a mistake in a setter, which can't throw: the relationship stays as it is, and the next save throws.
  func refuse(_ model: EntityModel, _ property: String) {
    refusal = StoreError(
      .wrongContext,
      "'\(model.name).\(property)' was set to an object of another context, and stays as it was. Fetch the object in this "
        + "context by its entityID.")
  }

  /// Remembers that an attribute was set to a value that has no stored form.
  func refuse(_ model: EntityModel, _ property: String, _ error: AttributeError) {
    refusal = StoreError(
      .invalidValue,
      "'\(model.name).\(property)' was set to a value that can't be stored, and stays as it was: \(error.reason).")
  }
}

/// Values from a response being written to objects: they are no local edits, and leave such edits alone.
package struct ObjectUpdate {
  package var keepsEdits: Bool

  package init(keepsEdits: Bool) { self.keepsEdits = keepsEdits }

  func protects(_ index: Int, of state: ObjectState) -> Bool {
    if state.newer.contains(index) { return true }
    guard keepsEdits else { return false }
    return state.edited.contains(index) || state.unsaved.subtracting(state.fromResponse).contains(index)
  }
}
