extension ContextEntrants {
  /// Inserts the loose objects at both ends of a relationship that is about to be set, with everything that they are
  /// linked to.
  ///
  /// - Parameters:
  ///   - others: The objects that the relationship is set to.
  ///   - object: The owner of the relationship: a loose object, or one of this context.
  /// - Returns: Whether all these objects are in this context now. Otherwise nothing is inserted, the relationship
  ///   stays as it is, and the next save says why.
  func takesIn(_ others: [ObjectState], for object: ObjectState, _ index: Int) -> Bool {
    let isAble =
      context.arrival.update == nil && context.kind != .reading && !context.saves.isOver && !context.isDetached
      && canLink(object, others)
      && others.allSatisfy { $0.context === self.context || ($0.loose != nil && $0.pk != 0) }
    guard isAble else {
      context.edits.refuse(object, object.model.properties[index].name, setTo: others)
      return false
    }
    // The links of the new objects are set like any link, and not as parts of the list that is being set.
    let outer = context.unsaved.isSettingList
    context.unsaved.isSettingList = false
    defer { context.unsaved.isSettingList = outer }
    do {
      // Together, so that one invalid object stops the insertion of all.
      try take(([object] + others).compactMap { $0.loose?.records[LooseGraph.Key($0)] })
      return true
    } catch let error as StoreError {
      refuseInsertion(for: object, index, error)
    } catch {
      context.unsaved.deferredError = error
    }
    return false
  }

  /// A deleted object can't insert the other end of the relationship.
  private func canLink(_ object: ObjectState, _ others: [ObjectState]) -> Bool {
    object.loose == nil ? !object.isGone : !others.contains { $0.isGone && $0.forwardedTo == 0 }
  }

  private func refuseInsertion(for object: ObjectState, _ index: Int, _ error: StoreError) {
    let name = "\(object.model.name).\(object.model.properties[index].name)"
    let (reason, objects) =
      object.loose == nil
      ? ("'\(name)' was set to an object in no context that can't be inserted", [object.id])
      : ("'\(name)' of an object in no context was set, and that object can't be inserted", [])
    context.unsaved.refusals.append(
      StoreError(error.kind, "\(reason); it stays as it was: \(error.message)", objects: objects + error.objects))
  }
}
