import EntityStore

/// The lines of a situation, by the number of their first edit, and the edges among them.
struct PlanLines {
  /// The lines. Those of one object stand side by side, in their order.
  private(set) var lines: [DraftLine] = []
  private(set) var over: Set<Int64> = []
  private(set) var edges: [PlanGraph.Edge] = []
  /// The links of a line to objects that were made here and that another one than the outbox sends, because their
  /// entity has no rules.
  private(set) var strangers: [Int: [PendingFacts.Link]] = [:]
  /// The links of a line to its own object, where the object has no uid.
  private(set) var loops: [Int: [PendingFacts.Link]] = [:]
  /// The index of the first line of each line's object.
  private(set) var first: [Int] = []

  private let situation: OutboxSituation
  private var objects: [Object] = []
  private var places: [RowKey: Int] = [:]

  private struct Object {
    let key: RowKey
    let facts: PendingFacts?
    let rules: PlanningRules
    var drafts: [DraftLine]
    var lines = 0..<0
    /// The line that makes the object.
    var create: Int?

    /// The order of sending: requests under way, then the earliest edit first.
    func precedes(_ other: Object) -> Bool {
      let (mine, theirs) = (drafts[0], other.drafts[0])
      if mine.isSending != theirs.isSending { return mine.isSending }
      if mine.number != theirs.number { return mine.number < theirs.number }
      return key.pk != other.key.pk ? key.pk < other.key.pk : key.entity < other.key.entity
    }
  }

  init(_ situation: OutboxSituation) {
    self.situation = situation
    collectObjects()
    collectLines()
    for object in objects { connect(object) }
  }

  // MARK: Lines

  private mutating func collectObjects() {
    var entries: [RowKey: [OutboxEntry]] = [:]
    for entry in situation.entries.values { entries[entry.key, default: []].append(entry) }
    objects.reserveCapacity(situation.pending.count + entries.count)
    for (key, facts) in situation.pending {
      guard let rules = situation.rules[key.entity] else { continue }
      let own = entries.isEmpty ? nil : entries.removeValue(forKey: key)
      let isClaiming = !situation.claiming.isEmpty && situation.claiming.contains(key)
      if own != nil || isClaiming {
        add(key, facts, own ?? [], rules, isClaiming)
      } else if !ObjectDrafts.goesWithAnother(facts, rules) {
        objects.append(Object(key: key, facts: facts, rules: rules, drafts: [ObjectDrafts.line(of: facts)]))
      }
    }
    for (key, own) in entries {
      guard let rules = situation.rules[key.entity] else { continue }
      add(key, nil, own, rules, situation.claiming.contains(key))
    }
    objects.sort { $0.precedes($1) }
  }

  private mutating func add(
    _ key: RowKey, _ facts: PendingFacts?, _ entries: [OutboxEntry], _ rules: PlanningRules, _ isClaiming: Bool
  ) {
    let drafts = ObjectDrafts(
      key, facts, entries: entries.sorted { $0.number < $1.number }, rules: rules, isClaiming: isClaiming, in: situation
    )
    over.formUnion(drafts.over)
    guard !drafts.lines.isEmpty else { return }
    objects.append(Object(key: key, facts: facts, rules: rules, drafts: drafts.lines))
  }

  private mutating func collectLines() {
    lines.reserveCapacity(objects.count)
    first.reserveCapacity(objects.count)
    places.reserveCapacity(objects.count)
    for index in objects.indices {
      let object = objects[index]
      places[object.key] = index
      let start = lines.count
      for draft in object.drafts {
        first.append(start)
        lines.append(draft)
      }
      objects[index].lines = start..<lines.count
      guard object.facts?.kind == .insert else { continue }
      objects[index].create =
        (start..<lines.count).first { lines[$0].action == .create || lines[$0].action == .lookUp } ?? start
    }
  }

  // MARK: Edges

  private mutating func connect(_ object: Object) {
    for line in object.lines.dropFirst() { join(line - 1, line, .sameObject) }
    guard let facts = object.facts else { return }
    for link in facts.links {
      guard link.target != object.key else {
        if facts.uid == nil, let create = object.create { loops[create, default: []].append(link) }
        continue
      }
      nameTarget(of: link, by: object)
      wait(for: object, by: link.target, isLinked: true)
    }
    for target in facts.formerTargets where target != object.key { wait(for: object, by: target, isLinked: false) }
    if let cause = facts.cause, let owner = owner(cause) {
      for line in owner.lines where lines[line].action == .deletion {
        join(object.lines.upperBound - 1, line, .deletion)
      }
    }
  }

  /// A request that names an object comes after the create of the object, also where the object has a uid that was made
  /// here: the server does not know the uid before.
  private mutating func nameTarget(of link: PendingFacts.Link, by object: Object) {
    guard let place = places[link.target] else {
      guard situation.pending[link.target]?.kind == .insert else { return }
      for line in object.lines where lines[line].isMadeFromMarks && !lines[line].isSource {
        strangers[line, default: []].append(link)
      }
      return
    }
    guard let create = objects[place].create else { return }
    for line in object.lines where lines[line].isMadeFromMarks {
      join(create, line, link.isRequired ? .requiredLink : .optionalLink, link.property)
    }
  }

  /// The deletion of an object comes after the changes of objects that are or were linked to it. The update of an object
  /// that is sent last comes after those of objects that are; its create can't, because these name the object.
  private mutating func wait(for object: Object, by target: RowKey, isLinked: Bool) {
    guard let place = places[target] else { return }
    let other = objects[place]
    for line in other.lines where lines[line].isMadeFromMarks {
      switch lines[line].action {
      case .deletion: join(object.lines.upperBound - 1, line, .deletion)
      case .update where isLinked && other.rules.isLast: join(object.lines.upperBound - 1, line, .last)
      default: break
      }
    }
  }

  private mutating func join(_ before: Int, _ after: Int, _ kind: PlanGraph.Kind, _ property: Int = -1) {
    // A line that waits for a person is still behind the earlier ones of its object, which others wait for.
    guard kind == .sameObject || !lines[after].isSource else { return }
    edges.append(PlanGraph.Edge(before: before, after: after, kind: kind, property: property))
  }

  /// The object whose deletion caused others. A row id is that of one object of the file, whatever its entity is.
  private lazy var owners: [Int64: Int] = {
    var owners: [Int64: Int] = [:]
    for (index, object) in objects.enumerated() where object.facts?.kind == .deletion { owners[object.key.pk] = index }
    return owners
  }()

  private mutating func owner(_ cause: Int64) -> Object? { owners[cause].map { objects[$0] } }
}
