import EntityJSON
import EntityStore

/// Maps the objects of a response, generic over the target that they go to.
///
/// The steps of one object, in this order: find which object it is and which columns newer answers wrote; see whether
/// the response says that it is deleted; make its draft (attributes, links, and the objects nested in these); write it;
/// set its lists; check that it has what it requires. An object that updates by hand goes to the mapper of objects,
/// wherever it stands in the response. An object with the declared mapping goes to the mapper of rows; see
/// `Mapper+ByHand.swift`.
final class Mapper<Target: MappingTarget> {
  let target: Target
  let session: UpsertSession
  /// Empty rows for reuse, by the entity's number: nested objects of one entity need several at once.
  private var spare: [[RowValues]]

  init(_ target: Target) {
    self.target = target
    session = target.session
    spare = Array(repeating: [], count: session.core.schema.entities.count)
  }

  /// The mapper that runs updates by hand.
  var objects: Mapper<ObjectTarget> { target.objects(self) }

  /// Upserts one object and what is nested in it.
  ///
  /// - Returns: `nil` when a newer answer deleted the object, or its own update did.
  func upsert(_ plan: MappingPlan, _ object: JSONObject, _ given: GivenIdentity) throws -> MappingOutcome? {
    guard !plan.isByHand else { return try objects.updateByHand(plan, object, given) }
    guard let rows = target.rowMapper else { return try upsertDeclared(plan, object, given) }
    return try objects.nestingRows { try rows.upsertDeclared(plan, object, given) }
  }

  /// Gives an object its uid when the answer says nothing else about it. No update by hand runs: an object without keys
  /// could make it clear properties.
  func bind(_ plan: MappingPlan, uid: StoredValue, row: Int64) throws -> MappingOutcome? {
    try upsertDeclared(plan, [:], GivenIdentity(uid: uid, row: row))
  }

  private func upsertDeclared(
    _ plan: MappingPlan, _ object: JSONObject, _ given: GivenIdentity
  ) throws -> MappingOutcome? {
    try session.enter(plan, object)
    defer { session.leave(plan) }
    guard let (identity, known) = try identify(plan, object, given) else { return nil }
    var about = identity
    let isHolder = session.enterHolder(plan, about.uid, object, &about.newer)
    defer { if isHolder { session.leaveHolder() } }
    var subject = try target.begin(plan, known, uid: about.uid, row: given.row)
    defer { target.end(subject, isAwaiting: false) }
    do {
      guard let outcome = try map(plan, object, about, &subject, given) else {
        try target.abandon(subject, isRefused: true)
        return nil
      }
      return outcome
    } catch {
      try? target.abandon(subject, isRefused: false)
      throw error
    }
  }

  // MARK: Finding which object it is

  /// - Returns: `nil` when there is nothing to map: the object was deleted here or by a newer answer, or the response
  ///   says that it is deleted.
  func identify(
    _ plan: MappingPlan, _ object: JSONObject, _ given: GivenIdentity
  ) throws -> (about: ResponseIdentity, known: Target.Known?)? {
    let (model, row) = (plan.model, given.row)
    let uid = try given.uid ?? plan.uid(of: object)
    let known = given.isNew ? nil : try target.known(model, uid: uid, row: row)
    let isDeletion = given.isDeletion || session.options.saysDeleted || plan.isDeletion(object)
    let identity = try uid ?? (session.isOrdered ? known.flatMap { try target.uid(model, of: $0) } : nil)
    guard let newer = session.newer(model, identity) else {
      session.skips?.noteGone(model, uid: identity)
      // This answer tells the uid that the row waited for, so the row goes, too.
      if let uid, let row, let known, try target.awaitsUID(model, known) {
        session.gone.note(model, row, uid, isPlaceholder: false)
      }
      return nil
    }
    // With a row the answer is about the object of the request, and a deletion under the uid does not concern it.
    if row == nil, let uid, try session.isDeletedHere(model, uid, isDeletion: isDeletion) { return nil }
    let isOlder = try plan.version.map { try checkVersion($0, plan, object, than: known, uid: uid, row: row) } ?? false
    if isOlder, isDeletion { return nil }
    if isDeletion {
      guard newer.isEmpty else {
        // A newer answer has the object.
        if let row = try known.flatMap({ try target.row(model, of: $0) }) {
          session.skips?.note(model, row, .newerAnswer)
        }
        return nil
      }
      session.touch(model, identity, ColumnMask(), isDeletion: true)
      guard let known, let row = try target.delete(model, known) else {
        if let uid { session.gone.noteUnknown(model, uid) }
        return nil
      }
      session.gone.note(model, row.pk, identity, isPlaceholder: row.isPlaceholder)
      return nil
    }
    if uid == nil, row == nil, !given.isNew, session.needsUIDs, plan.uidType != nil {
      throw plan.unnamedError(isEmbeddable: session.embedsUnnamed)
    }
    let answered = session.heldBack(model, identity, newer, isTarget: row != nil)
    let all = model.all.subtracting(model.identity)
    return (
      ResponseIdentity(
        uid: uid, identity: identity, newer: isOlder ? all : answered, answered: answered, isOlderVersion: isOlder),
      known
    )
  }

