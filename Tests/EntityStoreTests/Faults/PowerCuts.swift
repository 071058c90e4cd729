import Synchronization
import TestSupport

@testable import EntityStore

/// Folders as they were at moments within the work.
final class PowerCuts: Sendable {
  private struct State {
    var calls = 0
    var next: Int
    var commits = 0
    var cuts: [(folder: TemporaryFolder, commits: Int, call: FaultyDisk.Call)] = []
    var random: SeededRandom
    var error: (any Error)?
  }

  private let state: Mutex<State>
  private let disk: FaultyDisk
  private let distance: Int
  /// How many calls come before the first cut at most.
  private static let mostBefore = 10

  init(_ disk: FaultyDisk, distance: Int, _ seed: UInt64) {
    self.disk = disk
    self.distance = distance
    var random = SeededRandom(seed)
    // Early, so that work of a few calls is cut too.
    state = Mutex(State(next: random.below(min(distance, Self.mostBefore)), random: random))
  }

  func watch() {
    disk.watch { [weak self] call in
      guard [.write, .sync, .truncate, .delete, .open].contains(call.operation) else { return }
      self?.called(call)
    }
  }

  private func called(_ call: FaultyDisk.Call) {
    state.withLock { state in
      state.calls += 1
      // At the first call the disk knows no file, also where one is there.
      guard state.calls > max(1, state.next), state.error == nil else { return }
      state.next = state.calls + state.random.below(2 * distance - 1)
      do {
        state.cuts.append((try disk.cut(state.random.next()), state.commits, call))
      } catch {
        state.error = error
      }
    }
  }

  func committed() { state.withLock { $0.commits += 1 } }

  func all() throws -> [(folder: TemporaryFolder, commits: Int, call: FaultyDisk.Call)] {
    disk.watch(nil)
    return try state.withLock { state in
      if let error = state.error { throw error }
      return state.cuts
    }
  }
}
