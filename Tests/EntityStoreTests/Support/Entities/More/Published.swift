import Synchronization

/// A value that a task changes, and another one waits for.
final class Published<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(_ value: Value) {
    state = Mutex(value)
    (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  var value: Value { state.withLock { $0 } }

  func change(_ change: (inout Value) -> Void) {
    state.withLock { change(&$0) }
    changed.yield()
  }

  /// Waits until the value is as it is wanted. One task at a time does.
  ///
  /// - Returns: `false` when the task was cancelled, by the time limit of its test for one.
  nonisolated(nonsending) func waits(until isWanted: (Value) -> Bool) async -> Bool {
    var changes = changes.makeAsyncIterator()
    while !isWanted(value) {
      guard await changes.next() != nil, !Task.isCancelled else { return isWanted(value) }
    }
    return true
  }
}
