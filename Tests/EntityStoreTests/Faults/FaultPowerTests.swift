import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// The power goes off: what was not synced is on the disk in part, in pieces.
@Suite(.timeLimit(.minutes(Faults.minutes))) @MainActor
struct FaultPowerTests {
  /// The file has the first of the acknowledged commits, and nothing of another one: with `.normal` how many is not said,
  /// with `.full` all of them.
  @Test(.disabled(if: Seeds.isSanitized, Faults.ofOthers), arguments: [StoreOptions.Durability.normal, .full])
  func `a power cut leaves the first commits whole`(_ durability: StoreOptions.Durability) async throws {
    await Seeds.each(Faults.areAll ? 20 : 1, sanitized: 1, "power") { seed, steps in
      let sequence = CommitSequence(seed)
      let count = 30
      let contents = try await sequence.contents(count)
      let folder = try TemporaryFolder()
      let disk = try FaultyDisk(keepsUnsynced: true)
      let cuts = PowerCuts(disk, distance: Faults.areAll ? 4 : 25, seed)
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
          // The write-ahead log goes into the file, and is deleted.
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

  /// The file is as after one of the steps that were acknowledged, or as after the one that was under way.
  @Test(
    .disabled(if: Seeds.isSanitized, Faults.ofOthers), arguments: FaultScenario.all.filter { !$0.hasOtherWriters },
    [StoreOptions.Durability.normal, .full])
  func `a power cut within a scenario leaves whole steps`(
    _ scenario: FaultScenario, _ durability: StoreOptions.Durability
  ) async throws {
    var scenario = scenario
    scenario.options.durability = durability
    let old = try await OldFolder(scenario)
    let stages = try await FaultStages(scenario, old)
    let folder = try old.copy()
    let disk = try FaultyDisk(keepsUnsynced: true)
    let seed = scenario.name.utf8.reduce(Seeds.one ?? 0) { $0 &* 31 &+ UInt64($1) }
    let cuts = PowerCuts(disk, distance: Faults.areAll ? 1 : 25, seed)
    cuts.watch()
    // After each step. A step without an effect that can be counted leaves what the one before it left.
    var effects: [[Int]] = []
    do {
      let store = try scenario.open(disk.location(folder.file))
      var model = FaultEffects(scenario.steps)
      effects.append(try await scenario.effects(in: store))
      for place in scenario.steps.indices {
        try await model.run(place, in: store)
        cuts.committed()
        effects.append(try await scenario.effects(in: store))
      }
      try await store.close()
    }
    await disk.closed()
    let all = try cuts.all()
    #expect(!all.isEmpty)
    for cut in all {
      do {
        try stages?.check(.file(cut.folder.file), isOpened: false)
        let store = try scenario.open(.file(cut.folder.file))
        let found = try await scenario.effects(in: store)
        let first = durability == .full ? cut.commits : 0
        guard effects[first...min(cut.commits + 1, scenario.steps.count)].contains(found) else {
          throw FaultRun.Mistake(description: "\(found) is after none of the steps: \(effects)")
        }
        try await scenario.hold?(store)
        try scenario.read(store.main)
        try await store.close()
        try Hotel.check(.file(cut.folder.file), scenario.entities, migrations: scenario.migrations)
      } catch {
        Issue.record(
          "\(scenario.name): after \(cut.commits) steps, before \(cut.call.operation) of \(cut.call.file ?? "-"): \(error)"
        )
        return
      }
    }
  }
}

extension FaultScenario {
  /// How much there is of each step.
  fileprivate func effects(in store: EntityStore) async throws -> [Int] {
    try await store.read { context in try steps.map { try $0.isThere(context).found } }
  }
}
