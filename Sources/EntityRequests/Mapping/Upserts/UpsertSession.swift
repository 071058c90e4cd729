import EntityJSON
import EntityStore

/// The state that all objects of one upsert share.
final class UpsertSession {
  let core: StoreCore
  let policy: MergePolicy
  /// Notes the changes of the response that the store does not take; `nil` when nobody asks.
  let skips: SkipLog?
  let unrecognized: UnrecognizedValues

  /// The rows of a response; `nil` for an upsert in a context, which is a change of the app's own.
  private let rows: RowWriter?
  private let plans: PlanCache
  private let order: AnswerStamps
  private var sent = SentByRequest()
  /// The objects of a page whose older versions may follow on later pages.
  var versions: Set<SeenVersions.Key> = []
  let gone = GoneRows()
  let seen: SeenRows
  var lists = ListNesting()
  // Counts, and calls nothing, so that no access needs an exclusivity check.
  @exclusivity(unchecked) var nesting = Nesting()
  let places: ObjectPlaces
  let trail: ObjectTrail
  let postponed = PostponedChecks()
  let options: UpsertOptions
  /// The values that can't be read, and whose properties keep their values; `nil` when such a value fails its object.
  let kept: KeptValues?
  /// The nested values that name no object and are passed over; `nil` when such a value fails its object.
  let passed: KeptValues?
  /// The places of the response that were read; `nil` when nobody asks.
  let read: ReadPlaces?

  private var overruled: Set<Int64> = []

  init(
    _ core: StoreCore, sequence: RequestNumber? = nil, _ policy: MergePolicy, rows: RowWriter? = nil,
    options: UpsertOptions = UpsertOptions(), seen: SeenRows = SeenRows()
  ) {
    self.seen = seen
    self.options = options
    kept = options.keepsValues ? KeptValues() : nil
    passed = options.skips ? KeptValues() : nil
    read = options.reportsUnreadKeys ? ReadPlaces() : nil
    self.core = core
    self.rows = rows
    self.policy = policy
    had = Array(repeating: ColumnMask(), count: core.schema.entities.count)
    skips = rows.map { _ in SkipLog() }
    unrecognized = UnrecognizedValues()
    plans = PlanCache(core.schema, unrecognized, options.nothing)
    order = AnswerStamps(core.requests, sequence)
    places = ObjectPlaces()
    trail = ObjectTrail(places)
  }

  func plan(_ model: EntityModel) -> MappingPlan { plans[model] }
  func plan(_ number: Int) -> MappingPlan { plans[number] }

  /// Begins the mapping of an object.
  ///
  /// - Throws: ``MappingError`` when the object is nested too deep.
  func enter(_ plan: MappingPlan, _ object: JSONObject) throws {
    try nesting.enter(plan.model)
    if plan.isOnTrail { trail.enter(object) }
    read?.enter(plan, object)
  }

  func leave(_ plan: MappingPlan) {
    nesting.leave()
    if plan.isOnTrail { trail.leave() }
  }

  // MARK: Objects with embedded objects

  /// The objects that are being mapped and may have embedded objects, the innermost last.
  private var holders: [(entity: Int, uid: StoredValue, object: JSONObject)] = []

  /// Notes an object that is being mapped and may have embedded objects. If the object is nested in itself, its outer
  /// occurrence ends last and has the last word. The inner occurrence leaves the embedded objects alone that both have,
  /// because nothing tells embedded objects apart.
  ///
  /// - Parameter newer: Gets the relationships that the inner occurrence leaves alone.
  /// - Returns: Whether ``leaveHolder()`` is to be called.
  func enterHolder(_ plan: MappingPlan, _ uid: StoredValue?, _ object: JSONObject, _ newer: inout ColumnMask) -> Bool {
    guard !plan.embedding.isEmpty, let uid, !uid.isNull else { return false }
    for holder in holders where holder.entity == plan.model.number && holder.uid.isIdentical(to: uid) {
      for property in plan.embedding where holder.object.value(for: plan.model.properties[property].key) != nil {
        newer.insert(property)
      }
    }
    holders.append((plan.model.number, uid, object))
    return true
  }

  func leaveHolder() { holders.removeLast() }

  // MARK: Objects without uid that the response lets go of

  private var released: [ReleasedKey: [Int64]] = [:]

  private struct ReleasedKey: Hashable {
    let pk: Int64
    let property: Int
  }

