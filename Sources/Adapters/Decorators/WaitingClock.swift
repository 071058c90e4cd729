/// A clock of any type, by which adapters wait.
package struct WaitingClock: Sendable {
  /// The time since the value was made.
  package let elapsed: @Sendable () -> Duration
  /// - Throws: `CancellationError`.
  package let sleep: @concurrent @Sendable (Duration) async throws -> Void

  package init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let begin = clock.now
    elapsed = { begin.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
  }
}
