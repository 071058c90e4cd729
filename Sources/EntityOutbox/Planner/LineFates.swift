import EntityStore

/// The fate of each line: the lines that it waits for, or the entries that hold it.
///
/// A line is settled after all lines that it waits for. Where lines wait for one another, the earliest edit that can be
/// sent without its optional links is settled first, and leaves these links out.
struct LineFates {
  enum Fate {
    /// The line is sent after these ones.
    case free(after: [Int], strangers: [RowKey])
    /// A person settles the line.
    case held
    /// The line waits for these entries, which a person settles.
    case blocked([Int64])
    /// The line waits for objects of which none can be created first.
    case cycle([RowKey])
  }

  private(set) var fates: [Fate?]
  /// The links that each line leaves out.
  private(set) var leftOut: [ColumnMask]

  private let plan: PlanLines
  private let graph: PlanGraph
  /// The number of the component that each line is in; 0 for a line that waits for none that waits for it.
  private var component: [Int]
  /// The last line that is sent of each object, under the object's first line.
  private var lastFree: [Int?]

  init(_ plan: PlanLines) {
    self.plan = plan
    let count = plan.lines.count
    graph = PlanGraph(count, plan.edges)
    fates = Array(repeating: nil, count: count)
    leftOut = Array(repeating: ColumnMask(), count: count)
    component = Array(repeating: 0, count: count)
    lastFree = Array(repeating: nil, count: count)
    for (line, settled) in plan.settled.enumerated() {
      guard let settled else { continue }
      let fate = Fate(of: settled.line.state)
      fates[line] = fate
      if case .free = fate { lastFree[plan.first[line]] = line }
    }
    settleAll()
  }

  private mutating func settleAll() {
    let (plan, graph) = (plan, graph)
    var search = ComponentSearch(plan.lines.count)
    // Both are made for the first cycle alone.
    var outgoing: PlanGraph.Reversed?
    var hardSearch: ComponentSearch?
    var components = 0
    for line in plan.lines.indices where plan.settled[line] == nil {
      search.search(from: line, in: graph, where: { plan.settled[$0.before] == nil }) { found in
        guard found.count > 1 else { return settle(found[0]) }
        components += 1
        if outgoing == nil { outgoing = graph.reversed() }
        if hardSearch == nil { hardSearch = ComponentSearch(plan.lines.count) }
        if let outgoing { settle(found, components, outgoing) }
        for line in found where fates[line] == nil {
          hardSearch?.search(from: line, in: graph, where: { $0.kind.isHard && fates[$0.before] == nil }) { circle in
            guard circle.count > 1 else { return settle(circle[0]) }
            let keys = circle.sorted().map { plan.lines[$0].key }
            for line in circle { fates[line] = .cycle(keys) }
          }
        }
      }
    }
  }

  /// Settles the lines of a component that can be: in their order, and of those that wait for one another the earliest
  /// edit first whose links to the others are all optional.
  private mutating func settle(
    _ members: [Int], _ number: Int, _ outgoing: PlanGraph.Reversed
  ) {
    for line in members { component[line] = number }
    var hard: [Int: Int] = [:]
    var all: [Int: Int] = [:]
    for line in members {
      for edge in graph.before(line) where component[edge.before] == number {
        all[line, default: 0] += 1
        if edge.kind.isHard { hard[line, default: 0] += 1 }
      }
    }
    var ready = LineHeap()
    var possible = LineHeap()
    for line in members where hard[line] == nil { possible.insert(line) }
    while let line = ready.popFirst() ?? possible.popFirst() {
      guard fates[line] == nil else { continue }
      settle(line)
      for edge in outgoing.after(line) where component[edge.after] == number && fates[edge.after] == nil {
        all[edge.after, default: 0] -= 1
        if edge.kind.isHard {
          hard[edge.after, default: 0] -= 1
          if hard[edge.after] == 0 { possible.insert(edge.after) }
        }
        if all[edge.after] == 0 { ready.insert(edge.after) }
      }
    }
  }

  // MARK: One line

