import EntityStore
import Synchronization

/// One walk over the changes of a list: which token it leaves in the list.
final class DeltaWalk: Sendable {
  private struct State {
    /// The token that the list has, as far as the walk knows.
    var token: String
    /// The token of the first page.
    var first: String?
    var hasFirst = false
    /// Whether a page had an object that was refused. It comes again: the next walk begins where this one did, or behind the
    /// pages before.
    var hasRefused = false
    /// The request of the first page.
    var request: RequestNumber?
    /// The last row that a page brought into the list.
    var placed: Int64?
    /// Whether a page was left out.
    var hasEnded = false
  }

  /// Whether each page counts by its own token.
  private let isOldestFirst: Bool
  private let state: Mutex<State>

  init(since token: String, isOldestFirst: Bool) {
    self.isOldestFirst = isOldestFirst
    state = Mutex(State(token: token))
  }

  /// Whether no other walk has changed the list's token, and no page was left out.
  func fits(_ list: KeptList) -> Bool { state.withLock { !$0.hasEnded && $0.token == list.token } }

  /// A page of another walk is newer than one of this walk: the rest is for the other one.
  func end() { state.withLock { $0.hasEnded = true } }

  /// The request of the first page, where a page came with a request. An object that the server got after the first request may
  /// be on none of the pages.
  func first(_ request: RequestNumber) -> RequestNumber {
    state.withLock { state in
      let first = state.request ?? request
      state.request = first
      return first
    }
  }

  /// The token of the list with a page of changes.
  ///
  /// The page may be taken in more than once: an attempt may fail.
  ///
  /// - Parameter areAll: Whether no object of the page was refused.
  func token(after heard: ListedPagination.Heard.Content, isLast: Bool, areAll: Bool) -> String {
    state.withLock { state in
      if !areAll { state.hasRefused = true }
      guard !state.hasRefused else { return state.token }
      if !state.hasFirst { (state.first, state.hasFirst) = (heard.token, true) }
      if isOldestFirst { return heard.token ?? state.token }
      return isLast ? state.first ?? state.token : state.token
    }
  }

  /// The row behind which the next page's new members stand: they have the order of the pages.
  var placed: Int64? { state.withLock(\.placed) }

  /// The page is in the store.
  func note(_ token: String?, placed: Int64?) {
    state.withLock { state in
      state.token = token ?? state.token
      state.placed = placed ?? state.placed
    }
  }
}
