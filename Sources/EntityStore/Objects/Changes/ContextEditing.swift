extension EntityContext {
  /// Whether a property may be changed. If not, it stays as it is, and a later call throws the reason.
  @usableFromInline func beginChange(of object: any ManagedEntity, _ state: ObjectState, _ index: Int) -> Bool {
    guard kind != .reading, !saves.isOver else {
      unsaved.deferredError = saves.isOver ? StoreError.contextIsOver : StoreError.contextIsReadOnly
      return false
    }
    guard state.pk != 0 else {
      edits.refuseChange(of: state.model)
      return false
    }
    if arrival.attention.bits == 0 { return true }
    edits.forgetArriving()
    arrival.readsAbsent = false
    // The usual case, without the work of the general one.
    if arrival.isPlainUpdate(of: state), state.isUntouched(index), !arrival.held(of: state).contains(index),
      state.model.uidParts == nil
    {
      return true
    }
    guard let update = arrival.update else { return true }
    return edits.mayChange(object, index, update)
  }

  /// Records that a property keeps its value although it was to be set. If the setter runs for a response, the change
  /// is recorded as skipped, and the value as the server's.
  @usableFromInline func held(_ object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ value: StoredValue) {
    guard let update = arrival.update, kind != .reading, !saves.isOver, state.pk != 0 else { return }
    if state.model.coverage != nil { state.noteHeard(index, of: object) }
    let staying = edits.staying(object, index, update)
    if rows?.notes.skips != nil {
      answers.noteSkipped(
        object, staying, answered: ColumnMask(index), values: edits.skippedValues(of: object, index, value, staying))
    }
    answers.hear(object, state, index, value, staying)
  }

  /// Records that a property was changed.
  @usableFromInline func endChange(
    of object: any ManagedEntity, _ state: ObjectState, _ index: Int, isUndone: Bool
  ) {
    if !state.model.sortKeys.isEmpty {
      for key in state.model.withDerived(ColumnMask(index)).indices { lists.sortKeyChanged(of: object, state, key) }
    }
    if isUndone { return edits.endEdit(of: object, index) }
    let model = state.model
    if model.identity.contains(index), !state.flags.isDisjoint(with: [.takesOver, .hasFreeUID]) {
      state.flags.subtract([.takesOver, .hasFreeUID])
    }
    // If the object has edits already, it is already held as a changed one.
    let isFirst = state.dirty.isEmpty
    let columns = model.withUID(index)
    state.dirty.formUnion(columns)
    if state.isDeleting { state.flags.insert(.editedAfterDelete) }
    if arrival.isUpdating {
      state.fromResponse.formUnion(columns)
      state.forgetBases(ColumnMask(index))
      state.flags.insert(.hasChangedValues)
      arrival.touch(object, index)
    } else {
      state.fromResponse.subtract(columns)
      state.noteSet(columns)
    }
    if isFirst { unsaved.hold(object, state) }
    // The setter of a link updates the lists itself.
    overlay.rowPending(model, state.pk, leavesLists: true, columns: columns)
    if model.coverage != nil, state.missing.contains(index) { state.tellCoverage(of: object) }
  }

  /// Remembers that an attribute was set to a value that has no stored form.
  @usableFromInline func refuse(_ object: ObjectState, _ property: Int, _ error: AttributeError) {
    unsaved.refusals.append(
      StoreError(
        .invalidValue,
        "'\(object.model.name).\(object.model.properties[property].name)' was set to a value that can't be stored, and stays as it was: \(error.reason).",
        objects: [object.id]))
  }
}

