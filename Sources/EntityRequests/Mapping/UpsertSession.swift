import EntityStore

/// What one upsert has in common for all its objects: the plans, what becomes of local edits, and the request's place in
/// the order of requests.
final class UpsertSession {
  let core: StoreCore
  let policy: MergePolicy
  /// Takes what the response says and the store does not; `nil` where nobody asks.
  let skips: SkipLog?
  private let sequence: RequestSequence.Number?
  private let hasMarks: Bool
  private let leavesMarks: Bool
  /// Whether other requests are under way, so that the order counts.
  var isOrdered: Bool { hasMarks || leavesMarks }
  /// Whether an object without uid is refused, unless it is known which one it is. An upsert in a context, which no request
  /// stands behind, makes objects on purpose.
  var needsUIDs: Bool { sequence != nil }
  /// Rows that the response says are deleted, or that their update by hand deleted: no row id is used for two.
  private(set) var gone: [Int64: Gone] = [:]
  /// The entity of the response's own objects, while they are taken in.
  var ownEntity: Int?
  /// The entities of the response's own objects and of its parts, whose counts are kept.
  var counted: Set<Int> = []
  /// Rows of them that something nested made: they are new, though the object that comes for them finds them.
  private(set) var inserted: Set<Int64> = []
  /// The entities whose rows are collected in `mentioned`: no row id is used for two.
  var collected: Set<Int> = []
  /// The rows that the response has, as objects or by id, at any depth.
  private(set) var mentioned: Set<Int64> = []
  /// By the entity's number.
  private var plans: [MappingPlan?]
  let unrecognized = UnrecognizedValues()
  /// What was touched, for answers that are older and still under way.
  private var touched: [RequestSequence.Touch] = []
  /// What is deleted by the last word of the response.
  private var deleted: Set<RequestSequence.Key> = []

  init(_ core: StoreCore, sequence: RequestSequence.Number? = nil, _ policy: MergePolicy, skips: SkipLog? = nil) {
    self.core = core
    plans = Array(repeating: nil, count: core.schema.entities.count)
    self.policy = policy
    self.skips = skips
    self.sequence = sequence
    hasMarks = sequence != nil && core.requests.hasMarks
    leavesMarks = sequence.map { core.requests.hasOlder(than: $0) } ?? false
  }

  func plan(_ model: EntityModel) -> MappingPlan {
    // An object that is in no context, or in another store's, has a number that means nothing here.
    guard plans.indices.contains(model.number), core.schema.entities[model.number] === model else {
      return MappingPlan(model, core.schema, unrecognized)
    }
    return plan(model.number)
  }

  func plan(_ number: Int) -> MappingPlan {
    if let plan = plans[number] { return plan }
    let plan = MappingPlan(core.schema.entities[number], core.schema, unrecognized)
    plans[number] = plan
    return plan
  }

  /// What newer answers wrote of the object with a uid; `nil` when one of them deleted it.
  ///
  /// - Parameter begin: What counts as newer, by default than this request.
  func newer(_ model: EntityModel, _ uid: StoredValue?, than begin: RequestSequence.Number? = nil) -> ColumnMask? {
    guard hasMarks, let sequence = begin ?? sequence, let uid, !uid.isNull else { return ColumnMask() }
    switch core.requests.newer(than: sequence, key(model, uid)) {
    case .columns(let mask, _): return mask
    case .deletion: return nil
    }
  }

  /// The columns of an object that later requests sent and newer answers acknowledged: an edit that was sent before them
  /// is older.
  func sentLater(_ model: EntityModel, _ uid: StoredValue?) -> ColumnMask {
    guard hasMarks, let sequence, let uid, !uid.isNull,
      case .columns(_, let sent) = core.requests.newer(than: sequence, key(model, uid))
    else { return ColumnMask() }
    return sent
  }

  /// The columns that the answer leaves to newer ones.
  ///
  /// The uid is none of them: it says which object the answer is about. Nor are those that the request itself sent, and
  /// no later one did: the later answer may have them from before.
  ///
  /// - Parameters:
  ///   - newer: What newer answers wrote.
  ///   - isTarget: Whether the object is the one that the request was made on.
  func heldBack(_ model: EntityModel, _ uid: StoredValue?, _ newer: ColumnMask, isTarget: Bool) -> ColumnMask {
    guard !newer.isEmpty else { return newer }
    var held = model.uid.map { newer.subtracting(.single($0)) } ?? newer
    if isTarget { held.subtract(acknowledgedColumns.subtracting(sentLater(model, uid))) }
    return held
  }

  private struct List: Hashable {
    let entity: Int
    let property: Int
    let pk: Int64
  }

  /// The to-many lists that are being taken in, and whether something nested in one said what the same list is.
  private var lists: [List: Bool] = [:]

  /// A list is taken in.
  ///
  /// - Returns: Whether it is nested in itself: then the outer one has the last word.
  func beginList(_ model: EntityModel, _ property: Int, _ pk: Int64) -> Bool {
    let list = List(entity: model.number, property: property, pk: pk)
    let isNested = lists[list] != nil
    lists[list] = isNested
    return isNested
  }

  /// An outer list was taken in.
  ///
  /// - Returns: Whether it was nested in itself.
  func endList(_ model: EntityModel, _ property: Int, _ pk: Int64) -> Bool {
    lists.removeValue(forKey: List(entity: model.number, property: property, pk: pk)) ?? false
  }

  // MARK: What the request sent

  private var acknowledged: SentEdits.Acknowledged?
  /// The columns of the request's object that the answer acknowledged.
  private(set) var acknowledgedColumns = ColumnMask()

