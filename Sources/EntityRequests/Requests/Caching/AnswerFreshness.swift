/// When the server said last that an answer holds, and for how long it is fresh.
struct AnswerFreshness: Sendable, Equatable {
  /// In seconds since 1970.
  var time: Double
  var isEnded: Bool
  /// How long the answer is fresh by its own headers, in seconds.
  var lifetime: Double?

  /// True when the answer is still fresh.
  ///
  /// - Parameter maxAge: How long an answer is fresh; with `nil` the answer itself says it.
  func holds(for maxAge: Duration?, at now: Double) -> Bool {
    guard !isEnded, let limit = maxAge.map({ $0 / .seconds(1) }) ?? lifetime else { return false }
    // If the clock was set back, the age is negative and the answer is not fresh.
    let age = now - time
    return age >= 0 && age < limit
  }
}
