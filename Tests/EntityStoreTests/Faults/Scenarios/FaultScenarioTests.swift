import CSQLite
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// The long form of the tests of faults, which `scripts/test --faults` runs.
enum Faults {
  static let areAll = ProcessInfo.processInfo.environment["ENTITYCLIENT_FAULTS"] != nil

  private static let allocationStep = ProcessInfo.processInfo.environment["ENTITYCLIENT_FAULTS_ALLOCATIONS"]
    .flatMap { Int($0) }.map { max($0, 1) }

  /// The distance from one allocation that fails to the next one.
  static func allocations(_ length: FaultRun.Length) -> Int {
    allocationStep ?? (!areAll ? 997 : length == .once ? 1 : 53)
  }

  /// Why the thread sanitizer leaves a test out.
  static let ofOthers: Comment = "`anyCallMayFail` runs the same threads"

  /// The limit of a test that goes through many faults.
  static let minutes = areAll ? 300 : 20

  /// Each call that may fail in the long form, and one of so many otherwise, the same ones in each run.
  static func step(_ usual: Int) -> Int { areAll ? 1 : Seeds.isSanitized ? usual * 5 : usual }
}

/// Any call of the file system fails, once or for good: the store tells it, loses nothing and goes on.
@Suite(.timeLimit(.minutes(Faults.minutes))) @MainActor
struct FaultScenarioTests {
  /// A name that is none of a scenario would choose no case.
  @Test func `the chosen scenarios are scenarios that exist`() {
    let unknown = FaultScenario.chosen.filter { !FaultScenario.names.contains($0) }
    let names = FaultScenario.names.joined(separator: ", ")
    #expect(unknown.isEmpty, "ENTITYCLIENT_FAULTS_SCENARIOS has \(unknown), and the scenarios are: \(names)")
  }

  @Test(arguments: FaultScenario.all, FaultRun.Length.allCases.filter { !Seeds.isSanitized || $0 == .persisting })
  func `any call may fail`(_ scenario: FaultScenario, _ length: FaultRun.Length) async throws {
    try await FaultSweep(scenario, length).run { disk, number, persists in disk.fail(number, persists: persists) }
  }

  /// Each write meets a full disk.
  @Test(
    .disabled(if: Seeds.isSanitized, Faults.ofOthers), arguments: FaultScenario.all,
    [FaultRun.Length.once, .persisting])
  func `the disk may be full at any write`(_ scenario: FaultScenario, _ length: FaultRun.Length) async throws {
    try await FaultSweep(scenario, length, kinds: [.diskFull, .migrationFailed]).run { disk, number, persists in
      disk.fail([.write], number, code: SQLITE_FULL, persists: persists)
    }
  }

  /// Another process is in the way for a moment.
  @Test(.disabled(if: Seeds.isSanitized, Faults.ofOthers), arguments: FaultScenario.all)
  func `another process may hold any lock for a moment`(_ scenario: FaultScenario) async throws {
    try await FaultSweep(scenario, .once, kinds: [.writerBusy]).run { disk, number, _ in
      disk.fail([.indexLock, .lock], number, code: SQLITE_BUSY)
    }
  }
}

/// One scenario, with one fault after the other.
@MainActor struct FaultSweep {
  let scenario: FaultScenario
  let length: FaultRun.Length
  /// The kinds of errors that may come; `nil` for each that says no other cause.
  let kinds: [StoreError.Kind]?

  init(_ scenario: FaultScenario, _ length: FaultRun.Length, kinds: [StoreError.Kind]? = nil) {
    (self.scenario, self.length, self.kinds) = (scenario, length, kinds)
  }

  /// - Parameter arm: Says which call of a disk is to fail.
  func run(_ arm: @escaping @Sendable (FaultyDisk, _ number: Int, _ persists: Bool) -> Void) async throws {
    let old = try await OldFolder(scenario)
    let (stages, sound) = (try await FaultStages(scenario, old), SoundFiles())
    let step = Faults.step(17)
    // One of six beginnings, by the name, so that scenarios try different calls.
    let name = Array((scenario.name + length.rawValue).utf8)
    var number = 1 + name.reduce(0) { $0 + Int($1) } % min(step, 6)
    var count = 0
    while true {
      let folder = try old.copy()
      let disk = try FaultyDisk()
      let faults = Armed(disk: disk, arm: arm)
      var run = FaultRun(scenario, length, faults, disk.location(folder.file), stages, sound) {
        await disk.closed()
      }
      do {
        guard try await run.run(number) else { break }
        if let kinds, let error = run.errors.first(where: { !kinds.contains($0.kind) }) {
          throw FaultRun.Mistake(description: "'\(error.kind)' is another cause: \(error)")
        }
      } catch {
        let calls = disk.failed.prefix(3).map { "\($0.operation) \(($0.file as NSString?)?.lastPathComponent ?? "-")" }
        Issue.record("\(scenario.name), \(length), call \(number), \(calls): \(error)\nthrown: \(run.errors)")
        return
      }
      count += 1
      number += step
    }
    #expect(count > 0, "no call failed")
  }

  private struct Armed: FaultSource {
    let disk: FaultyDisk
    let arm: @Sendable (FaultyDisk, Int, Bool) -> Void

    func fail(_ number: Int, persists: Bool) { arm(disk, number, persists) }
    func heal() -> Bool { disk.heal() }
  }
}

/// The file that a scenario begins with.
struct OldFolder {
  private let folder: TemporaryFolder

  init(_ scenario: FaultScenario) async throws {
    folder = try TemporaryFolder()
    try await scenario.old?(folder.file)
    // The connections close with the store's last thread.
    while FileManager.default.fileExists(atPath: folder.file.path + "-wal") { await Task.yield() }
  }

  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    if FileManager.default.fileExists(atPath: folder.file.path) {
      try FileManager.default.copyItem(at: folder.file, to: copy.file)
    }
    return copy
  }
}
