// If the request asks for it, a response overwrites local edits, and the edits end. The setters of an update by hand
// report each property they are called for, even with an equal value.

/// The effect of a response on the edit marks of a row.
struct Overwritten {
  /// The columns whose edits the response overwrote.
  var columns = ColumnMask()
  /// Whether the response has the object.
  var isKnown = false
}

extension EntityContext {
  @usableFromInline func confirm(_ object: any ManagedEntity, _ state: ObjectState, _ index: Int) {
    if state.model.coverage != nil, arrival.isUpdating, !arrival.readsAbsent { state.noteHeard(index, of: object) }
    // The usual case: nothing has to be recorded for the property.
    if arrival.attention.bits == 1, arrival.isOnlyUpdate(of: state), !state.edited.contains(index),
      rows?.notes.areTakenNoted == false,
      !state.model.handedOver.contains(index)
    {
      return
    }
    guard let update = arrival.update else { return }
    let isAbsent = answers.consumeAbsence()
    if isAbsent { return }
    if let order = update.order, update.state !== state || !arrival.held(of: state).contains(index) {
      order.touch(object, index)
    }
    if let rows {
      if state.model.handedOver.contains(index) {
        rows.uniqueness.noteAnswered(state.model, state.pk, ColumnMask(index))
      }
      if let skips = rows.notes.skips, !skips.isEmpty { answers.noteTaken(state, index, skips) }
    }
    if update.policy.keepsEdits {
      // An update by hand writes back a relationship to embedded objects that it keeps, so the value may not be the
      // response's.
      if state.edited.contains(index), !state.model.properties[index].leadsToEmbedded {
        let value = object.values(ColumnMask(index))
        if value.mask.contains(index) {
          answers.hear(object, state, index, value[index], update.staying(ColumnMask(index), of: object))
        }
      }
      return
    }
    if !update.staying(ColumnMask(index), of: object).isEmpty { return }
    answers.overwrite(object, index)
  }
}

extension ContextAnswers {
  /// A response has the value that the property has already. An equal value also overwrites an edit.
  package func confirm(_ object: any ManagedEntity, _ index: Int) { context.confirm(object, object._$state, index) }

  /// Tells an edited property, which keeps its value, of the value that the response has.
  func hear(
    _ object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ value: StoredValue,
    _ staying: MergePolicy.Staying
  ) {
    let model = state.model
    guard let rows = context.rows, let update = context.arrival.update, staying.edited.contains(index),
      !model.identity.contains(index),
      update.isNewest(index, of: object)
    else { return }
    var values = RowValues(count: model.properties.count)
    values[index] = value
    if rows.writer.merging.rule(of: model.number) != nil {
      // The rule may ask for values that the response has set before, and that no row has yet.
      let set = object.values(state.dirty.intersection(state.fromResponse).subtracting(state.edited))
      for other in set.mask.indices where other != index { values[other] = set[other] }
    }
    do {
      if state.flags.contains(.madeHere) { try endOverwritten() }
      try rows.edits.hear(model, state.pk, values)
    } catch {
      context.unsaved.deferredError = error
    }
  }

  /// Whether the running setter was called for an absent key, with the value that the property already has.
  func consumeAbsence() -> Bool {
    guard context.arrival.readsAbsent else { return false }
    context.arrival.readsAbsent = false
    return true
  }

  func overwrite(_ object: any ManagedEntity, _ index: Int) {
    let state = object._$state
    guard state.edited.contains(index) else { return }
    context.arrival.overwritten[RowKey(entity: state.model.number, pk: state.pk), default: Overwritten()].columns
      .insert(
        index)
  }

  /// A response has an object: if the object was made here, the server knows it now.
  package func noteKnown(_ object: any ManagedEntity) {
    let state = object._$state
    guard state.flags.contains(.madeHere) else { return }
    let key = RowKey(entity: state.model.number, pk: state.pk)
    context.arrival.overwritten[key, default: Overwritten()].isKnown = true
  }

  /// Ends the saved edits that a response overwrote.
  func endOverwritten() throws {
    guard !context.arrival.overwritten.isEmpty, let rows = context.rows else { return }
    let ended = context.arrival.overwritten.sorted { ($0.key.entity, $0.key.pk) < ($1.key.entity, $1.key.pk) }
    context.arrival.overwritten = [:]
    for (key, row) in ended {
      let model = context.core.schema.entities[key.entity]
      var isKnown = row.isKnown
      if !isKnown, let found = try rows.find(model, pk: key.pk) {
        isKnown = model.shows(row.columns) { found.link($0) }
      }
      try rows.edits.acknowledge(model, pk: key.pk, row.columns, endsInsertion: isKnown)
    }
  }
}
