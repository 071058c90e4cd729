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
  /// The place of each line among all lines.
  private(set) var ranks: [LineRank] = []
  /// The settled lines of objects beside those whose lines are made; `nil` for a line that is made.
  private(set) var settled: [SettledLine?] = []

  private let situation: OutboxSituation
  private var objects: [Object] = []
  private var places: [RowKey: Int] = [:]
  /// The objects that are deleted, by row id: a row id is that of one object of the file, whatever its entity is.
  private var owners: [Int64: Int] = [:]

  private struct Object {
    let key: RowKey
    let isLast: Bool
    var lines = 0..<0
    /// The line that makes the object.
    var create: Int?
  }

  /// An object that is yet to get its place.
  private struct Candidate {
    let key: RowKey
    let facts: PendingFacts?
    let isLast: Bool
    /// The lines of an object with entries; `nil` for one that has its marks alone.
    var drafts: [DraftLine]?
  }

  /// - Parameters:
  ///   - keys: The objects whose lines are made; `nil` for all.
  ///   - others: The settled line of each other object that may have an edge to one of them.
  init(_ situation: OutboxSituation, of keys: Set<RowKey>? = nil, beside others: [RowKey: SettledLine] = [:]) {
    self.situation = situation
    let candidates = collectCandidates(keys.map { $0.union(others.keys) })
    let order = candidates.indices.map { index in
      let (candidate, first) = (candidates[index], candidates[index].drafts?.first)
      let rank = LineRank(
        isSending: first?.isSending ?? false, number: first?.number ?? candidate.facts?.number ?? 0, key: candidate.key)
      return (rank: rank, candidate: index)
    }.sorted { $0.rank < $1.rank }
    objects.reserveCapacity(order.count)
    lines.reserveCapacity(order.count)
    first.reserveCapacity(order.count)
    ranks.reserveCapacity(order.count)
    places.reserveCapacity(order.count)
    for place in order { add(candidates[place.candidate], place.rank) }
    settled = lines.map { others[$0.key] }
    edges.reserveCapacity(lines.count)
    for (object, place) in zip(objects, order) { connect(object, candidates[place.candidate].facts) }
  }

  // MARK: Lines

  private mutating func collectCandidates(_ keys: Set<RowKey>?) -> [Candidate] {
    var entries: [RowKey: [OutboxEntry]] = [:]
    for entry in situation.entries.values { entries[entry.key, default: []].append(entry) }
    var candidates: [Candidate] = []
    if let keys {
      for key in keys {
        if let candidate = candidate(key, situation.pending[key], entries[key]) { candidates.append(candidate) }
      }
      return candidates
    }
    candidates.reserveCapacity(situation.pending.count + entries.count)
    for (key, facts) in situation.pending {
      let own = entries.isEmpty ? nil : entries.removeValue(forKey: key)
      if let candidate = candidate(key, facts, own) { candidates.append(candidate) }
    }
    for (key, own) in entries { if let candidate = candidate(key, nil, own) { candidates.append(candidate) } }
    return candidates
  }

  private mutating func candidate(_ key: RowKey, _ facts: PendingFacts?, _ entries: [OutboxEntry]?) -> Candidate? {
    guard facts != nil || entries != nil, let rules = situation.rules[key.entity] else { return nil }
    var candidate = Candidate(key: key, facts: facts, isLast: rules.isLast)
    if entries != nil || (!situation.claiming.isEmpty && situation.claiming.contains(key)) {
      candidate.drafts = drafts(key, facts, entries ?? [], rules)
      return candidate.drafts?.isEmpty == false ? candidate : nil
    }
    return facts.map { ObjectDrafts.goesWithAnother($0, rules) } == true ? nil : candidate
  }

  private mutating func drafts(
    _ key: RowKey, _ facts: PendingFacts?, _ entries: [OutboxEntry], _ rules: PlanningRules
  ) -> [DraftLine] {
    let drafts = ObjectDrafts(
      key, facts, entries: entries.sorted { $0.number < $1.number }, rules: rules,
      isClaiming: situation.claiming.contains(key), in: situation)
    over.formUnion(drafts.over)
    return drafts.lines
  }

  private mutating func add(_ candidate: Candidate, _ rank: LineRank) {
    var object = Object(key: candidate.key, isLast: candidate.isLast)
    let start = lines.count
    if let drafts = candidate.drafts {
      lines += drafts
    } else if let facts = candidate.facts {
      lines.append(ObjectDrafts.line(of: facts))
    }
    object.lines = start..<lines.count
    for line in object.lines {
      first.append(start)
      ranks.append(rank.line(line - start))
    }
    if candidate.facts?.kind == .insert {
      object.create = object.lines.first { lines[$0].action == .create || lines[$0].action == .lookUp } ?? start
    }
    if candidate.facts?.kind == .deletion { owners[candidate.key.pk] = objects.count }
    places[candidate.key] = objects.count
    objects.append(object)
  }

  // MARK: Edges

  private mutating func connect(_ object: Object, _ facts: PendingFacts?) {
    for line in object.lines.dropFirst() { join(line - 1, line, .sameObject) }
    guard let facts else { return }
    for link in facts.links {
      if link.target == object.key {
        if facts.uid == nil, let create = object.create { loops[create, default: []].append(link) }
      } else if let place = places[link.target] {
        name(objects[place], by: link, of: object)
        wait(for: object, by: objects[place], isLinked: true)
      } else if situation.pending[link.target]?.kind == .insert {
        for line in object.lines where names(line, link) && !lines[line].isSource {
          strangers[line, default: []].append(link)
        }
      }
    }
    for target in facts.formerTargets where target != object.key {
      if let place = places[target] { wait(for: object, by: objects[place], isLinked: false) }
    }
    guard let cause = facts.cause, let owner = owners[cause], objects[owner].key != object.key else { return }
    wait(for: object, by: objects[owner], isLinked: false)
  }

  private func names(_ line: Int, _ link: PendingFacts.Link) -> Bool {
    lines[line].isMadeFromMarks && !lines[line].later.contains(link.property)
  }

  /// A request that names an object comes after the create of the object, also where the object has a uid that was made
  /// here: the server does not know the uid before.
  private mutating func name(_ target: Object, by link: PendingFacts.Link, of object: Object) {
    guard let create = target.create else { return }
    for line in object.lines where names(line, link) {
      join(create, line, link.isRequired ? .requiredLink : .optionalLink, link.property)
    }
  }

  /// The deletion of an object comes after the changes of objects that are or were linked to it, and of its parts. The
  /// update of an object that is sent last comes after those of objects that are linked to it; its create can't, because
  /// these name the object.
  private mutating func wait(for object: Object, by other: Object, isLinked: Bool) {
    for line in other.lines where lines[line].isMadeFromMarks {
      switch lines[line].action {
      case .deletion: join(object.lines.upperBound - 1, line, .deletion)
      case .update where isLinked && other.isLast: join(object.lines.upperBound - 1, line, .last)
      default: break
      }
    }
  }

  private mutating func join(_ before: Int, _ after: Int, _ kind: PlanGraph.Kind, _ property: Int = -1) {
    // A line that waits for a person is still behind the earlier ones of its object, which others wait for.
    guard kind == .sameObject || !lines[after].isSource else { return }
    edges.append(PlanGraph.Edge(before: before, after: after, kind: kind, property: property))
  }
}
