import EntityRequests
import EntityStore

/// Sends the changes of one store. The plan decides; the engine claims what is ready, sends it, and notes the ends.
///
/// The engine looks at the plan again after each commit with pending changes, after each request, and when the plan
/// changes by time.
actor OutboxEngine: PlanExplaining {
  let core: StoreCore
  let client: Client
  let handlers: [Int: any ChangeHandler]
  let time: OutboxTime
  let log: OutboxLog
  let bell = Bell()
  private let watch: PendingWatch
  private let status: OutboxStatus
  private let folder: AttachmentFolder
  /// The copies of attached files that the entries of the situation have.
  private var copies: Set<String> = []

  private(set) var situation = OutboxSituation()
  private var keeper = PlanKeeper()
  /// The objects whose facts were read since the last plan; `nil` for all.
  private var changed: Set<RowKey>?
  /// The generation up to which the situation has the commits of the file; `nil` before the first read.
  private(set) var covered: Int64?
  /// Objects whose facts were others in the file than in the situation.
  var doubted: Set<RowKey> = []
  /// Objects whose changes could not be claimed, with the generation at which that was tried.
  var unready: [RowKey: Int64] = [:]
  /// The reasons of those whose rule could not make a request yet.
  var reasons: [RowKey: String] = [:]
  var role: SenderRole?
  /// When another sender may have had requests under way at last, in seconds since 1970.
  var alone: Double
  var pause = OutboxPausing()
  /// Whether the outbox sends by itself.
  private var isStarted = false
  /// The calls that wait for the end of a pass.
  private var passes: [Waiter<OutboxPass>] = []
  var pass = OutboxPass()
  /// How many calls of ``stopped()`` wait for requests under way, whose ends still count in the pass.
  private var stops = 0
  /// The requests of the last plan that have not begun.
  var queue = SendingQueue()
  /// The objects whose requests began by that plan.
  var touched: Set<RowKey> = []
  /// The number of requests under way.
  var requests = 0
  var senders: [RowKey: Task<Void, Never>] = [:]
  var underWay: [RowKey: Claim] = [:]
  var objects = ObjectsUnderWay()
  /// The objects whose requests under way are of uploads.
  var uploading: Set<RowKey> = []
  /// How often in a row the server had another version of an object, or a reading was to bring the version.
  var rounds: [RowKey: Int] = [:]
  /// The number of failed readings of an object in a row.
  var readFailures: [RowKey: Int] = [:]
  /// The numbers of requests that have begun, and that have ended.
  var begun = 0
  var ends = 0
  /// How many requests the server took, and how many it had taken when the requests of an object began to fail.
  var successes = 0
  var failing: [RowKey: Int] = [:]
  var random = SystemRandomNumberGenerator()

  /// The parts that the engine has from its outbox.
  struct Parts {
    let time: OutboxTime
    let log: OutboxLog
    let status: OutboxStatus
    let folder: AttachmentFolder
    /// The most requests that are under way at once; `nil` for the usual number.
    let width: Int?
  }

  init(_ client: Client, _ core: StoreCore, _ handlers: [Int: any ChangeHandler], _ parts: Parts) {
    (self.client, self.core, self.handlers) = (client, core, handlers)
    (time, log, status, folder) = (parts.time, parts.log, parts.status, parts.folder)
    watch = PendingWatch(core)
    alone = time.now()
    var batches: [AnyHashable: Int] = [:]
    situation.rules = handlers.mapValues { handler in
      var rules = handler.planning
      if let batch = handler.batch {
        let number = batches[AnyHashable(batch), default: batches.count]
        batches[AnyHashable(batch)] = number
        rules.batch = PlanningRules.Batch(number: number, limit: max(1, batch.limit))
      }
      return rules
    }
    if let width = parts.width { situation.width = width }
  }

  // MARK: Turning it on and off

  func start() {
    isStarted = true
    pause.end()
    bell.ring()
  }

  /// Sends nothing more, and waits for the requests under way, whose ends count in the passes that this ends.
  func stopped() async {
    isStarted = false
    let stopped = passes
    passes = []
    stops += 1
    defer { stops -= 1 }
    while let sender = senders.values.first { await sender.value }
    role = nil
    guard !stopped.isEmpty else { return }
    // Where the store can't be read, what was read before counts.
    try? await refresh()
    end(stopped, planned())
  }

  /// Sends all that can be sent now.
  func send() async throws -> OutboxPass {
    // What the outbox has sent by itself belongs to no pass.
    if passes.isEmpty, stops == 0 { pass = OutboxPass() }
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

  var isSending: Bool { isStarted || !passes.isEmpty }

  // MARK: The loop

  /// Runs until the task is cancelled or the store is closed.
  func run() async {
    let following = Task { [watch, bell] in
      while await watch.wait() { bell.ring() }
    }
    defer { following.cancel() }
    // Those that a process left when it was killed between a copy and its entry, or between an end and its copy.
    await folder.remove(folder.all(), from: core)
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
  /// - Returns: The time at which the plan changes by itself.
  private func step() async -> Double? {
    if await isIdle() { return nil }
    if await goesOn() {
      beginQueued()
      // The end of one of them rings the bell.
      if requests > 0 { return queue.changes }
    }
    var plan = PlannedOutbox()
    var next: Double?
    // A pass that is asked for meanwhile is about changes that this step may not see.
    let asked = passes.map(\.id)
    do {
      try await refresh()
      pause.storeWorks()
      plan = planned()
      if !plan.over.isEmpty {
        try await remove(plan.over)
        plan = planned()
      }
      if isSending {
        (queue, touched) = (SendingQueue(plan), Set(senders.keys))
        beginQueued()
      }
      // The beginning may have met another sender, or a store that can't be written.
      next = pause.until.flatMap { $0 > situation.now ? $0 : nil } ?? plan.next
    } catch {
      pause.storeFailed(error, now: time.now(), isRead: true)
      // Screens go on to show what was read before.
      plan = planned()
      next = pause.until
    }
    listen()
    status.show(plan, situation, pause.shown(time.now()))
    endPasses(asked, plan)
    return next
  }

  /// Whether nothing is pending, and the commits since the last look have changed nothing about that. The rows of another
  /// process's commits are not known: then the file says whether any has something pending.
  private func isIdle() async -> Bool {
    guard hasNothing, let covered, let news = try? await watch.news(after: covered) else { return false }
    if news.changesNotes {
      guard news.rows == nil, (try? await core.read { try $0.pendingEdits.hasNothingPending() }) == true else {
        return false
      }
    }
    guard hasNothing else { return false }
    self.covered = max(self.covered ?? 0, news.generation)
    return true
  }

  private var hasNothing: Bool {
    guard situation.pending.isEmpty, situation.entries.isEmpty, doubted.isEmpty else { return false }
    // Somebody who asked for a plan may have had the last change read. Screens still hear of its end, and of that of a pause.
    let shown = status.latest
    return passes.isEmpty && senders.isEmpty && pause.until == nil && shown.count == 0 && shown.pause == nil
  }

  /// Whether the last plan holds on: nothing has changed but the objects whose requests began by it.
  private func goesOn() async -> Bool {
    guard queue.isLasting, let covered, let news = try? await watch.news(after: covered) else { return false }
    guard isSending, pause.until == nil, doubted.isEmpty else { return false }
    return !news.changesNotes || news.rows?.isSubset(of: touched) == true
  }

  /// While the server can't be reached, an answer to a request of the app ends the pause.
  private func listen() {
    guard case .offline = pause.shown(time.now()) else { return core.requests.answered.wait(nil) }
    core.requests.answered.wait { [weak self] in
      guard let self else { return }
      Task { await self.hear() }
    }
  }

  private func hear() {
    guard case .offline = pause.shown(time.now()) else { return }
    pause.end()
    bell.ring()
  }

  /// The plan of this moment.
  func planned() -> PlannedOutbox {
    situation.now = time.now()
    situation.alone = alone
    situation.pausedUntil = pause.until.flatMap { $0 > situation.now ? $0 : nil }
    situation.claiming = Set(senders.keys)
    situation.uploading = uploading.count
    situation.shared = senders.count - requests
    situation.underWay = Set(underWay.values.lazy.map(\.entry.number))
    situation.asking = Set(
      underWay.values.lazy.filter { $0.action == .lookUp || $0.action == .read }.map(\.entry.number))
    situation.unready = Set(unready.lazy.filter { $0.value == self.covered }.map(\.key))
    situation.reasons = reasons.filter { situation.unready.contains($0.key) }
    defer { changed = [] }
    return keeper.plan(situation, changed: changed)
  }

  /// The facts and the entries of the file.
  func refreshed() async throws -> (OutboxSituation, PlannedOutbox) {
    try await refresh()
    // The plan notes in the situation what it was made of.
    let plan = planned()
    return (situation, plan)
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
      guard news.changesNotes || !doubted.isEmpty else { return self.covered = news.generation }
      (rows, reached) = (news.changesNotes ? news.rows?.union(doubted) : doubted, news.generation)
      // The edits of an embedded object are those of its parent.
      if rows?.contains(where: { core.schema.entities[$0.entity].uid == nil }) == true { rows = nil }
      // With its command an effect ends, and the mark that it leaves is an edit.
      rows?.formUnion(situation.entries.values.lazy.filter { $0.kind == .command }.map(\.key))
    }
    let doubted = doubted
    let read = try await core.read { [rows, known = situation.entries] context in
      let entries = Dictionary(try context.pendingEdits.outboxEntries().map { ($0.number, $0) }) { $1 }
      // The read may see later commits than the news. An entry of theirs belongs to the facts of its own moment.
      let rows = rows.map { $0.union(Self.changed(known, entries)) }
      let facts = try context.pendingEdits.outboxFacts(of: rows)
      return (facts: facts, rows: rows, entries: entries, generation: context.generation)
    }
    if let rows = read.rows {
      for row in rows { situation.pending[row] = nil }
      situation.pending.merge(read.facts) { $1 }
      changed?.formUnion(rows)
      changed?.formUnion(read.facts.keys)
    } else {
      changed = nil
      situation.pending = read.facts
    }
    self.doubted.subtract(doubted)
    situation.entries = read.entries
    // The read may see later commits, whose rows the news does not have.
    covered = rows == nil ? read.generation : reached
    await removeCopies()
  }

  /// The objects with other entries than before.
  private static func changed(_ known: [Int64: OutboxEntry], _ present: [Int64: OutboxEntry]) -> Set<RowKey> {
    var keys = Set(present.values.lazy.filter { known[$0.number] != $0 }.map(\.key))
    keys.formUnion(known.values.lazy.filter { present[$0.number] == nil }.map(\.key))
    return keys
  }

  /// Removes the copies of files whose entries are gone, however they went.
  private func removeCopies() async {
    let present = Set(situation.entries.values.lazy.filter(situation.isUpload).compactMap { AttachedFile($0)?.copy })
    let over = copies.subtracting(present)
    copies = present
    if !over.isEmpty { await folder.remove(over, from: core) }
  }

  private func remove(_ numbers: Set<Int64>) async throws {
    try await core.unit { try $0.outbox.remove(numbers: numbers) }
    for number in numbers { situation.entries[number] = nil }
  }

  // MARK: Passes

  func noteRefusal() { pass.refused += 1 }

  /// - Parameter asked: The passes that were asked for before the plan's facts were read.
  private func endPasses(_ asked: [ObjectIdentifier], _ plan: PlannedOutbox) {
    // A stop may have taken them meanwhile.
    let ended = passes.filter { asked.contains($0.id) }
    guard !ended.isEmpty, senders.isEmpty else { return }
    passes.removeAll { asked.contains($0.id) }
    end(ended, plan)
  }

  private func end(_ ended: [Waiter<OutboxPass>], _ plan: PlannedOutbox) {
    pass.left = plan.lines.count
    pass.pause = pause.shown(time.now())
    for waiter in ended { waiter.end(.success(pass)) }
    pass = OutboxPass()
  }
}
