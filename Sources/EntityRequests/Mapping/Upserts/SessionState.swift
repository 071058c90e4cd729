import EntityJSON
import EntityStore

// The state of a session: a type for each purpose.

/// The mapping plans of one upsert.
final class PlanCache {
  private let schema: SchemaModel
  private let unrecognized: UnrecognizedValues
  /// The client's values that mean nothing.
  private let nothing: NothingValues
  /// By the entity's number.
  private var plans: [MappingPlan?]
  /// Whether any object of the store may ask for its context, and so for the objects around it.
  private lazy var asksForContext = schema.entities.contains { MappingPlan.usesContext($0) }

  init(_ schema: SchemaModel, _ unrecognized: UnrecognizedValues, _ nothing: NothingValues) {
    self.schema = schema
    self.nothing = nothing
    self.unrecognized = unrecognized
    plans = Array(repeating: nil, count: schema.entities.count)
  }

  subscript(model: EntityModel) -> MappingPlan {
    // An object that is in no context, or in another store's, has a number that means nothing here.
    guard plans.indices.contains(model.number), schema.entities[model.number] === model else {
      return MappingPlan(model, schema, unrecognized, nothing: nothing)
    }
    return self[model.number]
  }

  subscript(number: Int) -> MappingPlan {
    if let plan = plans[number] { return plan }
    let plan = MappingPlan(schema.entities[number], schema, unrecognized, nothing: nothing)
    if plan.hasRelationships, asksForContext { plan.isOnTrail = true }
    plans[number] = plan
    return plan
  }
}

/// The request's place in the order of requests: the columns that newer answers wrote, and the stamps that this answer
/// leaves for older answers.
final class AnswerStamps {
  private let requests: RequestSequence
  private let sequence: RequestNumber?
  /// Whether newer answers left stamps, which this answer heeds.
  private let hasStamps: Bool
  /// Whether older answers are under way, for which this answer leaves stamps.
  private let leavesStamps: Bool
  /// The rows and columns that were touched, for answers that are older and still under way.
  private var touched: [RequestSequence.Touch] = []
  /// The rows that are deleted by the response's last word on them.
  private var deleted: Set<RequestSequence.Key> = []

  init(_ requests: RequestSequence, _ sequence: RequestNumber?) {
    self.requests = requests
    self.sequence = sequence
    hasStamps = sequence != nil && requests.hasStamps
    leavesStamps = sequence.map { requests.hasOlder(than: $0) } ?? false
  }

  /// Whether other requests are under way, so that the order counts.
  var counts: Bool { hasStamps || leavesStamps }
  var isOfRequest: Bool { sequence != nil }

  func newer(_ model: EntityModel, _ uid: StoredValue?, than begin: RequestNumber?) -> ColumnMask? {
    guard hasStamps, let sequence = begin ?? sequence, let uid, !uid.isNull else { return ColumnMask() }
    switch requests.newer(than: sequence, key(model, uid)) {
    case .columns(let mask, _): return mask
    case .deletion: return nil
    }
  }

  func sentLater(_ model: EntityModel, _ uid: StoredValue?) -> ColumnMask {
    guard hasStamps, let sequence, let uid, !uid.isNull,
      case .columns(_, let sent) = requests.newer(than: sequence, key(model, uid))
    else { return ColumnMask() }
    return sent
  }

  func touch(
    _ model: EntityModel, _ uid: StoredValue?, _ mask: ColumnMask, sent: ColumnMask = ColumnMask(),
    isDeletion: Bool = false
  ) {
    guard leavesStamps, let uid, !uid.isNull else { return }
    if isDeletion { deleted.insert(key(model, uid)) } else { touched.append(.init(key(model, uid), mask, sent: sent)) }
  }

  func stays(_ model: EntityModel, _ uid: StoredValue?) {
    // Called for each object of a response.
    if !deleted.isEmpty, let uid { deleted.remove(key(model, uid)) }
  }

  func leaveStamps() {
    guard let sequence, !touched.isEmpty || !deleted.isEmpty else { return }
    requests.stamp(touched + deleted.map { .init($0, ColumnMask(), isDeletion: true) }, by: sequence)
  }

  private func key(_ model: EntityModel, _ uid: StoredValue) -> RequestSequence.Key {
    RequestSequence.Key(entity: model.number, uid: uid)
  }
}

/// The edits that the request sent and the answer acknowledged.
struct SentByRequest {
  private var acknowledged: SentEdits.Acknowledged?
  private(set) var columns = ColumnMask()

