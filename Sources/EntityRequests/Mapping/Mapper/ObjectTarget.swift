import EntityJSON
import EntityStore

/// The objects of a context: for entities that update by hand, and for upserts in a context.
///
/// In the unit of a response objects are written in batches; see ``PendingObjects``. They are linked before their rows
/// are written, because the row id of an object is final.
final class ObjectTarget: MappingTarget {
  let context: EntityContext
  let session: UpsertSession
  /// The objects that are being mapped, the innermost last.
  // No access lasts while another function runs, so none needs an exclusivity check. The same holds for the others here that
  // have none.
  @exclusivity(unchecked) private(set) var updating: [Updating] = []
  /// Whether the plan of the innermost object has rules for keys. Each read of a key asks.
  @exclusivity(unchecked) private var hasRules = false
  /// How far the running update by hand has come in the fields of its object.
  @exclusivity(unchecked) var cursor = JSONFieldCursor()
  /// The token by which response objects find the upsert of their update.
  var token: CurrentUpsert.Token?
  /// Whether some objects may not be written yet: objects were mapped, or the context had changes before.
  @exclusivity(unchecked) private(set) var isUsed: Bool
  /// Objects that are not written yet.
  let pending: PendingObjects
  /// Whether objects are found and written in batches.
  var isBatching = false
  /// The objects that were found ahead, while a list is taken in.
  var lookAhead: LookAhead?
  /// The objects with unsaved edits of an attribute that names them, by the numbers of the entity and the attribute.
  private var edited: [[Int]: [any ManagedEntity]] = [:]
  /// Whether the writer notes the rows that it writes.
  @exclusivity(unchecked) private var notesWritten = false
  /// The error of a row that an update by hand nests and that was not written.
  @exclusivity(unchecked) var failure: (any Error)?
  /// Whether the running update by hand refers to an object that was deleted, by a newer answer or by the object's own
  /// update.
  @exclusivity(unchecked) var isGone = false

  struct Updating {
    let plan: MappingPlan
    let object: any ManagedEntity
    /// The columns that the answer leaves to newer answers.
    var newer = ColumnMask()
    /// The columns that the update has set to values of the answer, if the order of requests or a list needs them.
    var answered = ColumnMask()
    /// Objects without uid that were made for the object.
    var made: [any ManagedEntity] = []
    /// Objects without uid that an inner update made for the object, which is nested in itself. The outer update may
    /// let go of them.
    var madeInside: [any ManagedEntity] = []
    /// The cursor of the update around this one.
    var outerCursor: JSONFieldCursor
  }

  init(_ context: EntityContext, _ session: UpsertSession) {
    self.context = context
    isUsed = context.hasChanges
    self.session = session
    pending = PendingObjects(entities: session.core.schema.entities.count)
  }

  var rows: RowWriter? { context.rows }

  func objects(_ own: Mapper<ObjectTarget>) -> Mapper<ObjectTarget> { own }

  /// The mapper of rows of the same response. It holds this target, so the maker of both has to end the cycle.
  var rowMapper: Mapper<RowTarget>?

  /// Notes that the running update by hand read a key.
  ///
  /// - Parameter isAssigned: Whether the update calls the setter of a property next.
  /// - Returns: Whether the entity has rules.
  func noteRead(isAbsent: Bool, isAssigned: Bool) -> Bool {
    if isAssigned { context.edits.expect(absentKey: isAbsent) } else { context.edits.noteRead(isAbsent: isAbsent) }
    return hasRules
  }

  /// Forgets the columns that were set before the update by hand runs, because the update did not set them.
  func forgetAnswered() { updating[updating.count - 1].answered = ColumnMask() }

  func setNewer(_ newer: ColumnMask) { updating[updating.count - 1].newer = newer }

  /// Notes an object without uid that was made for the object being updated.
  func noteMade(_ object: any ManagedEntity) {
    if !updating.isEmpty { updating[updating.count - 1].made.append(object) }
  }

  /// Takes out the objects without uid that were last made for the object being updated.
  ///
  /// - Parameter count: How many of the first objects stay.
  func takeMade(from count: Int) -> ArraySlice<any ManagedEntity> {
    guard let made = updating.last?.made, made.count > count else { return [] }
    updating[updating.count - 1].made.removeLast(made.count - count)
    return made[count...]
  }

  // MARK: Finding

  func known(_ model: EntityModel, uid: StoredValue?, row: Int64?) throws -> (any ManagedEntity)? {
    if let row {
      guard let rows else { return context.answers.existing(model, pk: row) }
      return try context.answers.existing(model, pk: row, in: rows)
    }
    return try uid.flatMap { try existing(model, uid: $0) }
  }

