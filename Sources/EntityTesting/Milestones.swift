import EntityStore
import Synchronization

/// Counts events, and lets tasks wait for one of them by its number.
struct Milestones {
  private(set) var count = 0
  private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// An event has happened.
  ///
  /// - Returns: The tasks that waited for it, to be resumed without a lock.
  mutating func pass() -> [CheckedContinuation<Void, Never>] {
    count += 1
    let passed = watchers.filter { $0.count <= count }
    watchers.removeAll { $0.count <= count }
    return passed.map(\.continuation)
  }

  /// - Returns: Whether the event has happened already; else the task waits for it.
  mutating func await(_ count: Int, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
    if self.count < count { watchers.append((count, continuation)) }
    return self.count >= count
  }
}