  // MARK: The declared mapping

  private func map(
    _ plan: MappingPlan, _ object: JSONObject, _ about: ResponseIdentity, _ subject: inout Target.Subject,
    _ given: GivenIdentity
  ) throws -> MappingOutcome? {
    let (model, link) = (plan.model, given.link)
    var newer = about.newer(with: link)
    var row = emptyRow(model)
    defer { reuse(&row, model) }
    var draft = try draft(
      plan, object, of: given.isNew ? nil : target.known(subject), newer, into: &row, in: session.trail.context)
    if let index = model.uid, let uid = about.uid { row[index] = uid }
    if model.coverage != nil { for list in draft.lists { row.heardLists.insert(list.property) } }
    let overruled = link.flatMap { overrules(plan, row, $0) ? ColumnMask($0.property) : nil }
    if let link, overruled == nil { row.setLink(link.pk, link.property) }
    if let uid = about.uid, let pk = given.row {
      newer.subtract(try takeOver(model, uid: uid, by: pk, newer, into: &row, &draft.staying))
    }
    let written = try target.write(
      plan, &subject, row, newer: newer, gone: draft.gone,
      mayAwait: !draft.lists.isEmpty || session.postponed.awaitsParts)
    guard let written else {
      for embedded in draft.embedded { try settle(embedded, isTaken: false) }
      session.skips?.noteGone(model, uid: about.identity, draft.gone)
      return nil
    }
    draft.staying.gone.formUnion(draft.gone)
    if !draft.staying.isEmpty { session.skips?.note(model, written.pk, draft.staying, answered: draft.staying.all) }
    if let overruled {
      session.overrule(model, written.pk, overruled)
    } else if link != nil {
      session.agree(written.pk)
    }
    session.noteOwnLinks(model, written.pk, overruled == nil ? row.mask.subtracting(link.column) : row.mask) {
      row.link($0)
    }
    session.mention(model, written.pk)
    session.isThere(model, written.pk, about.identity)
    for embedded in draft.embedded {
      try settle(embedded, of: written.pk, isTaken: written.taken.contains(embedded.property))
    }
    let areListsChanged = try setLists(plan, draft.lists, of: written.pk, newer)
    if written.isAwaiting {
      if session.postponed.awaitsParts {
        session.postponed.add(plan, written.pk, nil, at: session.places.current)
      } else {
        try checkRequired(plan, written.pk)
      }
    }
    var touched = row.mask
    for list in draft.lists { touched.insert(list.property) }
    session.noteKeys(model, draft.present)
    session.touch(model, about.identity, about.isOlderVersion ? touched.subtracting(newer) : touched)
    return MappingOutcome(
      pk: written.pk, isInserted: written.isInserted, isChanged: areListsChanged || written.isChanged)
  }

  /// Whether an object's own key names another parent than its place in the response does. Then the key wins. A null
  /// names no parent: serializers write null where the key leads back to the object around.
  private func overrules(_ plan: MappingPlan, _ row: RowValues, _ link: ParentLink) -> Bool {
    guard plan.uidType != nil, row.mask.contains(link.property) else { return false }
    let own = row.link(link.property)
    return own != 0 && own != link.pk
  }

