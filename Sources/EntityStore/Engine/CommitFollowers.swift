import Synchronization

/// The followers of the commits of a store. Without a follower, a commit names no rows in its summary.
final class CommitFollowers: Sendable {
  private struct State {
    var logs: [ObjectIdentifier: SummaryLog] = [:]
    /// The last generation that is known to be in the file.
    var generation: Int64
    var isOver = false
  }

  private let state: Mutex<State>

  /// - Parameter generation: The generation in the file.
  init(generation: Int64) { state = Mutex(State(generation: generation)) }

  var isEmpty: Bool { state.withLock(\.logs.isEmpty) }

  /// Whether the summary of a commit names its rows.
  ///
  /// - Parameter pending: Whether anything is pending before the commit. Where nothing is, all that is pending after it
  ///   is of the commit, and a follower of that alone needs no names.
  func needRows(_ pending: () throws -> Bool) rethrows -> Bool {
    let logs = logs
    guard !logs.isEmpty else { return false }
    return try logs.contains { !$0.isOfPending } || pending()
  }

  /// The number of summaries that wait to be taken over.
  var backlog: Int { logs.reduce(0) { $0 + $1.count } }

  /// The last generation that is known to be in the file: its summary, where this process made it, is in the logs.
  var generation: Int64 { state.withLock(\.generation) }

  /// Commits are published to the log from now on.
  func add(_ log: SummaryLog) {
    let isOver = state.withLock { state in
      if !state.isOver { state.logs[ObjectIdentifier(log)] = log }
      return state.isOver
    }
    if isOver { log.ended() }
  }

  /// The last commit has come.
  func end() {
    let logs = state.withLock { state in
      defer { (state.logs, state.isOver) = ([:], true) }
      return Array(state.logs.values)
    }
    for log in logs { log.ended() }
  }

  func remove(_ log: SummaryLog) { state.withLock { $0.logs[ObjectIdentifier(log)] = nil } }

  func has(_ log: SummaryLog) -> Bool { state.withLock { $0.logs[ObjectIdentifier(log)] != nil } }

  func hasOthers(than log: SummaryLog) -> Bool {
    state.withLock { $0.logs.keys.contains { $0 != ObjectIdentifier(log) } }
  }

  /// Makes all followers look again, as after a commit. Some may have been refused while the store was closing.
  func wake() {
    for log in logs { log.committed() }
  }

  func publish(_ summary: CommitSummary) {
    for log in logs { log.publish(summary) }
  }

  func withdraw(_ generation: Int64) {
    for log in logs { log.withdraw(generation) }
  }

  /// A generation is in the file.
  ///
  /// - Parameter isOwn: Whether the generation was published here. Its followers are then told before this returns,
  ///   whoever found the generation first.
  func committed(_ generation: Int64, isOwn: Bool) {
    let logs = state.withLock { state -> [SummaryLog] in
      guard isOwn || generation > state.generation else { return [] }
      state.generation = max(state.generation, generation)
      return Array(state.logs.values)
    }
    for log in logs { log.committed() }
  }

  private var logs: [SummaryLog] { state.withLock { Array($0.logs.values) } }
}
