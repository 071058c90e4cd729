import Foundation
import Synchronization

/// What the server's connections share: its configuration, the users and the log.
final class Backend: Sendable {
  let token: String?
  let pageSize: Int
  private let state: Mutex<State>

  private struct State {
    var users: UserData
    var log = RequestLog()
  }

  init(users: UserData, token: String?, pageSize: Int) {
    self.token = token
    self.pageSize = pageSize
    state = Mutex(State(users: users))
  }

  /// The users as they are now. A copy, so that a large answer is made while other requests change them.
  var users: UserData {
    state.withLock { $0.users }
  }

  /// Changes the users as one step.
  func change<Result: Sendable>(_ body: (inout UserData) throws -> Result) rethrows -> Result {
    try state.withLock { state in
      try body(&state.users)
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
