extension EntityContext {
  /// Inserts the loose ones of the objects that a relationship is about to be set to, with all that they are linked to.
  ///
  /// - Returns: Whether all of them are objects of this context now. Otherwise nothing is inserted, the relationship stays as it
  ///   is, and the next save says why.
  func takesIn(_ others: [ObjectState], for object: ObjectState, _ index: Int) -> Bool {
    let name = object.model.properties[index].name
    let isAble =
      update == nil && kind != .reading && !isOver && !isDetached && !object.isGone
      && others.allSatisfy { $0.context === self || ($0.loose != nil && $0.pk != 0) }
    guard isAble else {
      refuse(object, name, setTo: others)
      return false
    }
    // Their links are set by the code of all links, and not as parts of a list that is being set.
    let outer = isSettingList
    isSettingList = false
    defer { isSettingList = outer }
    do {
      // As one, so that a mistake of one inserts none.
      try take(others.compactMap { other in other.loose?.records[LooseGraph.Key(other)] })
      return true
    } catch let error as StoreError {
      refusals.append(
        StoreError(
          error.kind,
          "'\(object.model.name).\(name)' was set to an object in no context that can't be inserted, and stays as it was: "
            + error.message, objects: [object.id] + error.objects))
    } catch {
      deferredError = error
    }
    return false
  }
}
