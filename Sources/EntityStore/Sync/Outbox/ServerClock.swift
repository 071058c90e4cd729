import Foundation
import Synchronization

/// The difference between the clock of the server and the one here, as the last response told it.
package final class ServerClock: Sendable {
  /// A rule of a merge asks for the difference. Without one no response is looked at.
  private let wanted = Atomic(false)
  private let difference = Mutex(0.0)

  package init() {}

  package var isWanted: Bool { wanted.load(ordering: .relaxed) }

  /// Responses tell the time from now on.
  package func want() { wanted.store(true, ordering: .relaxed) }

  /// A response that has just arrived was made at a time in seconds since 1970, by the clock of the server.
  ///
  /// Such a time has whole seconds, and the response was under way: less than two seconds are no difference.
  package func hear(_ time: Double) {
    let ahead = time - Date().timeIntervalSince1970
    difference.withLock { $0 = abs(ahead) < 2 ? 0 : ahead }
  }

  /// A time of the clock here by the clock of the server.
  func time(_ local: Double) -> Double { local + difference.withLock { $0 } }
}
