import Dispatch
import Synchronization

/// Looks out for commits that other processes make in a store's file, while somebody follows the store.
///
/// A commit writes to the write-ahead log. It counts a moment later, when SQLite has written the log's index to shared memory,
/// of which the system tells nobody. So a change of the log is followed by a few looks at the generation in the file.
final class FileWatch: Sendable {
  private struct State {
    var events: FileEvents.Subscription?
    var isOn = false
    /// Whether looks are under way.
    var isLooking = false
    /// Whether the log changed since they began.
    var hasChanged = false
  }

  private let location: StoreLocation
  private let log: String
  private let found: @Sendable (Int64) -> Void
  private let state = Mutex(State())

  /// One for all stores, so that all of them together have one further connection open, with its three files.
  private static let queue = DispatchQueue(label: "EntityStore.watch", qos: .utility)
  /// The pauses before looks after a change of the log, in milliseconds. A log that changes all the time is looked at as
  /// often.
  private static let pauses = [1, 4, 20, 75]
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
    state.withLock { state in
      state.isOn = false
      state.events = nil
    }
  }

  private func logChanged() {
    let begins = state.withLock { state in
      state.hasChanged = state.isLooking
      defer { state.isLooking = true }
      return !state.isLooking
    }
    if begins { look(0) }
  }

  private func look(_ number: Int) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(number < 0 ? Self.interval : Self.pauses[number])) {
      [weak self] in
      guard let self else { return }
      // A file that can't be read at the moment is looked at again with its next change.
      if state.withLock(\.isOn), let generation = try? generation() { found(generation) }
      if let next = look(after: number) { look(next) }
    }
  }

  /// - Returns: The number of the next look, -1 for one that no event asks for; `nil` when an event will.
  private func look(after number: Int) -> Int? {
    if 0..<Self.pauses.count - 1 ~= number { return number + 1 }
    return state.withLock { state in
      if state.isOn, state.hasChanged {
        state.hasChanged = false
        return 0
      }
      if state.isOn, state.events == nil { return -1 }
      state.isLooking = false
      return nil
    }
  }

  private func generation() throws -> Int64 { try Connection(location, busyTimeout: .zero).generation() }
}
