import EntityStore
import Observation
import Synchronization

/// The state of an outbox at one moment, for screens.
struct OutboxSnapshot: Sendable, Equatable {
  /// The number of changes and entries.
  var count = 0
  /// The number of requests under way.
  var sending = 0
  /// The entries that a person settles, by number.
  var items: [OutboxItem] = []
  /// The files that are uploaded, or wait for that, by number.
  var uploads: [OutboxUpload] = []
  /// The objects with changes or entries.
  private var objects: Set<RowKey> = []
  /// The states of those that do more than wait.
  private var states: [RowKey: OutboxSendState] = [:]
  var pause: OutboxPause?

  init() {}

  init(_ plan: PlannedOutbox, _ situation: OutboxSituation, _ pause: OutboxPause?, _ schema: SchemaModel) {
    self.pause = pause
    count = plan.lines.count
    objects = plan.objects
    // Mostly all others wait, and each plan makes a snapshot: so the time of one hardly depends on their number.
    let places = plan.lines.indices.filter { plan.lines[$0].entry != nil || plan.lines[$0].state.isMoreThanWaiting }
    var held: [Int64: OutboxItem] = [:]
    for place in places {
      let line = plan.lines[place]
      guard let entry = line.entry.flatMap({ situation.entries[$0] }) else { continue }
      if situation.isUpload(entry), var upload = OutboxUpload(entry, schema) {
        upload.isSending = line.state == .sending
        uploads.append(upload)
      }
      if let state = Self.held(line, entry, situation.pending[line.key]) {
        held[entry.number] = OutboxItem(entry, state, schema, edited: line.properties)
      }
    }
    uploads.sort { $0.id < $1.id }
    items = held.values.sorted { $0.id < $1.id }
    for place in places {
      let line = plan.lines[place]
      let state: OutboxSendState
      switch line.state {
      case .sending:
        state = .sending
        sending += 1
      case .blocked(let entries) where line.entry.flatMap({ held[$0] }) == nil:
        state = .blocked(by: entries.compactMap { held[$0] })
      default:
        guard let item = line.entry.flatMap({ held[$0] }) else { continue }
        state = item.state.state(item)
      }
      // A held entry of an object says more than its later changes.
      if states[line.key] == nil { states[line.key] = state }
    }
  }

  /// The state of an object's changes; `nil` for an object without any.
  subscript(key: RowKey) -> OutboxSendState? { states[key] ?? (objects.contains(key) ? .waiting : nil) }

  /// The state in which a person settles the entry of a line; `nil` for one that needs no person. A poisonous change is
  /// shown as refused until its next try, though the outbox makes that by itself. An edit since then is the person's answer.
  private static func held(_ line: PlannedLine, _ entry: OutboxEntry, _ facts: PendingFacts?) -> OutboxItem.State? {
    if let state = line.state.held { return state }
    // The bytes of a claim stay, so that no edit is an answer.
    if entry.isRefusedClaim { return .refused }
    guard entry.state == .refused, let next = entry.next, next - entry.time > OutboxEntry.longWait,
      entry.kind == .command || facts.map({ $0.number <= entry.edited }) == true
    else { return nil }
    return .refused
  }
}

extension PlannedLine.State {
  /// Whether a screen shows more than that a change without an entry waits.
  fileprivate var isMoreThanWaiting: Bool {
    switch self {
    case .sending, .blocked: true
    default: false
    }
  }

  /// The state in which an entry waits for a person; `nil` for other states.
  var held: OutboxItem.State? {
    switch self {
    case .refused: .refused
    case .unknown: .unknown
    case .conflict: .conflict
    case .gone: .gone
    default: nil
    }
  }
}

extension OutboxItem.State {
  fileprivate func state(_ item: OutboxItem) -> OutboxSendState {
    switch self {
    case .refused: .refused(item)
    case .unknown: .unknown(item)
    case .conflict: .conflict(item)
    case .gone: .gone(item)
    }
  }
}

