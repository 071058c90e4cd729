import Dispatch
import Synchronization

/// A gate that tasks and threads pass together: a fixed number at a time, in the order of ``GateLine``. A line that
/// does not move has a deadline.
final class Gate: Sendable {
  /// The resource behind the gate.
  enum Kind: Sendable {
    case writer
    case readers(Int)
  }

  private struct State {
    var line: GateLine
    var waiting: [Int: Ticket] = [:]
    var lastID = 0
    var isWatched = false
    /// Whether the turn that was let in last has begun its work.
    var hasBegun = false
  }

  private let kind: Kind
  private let timeout: Duration
  private let state: Mutex<State>
  private static let clock = SuspendingClock()
  /// The queue does not belong to the cooperative pool, and none of its work blocks it.
  private static let watch = DispatchQueue(label: "EntityStore.deadlines", qos: .userInitiated)

  init(_ kind: Kind, timeout: Duration) {
    self.kind = kind
    // Instants that are too far away can't be computed. This limit is about thirty years.
    self.timeout = min(max(timeout, .zero), .seconds(1_000_000_000))
    let capacity = if case .readers(let count) = kind { count } else { 1 }
    state = Mutex(State(line: GateLine(capacity: capacity, timeout: self.timeout, now: Self.clock.now)))
  }

  /// Takes a place in the line without waiting. The place is taken where the unit is asked for, and the wait is where
  /// the unit will run.
  ///
  /// - Parameter isSave: Whether this is a save of the main context. Saves go before all others that wait.
  func enter(isSave: Bool = false) -> Ticket {
    let (ticket, isAdmitted) = state.withLock { state in
      state.lastID += 1
      let now = Self.clock.now
      let ticket = Ticket(gate: self, id: state.lastID, arrival: now)
      let isAdmitted = state.line.enter(ticket.id, isSave: isSave, now: now)
      if isAdmitted { state.hasBegun = false } else { state.waiting[ticket.id] = ticket }
      return (ticket, isAdmitted)
    }
    if isAdmitted { ticket.resolve(.success(())) } else { watchDeadlines() }
    return ticket
  }

  /// The number of tickets in the line.
  var waiting: Int { state.withLock { $0.line.count } }

  /// A place in the line, and then the turn. The caller waits for the turn, and releases the gate after the turn.
  final class Ticket: Sendable {
    private enum State {
      case standing
      case waiting(CheckedContinuation<Void, any Error>)
      case blocking(DispatchSemaphore)
      case resolved(Result<Void, any Error>)
    }

    fileprivate let id: Int
    fileprivate let arrival: GateLine.Moment
    private let gate: Gate
    private let state = Mutex(State.standing)
    private let hasWorked = Atomic(false)

    fileprivate init(gate: Gate, id: Int, arrival: GateLine.Moment) {
      self.gate = gate
      self.id = id
      self.arrival = arrival
    }

    /// How long the turn may still wait before it begins: the rest of the time in which nothing may move.
    var patience: Duration { gate.patience(of: arrival) }

    /// The time since the ticket was taken.
    var age: Duration { arrival.duration(to: Gate.clock.now) }

    /// Notes that the turn waits for nobody else.
    func begin() {
      hasWorked.store(true, ordering: .relaxed)
      gate.turnBegan()
    }

    /// Lets the next ticket in. Called once, after the admission.
    func release() { gate.leave(hasWorked: hasWorked.load(ordering: .relaxed)) }

    /// Waits without holding up a thread, on the executor of `actor`.
    ///
    /// - Throws: ``StoreError`` of kind `writerBusy` or `readersBusy` at the deadline; `CancellationError`. The gate is
    ///   then not held.
    func admission(on actor: isolated any Actor) async throws {
      try await withTaskCancellationHandler {
        // A closure that does not mention the actor would run on the cooperative pool.
        _ = actor
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let result = state.withLock { state -> Result<Void, any Error>? in
            if case .resolved(let result) = state { return result }
            state = .waiting(continuation)
            return nil
          }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        gate.dismiss(id, CancellationError())
      }
    }

