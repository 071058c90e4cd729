import Foundation
import Synchronization

/// A screen of the columns that a person edited. A value that was saved here may give way to one of the
/// server, but never to an older one and then come back.
final class SimulatedScreen: Sendable {
  private struct Column {
    var shown: Set<String> = []
    var older: Set<String> = []
    var mine: String?
    /// An older value that was shown after mine.
    var flicker: String?
  }

  private struct State {
    /// The file of the present process; `nil` where no commits are followed.
    var file: URL?
    var columns: [String: Column] = [:]
    var faults: [String] = []
  }

  private let state = Mutex(State())

  var faults: [String] { state.withLock(\.faults) }

  /// From now on, a process with this file shows the screen.
  func follow(_ file: URL?) { state.withLock { $0.file = file } }

  /// The screen shows these values by column.
  ///
  /// - Parameter file: The file that has the values. A process that was killed here may note the end of a request in the
  ///   earlier file, which nobody sees; `nil` for the person's own look.
  func show(_ values: [String: String], of file: URL? = nil) {
    state.withLock { state in
      guard file == nil || file == state.file else { return }
      for (name, value) in values {
        var column = state.columns[name] ?? Column()
        column.shown.insert(value)
        if value == column.mine, let older = column.flicker {
          state.faults.append("\(name) was \(value), then the older \(older), then \(value) again")
        } else if value != column.mine, column.mine != nil, column.older.contains(value) {
          column.flicker = value
        }
        state.columns[name] = column
      }
    }
  }

  /// The person saved a value.
  func save(_ name: String, _ value: String) {
    state.withLock { state in
      var column = state.columns[name] ?? Column()
      column.older = column.shown.subtracting([value])
      (column.mine, column.flicker) = (value, nil)
      state.columns[name] = column
    }
  }

  /// The person gave an object's edits up, or settled them.
  func forget(_ code: String) {
    state.withLock { state in
      for name in state.columns.keys where name.hasPrefix("\(code).") {
        state.columns[name]?.mine = nil
        state.columns[name]?.flicker = nil
      }
    }
  }
}
