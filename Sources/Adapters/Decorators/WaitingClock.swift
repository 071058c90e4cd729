/// A clock of any type, as the decorators wait by it.
struct WaitingClock: Sendable {
  /// The time since the value was made.
  let elapsed: @Sendable () -> Duration
  /// - Throws: `CancellationError`.
  let sleep: @concurrent @Sendable (Duration) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let begin = clock.now
    elapsed = { begin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
  }
}
