// Changes of objects that a response says and the store does not take; see ``SkipLog``.

extension ContextAnswers {
  /// Properties of an object stay as they are, although the response has other values.
  package func noteSkipped(
    _ object: any ManagedEntity, _ staying: MergePolicy.Staying, answered: ColumnMask,
    values: [Int: SkippedChange.Value] = [:]
  ) {
    guard let skips = context.rows?.notes.skips else { return }
    let state = object._$state
    var staying = staying
    // The mapping itself has set these.
    staying.remove(context.arrival.settled(of: state))
    skips.note(state.model, state.pk, staying, answered: answered, values: values)
  }

  /// Whether a link stays as it is because its embedded object has work that the server does not have: an update from a
  /// response would let go of that object, and so delete it.
  func keepsPart(of object: any ManagedEntity, _ state: ObjectState, _ index: Int, _ old: Int64) -> Bool {
    guard old != 0, context.arrival.update?.policy.keepsEdits == true,
      case .toOne(let target, nil, _) = state.model.properties[index].kind,
      context.core.schema.entities[target].uid == nil
    else { return false }
    do {
      guard try hasUnsentWork(context.reading.fault(context.core.schema.entities[target], old)) else { return false }
    } catch {
      context.unsaved.deferredError = error
    }
    let column = ColumnMask(index)
    noteSkipped(object, MergePolicy.Staying(edited: column), answered: column)
    return true
  }

  /// A property of an object has the value of the response.
  ///
  /// A relationship to embedded objects that stays is set to the objects that it has. The setter cannot tell whether
  /// the response has the same objects.
  func noteTaken(_ state: ObjectState, _ index: Int, _ skips: SkipLog) {
    switch state.model.properties[index].kind {
    case .attribute: break
    case .toOne(let target, _, _): if context.core.schema.entities[target].uid == nil { return }
    case .toMany, .manyToMany: return
    }
    skips.note(state.model, state.pk, MergePolicy.Staying(), answered: ColumnMask(index))
  }

  /// A list of an object stays as it is. Where the response has the same list, nothing is noted.
  ///
  /// - Parameter wanted: The row ids of the objects that the response has in it.
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

  /// A list of an object stays as it is, into which the response puts one object, or takes one out.
  func noteSkippedMember(
    _ object: any ManagedEntity, _ staying: MergePolicy.Staying, _ list: Int, _ member: Int64, isIn: Bool
  ) {
    guard context.rows?.notes.skips != nil else { return }
    do {
      // The other members were not spoken of.
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
