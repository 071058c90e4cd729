import EntityStore

/// Decides what an outbox sends, in which order, and what each change waits for.
///
/// A plan is a function of the situation: it reads no clock, no file and no random number. It takes time in proportion to
/// the changes and their links, but for their sorting.
///
/// - Changes of one object follow one another.
/// - A change that names an object that was made here follows the object's create.
/// - A deletion follows the changes of objects that are or were linked to the deleted one.
///
/// Nothing else waits. Among the changes that can be sent, the object whose last edit is the oldest is first.
package enum OutboxPlanner {
  /// The wait after a lost request of the object, in seconds: the lost one may still reach the server.
  package static let lostPause = 30.0
  /// The longest time that anything waits for, in seconds: a day, as ``Backoff/longestRetryAfter``.
  package static let longestWait = Backoff.longestRetryAfter

  package static func plan(_ situation: OutboxSituation) -> PlannedOutbox {
    var keeper = PlanKeeper()
    return keeper.plan(situation, changed: nil)
  }
}

/// Gives lines their states, by time and by the number of requests that may be under way.
struct LineSchedule {
  private var plan = PlannedOutbox()
  /// The places of the lines that wait for nothing.
  private var sendable: [Int] = []
  /// Those of uploads, which take long.
  private var uploads: [Int] = []

  private let situation: OutboxSituation
  /// The time at which the outbox sends again; -infinity where it does not pause.
  private let resumes: Double
  /// The number of requests that may begin.
  private let room: Int

  /// - Parameter count: The number of lines.
  init(_ situation: OutboxSituation, count: Int) {
    self.situation = situation
    resumes = situation.pausedUntil ?? -.infinity
    // An object in both has one request.
    let claiming = situation.claiming.subtracting(situation.underWay.compactMap { situation.entries[$0]?.key })
    room = max(0, situation.width - situation.underWay.count - claiming.count + situation.shared)
    plan.lines.reserveCapacity(count)
  }

  mutating func add(_ settled: SettledLine) {
    var line = settled.line
    if case .queued = line.state { line.state = timed(settled) }
    plan.lines.append(line)
  }

  private mutating func timed(_ settled: SettledLine) -> PlannedLine.State {
    let moment = max(settled.earliest, resumes)
    if moment > situation.now {
      if moment < .infinity { plan.next = min(plan.next ?? .infinity, moment) }
      return .later(moment)
    }
    if !situation.unready.contains(settled.line.key) {
      if situation.isUpload(settled.line.entry) {
        uploads.append(plan.lines.count)
      } else {
        sendable.append(plan.lines.count)
      }
    }
    return .queued
  }

  /// The plan with its first requests: those for which there is room, and some that follow.
  consuming func finished() -> PlannedOutbox {
    let most = room + max(16, SendingQueue.allowance(plan.lines.count))
    // The places in `requests` of the batches that are not full, by their numbers.
    var open: [Int: Int] = [:]
    for place in sendable where plan.requests.count < most {
      guard let batch = batch(of: plan.lines[place]) else {
        plan.requests.append([place])
        continue
      }
      if let request = open[batch.number], plan.requests[request].count < batch.limit {
        plan.requests[request].append(place)
      } else {
        open[batch.number] = plan.requests.count
        plan.requests.append([place])
      }
    }
    // Other changes never wait for files alone.
    for place in uploads.prefix(max(0, max(1, situation.width / 2) - situation.uploading))
    where plan.requests.count < most {
      plan.requests.append([place])
    }
    for request in plan.requests.prefix(room) { for place in request { plan.lines[place].state = .ready } }
    return plan
  }

  /// The batches that a line goes with. A change that failed before goes alone: it may be the one that the server can't
  /// take, and would hold up the others of each batch.
  private func batch(of line: PlannedLine) -> PlanningRules.Batch? {
    guard line.action != .lookUp, line.action != .read,
      line.entry.flatMap({ situation.entries[$0] })?.attempts ?? 0 == 0
    else { return nil }
    return situation.rules[line.key.entity]?.batch
  }
}
