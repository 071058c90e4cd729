import EntityStore

/// The rows of a store: from the bytes of a response to the columns, with no object made.
final class RowTarget: MappingTarget {
  let writer: RowWriter
  private let objects: Mapper<ObjectTarget>
  let session: UpsertSession

  init(_ writer: RowWriter, _ objects: Mapper<ObjectTarget>) {
    self.writer = writer
    self.objects = objects
    session = objects.session
  }

  var rows: RowWriter? { writer }

  func objects(_ own: Mapper<RowTarget>) -> Mapper<ObjectTarget> { objects }
  var rowMapper: Mapper<RowTarget>? { nil }

  /// A row by its id, or else by its uid.
  struct Known {
    var uid: StoredValue?
    var row: Int64?
  }

  // MARK: Finding

  func known(_ model: EntityModel, uid: StoredValue?, row: Int64?) -> Known? {
    uid == nil && row == nil ? nil : Known(uid: uid, row: row)
  }

  func row(_ model: EntityModel, of known: Known) throws -> Int64? { try find(model, known)?.pk }

  /// The row of a uid; `nil` for a placeholder. An object that waits for its batch is not written for this.
  func object(_ model: EntityModel, uid: StoredValue) throws -> Int64? {
    if let pending = try objects.target.pendingRow(model, uid) {
      let object = objects.target.context.answers.existing(model, pk: pending)
      if !object.isGone { return object.isPlaceholder ? nil : pending }
    }
    guard let found = try writer.find(model, uid: uid), !found.row.isPlaceholder else { return nil }
    return found.pk
  }

  func uid(_ model: EntityModel, of known: Known) throws -> StoredValue? {
    if let uid = known.uid { return uid }
    return try known.row.flatMap { try uid(model, $0) }
  }