  private func existing(_ model: EntityModel, uid: StoredValue) throws -> (any ManagedEntity)? {
    if let pk = try pendingRow(model, uid) {
      let object = context.answers.existing(model, pk: pk)
      if !object.isGone { return object }
    }
    switch lookAhead?.find(model, uid) ?? .unknown {
    case .object(let object): return object
    case .nobody: return nil
    case .unknown: return try context.answers.existing(model, uid: uid)
    }
  }

  func row(_ model: EntityModel, of known: any ManagedEntity) -> Int64? { known._$state.pk }
  func uid(_ model: EntityModel, of known: any ManagedEntity) -> StoredValue? { known.serverUID }
  func uid(_ model: EntityModel, _ pk: Int64) -> StoredValue? { context.answers.existing(model, pk: pk).serverUID }

  func row(_ model: EntityModel, named value: StoredValue, _ property: Int) throws -> Int64? {
    try writePending(of: model)
    // A response makes no edits.
    let edited = edited[[model.number, property]] ?? context.answers.unsavedEdits(model, of: property)
    self.edited[[model.number, property]] = edited
    return try context.answers.row(model, having: value, in: property, edited: edited)
  }

  func serverValue(_ model: EntityModel, _ property: Int, of known: any ManagedEntity) throws -> StoredValue? {
    try context.answers.serverValue(of: known, property)
  }

  func awaitsUID(_ model: EntityModel, _ known: any ManagedEntity) -> Bool {
    !known.isGone && known.serverUID == nil && context.isOfResponse
  }

  func reference(_ model: EntityModel, uid: StoredValue, inserted: (Int64) -> Void) throws -> Int64 {
    if let known = try existing(model, uid: uid) { return known._$state.pk }
    isUsed = true
    let object = try context.answers.insert(model, isPlaceholder: model.hasPlaceholders)
    context.answers.beginHearing(of: object, isMade: true, isPlaceholder: model.hasPlaceholders)
    if let index = model.uid {
      context.answers.updating(object, .keepingEdits, newer: ColumnMask()) {
        _ = model.properties[index].set(object, uid)
      }
    }
    let pk = object._$state.pk
    notePending(model, uid, pk)
    if !model.hasPlaceholders { inserted(pk) }
    return pk
  }

  // MARK: The object

  func delete(_ model: EntityModel, _ known: any ManagedEntity) throws -> (pk: Int64, isPlaceholder: Bool)? {
    guard !known.isGone else { return nil }
    let isPlaceholder = known.isPlaceholder
    // A response asks for unsent work at its end, when it deletes.
    if !context.isOfResponse, try context.answers.hasUnsentWork(known) { return nil }
    // A response deletes the object at its end, unless the object comes again: it may still be read here.
    if !context.isOfResponse {
      try known.deleteFromContext()
      known._$state.noteDeletedThere()
      try writePending()
    }
    return (known._$state.pk, isPlaceholder)
  }

  /// An object that is being mapped.
  struct Subject {
    let object: any ManagedEntity
    let state: ObjectState
    /// Whether the object was made for the response.
    let isMade: Bool
    let wasPlaceholder: Bool
    /// Whether reading the response into the object was under way already.
    fileprivate let isNested: Bool
    /// How often changes had been sent to the rows when the object was noted as pending; `nil` when it was not noted.
    let pendingSince: Int?

    var isNew: Bool { isMade || wasPlaceholder }
  }

  func begin(_ plan: MappingPlan, _ known: (any ManagedEntity)?, uid: StoredValue?, row: Int64?) throws -> Subject {
    let model = plan.model
    let object = try known ?? context.answers.insert(model, row: row)
    let state = object._$state
    // The uid is set before other objects are nested: a query may write the row before its end, and later references
    // find the uid in it.
    if known == nil, row == nil, let uid, let index = model.uid { context.answers.identify(object, index, uid) }
    // The caller makes an outermost object without uid, if its entity has uids.
    if known == nil, uid == nil, model.uid == nil || !updating.isEmpty { context.answers.noteOfServer(object) }
    if known == nil, session.isUnnamed(plan, uid) { noteMade(object) }
    // Asked here, because it loads the object: its row says whether it is a placeholder.
    let isPlaceholder = known != nil && object.isPlaceholder
    if isPlaceholder { context.answers.fill(object) }
    if known != nil { context.answers.noteKnown(object) }
    context.answers.beginHearing(of: object, isMade: known == nil)
    // While reading is under way the object is not written as a whole, because it may lack what it requires.
    let isNowPending = uid != nil && (known == nil || row != nil)
    let subject = Subject(
      object: object, state: state, isMade: known == nil, wasPlaceholder: isPlaceholder, isNested: state.beginReading(),
      pendingSince: isNowPending ? context.answers.flushes : nil)
    isUsed = true
    updating.append(Updating(plan: plan, object: object, outerCursor: cursor))
    cursor = JSONFieldCursor()
    hasRules = plan.asksMapper
    // Only the write shows whether the object changed.
    if !notesWritten, context.isOfResponse {
      notesWritten = true
      rows?.notes.noteWritten()
    }
    // A nested object may name this object by the uid that it is about to get.
    if let uid, isNowPending { notePending(model, uid, state.pk) }
    return subject
  }

