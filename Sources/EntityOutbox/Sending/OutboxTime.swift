import EntityStore
import Foundation

/// The time of an outbox: a clock that tests may move, and the wall time that entries have.
struct OutboxTime: Sendable {
  /// The present time in seconds since 1970.
  let now: @Sendable () -> Double
  private let sleeping: @Sendable (Double) async throws -> Void

  /// - Parameter base: The time at the present moment of the clock, in seconds since 1970.
  init<C: Clock<Duration>>(_ clock: C, base: Double = Date().timeIntervalSince1970) {
    let start = clock.now
    now = { base + start.duration(to: clock.now) / .seconds(1) }
    sleeping = { moment in
      do {
        try await clock.sleep(until: start.advanced(by: .seconds(moment - base)), tolerance: nil)
      } catch {
        throw atCaller(error)
      }
    }
  }

  /// Sleeps until a time in seconds since 1970.
  ///
  /// - Throws: `CancellationError`.
  func sleep(until moment: Double) async throws {
    do { try await sleeping(moment) } catch { throw atCaller(error) }
  }
}