  /// Notes that a relationship lets go of rows without uid. An object that comes into the relationship later in the
  /// response takes one of these rows, so the same response leaves the same rows each time.
  func noteReleased(_ pk: Int64, _ property: Int, _ rows: [Int64]) {
    let key = ReleasedKey(pk: pk, property: property)
    // A list lets go of its last members first.
    released[key] = ListOrder.unique(rows + (released[key] ?? []))
  }

  /// The rows of a relationship, and after them the rows that it has let go of.
  func places(of pk: Int64, _ property: Int, _ rows: [Int64]) -> [Int64] {
    guard !released.isEmpty, let gone = released[ReleasedKey(pk: pk, property: property)] else { return rows }
    return ListOrder.unique(rows + gone)
  }

  // MARK: Keys that no object had

  /// The properties whose keys objects of the response had, by the entity's number.
  private var had: [ColumnMask]

  func noteKeys(_ model: EntityModel, _ present: ColumnMask) {
    if had.indices.contains(model.number) { had[model.number].formUnion(present) }
  }

  /// The keys that an entity declares and no object of the response had. None when the response had no object of the
  /// entity.
  func absentKeys(_ plan: MappingPlan) -> [String] {
    let had = had[plan.model.number]
    return had.isEmpty || plan.isByHand ? [] : plan.keys(besides: had)
  }

  // MARK: The order of answers

  /// Whether other requests are under way, so that the order counts.
  var isOrdered: Bool { order.counts }
  /// Whether an object without uid is refused, unless its row is known in another way. An upsert in a context belongs
  /// to no request, and makes objects on purpose.
  var needsUIDs: Bool { order.isOfRequest && options.unnamed != .insert }
  /// Whether the members of a list that have no uid are known by their place.
  var embedsUnnamed: Bool { options.unnamed == .embed }

  /// Whether an object without uid lives in the object around it.
  func isUnnamed(_ plan: MappingPlan, _ uid: StoredValue?) -> Bool {
    plan.uidType == nil || embedsUnnamed && uid == nil
  }

  /// The columns of the object with a uid that newer answers wrote; `nil` when a newer answer deleted the object.
  ///
  /// - Parameter begin: The request that newer answers are newer than; by default this one.
  func newer(_ model: EntityModel, _ uid: StoredValue?, than begin: RequestNumber? = nil) -> ColumnMask? {
    order.newer(model, uid, than: begin)
  }

  /// The columns of an object that later requests sent and newer answers acknowledged. A value that was sent before is
  /// older.
  func sentLater(_ model: EntityModel, _ uid: StoredValue?) -> ColumnMask { order.sentLater(model, uid) }

  func touch(_ model: EntityModel, _ uid: StoredValue?, _ mask: ColumnMask, isDeletion: Bool = false) {
    order.touch(model, uid, mask, isDeletion: isDeletion)
  }

  /// Notes that an object is not deleted, although the response may have said so.
  func stays(_ model: EntityModel, _ uid: StoredValue?) { order.stays(model, uid) }

  /// Whether an object may lose the value of a property to an object of the response. It may not when a newer answer
  /// wrote the property. Else it gets a stamp, so that an older answer does not bring the value back.
  func mayGiveUp(_ model: EntityModel, _ uid: () throws -> StoredValue, _ property: Int) rethrows -> Bool {
    guard isOrdered else { return true }
    let uid = try uid()
    guard newer(model, uid)?.contains(property) == false else { return false }
    touch(model, uid, ColumnMask(property))
    return true
  }

  /// Leaves the stamps; called once the answer is committed, before the next unit begins.
  func leaveStamps() { order.leaveStamps() }

  /// The columns that the answer leaves to newer answers.
  ///
  /// The uid is not among them, because it says which object the answer is about. A column that this request sent, and
  /// no later request, is not among them either: a newer answer may have a value from before this request.
  ///
  /// - Parameters:
  ///   - newer: The columns that newer answers wrote.
  ///   - isTarget: Whether the object is the one that the request was made on.
  func heldBack(_ model: EntityModel, _ uid: StoredValue?, _ newer: ColumnMask, isTarget: Bool) -> ColumnMask {
    // The app told that later edits were sent, by a request that the store does not know.
    let newer = isTarget ? newer.union(rows?.notes.sent?.superseded ?? ColumnMask()) : newer
    guard !newer.isEmpty else { return newer }
    var held = newer.subtracting(model.identity)
    if isTarget { held.subtract(acknowledgedColumns.subtracting(sentLater(model, uid))) }
    return held
  }

