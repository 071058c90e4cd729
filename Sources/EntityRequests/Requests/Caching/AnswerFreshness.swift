/// When the server said last that an answer holds, and for how long it is fresh.
struct AnswerFreshness: Sendable, Equatable {
  /// In seconds since 1970.
  var time: Double
  var isEnded: Bool
  /// How long the answer itself says that it is fresh, in seconds.
  var lifetime: Double?

  /// Whether the answer is fresh still.
  ///
  /// - Parameter maxAge: `nil` where the answer itself says how long it is.
  func holds(for maxAge: Duration?, at now: Double) -> Bool {
    guard !isEnded, let limit = maxAge.map({ $0 / .seconds(1) }) ?? lifetime else { return false }
    // A clock that was set back makes nothing fresh for ever.
    let age = now - time
    return age >= 0 && age < limit
  }
}
