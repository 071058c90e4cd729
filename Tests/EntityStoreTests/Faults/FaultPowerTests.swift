import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EntityStore

/// The power goes off: what was not synced is on the disk in part, in pieces.
@Suite(.timeLimit(.minutes(Faults.minutes))) @MainActor
struct FaultPowerTests {
  /// Folders as they were at moments within the work.
  private final class Cuts: Sendable {
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

    init(_ disk: FaultyDisk, distance: Int, _ seed: UInt64) {
      self.disk = disk
      self.distance = distance
      var random = SeededRandom(seed)
      state = Mutex(State(next: random.below(distance), random: random))
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
        guard state.calls > state.next, state.error == nil else { return }
        state.next = state.calls + state.random.below(2 * distance)
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

  /// The file has the first of the acknowledged commits, and nothing of another one: with `.normal` how many is not said,
  /// with `.full` all of them.
  @Test(arguments: [StoreOptions.Durability.normal, .full])
  func aPowerCutLeavesTheFirstCommitsWhole(_ durability: StoreOptions.Durability) async throws {
    await Seeds.each(Faults.areAll ? 20 : 1, sanitized: 1, "power") { seed, steps in
      let sequence = CommitSequence(seed)
      let count = 30
      let contents = try await sequence.contents(count)
      let folder = try TemporaryFolder()
      let disk = try FaultyDisk(keepsUnsynced: true)
      let cuts = Cuts(disk, distance: Faults.areAll ? 4 : 25, seed)
      cuts.watch()
      do {
        var store: EntityStore? = try CommitSequence.open(disk.location(folder.file), durability)
        for number in 1...count {
          guard let open = store else { break }
          if number % 7 == 1 {
            try await open.core.unit { try $0.connection.execute("PRAGMA wal_autocheckpoint = 12") }
          }
          try await sequence.commit(number, to: open)
          cuts.committed()
          // The log goes into the file, and is deleted.
          if number % 10 == 0 {
            store = nil
            _ = consume open
            await disk.closed()
            store = try CommitSequence.open(disk.location(folder.file), durability)
          }
        }
      }
      await disk.closed()
      var found: Set<Int> = []
      for cut in try cuts.all() {
        steps += "before \(cut.call.operation) of \(cut.call.file ?? "-"), \(cut.commits) commits\n"
        let store = try CommitSequence.open(.file(cut.folder.file))
        let content = try await CommitSequence.content(store)
        guard let commits = contents.firstIndex(of: content), commits <= cut.commits + 1 else {
          throw FaultRun.Mistake(description: "no prefix of \(cut.commits) commits: \(content)")
        }
        guard durability == .normal || commits >= cut.commits else {
          throw FaultRun.Mistake(description: "\(commits) of \(cut.commits) acknowledged commits")
        }
        found.insert(commits)
        try Hotel.check(.file(cut.folder.file), CommitSequence.entities)
        // It goes on from there.
        if commits < count {
          try await sequence.commit(commits + 1, to: store)
          try #require(try await CommitSequence.content(store) == contents[commits + 1])
        }
      }
      try #require(found.count > 1, "the power went off too seldom")
    }
  }
}
