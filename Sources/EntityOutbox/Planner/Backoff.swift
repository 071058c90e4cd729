/// The wait of an outbox after failures, in seconds.
///
/// The time is any up to a limit that doubles with each failure ("full jitter": Brooker, "Exponential Backoff And Jitter",
/// AWS Architecture Blog, 2015), so that clients that failed together don't come back together.
package enum Backoff {
  /// The limit before the first failure.
  package static let base = 1.0
  /// The highest limit: 5 minutes.
  package static let cap = 300.0
  /// The longest wait that a server can ask for: a day.
  package static let longestRetryAfter = 86_400.0

  /// The longest wait after a number of failures in a row: 2 s after the first, 64 s after the sixth.
  package static func limit(failures: Int) -> Double {
    // 2 to the power of 9 is above the highest limit.
    min(cap, base * Double(1 << min(max(failures, 0), 9)))
  }

  /// A wait.
  ///
  /// - Parameters:
  ///   - failures: The number of failures in a row.
  ///   - retryAfter: The shortest wait, as `Retry-After` has it (RFC 9110 §10.2.3). The jitter is added to it, because the
  ///     server tells all clients the same.
  package static func wait(
    failures: Int, retryAfter: Double? = nil, using random: inout some RandomNumberGenerator
  ) -> Double {
    let asked = retryAfter.map { $0 > 0 ? min($0, longestRetryAfter) : 0 } ?? 0
    return asked + Double.random(in: 0...limit(failures: failures), using: &random)
  }
}
