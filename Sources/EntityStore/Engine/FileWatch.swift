import Dispatch
import Synchronization

/// Looks out for commits that other processes make in a store's file, while somebody follows the store.
///
/// A commit writes to the write-ahead log. It counts a moment later, when SQLite has written the log's index to shared memory,
/// of which the system tells nobody. So a change of the log is followed by a few looks at the generation in the file. The
/// store makes these through the connections that it has: another one would take three of the process's files. The later
/// looks are for a writer that waits for its disk in between, as `PRAGMA synchronous = FULL` has it do
/// (https://sqlite.org/pragma.html#pragma_synchronous), or that gets no processor.
final class FileWatch: Sendable {
  private struct State {
    var events: FileEvents.Subscription?
    /// How many look out: the followers of the store.
    var users = 0
    /// Counts the series of looks. It never starts anew, so that looks of an earlier series are over.
    var series = 0
    /// Whether the early looks of a series are under way: a change of the log begins no other one then.
    var isEarly = false
    var isOver = false
    /// Whether a look is due after one that failed.
    var looksLater = false
    /// Whether the log changed since the series began.
    var hasChanged = false
  }

  private let log: String
  private let lookAtFile: @Sendable () -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "EntityStore.watch", qos: .utility)

  /// The pauses before the looks of a series, in milliseconds. The log of a busy writer is looked at as often as the early
  /// ones say.
  private static let pauses = [1, 4, 20, 75, 400, 1_500, 8_000]
  private static let earlyLooks = 4
  /// The pause between looks where the system does not tell of changes.
  private static let interval = 500

  /// - Parameter look: Has the store look at the generation in the file.
  /// - Returns: `nil` for a store that no other process can write to.
  init?(_ location: StoreLocation, look: @escaping @Sendable () -> Void) {
    guard let log = location.log else { return nil }
    self.log = log
    lookAtFile = look
  }

  /// Whether somebody looks out.
  var isOn: Bool { state.withLock { $0.users > 0 } }

  /// Whether the early looks of a series are under way.
  var isEarly: Bool { state.withLock(\.isEarly) }

  /// One more looks out. They are counted, as one may come while the last other one goes.
  func start() {
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      state.users += 1
      return state.users == 1
    }
    guard isFirst else { return }
    let events = FileEvents.shared.subscribe(to: log) { [weak self] in self?.logChanged() }
    state.withLock { if $0.users > 0 { $0.events = events } }
    // Commits between the opening of the store and now. Without events it goes on with looks.
    logChanged()
  }

  /// One of those that started looks out no more.
  func stop() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.users -= 1
      if state.users == 0 { state = State(series: state.series + 1) }
    }
  }

  /// Nobody looks out: the store was closed.
  func end() { state.withLock { $0 = State(series: $0.series + 1, isOver: true) } }

  /// One more look in a while: one has failed, and nobody may write to the log again.
  func lookLater() {
    let isFirst = state.withLock { state in
      guard state.users > 0, !state.looksLater else { return false }
      state.looksLater = true
      return true
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.interval)) { [weak self] in
      guard let self else { return }
      let isWanted = state.withLock { state in
        state.looksLater = false
        return state.users > 0
      }
      if isWanted { lookAtFile() }
    }
  }

  private func logChanged() {
    let series = state.withLock { state -> Int? in
      state.hasChanged = state.isEarly
      guard !state.isEarly, state.users > 0 else { return nil }
      state.isEarly = true
      state.series += 1
      return state.series
    }
    if let series { look(0, of: series) }
  }

  private func look(_ number: Int, of series: Int) {
    let pause = number < Self.pauses.count ? Self.pauses[number] : Self.interval
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
      guard let self, state.withLock({ $0.series == series }) else { return }
      lookAtFile()
      if let next = state.withLock({ next(after: number, of: series, &$0) }) { look(next, of: series) }
    }
  }

  /// - Returns: The number of the next look; `nil` where the system will tell when there is to be one.
  private func next(after number: Int, of series: Int, _ state: inout State) -> Int? {
    guard state.series == series else { return nil }
    if number == Self.earlyLooks - 1 {
      state.isEarly = state.hasChanged
      state.hasChanged = false
      if state.isEarly { return 0 }
    }
    return number < Self.pauses.count - 1 || state.events == nil ? number + 1 : nil
  }
}