  mutating func note(_ known: SentEdits.Acknowledged) {
    columns = known.mask
    noteChild(known)
  }

  /// Notes the edits of an object that was nested in the object of the request.
  mutating func noteChild(_ known: SentEdits.Acknowledged) {
    guard !known.orders.isEmpty || !known.unsettled.isEmpty else { return }
    if acknowledged?.add(known) == nil { acknowledged = known }
  }

  func isUnsettled(_ model: EntityModel, _ property: Int, of pk: Int64) -> Bool {
    acknowledged?.unsettled.contains(.init(entity: model.number, pk: pk, property: property)) ?? false
  }

  func ordered(_ rows: [Int64], _ model: EntityModel, _ property: Int, of pk: Int64) -> [Int64] {
    guard let order = acknowledged?.orders[.init(entity: model.number, pk: pk, property: property)] else { return rows }
    return order.count == rows.count && Set(order) == Set(rows) ? order : rows
  }
}

/// Rows that the response says are deleted, or that their update by hand deleted. No two objects ever have one row id.
final class GoneRows {
  struct Row {
    let model: EntityModel
    let uid: StoredValue?
    /// Whether the row was a placeholder, or new, so that nobody knew the object.
    let isPlaceholder: Bool
    /// Whether the row is of the response's own entity, and was noted while the own objects were taken in.
    let isOwn: Bool
  }

  /// The entity of the response's own objects, while they are taken in.
  var ownEntity: Int?
  private(set) var rows: [Int64: Row] = [:]
  /// Whether there may be any such rows. Each object of a response asks.
  private(set) var areAny = false
  private var unknown: Set<RequestSequence.Key> = []

  func note(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue?, isPlaceholder: Bool) {
    areAny = true
    rows[pk] = Row(model: model, uid: uid, isPlaceholder: isPlaceholder, isOwn: model.number == ownEntity)
  }

  func remove(_ model: EntityModel, _ pk: Int64, _ uid: StoredValue?) {
    rows.removeValue(forKey: pk)
    if !unknown.isEmpty, let uid { unknown.remove(RequestSequence.Key(entity: model.number, uid: uid)) }
  }

  /// Notes that the response says that an unknown object is deleted. If a mere id makes a placeholder of it later, the
  /// placeholder goes, too.
  func noteUnknown(_ model: EntityModel, _ uid: StoredValue) {
    areAny = true
    unknown.insert(RequestSequence.Key(entity: model.number, uid: uid))
  }

  func isUnknown(_ model: EntityModel, _ uid: StoredValue) -> Bool {
    !unknown.isEmpty && unknown.contains(RequestSequence.Key(entity: model.number, uid: uid))
  }
}

/// The rows that the response has, as far as they are asked for.
final class SeenRows {
  /// The entities of the response's own objects and of its parts, whose counts are kept.
  var counted: Set<Int> = []
  /// Rows of these entities that were made for nested objects. They count as new, although a later object finds its
  /// row.
  private(set) var inserted: Set<Int64> = []
  /// The entities whose rows are collected in `mentioned`. No two objects ever have one row id.
  private(set) var collected: Set<Int> = []
  /// Whether rows of any entity are collected. Each object of a response asks.
  private(set) var isCollecting = false
  /// The rows that the response has, as objects or by id, at any depth.
  private(set) var mentioned = RowBits()

  func collect(_ entities: some Sequence<Int>) {
    isCollecting = true
    collected.formUnion(entities)
  }

  func noteInserted(_ model: EntityModel, _ pk: Int64) {
    if counted.contains(model.number) { inserted.insert(pk) }
  }

  func mention(_ model: EntityModel, _ pk: Int64) {
    if collected.contains(model.number) { mentioned.insert(pk) }
  }
}

/// The to-many lists that are being taken in.
struct ListNesting {
  private struct List: Hashable {
    let entity: Int
    let property: Int
    let pk: Int64
  }

  private struct State {
    /// Whether an object nested in the list may have changed the list.
    var isDisturbed = false
    /// The objects whose own keys name the owner of the list.
    var named: Set<Int64> = []
  }

  private var lists: [List: State] = [:]

  /// Whether any list is being taken in.
  var areAny: Bool { !lists.isEmpty }

