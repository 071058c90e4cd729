import EntityStore
import Synchronization

/// A clock that a test moves. Waiting with it takes no time.
///
/// ```swift
/// let clock = VirtualClock()
/// let adapter = stub.retrying(clock: clock)
/// async let response = adapter.send(request, body: .none, progress: nil)
/// await clock.sleep(number: 1)      // the first wait has begun
/// clock.advance(by: .seconds(1))
/// ```
public final class VirtualClock: Clock, Sendable {
  /// A moment of a ``VirtualClock``.
  public struct Instant: InstantProtocol {
    var offset: Duration

    /// The moment after a duration.
    ///
    /// - Parameter duration: The duration; a negative one leads to an earlier moment.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from this moment to another one.
    ///
    /// - Parameter other: The other moment. The time to an earlier moment is negative.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether a moment comes before another one.
    ///
    /// - Parameters:
    ///   - left: One moment.
    ///   - right: The other moment.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let waiter = Waiter<Void>()
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleeps: [Duration] = []
    var sleepers: [ObjectIdentifier: Sleeper] = [:]
  }

  private let state = Mutex(State())
  private let begun = Milestones()
  private let advancesByItself: Bool

  /// - Parameter advancesByItself: Whether each sleep moves the clock to its end, and returns at once.
  public init(advancesByItself: Bool = false) { self.advancesByItself = advancesByItself }

  /// The moment to which the clock was moved.
  public var now: Instant { state.withLock(\.now) }
  /// The clock measures any duration exactly.
  public var minimumResolution: Duration { .zero }

  /// The durations of all sleeps that began so far, in order.
  public var sleeps: [Duration] { state.withLock(\.sleeps) }

  /// Moves the clock, and wakes the sleeps whose time has come.
  ///
  /// - Parameter duration: The duration by which the clock moves.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in woken { sleeper.waiter.end() }
  }

  /// Returns as soon as a number of sleeps have begun since the clock was made.
  ///
  /// - Parameter number: The number of the awaited sleep, from 1.
  public func sleep(number: Int) async { await begun.reached(number) }

  /// Waits until the clock has reached a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment at which the wait ends.
  ///   - tolerance: Not used: a virtual clock is exact.
  /// - Throws: `CancellationError`.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let sleeper = Sleeper(deadline: deadline)
    let id = sleeper.waiter.id
    let isDue = state.withLock { state in
      state.sleeps.append(state.now.duration(to: deadline))
      if advancesByItself { state.now = max(state.now, deadline) }
      let isDue = deadline <= state.now
      if !isDue { state.sleepers[id] = sleeper }
      return isDue
    }
    begun.pass()
    if isDue { sleeper.waiter.end() }
    try await sleeper.waiter.value { self.state.withLock { $0.sleepers.removeValue(forKey: id) != nil } }
    // A clock that moves by itself has woken its sleeper already.
    try Task.checkCancellation()
  }
}
