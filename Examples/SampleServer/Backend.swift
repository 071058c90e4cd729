import Foundation
import Synchronization

/// The state that the server's connections share: its configuration, the data and the log.
final class Backend: Sendable {
  let token: String?
  let pageSize: Int
  private let state: Mutex<State>

  struct Content {
    var users: UserData
    var blog: BlogData
  }

  private struct State {
    var content: Content
    var log = RequestLog()
  }

  init(users: UserData, token: String?, pageSize: Int) {
    self.token = token
    self.pageSize = pageSize
    state = Mutex(State(content: Content(users: users, blog: BlogData(userCount: users.count))))
  }

  /// The users as they are now. A copy, so that a large answer is made while other requests change them.
  var users: UserData {
    state.withLock { $0.content.users }
  }

  /// The posts as they are now, with the users of the same moment.
  var blog: (blog: BlogData, users: UserData) {
    state.withLock { ($0.content.blog, $0.content.users) }
  }

  /// Changes the data as one step.
  func change<Result: Sendable>(_ body: (inout Content) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      try body(&state.content)
    }
  }

  var log: RequestLog {
    state.withLock { $0.log }
  }

  func record(_ request: RequestLog.Request) {
    state.withLock { $0.log.record(request) }
  }

  func resetLog() {
    state.withLock { $0.log = RequestLog() }
  }
}