  /// Begins a list. Its members may leave lists of other objects that are being taken in around it.
  ///
  /// - Returns: Whether the list is nested in itself: then the outer occurrence has the last word.
  mutating func begin(_ model: EntityModel, _ property: Int, _ pk: Int64) -> Bool {
    let list = List(entity: model.number, property: property, pk: pk)
    let isNested = lists[list] != nil
    disturb(model.number, property)
    if !isNested { lists[list] = State() }
    return isNested
  }

  /// Notes that an object says by its own key that it is in a list, and so in no other list of the kind.
  mutating func name(_ entity: Int, _ property: Int, _ pk: Int64, member: Int64) {
    disturb(entity, property)
    lists[List(entity: entity, property: property, pk: pk)]?.named.insert(member)
  }

  private mutating func disturb(_ entity: Int, _ property: Int) {
    for list in lists.keys where list.entity == entity && list.property == property { lists[list]?.isDisturbed = true }
  }

  /// The objects whose own keys say that they are in a list.
  func named(_ model: EntityModel, _ property: Int, _ pk: Int64) -> Set<Int64> {
    lists[List(entity: model.number, property: property, pk: pk)]?.named ?? []
  }

  /// Ends an outer list.
  ///
  /// - Returns: Whether a nested object may have changed the list.
  mutating func end(_ model: EntityModel, _ property: Int, _ pk: Int64) -> Bool {
    lists.removeValue(forKey: List(entity: model.number, property: property, pk: pk))?.isDisturbed ?? false
  }
}

/// How deep the object that is being mapped is nested in others.
struct Nesting {
  /// How deep objects may nest in objects, if the stack has room for them. A body itself may nest to 512.
  static let deepest = 64
  private(set) var depth = 0
  private var stack = StackRoom()

  /// Begins the mapping of an object.
  ///
  /// - Throws: ``MappingError`` when the object is nested too deep.
  mutating func enter(_ model: EntityModel) throws {
    guard depth < Self.deepest else {
      throw MappingError(model.name, "", "", "objects are nested in one another deeper than \(Self.deepest)")
    }
    guard !stack.isShort(at: depth) else {
      throw MappingError(
        model.name, "", "",
        "\(depth) objects are nested in one another, more than the stack of this thread has room for")
    }
    depth += 1
  }

  mutating func leave() { depth -= 1 }
}

/// The places of objects in the response, for errors that show later.
final class ObjectPlaces {
  /// The place of the object that is being taken in.
  // Read or written in one step, so that no access needs an exclusivity check.
  @exclusivity(unchecked) var current = MappingError.Place()
  /// The objects that are not written yet, in their order.
  private var pending: [(pk: Int64, place: MappingError.Place)] = []
  /// The places of objects that took a unique value from another row. Only the end of the response shows whether they
  /// may keep it.
  private var claims: [AnyEntityID: MappingError.Place] = [:]

  private(set) var pendingCount = 0

  func notePending(_ pk: Int64) {
    pendingCount += 1
    pending.append((pk, current))
  }
  func clearPending() {
    pendingCount = 0
    pending.removeAll(keepingCapacity: true)
  }

  /// Notes that an object took a unique value. The place is that of the object, or of the object that it is nested in.
  func noteClaim(_ id: AnyEntityID) { claims[id] = place(of: id) ?? current }

  /// The place of the object that an error of a write is about.
  func place(of error: StoreError) -> MappingError.Place? { error.objects.lazy.compactMap { self.place(of: $0) }.first }

  /// The place of the object that claimed the value of an error.
  func claim(of error: StoreError) -> MappingError.Place? { error.objects.lazy.compactMap { self.claims[$0] }.first }

  private func place(of id: AnyEntityID) -> MappingError.Place? {
    pending.isEmpty ? nil : pending.last { $0.pk == id.pk }?.place
  }
}

/// New objects that lack an object that they require. They are checked again after all parts were taken in.
final class PostponedChecks {
  struct Check {
    let plan: MappingPlan
    let pk: Int64
    /// The object, if it is updated by hand.
    let object: (any ManagedEntity)?
    let place: MappingError.Place
  }

  /// Whether an object that is required may come with a later part of the response.
  var awaitsParts = false
  private(set) var all: [Check] = []

  /// Lets go of the objects, which hold the context of their unit.
  func removeAll() { all = [] }

  func add(_ plan: MappingPlan, _ pk: Int64, _ object: (any ManagedEntity)?, at place: MappingError.Place) {
    all.append(Check(plan: plan, pk: pk, object: object, place: place))
  }
}
