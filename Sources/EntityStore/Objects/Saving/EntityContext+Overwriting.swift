// A response overwrites local edits if the request asks for that, and the edits end. The setters of an update by hand
// report the properties, also when they are called with an equal value.

/// The effect of a response on the marks of a row.
struct Overwritten {
  /// The columns whose edits the response overwrote.
  var columns = ColumnMask()
  /// Whether the response has the object.
  var isKnown = false
}

extension EntityContext {
  /// A response has the value that the property has already. An equal value overwrites an edit as well.
  package func confirm(_ object: any ManagedEntity, _ index: Int) { confirm(object, object._$state, index) }

  @usableFromInline func confirm(_ object: any ManagedEntity, _ state: ObjectState, _ index: Int) {
    // The most of properties: nobody asks for them.
    if attention.bits == 1, isOnlyUpdate(of: state), !state.edited.contains(index), rows?.notes.areTakenNoted == false,
      !state.model.handedOver.contains(index)
    {
      return
    }
    guard let update else { return }
    let isAbsent = consumeAbsence()
    if isAbsent { return }
    if let order = update.order, update.state !== state || !state.newer.contains(index) { order.touch(object, index) }
    if let rows {
      if state.model.handedOver.contains(index) {
        rows.uniqueness.noteAnswered(state.model, state.pk, ColumnMask(index))
      }
      if let skips = rows.notes.skips, !skips.isEmpty { noteTaken(state, index, skips) }
    }
    if update.policy.keepsEdits {
      // A relationship to embedded objects is written back where it stays, with what the property has.
      if state.edited.contains(index), !state.model.properties[index].leadsToEmbedded {
        let value = object.values(ColumnMask(index))
        if value.mask.contains(index) {
          hear(object, state, index, value[index], update.staying(ColumnMask(index), of: object))
        }
      }
      return
    }
    if !update.staying(ColumnMask(index), of: object).isEmpty { return }
    overwrite(object, index)
  }

  /// A response has a value of a property that was edited here and stays as it is.
  func hear(
    _ object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ value: StoredValue,
    _ staying: MergePolicy.Staying
  ) {
    let model = state.model
    guard let rows, let update, staying.edited.contains(index), !model.identity.contains(index),
      update.isNewest(index, of: object)
    else { return }
    var values = RowValues(count: model.properties.count)
    values[index] = value
    do {
      if state.flags.contains(.madeHere) { try endOverwritten() }
      try rows.edits.hear(model, state.pk, values)
    } catch {
      deferredError = error
    }
  }

  /// Whether the setter that runs was called for an absent key, with the value that the property has.
  func consumeAbsence() -> Bool {
    guard readsAbsent else { return false }
    readsAbsent = false
    return true
  }

  func overwrite(_ object: any ManagedEntity, _ index: Int) {
    let state = object._$state
    guard state.edited.contains(index) else { return }
    overwritten[RowKey(entity: state.model.number, pk: state.pk), default: Overwritten()].columns.insert(
      index)
  }

  /// A response has an object: the server knows it, where it was made here.
  package func noteKnown(_ object: any ManagedEntity) {
    let state = object._$state
    guard state.flags.contains(.madeHere) else { return }
    let key = RowKey(entity: state.model.number, pk: state.pk)
    overwritten[key, default: Overwritten()].isKnown = true
  }

  /// Ends the saved edits that a response overwrote.
  func endOverwritten() throws {
    guard !overwritten.isEmpty, let rows else { return }
    let ended = overwritten.sorted { ($0.key.entity, $0.key.pk) < ($1.key.entity, $1.key.pk) }
    overwritten = [:]
    for (key, row) in ended {
      let model = core.schema.entities[key.entity]
      var isKnown = row.isKnown
      if !isKnown, let found = try rows.find(model, pk: key.pk) {
        isKnown = model.shows(row.columns) { found.link($0) }
      }
      try rows.edits.acknowledge(model, pk: key.pk, row.columns, endsInsertion: isKnown)
    }
  }
}
