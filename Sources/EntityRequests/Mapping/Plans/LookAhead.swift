import EntityJSON
import EntityStore

/// Looks ahead in a list whose objects are updated by hand. It finds the objects of some hundred elements at once, and
/// also the objects that are nested in these elements under the keys of their to-one links.
///
/// It only finds, and changes nothing. If the update by hand reads other keys, an object was found in vain.
final class LookAhead {
  /// How many uids are looked for at once, at most. As many objects are written at once, so new rows seldom outdate
  /// what was found.
  private let most: Int
  /// Fewer elements are not worth a statement.
  private let fewest: Int

  private let plan: MappingPlan
  private let session: UpsertSession
  private let context: EntityContext
  private let elements: JSONArray
  /// The next element to take in, and how many elements from there on have been looked at.
  private var next: JSONArray.Index
  private var left = 0
  /// How many elements the last look covered, and how many the next look may cover.
  private var count = 0
  private var reach: Int
  /// By the number of the entity; `nil` when no uid of the entity was met.
  // Each access is one read or one assignment, so no access needs an exclusivity check.
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

  /// Moves to the next element, and looks ahead when needed.
  ///
  /// - Throws: ``StoreError``.
  func advance() throws {
    let isOutdated = used.contains { $0.isOutdated }
    if left == 0 || isOutdated {
      // Rows that got uids outdate what was found: the next look covers fewer elements.
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
      // The next look comes after a batch of objects, and tries the fewest elements.
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

  /// Collects the uids of an object and of its nested objects. Errors are ignored here: each comes again when its
  /// object is mapped.
  ///
  /// - Returns: How many uids were collected.
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
