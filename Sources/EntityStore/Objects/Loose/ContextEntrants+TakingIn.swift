extension ContextEntrants {
  /// Inserts the loose ones of the objects at both ends of a relationship that is about to be set, with all that they are linked
  /// to.
  ///
  /// - Parameters:
  ///   - others: The objects that it is set to.
  ///   - object: The object whose relationship it is: a loose one, or one of this context.
  /// - Returns: Whether all of them are objects of this context now. Otherwise nothing is inserted, the relationship stays as it
  ///   is, and the next save says why.
  func takesIn(_ others: [ObjectState], for object: ObjectState, _ index: Int) -> Bool {
    let isAble =
      context.arrival.update == nil && context.kind != .reading && !context.saves.isOver && !context.isDetached
      && canLink(object, others)
      && others.allSatisfy { $0.context === self.context || ($0.loose != nil && $0.pk != 0) }
    guard isAble else {
      context.edits.refuse(object, object.model.properties[index].name, setTo: others)
      return false
    }
    // Their links are set by the code of all links, and not as parts of a list that is being set.
    let outer = context.unsaved.isSettingList
    context.unsaved.isSettingList = false
    defer { context.unsaved.isSettingList = outer }
    do {
      // As one, so that a mistake of one inserts none.
      try take(([object] + others).compactMap { $0.loose?.records[LooseGraph.Key($0)] })
      return true
    } catch let error as StoreError {
      refuseInsertion(for: object, index, error)
    } catch {
      context.unsaved.deferredError = error
    }
    return false
  }

  /// A deleted object inserts none, whichever end of the relationship it is at.
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
