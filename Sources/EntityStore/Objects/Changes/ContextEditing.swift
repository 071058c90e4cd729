extension EntityContext {
  /// Whether a property may be changed. One that may not stays as it is, and a later call says why.
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
    // The most of properties, without what the general case needs.
    if arrival.isPlainUpdate(of: state), state.isUntouched(index), !arrival.held(of: state).contains(index),
      state.model.uidParts == nil
    {
      return true
    }
    guard let update = arrival.update else { return true }
    return edits.mayChange(object, index, update)
  }

  /// A property stays as it is, although it was to be set to a value: where a response has it, that is noted as skipped, and the
  /// value is what the server has.
  @usableFromInline func held(_ object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ value: StoredValue) {
    guard let update = arrival.update, kind != .reading, !saves.isOver, state.pk != 0 else { return }
    let staying = edits.staying(object, index, update)
    if rows?.notes.skips != nil {
      answers.noteSkipped(
        object, staying, answered: ColumnMask(index), values: edits.skippedValues(of: object, index, value, staying))
    }
    answers.hear(object, state, index, value, staying)
  }

  /// Notes that a property was changed.
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
    // An edited object is among the changed ones.
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
    // The setter of a link tells the lists itself.
    overlay.rowPending(model, state.pk, leavesLists: true, columns: columns)
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
  /// The values of a property that stays as it is.
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

  /// Which properties stay as they are with one that a response sets.
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

  /// A change of the object that stands for the missing target of a required relationship.
  func refuseChange(of model: EntityModel) { context.unsaved.refusals.append(Self.noRow(model)) }

  static func noRow(_ model: EntityModel) -> StoreError {
    StoreError(
      .objectDeleted,
      "An object of '\(model.name)' has no row, and can't be changed or inserted: a required relationship without a target reads as one. "
        + "Check isDeleted first.")
  }

  /// Remembers a mistake in a setter, which can't throw: the relationship stays as it is, and the next save throws.
  ///
  /// - Parameter others: Objects of which one is none of this context's.
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

/// Values from a response being written to objects: they are no local edits, and leave such edits alone.
struct ObjectUpdate {
  let policy: MergePolicy
  /// The object that is updated: the columns that newer answers wrote of it are known.
  let state: ObjectState
  /// Tells of other objects, whose links an update may set; `nil` where no other request is under way.
  let order: (any AnswerOrder)?

  /// Which of some properties stay as they are.
  func staying(_ columns: ColumnMask, of object: any ManagedEntity) -> MergePolicy.Staying {
    policy.staying(of: columns, edited: object.localEdits, newer: newer(of: object))
  }

  /// As ``staying(_:of:)``, for a list whose edits are marked in its pairs: only a list that was set as a whole and is
  /// not saved is an edit of the list itself.
  func staying(list: Int, of object: any ManagedEntity) -> MergePolicy.Staying {
    let column = ColumnMask(list)
    return policy.staying(
      of: column, edited: object._$state.lists[list] == nil ? ColumnMask() : column, newer: newer(of: object))
  }

  /// Whether no newer answer has written a property.
  func isNewest(_ property: Int, of object: any ManagedEntity) -> Bool {
    newer(of: object).map { !$0.contains(property) } ?? false
  }

  /// The columns that newer answers wrote; `nil` where one of them deleted the object.
  private func newer(of object: any ManagedEntity) -> ColumnMask? {
    let own = object._$state.context?.arrival.held(of: object._$state) ?? ColumnMask()
    guard object._$state !== state, let order else { return own }
    return order.newer(of: object)?.union(own)
  }
}

/// The order of answers, as an update of an object asks it and tells it.
package protocol AnswerOrder: AnyObject {
  /// The columns of an object that a newer answer wrote; `nil` where one deleted it.
  func newer(of object: any ManagedEntity) -> ColumnMask?
  /// The answer has a value of a property: it was set, to another value or to the one that it had, or an edit stays.
  func touch(_ object: any ManagedEntity, _ property: Int)
}

extension ManagedEntity {
  /// Whether anything was edited here and is not acknowledged, saved or not.
  package var hasLocalEdits: Bool {
    _$state.context?.fulfil(self)
    return !_$state.flags.isDisjoint(with: [.editedByOthers, .madeHere]) || !localEdits.isEmpty
  }

  /// Whether its row says that it was made here, and that no answer has shown that the server has it.
  package var isMadeHere: Bool {
    _$state.context?.fulfil(self)
    return _$state.flags.contains(.madeHere)
  }

  /// Whether a property was edited here and is not acknowledged, saved or not.
  package func hasLocalEdit(of property: Int) -> Bool { localEdits.contains(property) }

  /// The properties that were edited here and are not acknowledged, saved or not.
  package var localEdits: ColumnMask {
    let (state, context) = (_$state, _$state.context)
    context?.fulfil(self)
    let edits = state.edited.union(state.unsavedEdits)
    guard let context, context.family.isChild else { return edits }
    return edits.union(context.family.editsAbove(state.model, state.pk))
  }
}

extension ContextEditing {
  /// Drops the edits of an object whose row is gone: there is nothing to save them to.
  package func forgetEdits(of object: any ManagedEntity) {
    let state = object._$state
    guard state.life == .deleted, state.saving.isEmpty else { return }
    state.dropEdits()
    context.unsaved.letGo(of: state)
    context.overlay.rowPending(state.model, state.pk)
  }
}