    /// Waits on the calling thread.
    ///
    /// - Throws: ``StoreError`` of kind `writerBusy` or `readersBusy` at the deadline. The gate is then not held.
    func blockingAdmission() throws {
      let admitted = DispatchSemaphore(value: 0)
      let mustWait = state.withLock { state in
        if case .resolved = state { return false }
        state = .blocking(admitted)
        return true
      }
      if mustWait { admitted.wait() }
      if case .resolved(let result) = state.withLock({ $0 }) { try result.get() }
    }

    fileprivate func resolve(_ result: Result<Void, any Error>) {
      let before = state.withLock { state in
        defer { state = .resolved(result) }
        return state
      }
      switch before {
      case .waiting(let continuation): continuation.resume(with: result)
      case .blocking(let semaphore): semaphore.signal()
      case .standing, .resolved: break
      }
    }
  }

  private func leave(hasWorked: Bool) {
    let next = state.withLock { state -> Ticket? in
      guard let id = state.line.leave(hasWorked: hasWorked, now: Self.clock.now) else { return nil }
      state.hasBegun = false
      return state.waiting.removeValue(forKey: id)
    }
    next?.resolve(.success(()))
  }

  private func turnBegan() {
    state.withLock { state in
      state.hasBegun = true
      state.line.turnBegan(now: Self.clock.now)
    }
  }

  private func patience(of arrival: GateLine.Moment) -> Duration {
    let deadline = state.withLock { $0.line.deadline(of: arrival) }
    return max(Self.clock.now.duration(to: deadline), .zero)
  }

  private func dismiss(_ id: Int, _ error: any Error) {
    let ticket = state.withLock { state in
      state.line.remove(id) ? state.waiting.removeValue(forKey: id) : nil
    }
    ticket?.resolve(.failure(error))
  }

  // MARK: Deadlines

  /// Plans the check of the next deadline. One check is planned at a time. Where the line has moved since, the check
  /// plans the next one.
  private func watchDeadlines() {
    let next = state.withLock { state -> GateLine.Moment? in
      guard !state.isWatched, let next = state.line.nextDeadline else { return nil }
      state.isWatched = true
      return next
    }
    guard let next else { return }
    let delay = Self.clock.now.duration(to: next).milliseconds + 1
    Self.watch.asyncAfter(deadline: .now() + .milliseconds(Int(clamping: max(delay, 0)))) { [weak self] in
      self?.dismissOverdue()
    }
  }

  private func dismissOverdue() {
    let (overdue, hasBegun) = state.withLock { state in
      state.isWatched = false
      let ids = state.line.removeOverdue(now: Self.clock.now)
      return (ids.compactMap { state.waiting.removeValue(forKey: $0) }, state.hasBegun)
    }
    if !overdue.isEmpty {
      let error = busy(hasBegun: hasBegun)
      for ticket in overdue { ticket.resolve(.failure(error)) }
    }
    watchDeadlines()
  }

  private func busy(hasBegun: Bool) -> StoreError {
    switch kind {
    case .writer where hasBegun:
      StoreError(
        .writerBusy,
        "The writer was busy for \(timeout): one unit of work, or one save, has run for that long and has not ended. Make "
          + "units shorter, or raise `busyTimeout`.")
    case .writer:
      StoreError(
        .writerBusy,
        "The writer was busy for \(timeout): the unit of work that is next could not begin, most likely because "
          + "another process or another store is writing to the file. Raise `busyTimeout` if that is to be expected.")
    case .readers(let count):
      StoreError(
        .readersBusy,
        "The readers were busy for \(timeout): \(count) reads run, and none has begun or ended in that time. Make reads "
          + "shorter, or raise `busyTimeout`.")
    }
  }
}
