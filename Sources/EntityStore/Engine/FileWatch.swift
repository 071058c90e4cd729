import Dispatch
import Synchronization

/// Looks out for commits that other processes make in a store's file, while somebody follows the store.
///
/// A commit writes to the write-ahead log. It counts a moment later, when SQLite has written the log's index to shared memory,
/// of which the system tells nobody. So each change of the log is followed by a few looks at the generation in the file.
final class FileWatch: Sendable {
  private struct State {
    var connection: Connection?
    var events: FileEvents.Subscription?
    var isOn = false
    /// Counts the changes of the log.
    var change = 0
  }

  private let location: StoreLocation
  private let log: String
  private let found: @Sendable (Int64) -> Void
  private let queue = DispatchQueue(label: "EntityStore.watch", qos: .utility)
  private let state = Mutex(State())

  /// The pauses before looks after a change of the log, in milliseconds.
  private static let pauses = [0, 1, 4, 20, 75]
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

  func start() {
    let isFirst = state.withLock { state in
      defer { state.isOn = true }
      return !state.isOn
    }
    guard isFirst else { return }
    let events = FileEvents.shared.subscribe(to: log) { [weak self] in self?.logChanged() }
    state.withLock { $0.events = events }
    // Commits between the opening of the store and now. Without events it goes on with looks.
    logChanged()
  }

  func stop() {
    state.withLock { $0 = State() }
  }

  private func logChanged() {
    let change = state.withLock { state in
      state.change += 1
      return state.change
    }
    look(0, after: change)
  }

  private func look(_ number: Int, after change: Int) {
    let isTold = state.withLock { $0.events != nil }
    let pause = number < Self.pauses.count ? Self.pauses[number] : isTold ? nil : Self.interval
    guard let pause else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
      guard let self, state.withLock({ $0.isOn && $0.change == change }) else { return }
      if let generation = generation() { found(generation) }
      look(number + 1, after: change)
    }
  }

  /// The generation in the file; `nil` where it can't be read at the moment.
  private func generation() -> Int64? {
    state.withLock { state in
      do {
        let connection = try state.connection ?? Connection(location, busyTimeout: .zero)
        state.connection = connection
        return try connection.generation()
      } catch {
        state.connection = nil
        return nil
      }
    }
  }
}
