// Changes of objects that a response has and the store does not make; see ``SkipLog``.

extension ContextAnswers {
  /// Records that properties of an object stay as they are, although the response has other values.
  package func noteSkipped(
    _ object: any ManagedEntity, _ staying: MergePolicy.Staying, answered: ColumnMask,
    values: [Int: SkippedChange.Value] = [:]
  ) {
    guard let skips = context.rows?.notes.skips else { return }
    let state = object._$state
    var staying = staying
    // The mapping itself set these columns.
    staying.remove(context.arrival.settled(of: state))
    skips.note(state.model, state.pk, staying, answered: answered, values: values)
  }

  /// True when a link stays as it is because its embedded object has changes that the server does not have. An update
  /// from a response would delete that object with the link.
  func keepsPart(of object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ old: Int64) -> Bool {
    guard old != 0, context.arrival.update?.policy.keepsEdits == true,
      case .toOne(let target, nil, _) = state.model.properties[index].kind,
      context.core.schema.entities[target].uid == nil
    else { return false }
    do {
      guard try hasUnsentWork(context.reading.object(context.core.schema.entities[target], old)) else { return false }
    } catch {
      context.unsaved.deferredError = error
    }
    let column = ColumnMask(index)
    noteSkipped(object, MergePolicy.Staying(edited: column), answered: column)
    return true
  }

  /// Records that a property of an object has the value of the response.
  ///
  /// Relationships are an exception: a relationship to embedded objects that stays is set to its own objects, and the
  /// setter can't tell whether the response has the same objects.
  func noteTaken(_ state: ObjectState, _ index: Int, _ skips: SkipLog) {
    switch state.model.properties[index].kind {
    case .attribute: break
    case .toOne(let target, _, _): if context.core.schema.entities[target].uid == nil { return }
    case .toMany, .manyToMany: return
    }
    skips.note(state.model, state.pk, MergePolicy.Staying(), answered: ColumnMask(index))
  }

  /// Records that a list of an object stays as it is, unless the response has the same list.
  ///
  /// - Parameter wanted: The row ids of the objects that the response has in the list.
  package func noteSkippedList(
    _ object: any ManagedEntity, _ staying: MergePolicy.Staying, _ list: Int, _ wanted: Set<Int64>
  ) {
    guard context.rows?.notes.skips != nil else { return }
    do {
      if try listed(in: object, list) != wanted { noteSkipped(object, staying, answered: ColumnMask(list)) }
    } catch {
      context.unsaved.deferredError = error
    }
  }

  /// Records that a list of an object stays as it is, although the response adds an object to it or takes one out.
  func noteSkippedMember(
    _ object: any ManagedEntity, _ staying: MergePolicy.Staying, _ list: Int, _ member: Int64, isIn: Bool
  ) {
    guard context.rows?.notes.skips != nil else { return }
    do {
      // The response says nothing about the other members.
      if try listed(in: object, list).contains(member) != isIn {
        noteSkipped(object, staying, answered: ColumnMask())
      }
    } catch {
      context.unsaved.deferredError = error
    }
  }

  private func listed(in object: any ManagedEntity, _ list: Int) throws -> Set<Int64> {
    let state = object._$state
    guard let membership = state.model.properties[list].membership else {
      return try Set(memberRows(of: object, list))
    }
    return try Set(
      context.lists.memberships(of: state.pk, context.core.schema.entities[membership.links], membership.side).keys)
  }
}
