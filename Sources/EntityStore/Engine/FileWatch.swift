import Dispatch
import Synchronization

/// Looks out for commits that other processes make in a store's file, while somebody follows the store.
///
/// A commit writes to the write-ahead log. It counts a moment later, when SQLite has written the log's index to shared memory,
/// of which the system tells nobody. So a change of the log is followed by a few looks at the generation in the file. The
/// later ones are for a writer that waits for its disk in between, as `PRAGMA synchronous = FULL` has it do
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
    /// Whether the log changed since the series began.
    var hasChanged = false
  }

  private let location: StoreLocation
  private let log: String
  private let found: @Sendable (Int64) -> Void
  private let state = Mutex(State())

  /// One for all stores, so that all of them together have one further connection open, with its three files.
  private static let queue = DispatchQueue(label: "EntityStore.watch", qos: .utility)
  /// The pauses before the looks of a series, in milliseconds. The log of a busy writer is looked at as often as the early
  /// ones say.
  private static let pauses = [1, 4, 20, 75, 400, 1_500, 8_000]
  private static let earlyLooks = 4
  /// The pause between looks where the system does not tell of changes.
  private static let interval = 500

  /// - Parameter found: Called with the generation in the file, also when that is an old one.
  /// - Returns: `nil` for a store that no other process can write to.
  init?(_ location: StoreLocation, found: @escaping @Sendable (Int64) -> Void) {
    guard let log = location.log else { return nil }
    self.location = location
    self.log = log
    self.found = found
  }

  /// Whether somebody looks out.
  var isOn: Bool { state.withLock { $0.users > 0 } }

  /// One more looks out. They are counted, as one may come while the last other one goes.
  func start() {
    let isFirst = state.withLock { state in
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
      state.users -= 1
      if state.users == 0 { state = State(series: state.series + 1) }
    }
  }

  /// Nobody looks out any more. The file is closed when this returns, also where a look is under way.
  func close() {
    state.withLock { $0 = State(series: $0.series + 1) }
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
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
      guard let self else { return }
      let (generation, next) = state.withLock { state -> (Int64?, Int?) in
        guard state.series == series else { return (nil, nil) }
        // A file that can't be read at the moment is looked at again with its next change.
        return (try? self.generation(), self.next(after: number, &state))
      }
      if let generation { found(generation) }
      if let next { look(next, of: series) }
    }
  }

  /// - Returns: The number of the next look; `nil` where the system will tell when there is to be one.
  private func next(after number: Int, _ state: inout State) -> Int? {
    if number == Self.earlyLooks - 1 {
      state.isEarly = state.hasChanged
      state.hasChanged = false
      if state.isEarly { return 0 }
    }
    return number < Self.pauses.count - 1 || state.events == nil ? number + 1 : nil
  }

  private func generation() throws -> Int64 {
    try Connection(location, busyTimeout: .zero, makesFile: false).generation()
  }
}
