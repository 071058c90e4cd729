import Synchronization

/// The handlers that hear of the end of each exchange of a client.
final class ExchangeObservers: Sendable {
  typealias Handler = @Sendable (ExchangeReport) -> Void

  private let handlers = Mutex<(next: Int, all: [Int: Handler])>((0, [:]))

  var areAny: Bool { handlers.withLock { !$0.all.isEmpty } }

  func add(_ handler: @escaping Handler) -> Int {
    handlers.withLock { handlers in
      handlers.next += 1
      handlers.all[handlers.next] = handler
      return handlers.next
    }
  }

  func remove(_ number: Int) { handlers.withLock { $0.all[number] = nil } }

  func tell(_ report: ExchangeReport) {
    for handler in handlers.withLock({ Array($0.all.values) }) { handler(report) }
  }
}

/// An observation of a client's exchanges. It ends with its last reference.
package final class ExchangeObservation: Sendable {
  private let observers: ExchangeObservers
  private let number: Int

  fileprivate init(_ observers: ExchangeObservers, _ number: Int) {
    (self.observers, self.number) = (observers, number)
  }

  deinit { end() }

  package func end() { observers.remove(number) }
}

extension Client {
  /// Calls a handler at the end of each exchange of this client and its copies, whose response is read as objects or values:
  /// of verbs, and of an outbox. A response of `send(_:)` and a stream of events are none. Nothing is built for a report where
  /// nobody observes.
  ///
  /// - Parameter handler: Called on any thread, before the caller of the verb goes on: a slow handler delays each request.
  package func observe(_ handler: @escaping @Sendable (ExchangeReport) -> Void) -> ExchangeObservation {
    ExchangeObservation(caching.observers, caching.observers.add(handler))
  }
}
