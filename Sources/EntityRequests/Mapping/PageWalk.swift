package import EntityStore
import Synchronization

/// What the pages of one walk have had so far, for deleting what none of them has.
///
/// It counts as a request that is under way from the first page on, so that answers to other requests leave marks: what
/// they brought after its page was received is not missing.
package final class PageWalk: Sendable {
  let sequence: RequestSequence.Number
  private let requests: RequestSequence
  private let state = Mutex((mentioned: Set<Int64>(), isComplete: true))

  package init(_ core: StoreCore) {
    requests = core.requests
    sequence = requests.begin()
  }

  deinit { requests.end(sequence) }

  func add(_ mentioned: Set<Int64>) { state.withLock { $0.mentioned.formUnion(mentioned) } }

  /// A page did not say which objects there are.
  package func breakOff() { state.withLock { $0.isComplete = false } }

  /// The rows that the pages had; `nil` when not all said which.
  var mentioned: Set<Int64>? { state.withLock { $0.isComplete ? $0.mentioned : nil } }
}
