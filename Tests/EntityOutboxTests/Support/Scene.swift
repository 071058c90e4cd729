import EntityClient

/// A situation of an outbox that a test makes by hand. Objects are of entity 0 unless a test says otherwise, the entities
/// 0 to 2 have rules, and it is the time 1,000.
struct Scene {
  var situation = OutboxSituation()

  init(_ rules: (inout PlanningRules) -> Void = { _ in }) {
    situation.now = 1_000
    var common = PlanningRules()
    rules(&common)
    for entity in 0..<3 { situation.rules[entity] = common }
  }

  // MARK: Objects

  mutating func insert(
    _ pk: Int64, at number: Int64? = nil, uid: String? = nil, edited: [Int] = [0], _ links: [PendingFacts.Link] = []
  ) {
    add(pk, .insert, number ?? pk, uid: uid, edited: edited, links)
  }

  mutating func edit(
    _ pk: Int64, at number: Int64? = nil, edited: [Int] = [0], _ links: [PendingFacts.Link] = [], former: [Int64] = []
  ) {
    add(pk, .edit, number ?? pk, uid: "\(pk)", edited: edited, links)
    situation.pending[.row(pk)]?.formerTargets = former.map { .row($0) }
  }

  mutating func delete(_ pk: Int64, at number: Int64? = nil, cause: Int64? = nil, former: [Int64] = []) {
    add(pk, .deletion, number ?? pk, uid: "\(pk)", edited: [], [])
    situation.pending[.row(pk)]?.cause = cause
    situation.pending[.row(pk)]?.formerTargets = former.map { .row($0) }
  }

  private mutating func add(
    _ pk: Int64, _ kind: PendingFacts.Kind, _ number: Int64, uid: String?, edited: [Int], _ links: [PendingFacts.Link]
  ) {
    var mask = ColumnMask()
    for index in edited + links.map(\.property) { mask.insert(index) }
    var facts = PendingFacts(key: .row(pk), kind: kind, uid: uid, number: number, edited: mask)
    facts.links = links
    situation.pending[.row(pk)] = facts
  }

  // MARK: Entries

  /// Adds an entry of an object, whose request has the edits up to `edited`.
  mutating func entry(
    _ number: Int64, of pk: Int64, _ kind: OutboxEntry.Kind, _ state: OutboxEntry.State, time: Double = 900,
    edited: Int64? = nil, next: Double? = nil, request: String? = "{}", _ change: (inout OutboxEntry) -> Void = { _ in }
  ) {
    var entry = OutboxEntry(key: .row(pk), kind: kind, state: state, time: time)
    entry.number = number
    entry.edited = edited ?? pk
    entry.next = next
    entry.request = request
    entry.attempts = 1
    change(&entry)
    situation.entries[number] = entry
  }

  // MARK: The plan

  var plan: PlannedOutbox { OutboxPlanner.plan(situation) }
  /// A line for each line of the plan: `update 2 entry 5 frozen without 1: after 1`.
  var lines: [String] { plan.lines.map(\.text) }
}

extension RowKey {
  static func row(_ pk: Int64) -> RowKey { RowKey(entity: 0, pk: pk) }
}

extension PendingFacts.Link {
  static func required(_ pk: Int64, by property: Int = 1) -> Self {
    Self(property: property, target: .row(pk), isRequired: true)
  }
  static func optional(_ pk: Int64, by property: Int = 2) -> Self {
    Self(property: property, target: .row(pk), isRequired: false)
  }
}

extension PlannedLine {
  var text: String {
    var text = "\(action) \(key.pk)"
    if let entry { text += " entry \(entry)" }
    if isFrozen { text += " frozen" }
    if !leftOut.isEmpty { text += " without " + leftOut.indices.map(String.init).joined(separator: ",") }
    return text + ": " + state.text
  }
}

extension PlannedLine.State {
  var text: String {
    switch self {
    case .later(let time): "at \(time < .infinity ? String(Int(time)) : "∞")"
    case .after(let keys): "after " + keys.map { "\($0.pk)" }.joined(separator: ",")
    case .blocked(let entries): "blocked by " + entries.map(String.init).joined(separator: ",")
    case .cycle(let keys): "cycle of " + keys.map { "\($0.pk)" }.joined(separator: ",")
    default: "\(self)"
    }
  }
}
