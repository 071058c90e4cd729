// The save of a child: its changes become unsaved changes of the parent, through the setters of the parent's objects.

extension ContextFamily {
  /// Turns the changes of this child into unsaved changes of its parent. It changes nothing if the parent lacks an
  /// object, a conflict fails the save, or a row can't be read.
  func save(to parent: EntityContext, _ policies: ConflictPolicies) throws {
    guard context.hasChanges else { return context.unsaved.discarded = [] }
    // Merges first, because the child's changes are compared with the parent's present values.
    try context.merging.entry(isGetter: true) {}
    try context.saving.prepareToSave()
    let saved = try context.saving.collectObjects(policies)
    do {
      context.saving.end(saved, try parent.family.take(saved, of: context, policies))
    } catch {
      context.saving.restore(saved)
      throw error
    }
  }

  /// Takes over the changes of a child.
  ///
  /// - Returns: The outcome for each object.
  private func take(
    _ saved: SavedChanges, of child: EntityContext, _ policies: ConflictPolicies
  ) throws -> [ChangeSet.Written] {
    guard !context.isDetached else { throw context.detachment }
    var written: [ChangeSet.Written]?
    do {
      try context.merging.entry(isGetter: true) {
        written = try context.edits.allOrNothing {
          try child.family.throwingAtOnce { try takeEdits(saved, of: child, policies) }
        }
        // The objects were read before, so nothing fails from here on.
        for object in saved.deleted where !(object is LinkRow) { try remove(object) }
      }
    } catch {
      // All changes were made, and only the end of the read failed. The changes need no row.
      guard let written else { throw error }
      return written
    }
    return written ?? []
  }

  /// Runs `body`, and throws the errors of properties that it read or set, here or in a context above. Such an error
  /// would otherwise wait for a later call.
  private func throwingAtOnce<T>(_ body: () throws -> T) throws -> T {
    let contexts = Array(sequence(first: self.context, next: \.lineage.parent))
    let earlier = contexts.map(\.unsaved.deferredError)
    for context in contexts { context.unsaved.deferredError = nil }
    defer { for (context, error) in zip(contexts, earlier) { context.unsaved.deferredError = error } }
    let result = Result(catching: body)
    // The first error counts: SQLite may have ended the transaction with it, and the other errors follow from that.
    for context in contexts { try context.saving.throwDeferredError() }
    return try result.get()
  }

  /// Takes over everything but the deletions.
  private func takeEdits(
    _ saved: SavedChanges, of child: EntityContext, _ policies: ConflictPolicies
  ) throws -> [ChangeSet.Written] {
    // Held until the end: a context does not hold unchanged objects, and an object that is made anew has no values.
    let owns = try objectsHere(saved)
    defer { withExtendedLifetime(owns) {} }
    var conflicts = ConflictCheck(policies)
    var values = saved.objects.map { $0.object.values($0.mask.intersection($0.state.model.stored)) }
    var written = Array(repeating: ChangeSet.Written(), count: saved.objects.count)
    for (place, entry) in saved.objects.enumerated() {
      guard let own = owns[place] else { continue }
      written[place].yielded = try conflicts.settle(&values[place], entry, over: own, context)
    }
    try conflicts.checkFailed()
    let missing = try missingTargets(saved, values)
    // Read before any change, because the child follows what it hands over.
    let orders = try saved.objects.map { try child.family.editedOrders($0) }
    // New objects before the links to them.
    for state in saved.objects.lazy.filter(\.wasInserted).map(\.state) where !state.model.isLinks {
      if context.unsaved.changed[state.model.number][state.pk] == nil {
        _ = try context.answers.insert(state.model, row: state.pk)
      }
    }
    // New objects that were deleted again come too: the delete rules apply to the links to them.
    for object in saved.discarded where !(object is LinkRow) {
      _ = try context.answers.insert(object._$state.model, row: object._$state.pk)
      try remove(object)
    }
    for (entry, values) in zip(saved.objects, values) where !entry.state.model.isLinks { take(entry, values) }
    try takeLists(saved, of: child, without: missing)
    for (entry, orders) in zip(saved.objects, orders) { try take(orders, of: entry) }
    return written
  }

