import EntityJSON
import EntityStore

extension Mapper<RowTarget> {
  /// Upserts an object of a response, or of one of its parts, as the mode of the response says.
  ///
  /// - Returns: `nil` for an object that is not taken in, and has no row.
  func upsertOutermost(
    _ plan: MappingPlan, _ object: JSONObject, _ given: GivenIdentity = GivenIdentity()
  ) throws -> MappingOutcome? {
    let mode = session.options.mode
    // The answer to a request on an object is about that object.
    guard mode == .insertOnly || mode == .updateOnly, given.row == nil else {
      return try upsert(plan, object, given)
    }
    if given.isDeletion { return try upsert(plan, object, given) }
    let uid = try given.uid ?? plan.uid(of: object)
    // Nothing says whether the store has the object.
    if uid == nil, plan.uidType != nil, session.needsUIDs, !plan.isDeletion(object) {
      throw plan.unnamedError(isEmbeddable: session.embedsUnnamed)
    }
    let known = try uid.flatMap { try target.object(plan.model, uid: $0) }
    switch (mode, known) {
    case (.insertOnly, let pk?):
      // A nested object in this response inserted the row, which may have no more than its uid.
      if session.seen.inserted.contains(pk) { break }
      session.mention(plan.model, pk)
      try mentionAll(plan, object)
      return MappingOutcome(pk: pk, isInserted: false, isChanged: false)
    case (.updateOnly, nil):
      // An object that says that it is deleted is not inserted anyway.
      if plan.isDeletion(object) { break }
      try mentionAll(plan, object)
      if let uid { try noteNotInserted(plan, uid) }
      return nil
    default: break
    }
    return try upsert(plan, object, GivenIdentity(uid: uid, link: given.link))
  }

  /// Notes why the store has no object with a uid.
  private func noteNotInserted(_ plan: MappingPlan, _ uid: StoredValue) throws {
    if session.newer(plan.model, uid) == nil {
      session.skips?.noteGone(plan.model, uid: uid)
    } else if try !session.isDeletedHere(plan.model, uid) {
      session.skips?.noteUnknown(plan.model, uid: uid)
    }
  }

  /// Notes that the response has the objects that are nested in an object which is not taken in.
  ///
  /// - Throws: ``DoubtfulDeletion`` when nothing says which objects these are, and missing objects may be deleted.
  private func mentionAll(_ plan: MappingPlan, _ object: JSONObject) throws {
    guard session.seen.isCollecting else { return }
    guard try mention(plan, object) else { throw DoubtfulDeletion(place: session.places.current) }
  }
}
