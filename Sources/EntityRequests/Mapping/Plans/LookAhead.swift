import EntityJSON
import EntityStore

/// Looks ahead in a list whose objects are updated by hand: the objects of some hundred elements are found together, with those
/// that are nested in them under the keys of their links to one.
///
/// It only finds. The update by hand may read other keys, or none of these: then an object was found in vain.
final class LookAhead {
  /// How many uids are looked for at once. As many objects are written at once, so that new rows seldom make answers old.
  private let most: Int
  /// Fewer elements are not worth a statement of their own.
  private let fewest: Int

  private let plan: MappingPlan
  private let session: UpsertSession
  private let context: EntityContext
  private let elements: JSONArray
  /// The next element that is taken in, and how many there are from it to the first one that was not looked at.
  private var next: JSONArray.Index
  private var left = 0
  /// How many elements were looked at last, and how many that may be the next time.
  private var count = 0
  private var reach: Int
  /// By the number of the entity; `nil` where no uid of it was met.
  // It is read or assigned in one step, so that no access needs a check.
  @exclusivity(unchecked) private var found: [ObjectsAhead?]
  private var used: [ObjectsAhead] = []
  /// Entities whose objects are found one by one.
  private var others: Set<Int> = []

  /// - Returns: `nil` where all objects of the list are found one by one.
  init?(_ plan: MappingPlan, _ elements: JSONArray, _ target: ObjectTarget) {
    let rows = target.session.core.options.rowsInBatch
    most = min(rows, PendingObjects.batch)
    fewest = min(rows, 8)
    guard plan.isByHand, target.isBatching, elements.count >= fewest else { return nil }
    self.plan = plan
    reach = most
    self.elements = elements
    session = target.session
    context = target.context
    next = elements.startIndex
    found = Array(repeating: nil, count: session.core.schema.entities.count)
  }

  func find(_ model: EntityModel, _ uid: StoredValue) -> ObjectsAhead.Answer {
    found[model.number]?.find(uid) ?? .unknown
  }

  /// Lets go of the objects that were asked for, before their changes are written.
  func release() {
    for objects in used { objects.release() }
  }

  /// The next element is taken in.
  ///
  /// - Throws: ``StoreError``.
  func advance() throws {
    let isOutdated = used.contains { $0.isOutdated }
    if left == 0 || isOutdated {
      // Where rows get uids on the way, it looks less far.
      reach = isOutdated ? max(count - left, count / 2) : count > 0 ? min(most, reach + reach / 4 + 1) : reach
      try look()
    }
    left -= 1
    next = elements.index(after: next)
  }

  private func look() throws {
    for objects in used { objects.removeAll() }
    count = 0
    guard reach >= fewest else {
      // It tries again later.
      reach = fewest
      left = PendingObjects.batch
      return
    }
    var place = next
    var uids = 0
    while place < elements.endIndex, count < reach, uids < most {
      uids += add(elements[place], plan, depth: 0)
      count += 1
      place = elements.index(after: place)
    }
    left = count
    for objects in used { try objects.look() }
  }

  /// Notes the uids of an object, and of those that are nested in it. An error is one of the object's own turn.
  ///
  /// - Returns: How many there are.
  private func add(_ value: JSONValue, _ plan: MappingPlan, depth: Int) -> Int {
    guard let object = value.object else {
      return plan.isReference(value) ? add((try? plan.uid(value)) ?? nil, plan) : 0
    }
    var uids = add((try? plan.uid(of: object)) ?? nil, plan)
    guard depth < 3 else { return uids }
    for (key, number) in plan.nested {
      let nested = session.plan(number)
      if nested.isByHand, let value = object[key] { uids += add(value, nested, depth: depth + 1) }
    }
    return uids
  }

  private func add(_ uid: StoredValue?, _ plan: MappingPlan) -> Int {
    let number = plan.model.number
    guard let uid, !others.contains(number) else { return 0 }
    if let objects = found[number] {
      objects.add(uid)
    } else if let objects = ObjectsAhead(plan.model, in: context) {
      found[number] = objects
      used.append(objects)
      objects.add(uid)
    } else {
      others.insert(number)
      return 0
    }
    return 1
  }
}
