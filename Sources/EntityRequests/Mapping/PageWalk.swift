package import EntityStore
import Synchronization

/// The rows that the pages of one walk have had so far. The walk deletes the rows that no page has.
///
/// The walk counts as a request that is under way from the first page on, so that answers to other requests leave
/// stamps. A row that such an answer brought after its page was received is not missing.
package final class PageWalk: Sendable {
  let sequence: RequestNumber
  private let requests: RequestSequence
  private let state = Mutex<Set<Int64>>([])

  package init(_ core: StoreCore) {
    requests = core.requests
    sequence = requests.begin()
  }

  deinit { requests.end(sequence) }

  func add(_ mentioned: Set<Int64>) { state.withLock { $0.formUnion(mentioned) } }

  /// The rows that the pages had.
  var mentioned: Set<Int64> { state.withLock(\.self) }
}
