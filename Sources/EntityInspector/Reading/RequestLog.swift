import EntityRequests
import Synchronization

/// The last requests of a client, in memory: the file keeps none.
final class RequestLog: Sendable {
  struct Entry: Sendable {
    let number: Int
    let report: ExchangeReport
  }

  private static let most = 500

  private let state = Mutex<(last: Int, entries: [Entry])>((0, []))

  func add(_ report: ExchangeReport) {
    state.withLock { state in
      state.last += 1
      state.entries.append(Entry(number: state.last, report: report))
      if state.entries.count > Self.most { state.entries.removeFirst() }
    }
  }

  /// The number of the last request; 0 before the first one.
  var last: Int { state.withLock { $0.last } }

  /// The newest first.
  var entries: [Entry] { state.withLock { $0.entries.reversed() } }

  subscript(number: Int) -> Entry? { state.withLock { $0.entries.first { $0.number == number } } }

  /// The request whose response a commit took in.
  func entry(ofCommit generation: Int64) -> Entry? {
    state.withLock { $0.entries.last { $0.report.generations.contains(generation) } }
  }
}
