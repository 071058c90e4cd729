import Synchronization

/// The summaries that one follower of the store has not seen yet: the main context, or a sequence.
///
/// A summary is published before its COMMIT, and withdrawn when that fails: a reader that sees a generation in the file
/// finds every summary up to it here. If summaries were published after the COMMIT, a third of the readers would be
/// ahead of the log.
final class SummaryLog: Sendable {
  private let summaries = Mutex<[CommitSummary]>([])
  /// Called after a commit, by whoever made it, with no lock held.
  let committed: @Sendable () -> Void
  /// Called when the last commit has come.
  let ended: @Sendable () -> Void
  /// Whether the log is about what is pending alone; see ``CommitFollowers/needRows(_:)``.
  let isOfPending: Bool

  /// The number of summaries before they are joined to one, and the number of rows that they may name together.
  private static let (kept, keptRows) = (64, 4 * CommitSummary.namedRows)

  init(
    isOfPending: Bool = false, committed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}
  ) {
    (self.isOfPending, self.committed, self.ended) = (isOfPending, committed, ended)
  }

  /// How many summaries are kept.
  var count: Int { summaries.withLock(\.count) }

  func publish(_ summary: CommitSummary) {
    summaries.withLock { summaries in
      let isFull = summaries.count >= Self.kept || summaries.reduce(0, { $0 + $1.named }) >= Self.keptRows
      if isFull, summaries.count > 1 {
        // All summaries but the newest are committed, so no reader can be between them.
        var merged = summaries[0]
        for later in summaries.dropFirst() { merged.append(later) }
        summaries = [CommitSummary(merging: merged)]
      }
      summaries.append(summary)
    }
  }

  func withdraw(_ generation: Int64) {
    summaries.withLock { $0.removeAll { $0.first == generation } }
  }

  /// The commits that a reader at `generation` needs when it has all up to `covered`. A summary that reaches past
  /// `generation` is handed out, and stays in the log too. Taking over a change twice does no harm, missing one does.
  func drain(after covered: Int64, upTo generation: Int64) -> CommitNews {
    let needed = summaries.withLock { summaries in
      let needed = summaries.filter { $0.first <= generation }
      summaries.removeAll { $0.last <= generation }
      return needed
    }
    return CommitNews(needed, after: covered, upTo: generation)
  }
}

/// The commits between two generations, as far as this process knows them.
struct CommitNews: Sendable {
  let summaries: [CommitSummary]
  /// The generation of the last commit.
  let generation: Int64
  /// Whether other commits happened of which nothing else is known: commits of another process.
  let hasUnknown: Bool

  init(_ summaries: [CommitSummary], after covered: Int64, upTo generation: Int64) {
    self.summaries = summaries
    self.generation = generation
    var covered = covered
    for summary in summaries where !summary.hasGap && summary.first <= covered + 1 {
      covered = max(covered, summary.last)
    }
    hasUnknown = covered < generation
  }

  private init(_ summaries: [CommitSummary], known generation: Int64) {
    self.summaries = summaries
    self.generation = generation
    hasUnknown = false
  }

  /// The news with the commits that this process did not make, as far as the file's log has them.
  ///
  /// - Parameters:
  ///   - log: The log, within a read that sees all of these commits.
  ///   - covered: The generation before the commits.
  /// - Returns: The unchanged news where the log lacks a commit, or names too many rows.
  func completed(by log: HistoryLog, after covered: Int64) -> CommitNews {
    guard hasUnknown else { return self }
    var whole: [CommitSummary] = []
    var known = covered
    func add(upTo last: Int64) -> Bool {
      guard known < last else { return true }
      guard let others = try? log.summaries(after: known, upTo: last) else { return false }
      whole += others
      known = last
      return true
    }
    for summary in summaries {
      guard add(upTo: summary.first - 1) else { return self }
      if summary.hasGap {
        // The log has this process's commits too, one by one.
        guard add(upTo: min(summary.last, generation)) else { return self }
      } else {
        whole.append(summary)
        known = max(known, summary.last)
      }
    }
    return add(upTo: generation) ? CommitNews(whole, known: generation) : self
  }
}

extension CommitSummary {
  /// The same changes without an origin: a joined summary does not know whose commits they were.
  fileprivate init(merging other: CommitSummary) {
    self.init(
      first: other.first, last: other.last, origin: nil, hasGap: other.hasGap, entities: other.entities,
      forwards: other.forwards, changesNotes: other.changesNotes, noted: other.noted, collections: other.collections)
  }
}
