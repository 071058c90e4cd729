package import EntityStore
import Synchronization

/// The rows that the pages of one walk, or the groups of a streamed response, have had so far. At its end the walk
/// deletes the rows that no page has.
///
/// The walk counts as a request that is under way from the first page on, so that answers to other requests leave
/// stamps. A row that such an answer brought after its page was received is not missing.
package final class PageWalk: Sendable {
  let sequence: RequestNumber
  /// The walk as a request of its own; `nil` for a walk within one request.
  private let own: HeldNumber?
  private let state = Mutex(RowBits())

  package init(_ core: StoreCore) {
    let own = core.requests.heldRead()
    (self.own, sequence) = (own, own.number)
  }

  /// A walk over the groups that one request brings.
  init(within sequence: RequestNumber) {
    (own, self.sequence) = (nil, sequence)
  }

  func add(_ mentioned: RowBits) { state.withLock { $0.formUnion(mentioned) } }

  /// The rows that the pages had.
  var mentioned: RowBits { state.withLock(\.self) }
}

/// The objects that the pages of one walk have had so far, where the newest version of an object comes first: a version on a later
/// page is older than the one that is here, or than the deletion.
final class SeenVersions: Sendable {
  struct Key: Hashable {
    let entity: Int
    let uid: StoredValue
  }

  private let keys = Mutex<Set<Key>>([])

  func has(_ key: Key) -> Bool { keys.withLock { $0.contains(key) } }

  /// - Parameter keys: The objects of a page that is in the store.
  func add(_ keys: Set<Key>) { self.keys.withLock { $0.formUnion(keys) } }
}
