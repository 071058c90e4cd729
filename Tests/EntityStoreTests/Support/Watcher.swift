import EntityStore
import Observation
import Synchronization

/// Counts how often a property that `read` reads was about to change.
@MainActor
final class Watcher {
  private final class Flag: Sendable {
    let isFired = Mutex(false)
  }

  private var flag = Flag()
  private let read: () -> Void

  init(_ read: @escaping () -> Void) {
    self.read = read
    track()
  }

  /// Whether a change was told of since the last time this was asked.
  var fired: Bool {
    let fired = flag.isFired.withLock { $0 }
    if fired { track() }
    return fired
  }

  private func track() {
    let flag = Flag()
    self.flag = flag
    withObservationTracking(read) { flag.isFired.withLock { $0 = true } }
  }
}