  func emptyRow(_ model: EntityModel) -> RowValues {
    spare[model.number].popLast() ?? RowValues(count: model.properties.count)
  }

  func reuse(_ row: inout RowValues, _ model: EntityModel) {
    row.removeAll()
    spare[model.number].append(row)
  }

  /// - Throws: ``MappingError`` when an object lacks what it requires.
  func checkRequired(_ plan: MappingPlan, _ pk: Int64) throws {
    _ = try plan.completeness(target.missingLinks(plan, pk), gone: ColumnMask(), mayAwait: false)
  }

  // MARK: Two rows with one uid

  // An object that was made here gets its uid from an answer, but a faster answer has made a row with that uid. The two
  // rows become one when the uid is written; see UIDCollision.swift.

  /// Takes the values of the other row that this answer must not change: the values that newer answers wrote, and the
  /// values of columns that the answer neither has nor acknowledged. Local edits of either row are left out.
  ///
  /// - Parameters:
  ///   - pk: The row of the object.
  ///   - newer: The columns that the answer leaves to newer answers.
  ///   - staying: Gets the columns where the answer has another value than the one that was taken.
  /// - Returns: The columns that were taken.
  func takeOver(
    _ model: EntityModel, uid: StoredValue, by pk: Int64, _ newer: ColumnMask, into row: inout RowValues,
    _ staying: inout MergePolicy.Staying
  ) throws -> ColumnMask {
    guard let rows = target.rows, let other = try rows.find(model, uid: uid) else { return ColumnMask() }
    guard other.pk != pk else { return ColumnMask() }
    let taken = try taken(model, from: other.row, by: pk, newer, given: row.mask, rows)
    let given = row
    for index in taken.indices {
      row[index] = other.value(index)
      // A link of a row to itself stays one.
      if case .toOne(model.number, _, _) = model.properties[index].kind, other.link(index) == other.pk {
        row.setLink(pk, index)
      }
      if given.mask.contains(index), !given[index].isIdentical(to: row[index]) {
        staying.newer.formUnion(ColumnMask(index))
      }
    }
    return taken
  }

  /// The columns that the row `pk` takes from the row that has its uid already.
  ///
  /// - Parameter given: The columns that the answer has.
  private func taken(
    _ model: EntityModel, from other: RowState, by pk: Int64, _ newer: ColumnMask, given: ColumnMask,
    _ rows: RowWriter
  ) throws -> ColumnMask {
    var taken = newer.intersection(model.stored)
    // A column of the own row that the answer neither has nor acknowledged, and that nobody edited, has its default.
    if !other.isPlaceholder {
      taken.formUnion(model.stored.subtracting(given).subtracting(session.acknowledgedColumns))
    }
    taken.subtract(other.edited)
    if let own = try rows.current(model, pk: pk) { taken.subtract(own.edited) }
    return taken.subtracting(model.identity)
  }
}

/// The facts that are known of an object before it is read: from the request, or from its place in the response.
struct GivenIdentity {
  /// The uid, if it is known from elsewhere. It wins over the uid in the response.
  var uid: StoredValue?
  /// The row of the object, whichever uid the row has.
  var row: Int64?
  /// Whether a new object is made, even if another object has the uid.
  var isNew = false
  /// Whether the response says beside the object that it is deleted.
  var isDeletion = false
  /// A to-one property to set with the object, unless the object's own key names another target.
  var link: ParentLink?
}

/// The object that a response is about.
struct ResponseIdentity {
  let uid: StoredValue?
  /// The uid by which other answers know the object.
  let identity: StoredValue?
  /// The columns that are left alone.
  var newer: ColumnMask
  /// The columns in `newer` that newer answers wrote.
  let answered: ColumnMask
  /// Whether the row has a newer version of the object: then all columns are left alone.
  let isOlderVersion: Bool

  /// The columns of an object in a list that are left alone. The link to the list's owner is taken even from an older
  /// version: the list, and not the version, says that the object is in the list.
  func newer(with link: ParentLink?) -> ColumnMask {
    guard isOlderVersion, let link, !answered.contains(link.property) else { return newer }
    return newer.subtracting(ColumnMask(link.property))
  }
}
