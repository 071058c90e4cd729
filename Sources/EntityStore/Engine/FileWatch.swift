import Dispatch
import Synchronization

/// Watches for commits that other processes make in a store's file, while somebody follows the store.
///
/// A commit writes to the write-ahead log. It counts a moment later, when SQLite has written the log's index to shared
/// memory. The system reports no such write. So after a change of the log, the watch looks at the generation in the
/// file a few times. The store looks through the connections that it has: another connection would take three of the
/// process's files. The later looks are for a writer that waits for its disk in between, as with `PRAGMA synchronous =
/// FULL` (https://sqlite.org/pragma.html#pragma_synchronous), or that gets no processor.
final class FileWatch: Sendable {
  private struct State {
    var events: FileEvents.Subscription?
    /// The number of followers that use the watch.
    var users = 0
    /// Counts the series of looks. It never goes back, so that the looks of an earlier series end.
    var series = 0
    /// Whether the early looks of a series are under way: then a change of the log begins no other series.
    var isEarly = false
    var isOver = false
    /// Whether another look is due, because one failed.
    var looksLater = false
    /// Whether the log changed since the series began.
    var hasChanged = false
  }

  private let log: String
  private let lookAtFile: @Sendable () -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "EntityStore.watch", qos: .utility)

  /// The pauses before the looks of a series, in milliseconds. The early pauses decide how often the log of a busy
  /// writer is looked at.
  private static let pauses = [1, 4, 20, 75, 400, 1_500, 8_000]
  private static let earlyLooks = 4
  /// The pause between looks where the system does not report changes.
  private static let interval = 500

  /// - Parameter look: Has the store look at the generation in the file.
  /// - Returns: `nil` for a store that no other process can write to.
  init?(_ location: StoreLocation, look: @escaping @Sendable () -> Void) {
    guard let log = location.log else { return nil }
    self.log = log
    lookAtFile = look
  }

  /// Whether somebody uses the watch.
  var isOn: Bool { state.withLock { $0.users > 0 } }

  /// Whether the early looks of a series are under way.
  var isEarly: Bool { state.withLock(\.isEarly) }

  /// Adds a user of the watch. Users are counted, because one may come while the last other one goes.
  func start() {
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      state.users += 1
      return state.users == 1
    }
    guard isFirst else { return }
    let events = FileEvents.shared.subscribe(to: log) { [weak self] in self?.logChanged() }
    state.withLock { if $0.users > 0 { $0.events = events } }
    // There may be commits since the store was opened. Without reports, this begins the looks.
    logChanged()
  }

  /// Removes a user of the watch.
  func stop() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.users -= 1
      if state.users == 0 { state = State(series: state.series + 1) }
    }
  }

  /// Ends the watch: the store was closed.
  func end() { state.withLock { $0 = State(series: $0.series + 1, isOver: true) } }

  /// Plans one more look: a look has failed, and perhaps nobody writes to the log again.
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

  /// - Returns: The number of the next look; `nil` where the system's next report begins the looks.
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