  /// The server knows what the request sent.
  func take(_ known: SentEdits.Acknowledged, of model: EntityModel) {
    if !known.mask.isEmpty { touch(model, known.uid, known.mask, sent: known.mask) }
    acknowledgedColumns = known.mask
    if !known.orders.isEmpty || !known.unsettled.isEmpty { acknowledged = known }
  }

  /// Whether a relationship to objects without uid does not hold what the request sent: then nothing tells which of the
  /// answer's objects those in it are.
  func isUnsettled(_ model: EntityModel, _ property: Int, of pk: Int64) -> Bool {
    guard policy.keepsEdits, let acknowledged else { return false }
    return acknowledged.unsettled.contains(.init(entity: model.number, pk: pk, property: property))
  }

  /// The rows without uid in a relationship, in the order in which the request sent them, so that the answer's are told
  /// apart by their place in it.
  func ordered(_ rows: [Int64], _ model: EntityModel, _ property: Int, of pk: Int64) -> [Int64] {
    guard let order = acknowledged?.orders[.init(entity: model.number, pk: pk, property: property)] else { return rows }
    return order.count == rows.count && Set(order) == Set(rows) ? order : rows
  }

  func noteInserted(_ model: EntityModel, _ pk: Int64) {
    if counted.contains(model.number) { inserted.insert(pk) }
  }

  struct Gone {
    let model: EntityModel
    let uid: StoredValue?
    /// Whether nobody knew it as an object.
    let isPlaceholder: Bool
    /// Whether it was told among the response's own objects, and is one of them.
    let isOwn: Bool
  }

  func noteDeletion(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue?, isPlaceholder: Bool) {
    gone[pk] = Gone(model: model, uid: uid, isPlaceholder: isPlaceholder, isOwn: model.number == ownEntity)
  }

  /// The response has the object after all.
  func isThere(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue?) {
    if !gone.isEmpty { gone.removeValue(forKey: pk) }
    stays(model, uid)
  }

  /// An object is not deleted, whatever the response said of it.
  func stays(_ model: EntityModel, _ uid: StoredValue?) {
    if !deleted.isEmpty, let uid { deleted.remove(key(model, uid)) }
  }

  func mention(_ model: EntityModel, _ pk: Int64) {
    if !collected.isEmpty, collected.contains(model.number) { mentioned.insert(pk) }
  }

  /// Where the object stands that is being taken in.
  var place = MappingError.Place()
  /// Where the objects stand that took a unique value from another row: whether they may keep it shows at the end.
  private var claims: [AnyEntityID: MappingError.Place] = [:]

  /// The object that is being taken in took a unique value, itself or in what is nested in it.
  func noteClaim(_ id: AnyEntityID) { claims[id] = place }

  /// All of the response was taken in, and what it lacks is deleted.
  ///
  /// - Throws: ``StoreError`` when a unique value has two owners, with the place of the object that came last.
  func settleUniqueValues(_ rows: RowWriter) throws {
    do {
      try rows.settleUniqueValues()
    } catch let error as StoreError {
      throw error.objects.lazy.compactMap { self.claims[$0] }.first.map(error.at) ?? error
    }
  }

  /// Whether what an object requires may come with a later part of the response.
  var awaitsParts = false
  private var postponed: [Postponed] = []

  private struct Postponed {
    let plan: MappingPlan
    let pk: Int64
    /// Where it is updated by hand.
    let object: (any ManagedEntity)?
    let place: MappingError.Place
  }

  /// A new object lacks what it requires. Whether it still does is asked when all parts were taken in.
  func postpone(_ plan: MappingPlan, _ pk: Int64, _ object: (any ManagedEntity)? = nil) {
    postponed.append(Postponed(plan: plan, pk: pk, object: object, place: place))
  }

  /// All parts were taken in: what was postponed must have what it requires by now.
  ///
  /// - Parameter isWanted: Whether a row is asked about; not, if the response says that it is deleted.
  /// - Throws: ``MappingError``.
  func settlePostponed(_ mapper: RowMapper, _ isWanted: (Int64) -> Bool) throws {
    for entry in postponed where isWanted(entry.pk) {
      place = entry.place
      do {
        if let object = entry.object {
          try mapper.objects.complete(entry.plan, object)
        } else {
          try mapper.checkRequired(entry.plan, entry.pk)
        }
      } catch let error as MappingError {
        throw error.at(entry.place)
      }
    }
    if !postponed.isEmpty { try mapper.objects.context.flush() }
  }

  /// How deep objects may nest in objects. A body nests to 512 by itself; each object that is mapped takes stack, and a
  /// queue's threads have half a megabyte on Apple's systems.
  static let deepest = 64
  private var depth = 0

  /// An object is being mapped.
  ///
  /// - Throws: ``MappingError`` when it is nested too deep.
  func enter(_ model: EntityModel) throws {
    guard depth < Self.deepest else {
      throw MappingError(model.name, "", "", "objects are nested in one another deeper than \(Self.deepest)")
    }
    depth += 1
  }

  func leave() { depth -= 1 }

  func touch(
    _ model: EntityModel, _ uid: StoredValue?, _ mask: ColumnMask, sent: ColumnMask = ColumnMask(),
    isDeletion: Bool = false
  ) {
    guard leavesMarks, let uid, !uid.isNull else { return }
    if isDeletion { deleted.insert(key(model, uid)) } else { touched.append(.init(key(model, uid), mask, sent: sent)) }
  }

  /// Leaves the marks; called once the answer is committed, before the next unit begins.
  func leaveMarks() {
    guard let sequence, !touched.isEmpty || !deleted.isEmpty else { return }
    core.requests.mark(touched + deleted.map { .init($0, ColumnMask(), isDeletion: true) }, by: sequence)
  }

  private func key(_ model: EntityModel, _ uid: StoredValue) -> RequestSequence.Key {
    RequestSequence.Key(entity: model.number, uid: uid)
  }
}