  /// Settles a line. Lines before it without a fate are part of a cycle, and the line goes ahead of them.
  private mutating func settle(_ line: Int) {
    let draft = plan.lines[line]
    guard draft.hold == nil else { return fates[line] = .held }
    guard !draft.isSending else {
      lastFree[plan.first[line]] = line
      return fates[line] = .free(after: [], strangers: [])
    }
    var waits = Waits()
    for edge in graph.before(line) { note(edge, &waits) }
    for link in plan.strangers[line] ?? [] {
      if link.isRequired { waits.strangers.append(link.target) } else { waits.optionalStrangers.append(link) }
    }
    if draft.action == .create { for link in plan.loops[line] ?? [] { noteLoop(link, draft.key, &waits) } }
    var omitted = waits.omitted
    for link in waits.optionalStrangers { omitted.insert(link.property) }
    // An update that has nothing left is no update: it waits for what it would leave out.
    if draft.action == .update, !omitted.isEmpty, draft.properties.subtracting(omitted).isEmpty {
      waits.blockers.formUnion(waits.omittedBlockers)
      waits.circle = waits.circle ?? waits.omittedCircle
      waits.strangers += waits.optionalStrangers.map(\.target)
      omitted = ColumnMask()
    }
    if !waits.blockers.isEmpty {
      fates[line] = .blocked(waits.blockers.entries)
    } else if let circle = waits.circle {
      fates[line] = .cycle(circle)
    } else {
      leftOut[line] = omitted
      if !draft.isRetryOfRefused { lastFree[plan.first[line]] = line }
      for (property, other) in waits.optional where !omitted.contains(property) { waits.after.append(other) }
      fates[line] = .free(after: waits.after, strangers: waits.strangers)
    }
  }

  /// The edges to a line, taken together.
  private struct Waits {
    var after: [Int] = []
    var strangers: [RowKey] = []
    var blockers = Blockers()
    var circle: [RowKey]?
    /// The lines that create the targets of optional links, by property.
    var optional: [(property: Int, line: Int)] = []
    var optionalStrangers: [PendingFacts.Link] = []
    var omitted = ColumnMask()
    var omittedBlockers = Blockers()
    var omittedCircle: [RowKey]?
  }

  /// A link of a new object to itself: its create can't name a uid that the server is yet to give.
  private func noteLoop(_ link: PendingFacts.Link, _ key: RowKey, _ waits: inout Waits) {
    if link.isRequired { waits.circle = waits.circle ?? [key] } else { waits.omitted.insert(link.property) }
  }

  private func note(_ edge: PlanGraph.Edge, _ waits: inout Waits) {
    let fate = fate(of: edge.before)
    switch edge.kind {
    case .sameObject, .requiredLink, .last:
      switch fate {
      case .free: waits.after.append(edge.before)
      case .held: waits.blockers.insert(plan.lines[edge.before].entry)
      case .blocked(let entries): for entry in entries { waits.blockers.insert(entry) }
      case .cycle(let keys): waits.circle = waits.circle ?? keys
      case nil: break
      }
    case .optionalLink:
      if case .free = fate { return waits.optional.append((edge.property, edge.before)) }
      waits.omitted.insert(edge.property)
      switch fate {
      case .held: waits.omittedBlockers.insert(plan.lines[edge.before].entry)
      case .blocked(let entries): for entry in entries { waits.omittedBlockers.insert(entry) }
      case .cycle(let keys): waits.omittedCircle = waits.omittedCircle ?? keys
      case .free: break
      case nil: waits.omittedCircle = waits.omittedCircle ?? [plan.lines[edge.before].key, plan.lines[edge.after].key]
      }
    case .deletion:
      // A refused change holds up nothing but what names an object that the change would make, so a deletion goes ahead
      // of changes that wait for a person. A server that minds refuses the deletion, and a person sees that. Held
      // back, the deletion would wait for somebody to settle an edit that the deletion makes pointless.
      if fate != nil, let last = lastFree[plan.first[edge.before]] { waits.after.append(last) }
    }
  }

  /// The fate of a line as others see it: they don't count on a request that was refused, and is tried once more.
  private func fate(of line: Int) -> Fate? {
    guard plan.lines[line].isRetryOfRefused, fates[line] != nil else { return fates[line] }
    return .held
  }
}

extension LineFates.Fate {
  /// The fate of a settled line, as those that wait for the line see it.
  fileprivate init(of state: PlannedLine.State) {
    switch state {
    case .blocked(let entries): self = .blocked(entries)
    case .cycle(let keys): self = .cycle(keys)
    case .refused, .unknown, .conflict, .gone: self = .held
    case .ready, .queued, .sending, .later, .after: self = .free(after: [], strangers: [])
    }
  }
}

/// Entries that a line waits for: the lowest numbers. Their count has a limit, because each line behind them has them too.
struct Blockers {
  static let most = 16

  private(set) var entries: [Int64] = []

  var isEmpty: Bool { entries.isEmpty }

  mutating func insert(_ entry: Int64?) {
    guard let entry, !entries.contains(entry) else { return }
    let place = entries.firstIndex { $0 > entry } ?? entries.endIndex
    guard place < Self.most else { return }
    entries.insert(entry, at: place)
    if entries.count > Self.most { entries.removeLast() }
  }

  mutating func formUnion(_ other: Blockers) { for entry in other.entries { insert(entry) } }
}
