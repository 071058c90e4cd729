import EntityRequests
import EntityStore

/// Sends the changes of one store. The plan decides; the engine claims what is ready, sends it, and notes the ends.
///
/// The engine looks at the plan again after each commit with pending changes, after each request, and when the plan
/// changes by time.
actor OutboxEngine {
  let core: StoreCore
  let client: Client
  let handlers: [Int: any ChangeHandler]
  let time: OutboxTime
  let log: OutboxLog
  let bell = Bell()
  private let watch: PendingWatch
  private let status: OutboxStatus

  private var situation = OutboxSituation()
  /// The generation up to which the situation has the commits of the file; `nil` before the first read.
  private var covered: Int64?
  /// Objects whose changes could not be claimed, with the generation at which that was tried.
  private var unready: [RowKey: Int64] = [:]
  private var role: SenderRole?
  var pause = OutboxPausing()
  /// Whether the outbox sends by itself.
  private var isStarted = false
  /// Those who wait for the end of a pass.
  private var passes: [Waiter<OutboxPass>] = []
  private var pass = OutboxPass()
  private var senders: [RowKey: Task<Void, Never>] = [:]
  private var underWay: [RowKey: Claim] = [:]
  /// How many requests have ended.
  private var ends = 0
  /// Whether the server took a request since the last failure of another one.
  private(set) var hasSucceeded = false
  var random = SystemRandomNumberGenerator()

  init(
    _ client: Client, _ core: StoreCore, _ handlers: [Int: any ChangeHandler], _ time: OutboxTime, _ log: OutboxLog,
    _ status: OutboxStatus, width: Int?
  ) {
    (self.client, self.core, self.handlers, self.time, self.log, self.status) = (
      client, core, handlers, time, log, status
    )
    watch = PendingWatch(core)
    situation.rules = handlers.mapValues(\.planning)
    if let width { situation.width = width }
  }

  // MARK: Turning it on and off

  func start() {
    isStarted = true
    pause.end()
    bell.ring()
  }

  /// Sends nothing more. Requests under way go on.
  func halt() { isStarted = false }

  /// Waits for the requests under way.
  func settled() async {
    while let sender = senders.values.first { await sender.value }
    role = nil
  }

  /// Sends all that can be sent now.
  func send() async throws -> OutboxPass {
    let waiter = Waiter<OutboxPass>()
    passes.append(waiter)
    pause.end()
    bell.ring()
    do {
      return try await waiter.value { [self] in
        Task { await self.leave(waiter.id) }
        return true
      }
    } catch {
      for sender in senders.values { sender.cancel() }
      throw error
    }
  }

  private func leave(_ id: ObjectIdentifier) { passes.removeAll { $0.id == id } }

  private var isSending: Bool { isStarted || !passes.isEmpty }

  // MARK: The loop

  /// Runs until the task is cancelled or the store is closed.
  func run() async {
    let following = Task { [watch, bell] in
      while await watch.wait() { bell.ring() }
    }
    defer { following.cancel() }
    while !Task.isCancelled {
      let next = await step()
      let timer = next.map { next in
        Task { [time, bell] in
          guard next.isFinite else { return }
          try? await time.sleep(until: next)
          bell.ring()
        }
      }
      defer { timer?.cancel() }
      guard (try? await bell.wait()) != nil else { break }
    }
    for pass in passes { pass.end(.failure(CancellationError())) }
    passes = []
  }

  /// Brings the situation up to date, and sends what is ready.
  ///
  /// - Returns: When the plan changes by itself.
  private func step() async -> Double? {
    var plan = PlannedOutbox()
    var next: Double?
    // A pass that is asked for meanwhile is about changes that this step may not see.
    let asked = passes.map(\.id)
    do {
      try await refresh()
      plan = planned()
      if !plan.over.isEmpty {
        try await remove(plan.over)
        plan = planned()
      }
      pause.storeWorks()
      next = plan.next
      if isSending { begin(plan) }
    } catch {
      pause.storeFailed(error, now: time.now())
      next = pause.until
    }
    status.show(plan, situation, pause.shown(time.now()))
    endPasses(asked, plan)
    return next
  }

  /// The plan of this moment.
  func planned() -> PlannedOutbox {
    situation.now = time.now()
    situation.pausedUntil = pause.until.flatMap { $0 > situation.now ? $0 : nil }
    situation.claiming = Set(senders.keys)
    situation.underWay = Set(underWay.values.lazy.map(\.entry.number))
    situation.asking = Set(
      underWay.values.lazy.filter { $0.action == .lookUp || $0.action == .read }.map(\.entry.number))
    situation.unready = Set(unready.lazy.filter { $0.value == self.covered }.map(\.key))
    return OutboxPlanner.plan(situation)
  }

  /// The facts and the entries of the file.
  func refreshed() async throws -> (OutboxSituation, PlannedOutbox) {
    try await refresh()
    return (situation, planned())
  }

  /// Reads what has changed since the last time. A request that ends meanwhile makes what was read too old: its entry
  /// would look like one that has lost its sender.
  private func refresh() async throws {
    var seen: Int
    repeat {
      seen = ends
      try await readChanges()
    } while seen != ends
  }

  private func readChanges() async throws {
    var rows: Set<RowKey>?
    var reached: Int64?
    if let covered {
      let news = try await watch.news(after: covered)
      guard news.changesNotes else { return self.covered = news.generation }
      (rows, reached) = (news.rows, news.generation)
      // The edits of an embedded object are those of its parent.
      if rows?.contains(where: { core.schema.entities[$0.entity].uid == nil }) == true { rows = nil }
    }
    let read = try await core.read { [rows] context in
      (
        facts: try context.pendingEdits.outboxFacts(of: rows), entries: try context.outboxEntries(),
        generation: context.generation
      )
    }
    if let rows {
      for row in rows { situation.pending[row] = nil }
      situation.pending.merge(read.facts) { $1 }
    } else {
      situation.pending = read.facts
    }
    situation.entries = Dictionary(read.entries.map { ($0.number, $0) }) { $1 }
    // The read may see later commits, whose rows the news does not have.
    covered = rows == nil ? read.generation : reached
  }

  private func remove(_ numbers: Set<Int64>) async throws {
    try await core.unit { try $0.outbox.remove(numbers: numbers) }
    for number in numbers { situation.entries[number] = nil }
  }

  // MARK: Sending

  private func begin(_ plan: PlannedOutbox) {
    let ready = plan.lines.filter { $0.state == .ready && unready[$0.key] != covered }
    guard !ready.isEmpty, hasRole() else { return }
    for line in ready where senders[line.key] == nil {
      let facts = situation.pending[line.key]
      senders[line.key] = Task { await self.send(line, facts) }
    }
  }

  /// Whether this outbox is the one sender of the file's changes.
  private func hasRole() -> Bool {
    if role != nil { return true }
    do {
      role = try core.takeSenderRole()
      if role == nil { pause.begin(.otherSender, until: time.now() + 5) }
    } catch {
      pause.storeFailed(error, now: time.now())
    }
    return role != nil
  }

  private func send(_ line: PlannedLine, _ facts: PendingFacts?) async {
    await sendInTurn(line, facts)
    senders[line.key] = nil
    underWay[line.key] = nil
    ends += 1
    bell.ring()
  }

  private func sendInTurn(_ line: PlannedLine, _ facts: PendingFacts?) async {
    // A verb of the object may have a request under way.
    guard let turn = try? await core.turns.turn(of: line.key) else { return }
    defer { turn.end() }
    let claim: Claim
    do {
      guard let claimed = try await claimed(line, facts) else { return }
      claim = claimed
    } catch {
      return pause.storeFailed(error, now: time.now())
    }
    underWay[line.key] = claim
    log.add(.claimed, claim)
    do {
      let ending = try await claim.send()
      claim.end()
      await taken(ending, claim)
    } catch {
      claim.end()
      await failed(claim, error)
    }
  }

  private func taken(_ ending: Claim.Ending, _ claim: Claim) async {
    pause.end()
    switch ending {
    case .taken(let status):
      pass.sent += 1
      hasSucceeded = true
      log.add(.done(status: status), claim)
    case .notFound:
      await note(claim) { $0.state = .waiting }
      log.add(.notFound, claim)
    case .several(let count):
      await note(claim) {
        $0.next = .infinity
        $0.problem = "The server has \(count) objects that may be this one. Confirm which of them it is, or drop it."
      }
      log.add(.unknown, claim)
    }
  }

  /// Writes an end of a claim to its entry. An entry that is gone meanwhile stays gone.
  func note(_ claim: Claim, _ change: @Sendable (inout OutboxEntry) -> Void) async {
    do {
      try await core.unit { [now = time.now()] rows in
        guard var entry = try rows.outbox.entry(number: claim.entry.number) else { return }
        change(&entry)
        entry.time = now
        try rows.outbox.update(entry)
      }
    } catch {
      // The claim stays: its end is unknown.
      pause.storeFailed(error, now: time.now())
    }
  }

  /// Takes a claim back: the server has nothing of the request.
  func release(_ claim: Claim) async {
    guard claim.entry.kind == .create || claim.entry.kind == .command, claim.action != .lookUp, claim.entry.attempts > 1
    else {
      guard claim.action != .lookUp, claim.action != .read else { return }
      do {
        try await core.unit { try $0.outbox.remove(numbers: [claim.entry.number]) }
      } catch {
        pause.storeFailed(error, now: time.now())
      }
      return
    }
    await note(claim) { $0.state = .waiting }
  }

  // MARK: Claims

  /// - Returns: `nil` where the change is another one by now, or can't be sent yet.
  private func claimed(_ line: PlannedLine, _ facts: PendingFacts?) async throws -> Claim? {
    guard let handler = handlers[line.key.entity] else { return nil }
    let entries = situation.entries.values.filter { $0.key == line.key }.sorted { $0.number < $1.number }
    let known = line.entry.flatMap { situation.entries[$0] }
    let account = client.accountHash
    let isDurable = line.action == .create || line.action == .command
    let result = try await core.unit(isDurable: isDurable, reading: { [now = time.now()] context, rows -> ClaimResult in
      guard try context.pendingEdits.outboxFacts(of: [line.key])[line.key] == facts,
        try rows.outbox.entries(of: line.key) == entries
      else { return .outdated }
      let owner = OutboxOwner(file: try rows.fileIdentity(), account: account)
      if let present = try rows.outboxOwner() {
        guard present == owner else { return .foreign(isCopy: present.file != owner.file) }
      } else {
        try rows.setOutboxOwner(owner)
      }
      do {
        let unit = ClaimingUnit(context: context, rows: rows, now: now)
        return try handler.claim(line, facts, in: unit).map { .claimed($0) } ?? .notReady
      } catch let error as StoreError {
        throw error
      } catch let error as NotReady {
        guard line.action == .lookUp, var entry = known else { return .notReady }
        // Nothing but a person tells more of the create.
        (entry.next, entry.problem) = (.infinity, error.problem)
        try rows.outbox.update(entry)
        return .outdated
      } catch {
        var entry = known ?? OutboxEntry(key: line.key, kind: line.action.kind, state: .refused, time: now)
        (entry.state, entry.problem, entry.time) = (.refused, RequestError.shown(error).bounded, now)
        entry.edited = facts?.number ?? entry.edited
        if entry.number == 0 { entry.number = try rows.outbox.insert(entry) } else { try rows.outbox.update(entry) }
        return .refused(entry)
      }
    })
    switch result {
    case .claimed(let claim): return claim
    case .outdated: break
    case .notReady: unready[line.key] = covered
    case .foreign(let isCopy): pause.begin(isCopy ? .copied : .otherAccount, until: .infinity)
    case .refused(let entry):
      pass.refused += 1
      log.add(.refused(status: nil), entry)
    }
    return nil
  }

  private enum ClaimResult: Sendable {
    case claimed(Claim)
    /// The change is another one by now.
    case outdated
    case notReady
    /// The file belongs to another account, or is a copy.
    case foreign(isCopy: Bool)
    case refused(OutboxEntry)
  }

  /// The present file and account send from now on, whoever sent before.
  func adopt() async throws {
    let account = client.accountHash
    try await core.unit { rows in
      try rows.setOutboxOwner(OutboxOwner(file: try rows.fileIdentity(), account: account))
    }
    pause.end()
    bell.ring()
  }

  // MARK: Passes

  func noteRefusal() { pass.refused += 1 }

  /// - Parameter asked: The passes that were asked for before the plan's facts were read.
  private func endPasses(_ asked: [ObjectIdentifier], _ plan: PlannedOutbox) {
    guard !asked.isEmpty, senders.isEmpty else { return }
    pass.left = plan.lines.count
    pass.pause = pause.shown(time.now())
    for waiter in passes where asked.contains(waiter.id) { waiter.end(.success(pass)) }
    passes.removeAll { asked.contains($0.id) }
    pass = OutboxPass()
  }
}

extension PlannedLine.Action {
  var kind: OutboxEntry.Kind {
    switch self {
    case .create, .lookUp: .create
    case .update, .read: .update
    case .deletion: .deletion
    case .command: .command
    }
  }
}
