/// The line before a gate, with its order and its deadline: the rules of ``Gate``, without its threads and clocks.
///
/// The gate lets in `capacity` at a time. Saves of the main context come before all others; within each of the two
/// groups the order is that of arrival.
///
/// Nobody waits longer than the timeout while nothing moves. While the line moves, nobody gives up, however long the
/// line is: each turn that begins or ends gives all waiting turns the whole timeout again.
struct GateLine {
  typealias Moment = SuspendingClock.Instant

  private let capacity: Int
  private let timeout: Duration
  private var inside = 0
  private var saves = WaitingLine<Int, Moment>()
  private var others = WaitingLine<Int, Moment>()
  /// When a turn last began its work, or ended it.
  private(set) var lastMove: Moment

  init(capacity: Int, timeout: Duration, now: Moment) {
    self.capacity = capacity
    self.timeout = timeout
    lastMove = now
  }

  var isEmpty: Bool { saves.count + others.count == 0 }
  var count: Int { saves.count + others.count }

  /// Whether a turn is let in at once; else it stands in line. Later arrivals have larger ids.
  mutating func enter(_ id: Int, isSave: Bool, now: Moment) -> Bool {
    guard inside == capacity else {
      inside += 1
      return true
    }
    if isSave { saves.append(id, now) } else { others.append(id, now) }
    return false
  }

  /// Ends a turn.
  ///
  /// - Parameter hasWorked: Whether the turn began its work. Where it did not, nothing has moved.
  /// - Returns: The turn that is let in for it.
  mutating func leave(hasWorked: Bool, now: Moment) -> Int? {
    if hasWorked { lastMove = now }
    if let next = saves.popFirst() ?? others.popFirst() { return next.id }
    inside -= 1
    return nil
  }

  mutating func turnBegan(now: Moment) { lastMove = now }

  /// Takes a turn out of the line; `false` when it does not stand there.
  mutating func remove(_ id: Int) -> Bool { saves.remove(id) != nil || others.remove(id) != nil }

  /// The deadline of a turn that came at `arrival`, if nothing moves until then.
  func deadline(of arrival: Moment) -> Moment { max(arrival, lastMove).advanced(by: timeout) }

  /// The next moment at which a turn may have waited too long.
  var nextDeadline: Moment? {
    [saves.first, others.first].compactMap { $0.map(deadline) }.min()
  }

  /// Takes out all turns that have waited too long. The first to come are the first to give up.
  mutating func removeOverdue(now: Moment) -> [Int] {
    var overdue: [Int] = []
    func isOverdue(_ arrival: Moment?) -> Bool { arrival.map { deadline(of: $0) <= now } ?? false }
    while isOverdue(saves.first), let next = saves.popFirst() { overdue.append(next.id) }
    while isOverdue(others.first), let next = others.popFirst() { overdue.append(next.id) }
    return overdue
  }
}
