import Synchronization

/// The summaries that the main context has not merged yet.
///
/// A summary is published before its COMMIT and withdrawn when that fails: a reader that sees a generation in the file
/// finds every summary up to it here. Published after the COMMIT, a third of the readers would be ahead of the log.
final class SummaryLog: Sendable {
  private struct State {
    var isEnabled = false
    var summaries: [CommitSummary] = []
  }

  private let state = Mutex(State())

  /// Summaries kept apart before the oldest ones are made one.
  private static let kept = 64

  /// Whether anybody reads the log: until the main context is first used, nobody does.
  var isEnabled: Bool { state.withLock(\.isEnabled) }

  /// How many summaries are kept.
  var count: Int { state.withLock(\.summaries.count) }

  func enable() { state.withLock { $0.isEnabled = true } }

  func publish(_ summary: CommitSummary) {
    state.withLock { state in
      guard state.isEnabled else { return }
      if state.summaries.count >= Self.kept {
        // All but the newest are committed, so no reader can be between them.
        var merged = state.summaries[0]
        for later in state.summaries.dropFirst() { merged.append(later) }
        state.summaries = [CommitSummary(merging: merged)]
      }
      state.summaries.append(summary)
    }
  }

  func withdraw(_ generation: Int64) {
    state.withLock { $0.summaries.removeAll { $0.first == generation } }
  }

  /// The summaries that a reader at `generation` needs. One that reaches past it is handed out and stays too: marking
  /// objects stale twice does no harm, once too few does.
  func drain(upTo generation: Int64) -> [CommitSummary] {
    state.withLock { state in
      let needed = state.summaries.filter { $0.first <= generation }
      state.summaries.removeAll { $0.last <= generation }
      return needed
    }
  }
}

extension CommitSummary {
  /// The same changes with no origin: once several commits are one, whose they were is lost.
  fileprivate init(merging other: CommitSummary) {
    self.init(
      first: other.first, last: other.last, origin: nil, hasGap: other.hasGap, entities: other.entities,
      forwards: other.forwards)
  }
}
