import Synchronization

/// Limits the retries of all requests together: a bucket that each request fills a little, and each retry empties by one.
final class RetryBudget: Sendable {
  private static let capacity = 10.0

  /// The amount that a request adds; `nil` for no limit.
  private let share: Double?
  private let left = Mutex(RetryBudget.capacity)

  init(_ share: Double?) { self.share = share }

  func countRequest() {
    guard let share else { return }
    left.withLock { $0 = min(Self.capacity, $0 + max(0, share)) }
  }

  /// Whether there is a retry left; it is then taken.
  func takeRetry() -> Bool {
    guard share != nil else { return true }
    return left.withLock { left in
      guard left >= 1 else { return false }
      left -= 1
      return true
    }
  }
}