  func write(
    _ plan: MappingPlan, _ subject: inout Subject, _ row: RowValues, newer: ColumnMask, gone: ColumnMask, mayAwait: Bool
  ) throws -> Written? {
    let model = plan.model
    let object = subject.object
    var completeness = MappingPlan.Completeness.whole
    if subject.isNew, !model.required.isEmpty {
      let missing = plan.missingLinks(besides: row.mask) { object.link($0) }
      completeness = try plan.completeness(missing, gone: gone, mayAwait: mayAwait)
      if completeness == .refused { return nil }
    }
    try updating(object, newer) { try set(plan, object, row) }
    if model.coverage != nil { for list in row.heardLists.indices { subject.state.noteHeard(list, of: object) } }
    var taken = ColumnMask()
    for index in plan.embedding where row.mask.contains(index) && object.link(index) == row.link(index) {
      taken.insert(index)
    }
    return Written(
      pk: object._$state.pk, isInserted: subject.isNew, isChanged: subject.state.lastReading.hasChangedValues,
      taken: taken,
      isAwaiting: completeness == .awaiting)
  }

  /// Sets attributes and links through the properties of an object, within an update.
  func set(_ plan: MappingPlan, _ object: any ManagedEntity, _ row: RowValues) throws {
    for index in row.mask.indices {
      let property = plan.model.properties[index]
      guard case .toOne(let target, _, _) = property.kind else {
        guard property.set(object, row[index]) else { throw plan.error(index, "the value is out of range") }
        continue
      }
      let link = row.link(index)
      property.link(object, link == 0 ? nil : context.answers.existing(session.core.schema.entities[target], pk: link))
    }
  }

  func abandon(_ subject: Subject, isRefused: Bool) throws {
    if subject.isMade {
      try subject.object.deleteFromContext()
    } else if isRefused {
      context.answers.unfill(subject.object)
    }
    // Embedded objects that were made for the subject, and that it does not hold, would live without a parent.
    let keeps = !subject.isMade && !isRefused
    let made = updating.last.map { $0.made + $0.madeInside } ?? []
    for object in made where !object.isGone && !(keeps && holds(subject.object, object)) {
      try object.deleteFromContext()
    }
  }

  /// Whether an object holds an embedded object, as far as links in memory tell. A query would write pending objects.
  private func holds(_ parent: any ManagedEntity, _ embedded: any ManagedEntity) -> Bool {
    let (model, other) = (parent._$state.model, embedded._$state.model)
    let isLinked = model.properties.contains {
      if case .toOne(other.number, _, _) = $0.kind { parent.link($0.index) == embedded._$state.pk } else { false }
    }
    if isLinked { return true }
    return other.properties.contains {
      if case .toOne(_, .some, _) = $0.kind { embedded.link($0.index) != 0 } else { false }
    }
  }

  func end(_ subject: Subject, isAwaiting: Bool) {
    let ended = updating.removeLast()
    cursor = ended.outerCursor
    let made = ended.made + ended.madeInside
    if !made.isEmpty, let outer = updating.lastIndex(where: { $0.object === ended.object }) {
      updating[outer].madeInside += made
    }
    hasRules = updating.last?.plan.asksMapper ?? false
    subject.state.endReading(isUnderWay: subject.isNested || isAwaiting)
  }

  func missingLinks(_ plan: MappingPlan, _ pk: Int64) -> ColumnMask {
    let object = context.answers.existing(plan.model, pk: pk)
    return plan.missingLinks { object.link($0) }
  }
}

extension ObjectTarget: AnswerOrder {
  func newer(of object: any ManagedEntity) -> ColumnMask? { session.newer(object._$state.model, object.serverUID) }

  func touch(_ object: any ManagedEntity, _ property: Int) {
    if let place = updating.lastIndex(where: { $0.object === object }) { updating[place].answered.insert(property) }
    session.touch(object._$state.model, object.serverUID, ColumnMask(property))
  }
}

extension ManagedEntity {
  func deleteFromContext() throws { try _$state.context?.delete(self) }
}
