import Foundation

/// The state that the server's connections share: its configuration, the data and the log.
///
/// Not in a `Mutex`, which the thread sanitizer does not see on Linux. `@unchecked Sendable`: `state` is private, and each
/// access to it is under the lock.
final class Backend: @unchecked Sendable {
  let token: String?
  let pageSize: Int
  private let lock = NSLock()
  private var state: State

  struct Content {
    var users: UserData
    var blog: BlogData
    var todos: TodoData
  }

  private struct State {
    var content: Content
    var log = RequestLog()
    var hold: Hold?
    /// The listeners of changed todos.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastListener = 0
  }

  /// Answers that are held back.
  private struct Hold {
    /// Hears of each request whose answer waits.
    let heard: AsyncStream<RequestLog.Request>.Continuation
    /// The ends of the waits.
    var waits: [AsyncStream<Void>.Continuation] = []
  }

  init(users: UserData, todos: TodoData, token: String?, pageSize: Int) {
    self.token = token
    self.pageSize = pageSize
    state = State(content: Content(users: users, blog: BlogData(userCount: users.count), todos: todos))
  }

  /// The users as they are now. A copy, so that a large answer is made while other requests change them.
  var users: UserData {
    lock.withLock { state.content.users }
  }

  /// The posts as they are now, with the users of the same moment.
  var blog: (blog: BlogData, users: UserData) {
    lock.withLock { (state.content.blog, state.content.users) }
  }

  var todos: TodoData {
    lock.withLock { state.content.todos }
  }

  /// Changes the data as one step.
  func change<Result: Sendable>(_ body: (inout Content) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&state.content) }
  }

  var log: RequestLog {
    lock.withLock { state.log }
  }

  func record(_ request: RequestLog.Request) {
    lock.withLock { state.log.record(request) }
  }

  func resetLog() {
    lock.withLock { state.log = RequestLog() }
  }

  // MARK: Answers that are held back

  func holdAnswers() -> AsyncStream<RequestLog.Request> {
    let (requests, heard) = AsyncStream.makeStream(of: RequestLog.Request.self)
    releaseAnswers()
    lock.withLock { state.hold = Hold(heard: heard) }
    return requests
  }

  func releaseAnswers() {
    let hold = lock.withLock {
      defer { state.hold = nil }
      return state.hold
    }
    hold?.heard.finish()
    for wait in hold?.waits ?? [] { wait.finish() }
  }

  /// A sequence without elements. It ends when the answer to a request may be sent.
  func wait(_ request: RequestLog.Request) -> AsyncStream<Void> {
    let (wait, end) = AsyncStream.makeStream(of: Void.self)
    lock.withLock {
      guard state.hold != nil else { return end.finish() }
      state.hold?.waits.append(end)
      state.hold?.heard.yield(request)
    }
    return wait
  }

  // MARK: Listeners of changed todos

  /// An element after each change. It ends with ``endListening()``.
  func listen() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    lock.withLock {
      state.lastListener += 1
      let number = state.lastListener
      state.listeners[number] = listener
      listener.onTermination = { [weak self] _ in self?.forget(number) }
    }
    return stream
  }

  private func forget(_ number: Int) {
    _ = lock.withLock { state.listeners.removeValue(forKey: number) }
  }

  func announceTodos() {
    for listener in lock.withLock({ Array(state.listeners.values) }) { listener.yield() }
  }

  func endListening() {
    for listener in lock.withLock({ Array(state.listeners.values) }) { listener.finish() }
  }
}
