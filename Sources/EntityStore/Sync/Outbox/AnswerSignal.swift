import Synchronization

/// Tells a waiting outbox that a server has answered a request of the store: it can be reached again.
package final class AnswerSignal: Sendable {
  private let waiting = Mutex<(@Sendable () -> Void)?>(nil)

  package init() {}

  /// Calls a closure after the next answer, on any thread; `nil` waits no more.
  package func wait(_ told: (@Sendable () -> Void)?) { waiting.withLock { $0 = told } }

  /// A server has answered.
  package func tell() {
    let told = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    told?()
  }
}