  func uid(_ model: EntityModel, _ pk: Int64) throws -> StoredValue? {
    guard let index = model.uid, let found = try find(model, pk) else { return nil }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  func row(_ model: EntityModel, named value: StoredValue, _ property: Int) throws -> Int64? {
    try objects.target.writePending(of: model)
    return try writer.edits.row(model, named: value, property)
  }

  func serverValue(_ model: EntityModel, _ property: Int, of known: Known) throws -> StoredValue? {
    guard let found = try find(model, known) else { return nil }
    return try writer.edits.serverValue(model, found, property)
  }

  func awaitsUID(_ model: EntityModel, _ known: Known) throws -> Bool {
    guard let index = model.uid, let row = known.row, let found = try find(model, row) else { return false }
    return found.value(index).isNull
  }

  func reference(_ model: EntityModel, uid: StoredValue, inserted: (Int64) -> Void) throws -> Int64 {
    if let pending = try objects.target.pendingRow(model, uid) { return pending }
    return try writer.row(model, uid: uid, inserted: inserted)
  }

  /// A row by its id. The pending changes of updates by hand are written first.
  private func find(_ model: EntityModel, _ pk: Int64) throws -> FoundRow? {
    try objects.target.writePending(of: model)
    return try writer.find(model, pk: pk)
  }

  private func find(_ model: EntityModel, _ known: Known) throws -> FoundRow? {
    if let row = known.row { return try find(model, row) }
    guard let uid = known.uid else { return nil }
    try objects.target.writePending(of: model)
    return try writer.find(model, uid: uid)
  }

  // MARK: The object

  func delete(_ model: EntityModel, _ known: Known) throws -> (pk: Int64, isPlaceholder: Bool)? {
    guard let found = try find(model, known) else { return nil }
    return (found.pk, found.row.isPlaceholder)
  }

  /// A row that is being mapped.
  struct Subject {
    let known: Known
    /// Whether the object is one of `requiring`.
    let isRequiring: Bool
    /// The row that was made for the object.
    var made: RowKey?
  }

  /// The objects with uid and required links that are being mapped, the innermost last. An object that is nested in
  /// itself may get from its outer occurrence what it requires.
  private var requiring: [(entity: Int, uid: StoredValue, incomplete: RowKey?)] = []

  func begin(_ plan: MappingPlan, _ known: Known?, uid: StoredValue?, row: Int64?) -> Subject {
    let isRequiring = uid != nil && !plan.model.required.isEmpty
    if isRequiring, let uid { requiring.append((plan.model.number, uid, nil)) }
    return Subject(known: known ?? Known(uid: uid, row: row), isRequiring: isRequiring)
  }

  func end(_ subject: Subject, isAwaiting: Bool) {
    if subject.isRequiring { requiring.removeLast() }
  }

  /// The place in `requiring` of the outer occurrence of an object that is nested in itself.
  private func outer(_ subject: Subject) -> Int? {
    guard subject.isRequiring, let own = requiring.last else { return nil }
    return requiring.dropLast().firstIndex { $0.entity == own.entity && $0.uid.isIdentical(to: own.uid) }
  }

  func write(
    _ plan: MappingPlan, _ subject: inout Subject, _ row: RowValues, newer: ColumnMask, gone: ColumnMask, mayAwait: Bool
  ) throws -> Written? {
    let model = plan.model
    let known = subject.known
    let source = RowSource.response(session.policy, newer: newer)
    let outcome: RowWriter.Outcome
    var completeness = MappingPlan.Completeness.whole
    let outer = outer(subject)
    let mayAwait = mayAwait || outer != nil
    if let found = try find(model, known) {
      if found.row.isPlaceholder {
        let missing = plan.missingLinks(besides: row.mask) { found.link($0) }
        completeness = try plan.completeness(missing, gone: gone, mayAwait: mayAwait)
        if completeness == .refused { return nil }
      }
      outcome = try writer.update(model, found, row, source, completeness == .whole ? .whole : .incomplete)
    } else {
      let missing = model.required.subtracting(row.mask)
      // A new row that meets the row with its uid takes the links of that row.
      let isAnother = try !missing.isEmpty && known.row != nil && isKnown(model, known.uid)
      if !isAnother { completeness = try plan.completeness(missing, gone: gone, mayAwait: mayAwait) }
      if completeness == .refused { return nil }
      var traits: InsertionTraits = known.row == nil ? .freeUID : []
      if completeness != .whole { traits.insert(.incomplete) }
      outcome = try writer.insert(
        model, pk: known.row ?? writer.newPrimaryKey(), row, source,
        traits)
      if isNested {
        subject.made = RowKey(entity: model.number, pk: outcome.pk)
        if session.isUnnamed(plan, known.uid) {
          objects.target.noteMade(objects.target.context.answers.existing(model, pk: outcome.pk))
        }
      }
    }
    var isAwaiting = completeness == .awaiting || subject.isRequiring && requiring.last?.incomplete != nil
    if isAwaiting, let outer {
      isAwaiting = false
      requiring[outer].incomplete = RowKey(entity: model.number, pk: outcome.pk)
    }
    return Written(
      pk: outcome.pk, isInserted: outcome.isInserted, isChanged: !outcome.changed.isEmpty, taken: outcome.changed,
      isAwaiting: isAwaiting)
  }

  /// Whether a uid has a row that is no placeholder.
  private func isKnown(_ model: EntityModel, _ uid: StoredValue?) throws -> Bool {
    try find(model, Known(uid: uid))?.row.isPlaceholder == false
  }

  /// Whether the object that is being mapped is nested in an update by hand, which may go on without the object.
  private var isNested: Bool { !objects.target.updating.isEmpty }

  /// Deletes a row that was made for the subject. The mapping gives up the embedded objects of an object that it
  /// refuses. A failure ends the response, unless an update by hand catches it.
  func abandon(_ subject: Subject, isRefused: Bool) throws {
    guard let made = subject.made ?? (subject.isRequiring ? requiring.last?.incomplete : nil) else { return }
    _ = try writer.deletion.deleteWherePossible([made], keeping: UnsentWork(session.policy))
  }

  func missingLinks(_ plan: MappingPlan, _ pk: Int64) throws -> ColumnMask {
    guard let found = try find(plan.model, pk) else { return ColumnMask() }
    return plan.missingLinks { found.link($0) }
  }

  // MARK: Links and lists

  func known(_ subject: Subject) -> Known { subject.known }

  func link(_ model: EntityModel, _ property: Int, of known: Known) throws -> HeldLink {
    // An object that comes again holds the embedded objects that it had.
    guard let found = try find(model, known) else { return HeldLink(owner: known.row ?? 0) }
    return HeldLink(
      owner: found.pk, row: found.link(property), isEdited: found.row.edited.contains(property))
  }

  func link(_ model: EntityModel, _ property: Int, of pk: Int64) throws -> Int64 {
    guard let found = try find(model, pk) else { return 0 }
    return found.link(property)
  }

  func hasUnsentWork(_ model: EntityModel, _ pk: Int64) throws -> Bool {
    try objects.target.writePending()
    return try writer.deletion.hasUnsentWork(model, pk)
  }

  func setLink(
    _ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, newer: ColumnMask
  ) throws -> Bool {
    try objects.target.writePending(of: model)
    let before = writer.rowsWritten
    try writer.setLink(
      model, pk, property, to: target, .response(session.policy, newer: newer))
    return writer.rowsWritten != before
  }

  func members(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool) {
    guard let list = model.properties[property].list else { return ([], false) }
    try objects.target.writePending(of: writer.schema.entities[list.entity])
    return try writer.order.members(of: list, pk)
  }

  func unnamed(_ model: EntityModel, _ rows: [Int64]) throws -> (rows: [Int64], areEdited: Bool) {
    guard let uid = model.uid else { return (rows, try writer.edits.areEdited(model, rows)) }
    var unnamed: [Int64] = []
    var areEdited = false
    for pk in rows {
      guard let found = try find(model, pk), found.value(uid).isNull, !found.row.isMadeHere else { continue }
      areEdited = areEdited || found.row.isEdited
      unnamed.append(pk)
    }
    return (unnamed, areEdited)
  }

  func setMemberships(
    _ plan: MappingPlan, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ order: [Int64],
    newer: ColumnMask
  ) throws -> Bool {
    let list = try pairs(plan.model, property, membership, of: pk, order, newer: newer)
    return try writer.pairs.set(list) { try isNewer(membership, $0) }
  }

  /// Adds members to a list by the rules of ``setMemberships(_:_:_:of:_:newer:)``, and removes none.
  func addMembers(
    _ model: EntityModel, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ members: [Int64],
    newer: ColumnMask
  ) throws {
    let list = try pairs(model, property, membership, of: pk, members, newer: newer)
    try writer.pairs.add(to: list) { try isNewer(membership, $0) }
  }

  /// The members that the response has in a list, once the memberships of updates by hand are written.
  private func pairs(
    _ model: EntityModel, _ property: Int, _ membership: PropertyModel.Membership, of pk: Int64, _ members: [Int64],
    newer: ColumnMask
  ) throws -> PairList {
    try objects.target.writePending(of: writer.schema.entities[membership.links])
    var list = PairList(of: pk, model, property, membership, members, session.policy)
    list.isOlder = newer.contains(property)
    return list
  }

  func setOrder(_ model: EntityModel, _ property: Int, of pk: Int64, _ wanted: [Int64], before: [Int64]) throws -> Bool
  {
    guard let rows = writer.schema.listRows(model.properties[property]) else { return false }
    try objects.target.writePending(of: rows)
    return try writer.order.set(model, property, of: pk, wanted, before: before, session.policy)
  }

  /// Whether a newer answer had the list on the other side.
  private func isNewer(_ membership: PropertyModel.Membership, _ member: Int64) throws -> Bool {
    guard session.isOrdered, let inverse = membership.inverse else { return false }
    let target = writer.schema.entities[membership.target]
    return session.newer(target, try uid(target, member))?.contains(inverse) ?? true
  }

  func isEdited(_ model: EntityModel, _ pk: Int64, _ property: Int) throws -> Bool {
    try writer.edits.isEdited(model, pk, property)
  }

  func endEdits(_ model: EntityModel, _ pk: Int64, _ lists: ColumnMask) throws {
    try writer.edits.acknowledge(model, pk: pk, lists)
  }

  func delete(_ model: EntityModel, _ pks: [Int64]) throws -> Int {
    try objects.target.writePending()
    let keys = pks.map { RowKey(entity: model.number, pk: $0) }
    return try keys.count - writer.deletion.deleteWherePossible(keys, keeping: UnsentWork(session.policy)).denied.count
  }

  func release(_ model: EntityModel, _ pk: Int64) throws {
    try objects.target.writePending()
    try writer.deletion.deleteEmbedded(model, pk, keeping: UnsentWork(session.policy))
  }
}
