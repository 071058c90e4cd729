import EntityJSON
import EntityStore

/// The mapping of the objects of a response, generic over where they go.
///
/// The steps of one object, in this order: which object it is, what newer answers have of it, whether the response says that it is
/// deleted; then its draft (attributes, links, and what is nested in those), the write, its lists, and whether it has what
/// it requires. An entity that updates by hand goes to the mapper of objects, wherever in the response it stands, and an entity
/// with the declared mapping to the mapper of rows; see `Mapper+ByHand.swift`.
final class Mapper<Target: MappingTarget> {
  let target: Target
  let session: UpsertSession
  /// Empty rows for reuse, by the entity's number: an object takes as many as it nests.
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
  /// - Parameters:
  ///   - given: Its uid, where it is known from elsewhere; it wins over the response's.
  ///   - row: The row that the object is, whatever uid it had.
  ///   - isNew: Whether a new object is made, also where another object has the uid.
  ///   - link: A to-one property to set with it, unless the object itself names another object there.
  /// - Returns: `nil` when a newer answer deleted the object, or its own update did.
  func upsert(
    _ plan: MappingPlan, _ object: JSONObject, uid given: StoredValue? = nil, row: Int64? = nil, isNew: Bool = false,
    link: ParentLink? = nil
  ) throws -> MappingOutcome? {
    guard !plan.isByHand else {
      return try objects.updateByHand(plan, object, uid: given, row: row, isNew: isNew, link: link)
    }
    guard let rows = target.rowMapper else {
      return try upsertDeclared(plan, object, uid: given, row: row, isNew: isNew, link: link)
    }
    return try objects.nestingRows {
      try rows.upsertDeclared(plan, object, uid: given, row: row, isNew: isNew, link: link)
    }
  }

  /// Gives an object its uid, where an answer says no more than that. An update by hand does not run: an object without keys
  /// could make it clear properties.
  func bind(_ plan: MappingPlan, uid: StoredValue, row: Int64) throws -> MappingOutcome? {
    try upsertDeclared(plan, [:], uid: uid, row: row, isNew: false, link: nil)
  }

  private func upsertDeclared(
    _ plan: MappingPlan, _ object: JSONObject, uid given: StoredValue?, row: Int64?, isNew: Bool, link: ParentLink?
  ) throws -> MappingOutcome? {
    try session.enter(plan, object)
    defer { session.leave(plan) }
    guard let (identity, known) = try identify(plan, object, uid: given, row: row, isNew: isNew) else { return nil }
    var about = identity
    let isHolder = session.enterHolder(plan, about.uid, object, &about.newer)
    defer { if isHolder { session.leaveHolder() } }
    var subject = try target.begin(plan, known, uid: about.uid, row: row)
    defer { target.end(subject, isAwaiting: false) }
    do {
      guard let outcome = try map(plan, object, about, &subject, row: row, isNew: isNew, link: link) else {
        try target.abandon(subject, isRefused: true)
        return nil
      }
      return outcome
    } catch {
      try? target.abandon(subject, isRefused: false)
      throw error
    }
  }

  // MARK: Which object it is

  /// - Returns: `nil` where there is nothing to map: a newer answer deleted the object, it was deleted here, or the response
  ///   says it is deleted.
  func identify(
    _ plan: MappingPlan, _ object: JSONObject, uid given: StoredValue?, row: Int64?, isNew: Bool
  ) throws -> (about: ResponseIdentity, known: Target.Known?)? {
    let model = plan.model
    let uid = try given ?? plan.uid(of: object)
    let known = isNew ? nil : try target.known(model, uid: uid, row: row)
    let identity = try uid ?? (session.isOrdered ? known.flatMap { try target.uid(model, of: $0) } : nil)
    guard let newer = session.newer(model, identity) else {
      session.skips?.noteGone(model, uid: identity)
      // The row that waited for the uid that this answer tells goes, too.
      if let uid, let row, let known, try target.awaitsUID(model, known) {
        session.gone.note(model, row, uid, isPlaceholder: false)
      }
      return nil
    }
    // The answer to a request on the object itself says which object that is.
    if row == nil, let uid, try session.isDeletedHere(model, uid, isDeletion: plan.isDeletion(object)) { return nil }
    let isOlder = try plan.version.map { try checkVersion($0, plan, object, than: known, uid: uid, row: row) } ?? false
    if isOlder, plan.isDeletion(object) { return nil }
    if plan.isDeletion(object) {
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
    if uid == nil, row == nil, !isNew, session.needsUIDs, plan.uidType != nil {
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
    row pk: Int64?, isNew: Bool, link: ParentLink?
  ) throws -> MappingOutcome? {
    let model = plan.model
    var newer = about.newer(with: link)
    var row = emptyRow(model)
    defer { reuse(&row, model) }
    var draft = try draft(
      plan, object, of: isNew ? nil : target.known(subject), newer, into: &row, in: session.trail.context)
    if let index = model.uid, let uid = about.uid { row[index] = uid }
    let overruled = link.flatMap { overrules(plan, row, $0) ? ColumnMask($0.property) : nil }
    if let link, overruled == nil { row.setLink(link.pk, link.property) }
    if let uid = about.uid, let pk {
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

  /// Whether an object's own key names another object than its place in the response does: the key says more. A null says no more
  /// than that the key is there: serializers write it where the object leads back to one that it is nested in.
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

  // MARK: Two rows that meet

  // An object that was made here gets its uid from an answer, and another answer was faster and has made a row for that uid.
  // The two rows become one when the uid is written; see UIDCollision.swift.

  /// Takes what the other row has and the answer should not change: what newer answers wrote, and what neither this
  /// answer nor the object's own row has from anybody.
  ///
  /// - Parameters:
  ///   - pk: The row that the object is.
  ///   - newer: The columns that the answer leaves to newer ones.
  ///   - staying: Gets those columns of the answer that have another value.
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
      // A link to itself stays one.
      if case .toOne(model.number, _, _) = model.properties[index].kind, other.link(index) == other.pk {
        row.setLink(pk, index)
      }
      if given.mask.contains(index), !given[index].isIdentical(to: row[index]) {
        staying.newer.formUnion(ColumnMask(index))
      }
    }
    return taken
  }

  /// The columns that the row `pk` takes from the one that has its uid already.
  ///
  /// - Parameter given: The columns that the answer has.
  private func taken(
    _ model: EntityModel, from other: RowState, by pk: Int64, _ newer: ColumnMask, given: ColumnMask,
    _ rows: RowWriter
  ) throws -> ColumnMask {
    var taken = newer.intersection(model.stored)
    // A column that nobody set has its default, and a column that was sent has the server's value.
    if !other.isPlaceholder {
      taken.formUnion(model.stored.subtracting(given).subtracting(session.acknowledgedColumns))
    }
    taken.subtract(other.edited)
    if let own = try rows.current(model, pk: pk) { taken.subtract(own.edited) }
    return taken.subtracting(model.identity)
  }
}

/// The object that a response is about.
struct ResponseIdentity {
  let uid: StoredValue?
  /// The uid by which other answers know it.
  let identity: StoredValue?
  /// The columns that are left alone.
  var newer: ColumnMask
  /// Those of them that newer answers wrote.
  let answered: ColumnMask
  /// Whether the row has a newer version of the object: then all columns are left.
  let isOlderVersion: Bool

  /// The columns that are left alone of an object in a list: the list, and not the version of the object, says that the
  /// list has it.
  func newer(with link: ParentLink?) -> ColumnMask {
    guard isOlderVersion, let link, !answered.contains(link.property) else { return newer }
    return newer.subtracting(ColumnMask(link.property))
  }
}