/// The changes of properties of the objects of a context, before they are saved.
@usableFromInline package struct ContextEditing {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextEditing {
  /// The values of a property that a response does not change.
  fileprivate func skippedValues(
    of object: any ManagedEntity, _ index: Int, _ value: StoredValue, _ staying: MergePolicy.Staying
  ) -> [Int: SkippedChange.Value] {
    let state = object._$state
    let mine = state.model.lazy.contains(index) ? RowValues(count: 0) : object.values(ColumnMask(index))
    guard mine.mask.contains(index) else { return [:] }
    var base: StoredValue?
    if staying.edited.contains(index) {
      base = try? context.rows?.edits.editNotes(state.model, state.pk, ColumnMask(index))[index]?.base
    }
    return [index: context.core.schema.skippedValue(state.model, index, base: base, mine: mine[index], theirs: value)]
  }

  /// The properties that stay as they are, when a response sets one of them. A composite uid stays as a whole.
  fileprivate func staying(_ object: any ManagedEntity, _ index: Int, _ update: ObjectUpdate) -> MergePolicy.Staying {
    let parts = object._$state.model.uidParts?.mask
    return update.staying(parts.flatMap { $0.contains(index) ? $0 : nil } ?? ColumnMask(index), of: object)
  }

  /// Whether a response may change a property.
  fileprivate func mayChange(_ object: any ManagedEntity, _ index: Int, _ update: ObjectUpdate) -> Bool {
    let staying = staying(object, index, update)
    guard staying.isEmpty else {
      if staying.newer.isEmpty { update.order?.touch(object, index) }
      return false
    }
    if !update.policy.keepsEdits { context.answers.overwrite(object, index) }
    return true
  }

  /// Refuses a change of the stand-in for the missing target of a required relationship.
  func refuseChange(of model: EntityModel) { context.unsaved.refusals.append(Self.noRow(model)) }

  static func noRow(_ model: EntityModel) -> StoreError {
    StoreError(
      .objectDeleted,
      "An object of '\(model.name)' has no row, and can't be changed or inserted: a required relationship without a target reads as one. "
        + "Check isDeleted first.")
  }

  /// Remembers a mistake in a setter, which can't throw: the relationship stays as it is, and the next save throws.
  ///
  /// - Parameter others: The new targets. At least one is not of this context.
  func refuse(_ object: ObjectState, _ property: String, setTo others: [ObjectState]) {
    guard object.loose == nil else { return refuseLoose(object, property, setTo: others) }
    guard !others.contains(where: { $0.loose != nil }) else {
      return context.unsaved.refusals.append(
        StoreError(
          .wrongContext,
          "'\(object.model.name).\(property)' was set to an object that is in no context, and stays as it was. Insert that "
            + "object first: context.insert(_:).", objects: [object.id]))
    }
    guard !others.contains(where: { $0.context == nil }) else {
      return context.unsaved.refusals.append(
        StoreError(
          .storeGone,
          "'\(object.model.name).\(property)' was set to an object whose store is gone, and stays as it was.",
          objects: [object.id]))
    }
    context.unsaved.refusals.append(
      StoreError(
        .wrongContext,
        "'\(object.model.name).\(property)' was set to an object of another context, and stays as it was. Fetch the object in "
          + "this context by its entityID.", objects: [object.id]))
  }

  private func refuseLoose(_ object: ObjectState, _ property: String, setTo others: [ObjectState]) {
    guard !context.saves.isOver, !context.isDetached else {
      return context.unsaved.refusals.append(context.saves.isOver ? StoreError.contextIsOver : context.detachment)
    }
    let (kind, reason): (StoreError.Kind, String) =
      if others.contains(where: { $0.loose == nil && $0.context !== context }) {
        (.wrongContext, "objects of two contexts")
      } else if context.arrival.update != nil || context.kind == .reading {
        (.wrongContext, "an object of a context that inserts none here: it is of `read`, or takes in a response")
      } else {
        (.objectDeleted, "an object that is deleted")
      }
    let name = "\(object.model.name).\(property)"
    context.unsaved.refusals.append(
      StoreError(
        kind, "'\(name)' of an object in no context was set to \(reason), and stays as it was.",
        objects: others.filter { $0.context === context }.map(\.id)))
  }
}

/// An update that writes values from a response to objects. The values are no local edits, and leave local edits alone.
struct ObjectUpdate {
  let policy: MergePolicy
  /// The state of the updated object. The columns that newer responses wrote are known for it.
  let state: ObjectState
  /// Knows the newer responses for other objects, whose links an update may set; `nil` if no other request is under
  /// way.
  let order: (any AnswerOrder)?

  /// The columns among some that the update does not change.
  func staying(_ columns: ColumnMask, of object: any ManagedEntity) -> MergePolicy.Staying {
    policy.staying(of: columns, edited: object.localEdits, newer: newer(of: object))
  }

  /// Like ``staying(_:of:)``, for a list whose edits are marked in its pairs: the list itself is edited only if it was
  /// set as a whole and is not saved.
  func staying(list: Int, of object: any ManagedEntity) -> MergePolicy.Staying {
    let column = ColumnMask(list)
    return policy.staying(
      of: column, edited: object._$state.lists[list] == nil ? ColumnMask() : column, newer: newer(of: object))
  }

  /// Whether no newer response has written a property.
  func isNewest(_ property: Int, of object: any ManagedEntity) -> Bool {
    newer(of: object).map { !$0.contains(property) } ?? false
  }

  /// The columns that newer responses wrote; `nil` if one of them deleted the object.
  private func newer(of object: any ManagedEntity) -> ColumnMask? {
    let own = object._$state.context?.arrival.held(of: object._$state) ?? ColumnMask()
    guard object._$state !== state, let order else { return own }
    return order.newer(of: object)?.union(own)
  }
}

/// The order of responses, for an update of an object.
package protocol AnswerOrder: AnyObject {
  /// The columns of an object that a newer response wrote; `nil` if one deleted the object.
  func newer(of object: any ManagedEntity) -> ColumnMask?
  /// The response has a value of a property: it is set to a different or an equal value, or an edit stays.
  func touch(_ object: any ManagedEntity, _ property: Int)
}

extension ManagedEntity {
  /// Whether the object has an edit that is not acknowledged, saved or not.
  package var hasLocalEdits: Bool {
    _$state.context?.fulfil(self)
    return !_$state.flags.isDisjoint(with: [.editedByOthers, .madeHere]) || !localEdits.isEmpty
  }

  /// Whether the row says that the object was made here, and no response has shown yet that the server has it.
  package var isMadeHere: Bool {
    _$state.context?.fulfil(self)
    return _$state.flags.contains(.madeHere)
  }

  /// Whether a property has an edit that is not acknowledged, saved or not.
  package func hasLocalEdit(of property: Int) -> Bool { localEdits.contains(property) }

  /// The properties with edits that are not acknowledged, saved or not.
  package var localEdits: ColumnMask {
    let (state, context) = (_$state, _$state.context)
    context?.fulfil(self)
    let edits = state.edited.union(state.unsavedEdits)
    guard let context, context.family.isChild else { return edits }
    return edits.union(context.family.editsAbove(state.model, state.pk))
  }
}

extension ContextEditing {
  /// Drops the edits of an object whose row is gone, because they can't be saved.
  package func forgetEdits(of object: any ManagedEntity) {
    let state = object._$state
    guard state.life == .deleted, state.saving.isEmpty else { return }
    state.dropEdits()
    context.unsaved.letGo(of: state)
    context.overlay.rowPending(state.model, state.pk)
  }
}