  // MARK: Objects that were deleted here

  /// Whether a response leaves an object alone because the object was deleted here. A response that overwrites local
  /// edits brings the object back. A response that says that the object is deleted acknowledges the deletion.
  func isDeletedHere(_ model: EntityModel, _ uid: StoredValue, isDeletion: @autoclosure () -> Bool = false) throws
    -> Bool
  {
    guard let rows, try rows.edits.isDeletedHere(model, uid) else { return false }
    if isDeletion() {
      leaveGone(try rows.edits.endTombstone(model, uid: uid, .acknowledged))
    } else if policy.keepsEdits {
      skips?.noteDeletedHere(model, uid: uid)
      return true
    }
    return false
  }

  /// Leaves stamps for answers from before a deletion that are still under way, as no tombstone holds them up: they would bring
  /// back the object, and those that a delete rule took with it.
  func leaveGone(_ objects: [GoneObject]) {
    for object in objects { touch(object.model, object.uid, ColumnMask(), isDeletion: true) }
  }

  // MARK: Edits that the request sent

  /// The columns of the request's object that the answer acknowledged.
  var acknowledgedColumns: ColumnMask { sent.columns }

  /// Notes that the server has the edits that the request sent.
  func acknowledge(_ known: SentEdits.Acknowledged, of model: EntityModel) {
    if !known.mask.isEmpty { order.touch(model, known.uid, known.mask, sent: known.mask) }
    sent.note(known)
  }

  /// Notes the same for an object that the request nested in its own object.
  func acknowledgeChild(_ known: SentEdits.Acknowledged, of model: EntityModel) {
    if !known.mask.isEmpty { order.touch(model, known.uid, known.mask, sent: known.mask) }
    sent.noteChild(known)
  }

  /// Whether a relationship to objects without uid holds other objects than the request sent: then nothing tells which
  /// of the answer's objects they are.
  func isUnsettled(_ model: EntityModel, _ property: Int, of pk: Int64) -> Bool {
    policy.keepsEdits && sent.isUnsettled(model, property, of: pk)
  }

  /// The rows without uid in a relationship, in the order in which the request sent them. The objects of the answer are
  /// known by their places in this order.
  func ordered(_ rows: [Int64], _ model: EntityModel, _ property: Int, of pk: Int64) -> [Int64] {
    sent.ordered(rows, model, property, of: pk)
  }

  // MARK: Objects whose own key contradicts their place

  /// Notes that an object's own key names another parent than the owner of the list in which the object stands.
  /// The object does not belong to this list.
  func overrule(_ model: EntityModel, _ pk: Int64, _ link: ColumnMask) {
    overruled.insert(pk)
    skips?.note(model, pk, contradicted: link)
  }

  /// Notes the links that an object has by its own keys. They say in which lists the object is, even if a list around
  /// it lacks the object.
  ///
  /// - Parameter columns: The columns whose keys the object has.
  func noteOwnLinks(_ model: EntityModel, _ pk: Int64, _ columns: ColumnMask, link: (Int) -> Int64) {
    guard lists.areAny else { return }
    for property in columns.intersection(model.links).indices {
      guard case .toOne(let target, let list?, _) = model.properties[property].kind else { continue }
      lists.name(target, list, link(property), member: pk)
    }
  }

  /// Notes that an object stands in a list, and that its own key does not contradict.
  func agree(_ pk: Int64) {
    if !overruled.isEmpty { overruled.remove(pk) }
  }

  /// Whether there may be objects that do not belong to the list in which they stand.
  var areAnyOverruled: Bool { !overruled.isEmpty }

  /// Whether an object does not belong to the list in which it stood last. No two objects ever have one row id.
  func isOverruled(_ pk: Int64) -> Bool { !overruled.isEmpty && overruled.contains(pk) }

  // MARK: Rows that the response has

  func noteInserted(_ model: EntityModel, _ pk: Int64) { seen.noteInserted(model, pk) }
  func mention(_ model: EntityModel, _ pk: Int64) {
    if seen.isCollecting { seen.mention(model, pk) }
  }

  /// Notes that the response has an object after all.
  func isThere(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue?) {
    if gone.areAny { gone.remove(model, pk, uid) }
    stays(model, uid)
  }
}
