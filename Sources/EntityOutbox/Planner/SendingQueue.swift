/// The requests of a plan that have not begun, in their order.
///
/// A plan of many changes takes longer than a request. So the engine goes on with the plan that it has while nothing but
/// its own requests has changed anything, and plans anew now and then.
struct SendingQueue {
  private var plan = PlannedOutbox()
  private var next = 0
  /// The number of requests that begin by one plan. A plan of few changes is made anew for each request.
  private var allowance = 0

  init() {}

  init(_ plan: PlannedOutbox) {
    self.plan = plan
    let ready = plan.requests.firstIndex { $0.contains { plan.lines[$0].state != .ready } } ?? plan.requests.count
    allowance = max(ready, Self.allowance(plan.lines.count))
  }

  /// The number of requests that begin by a plan of many changes, whether or not there was room for them.
  static func allowance(_ count: Int) -> Int { count / 64 }

  /// Whether a request is left.
  var isUsable: Bool { next < min(allowance, plan.requests.count) }

  /// Whether the plan is one of many changes, and has a request left that may begin without a new plan.
  var isLasting: Bool { isUsable && Self.allowance(plan.lines.count) > 0 }

  /// The time at which the plan changes by itself.
  var changes: Double? { plan.next }

  /// The changes of the next request.
  mutating func popFirst() -> [PlannedLine]? {
    guard isUsable else { return nil }
    defer { next += 1 }
    return plan.requests[next].map { plan.lines[$0] }
  }
}