  /// This context's objects for the changed objects of a child, with their values; `nil` for new ones.
  ///
  /// - Throws: ``StoreError`` of kind `objectDeleted` if one of them is deleted.
  private func objectsHere(_ saved: SavedChanges) throws -> [(any ManagedEntity)?] {
    var owns: [(any ManagedEntity)?] = []
    for entry in saved.objects {
      guard !entry.isNew else {
        owns.append(nil)
        continue
      }
      let own = context.reading.object(entry.state.model, entry.state.pk)
      context.fulfil(own)
      owns.append(own)
      guard own._$state.isGone, !entry.state.model.isLinks else { continue }
      throw StoreError(
        .objectDeleted,
        "An object of '\(entry.state.model.name)' (row \(entry.state.pk)) was changed in a draft, and was deleted meanwhile. "
          + "Drop the change with `rollback(_:)` of the draft's context.", objects: [entry.state.id])
    }
    for object in saved.deleted where !(object is LinkRow) {
      context.fulfil(context.reading.object(object._$state.model, object._$state.pk))
    }
    return owns
  }

  private func take(_ entry: SavedChanges.Entry, _ values: RowValues) {
    let model = entry.state.model
    let own = context.reading.object(model, entry.state.pk)
    let state = own._$state
    context.edits.willChange(own)
    if entry.wasFilled { context.answers.fill(own) }
    let wasDirty = state.dirty
    for index in values.mask.subtracting(model.hidden).indices {
      let property = model.properties[index]
      if case .toOne(let target, _, _) = property.kind {
        let pk = values.link(index)
        property.link(own, pk == 0 ? nil : context.reading.object(context.core.schema.entities[target], pk))
      } else {
        _ = property.set(own, values[index])
      }
    }
    state.fromResponse.formUnion(entry.fromResponse.subtracting(wasDirty).intersection(state.dirty))
    state.flags.formUnion(entry.state.flags.intersection(.takesOver))
  }

  private func remove<E: ManagedEntity>(_ object: E) throws {
    guard let own = context.reading.object(object._$state.model, object._$state.pk) as? E else { return }
    context.fulfil(own)
    if own._$state.life != .deleted { try context.delete(own) }
  }
}

extension ConflictCheck {
  /// Settles the conflicts between an object of a child and the parent's object.
  ///
  /// - Parameters:
  ///   - values: The edited values; those that give way are removed or replaced.
  ///   - own: The object of the parent.
  ///   - context: The parent.
  /// - Returns: The columns in which the parent keeps or gets a different value than the edited one.
  fileprivate mutating func settle(
    _ values: inout RowValues, _ entry: SavedChanges.Entry, over own: any ManagedEntity, _ context: EntityContext
  ) throws -> ColumnMask {
    let (state, model) = (own._$state, own._$state.model)
    var yielded = ColumnMask()
    let edited = entry.bases.mask.intersection(values.mask)
    guard !edited.isEmpty else { return yielded }
    try context.edits.loadLazies(of: state, edited)
    let present = own.values(model.stored)
    let isNew = state.isInserted || state.flags.contains(.madeHere) || context.family.isInsertedAbove(model, state.pk)
    let edits = own.localEdits.union(state.unsaved.subtracting(state.fromResponse))
    for index in edited.indices {
      guard let base = entry.bases.base(of: index), !present[index].isIdentical(to: base) else { continue }
      let difference = Difference(
        pk: state.pk, property: index, base: base, mine: values[index], theirs: present[index],
        isLocalEdit: isNew || edits.contains(index))
      let end = try end(difference, model, context.core.schema) { present[$0] }
      switch end {
      case .mine: break
      case .theirs:
        values.remove(ColumnMask(index))
        yielded.insert(index)
      case .value(let chosen):
        values[index] = chosen
        yielded.insert(index)
      }
    }
    return yielded
  }
}