/// Tells the plan of an outbox.
protocol PlanExplaining: AnyObject, Sendable {
  /// The plan of this moment for a person.
  ///
  /// - Parameter key: An object: then the plan has its lines, and those that they wait for. `nil` for all lines.
  func shownPlan(of key: RowKey?) async throws -> OutboxPlan
}

/// Hands the snapshots of an outbox to the main actor. Snapshots that come before its next turn count together.
final class OutboxStatus: Sendable {
  private struct State {
    var latest = OutboxSnapshot()
    /// The numbers of bytes that the requests under way have sent, by their entries.
    var sent: [Int64: Int64] = [:]
    var isScheduled = false

    mutating func showSent() {
      for index in latest.uploads.indices where latest.uploads[index].isSending {
        guard let bytes = sent[latest.uploads[index].id] else { continue }
        latest.uploads[index].bytesSent = max(latest.uploads[index].bytesSent, bytes)
      }
    }
  }

  private let schema: SchemaModel
  private let state = Mutex(State())
  let board: OutboxBoard

  init(_ schema: SchemaModel, _ board: OutboxBoard) { (self.schema, self.board) = (schema, board) }

  var latest: OutboxSnapshot { state.withLock(\.latest) }

  func show(_ plan: PlannedOutbox, _ situation: OutboxSituation, _ pause: OutboxPause?) {
    let snapshot = OutboxSnapshot(plan, situation, pause, schema)
    change { state in
      state.latest = snapshot
      state.sent = state.sent.filter { sent in snapshot.uploads.contains { $0.id == sent.key && $0.isSending } }
      state.showSent()
    }
  }

  /// The request of an upload has sent some bytes of its file.
  func note(_ bytes: Int64, of entry: Int64) {
    change { state in
      state.sent[entry] = bytes
      state.showSent()
    }
  }

  private func change(_ change: (inout State) -> Void) {
    let schedules = state.withLock { state in
      let known = state.latest
      change(&state)
      // Each commit of the app may bring a plan, and views that hear of one are made anew.
      guard state.latest != known else { return false }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard schedules else { return }
    Task { @MainActor in
      let latest = state.withLock { state in
        state.isScheduled = false
        return state.latest
      }
      board.show(latest)
    }
  }

  // MARK: The outbox of a store

  /// All are weak: a later store may have the address of one that is gone, whose status is shown a last time.
  private struct Entry {
    weak var core: StoreCore?
    weak var status: OutboxStatus?
    weak var planner: (any PlanExplaining)?

    var isPresent: Bool { core != nil && status != nil }
  }

  private static let known = Mutex<[ObjectIdentifier: Entry]>([:])

  /// - Returns: `false` where the store has an outbox already.
  func register(_ planner: some PlanExplaining, for core: StoreCore) -> Bool {
    Self.known.withLock { known in
      let id = ObjectIdentifier(core)
      guard known[id]?.isPresent != true else { return false }
      known = known.filter(\.value.isPresent)
      known[id] = Entry(core: core, status: self, planner: planner)
      return true
    }
  }

  /// The status of the outbox of a store; `nil` where there is none.
  static func of(_ core: StoreCore) -> OutboxStatus? { entry(of: core)?.status }

  /// The part of a store's outbox that tells its plan; `nil` where there is none.
  static func planner(of core: StoreCore) -> (any PlanExplaining)? { entry(of: core)?.planner }

  private static func entry(of core: StoreCore) -> Entry? {
    known.withLock { known in known[ObjectIdentifier(core)].flatMap { $0.core === core ? $0 : nil } }
  }
}

/// The observable state of an outbox on the main actor.
@MainActor final class OutboxBoard: Observable {
  private let registrar = ObservationRegistrar()
  private var shown = OutboxSnapshot()

  nonisolated init() {}

  var snapshot: OutboxSnapshot {
    registrar.access(self, keyPath: \.snapshot)
    return shown
  }

  func show(_ snapshot: OutboxSnapshot) {
    registrar.withMutation(of: self, keyPath: \.snapshot) { shown = snapshot }
  }
}
