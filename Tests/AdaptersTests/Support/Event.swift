import Foundation
import Synchronization

/// Something that happens once: threads and tasks can wait for it.
final class Event: Sendable {
  private let state = Mutex((isSet: false, waiters: [@Sendable () -> Void]()))

  func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter() }
  }

  var isSet: Bool { state.withLock { $0.isSet } }

  /// Ends with the caller's task too, so that a test that reached its limit of time fails, and holds up no other.
  func wait() async {
    let (events, end) = AsyncStream.makeStream(of: Never.self)
    add { end.finish() }
    for await _ in events {}
  }

  /// For threads of their own, never for tasks.
  func block() {
    let semaphore = DispatchSemaphore(value: 0)
    add { semaphore.signal() }
    semaphore.wait()
  }

  private func add(_ waiter: @escaping @Sendable () -> Void) {
    let isSet = state.withLock { state in
      if !state.isSet { state.waiters.append(waiter) }
      return state.isSet
    }
    if isSet { waiter() }
  }
}

/// A list that threads append to.
final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex([Element]())
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}
