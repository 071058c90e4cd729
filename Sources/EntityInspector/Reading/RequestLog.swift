import EntityRequests
import Synchronization

/// The last requests of a client, in memory: the file keeps none.
final class RequestLog: Sendable {
  struct Entry: Sendable {
    let number: Int
    /// The report without its messages.
    let report: ExchangeReport
    /// The messages; `nil` where those of later requests have taken their place.
    var messages: KeptMessages?
  }

  private struct State {
    var last = 0
    var entries: [Entry] = []
    /// The bytes of all messages.
    var bytes = 0
    /// The number of the first entry that may have messages.
    var first = 1
  }

  private static let most = 500
  /// The most bytes of all bodies.
  private static let mostBytes = 16 << 20

  private let state = Mutex(State())

  func add(_ report: ExchangeReport) {
    let messages = report.messages.map(KeptMessages.init)
    var report = report
    report.messages = nil
    state.withLock { state in
      state.last += 1
      state.entries.append(Entry(number: state.last, report: report, messages: messages))
      state.bytes += messages?.bytes ?? 0
      if state.entries.count > Self.most { state.bytes -= state.entries.removeFirst().messages?.bytes ?? 0 }
      for place in state.entries.indices where state.entries[place].number >= state.first {
        guard state.bytes > Self.mostBytes else { break }
        state.bytes -= state.entries[place].messages?.bytes ?? 0
        state.entries[place].messages = nil
        state.first = state.entries[place].number + 1
      }
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
