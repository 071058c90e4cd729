import FaultyVFS
import Foundation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// The second process of tests of faults, see `WorkerProcess`: no test by itself. It ends with the process that started it.
@Suite(
  .enabled(if: WorkerProcess.job != nil, "this process is no worker"), .timeLimit(.minutes(Faults.areAll ? 295 : 15)))
struct FaultWorkerTests {
  @Test func work() async throws {
    let job = try #require(WorkerProcess.job)
    switch job.first {
    case "commits": try await commits(try #require(job.last.flatMap { UInt64($0) }))
    case "counter": try await count()
    case "allocations": try await allocations()
    case "values": try await values()
    default: Issue.record("no job is named \(job)")
    }
  }

  /// Says the number of each commit that was acknowledged.
  ///
  /// A line has the number of the system call at which the process dies, or 0; the number of the first commit and of the
  /// last one; and the file.
  private func commits(_ seed: UInt64) async throws {
    try SystemCalls.install()
    let sequence = CommitSequence(seed)
    try await WorkerProcess.serve { line in
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, let end = Int(words[0]), let first = Int(words[1]), let last = Int(words[2]) else {
        return "no command: \(line)"
      }
      SystemCalls.start(endingAt: end == 0 ? nil : end)
      let store = try CommitSequence.open(.file(URL(filePath: String(words[3]))))
      for number in first...last {
        try await sequence.commit(number, to: store)
        try WorkerProcess.say("\(number)")
      }
      return "all"
    }
  }

  /// A line has a number of commits, a number of this process, and the file.
  private func count() async throws {
    try await WorkerProcess.serve { line in
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count == 3, let count = Int(words[0]), let process = Int(words[1]) else {
        return "no command: \(line)"
      }
      let counting = Counting(file: URL(filePath: String(words[2])), process: process)
      try await counting.run(count) { try WorkerProcess.say("\($0)") }
      return "all"
    }
  }

  /// A line has the name of a scenario, the length of a fault, the number of the first allocation that fails, and how many
  /// there are up to the next one. The answer has how many failed, one a run, and how many the scenario makes.
  private func allocations() async throws {
    try Allocations.install()
    try await WorkerProcess.serve { line in
      // The name of a scenario has several words.
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 3, let length = FaultRun.Length(rawValue: words[words.count - 3]),
        var number = Int(words[words.count - 2]), let step = Int(words[words.count - 1])
      else { return "no command: \(line)" }
      let scenario = try FaultScenario.named(words.dropLast(3).joined(separator: " "))
      let old = try await OldFolder(scenario)
      let stages = try await FaultStages(scenario, old)
      let sound = SoundFiles()
      var count = 0
      while true {
        let folder = try old.copy()
        let disk = try FaultyDisk()
        var run = await FaultRun(scenario, length, Allocations(), disk.location(folder.file), stages, sound) {
          await disk.closed()
        }
        do {
          guard try await run.run(number) else { return "\(count) \(Allocations.made)" }
        } catch {
          return "allocation \(number): \(error); thrown: \(run.errors)"
        }
        count += 1
        number += step
      }
    }
  }

  /// Each allocation of a read fails, one after the other. A line has the number of the first length of a value, and how many
  /// lengths follow each other. The answer has how many reads failed.
  private func values() async throws {
    try Allocations.install()
    let folder = try TemporaryFolder()
    let connection = try Connection(.file(folder.file), opening: .making, busyTimeout: .ample, log: nil)
    try connection.execute("CREATE TABLE t (pk INTEGER PRIMARY KEY, text, bytes)")
    try await WorkerProcess.serve { line in
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2 else { return "no command: \(line)" }
      var failures = 0
      for length in numbers[0]..<numbers[0] + numbers[1] {
        let (text, bytes) = (String(repeating: "x", count: length), Data(repeating: 7, count: length))
        try connection.prepare("INSERT INTO t VALUES (?, ?, ?)").run([
          .integer(Int64(length)), .text(text), .blob(bytes),
        ])
        for number in 1... {
          Allocations().fail(number, persists: false)
          defer { _ = Allocations().heal() }
          do {
            guard try isRight(text, bytes, on: connection) else {
              return "with \(length) bytes and allocation \(number): another value"
            }
          } catch let error as StoreError where error.kind == .outOfMemory {}
          guard Allocations().heal() else { break }
          failures += 1
        }
      }
      return "\(failures)"
    }
  }

  /// Whether a row has the values, each way in which it is read.
  private func isRight(_ text: String, _ bytes: Data, on connection: Connection) throws -> Bool {
    // Each read takes the pages and the statement anew.
    connection.forgetStatements()
    try connection.execute("PRAGMA shrink_memory")
    try connection.begin("DEFERRED")
    defer { connection.rollback() }
    let statement = try connection.prepare("SELECT text, text, text, bytes, bytes FROM t WHERE pk = ?")
    try statement.bind(Int64(bytes.count), at: 1)
    guard try statement.step() else { return false }
    let isRight =
      statement.text(0) == text && statement.value(1) == .text(text) && statement.column(2, equals: .text(text))
      && statement.value(3) == .blob(bytes) && statement.column(4, equals: .blob(bytes))
    statement.reset()
    // A function's zeros take their memory where they are read. The end of the statement tells whether there was some.
    let zeros = try connection.prepare("SELECT zeroblob(pk) FROM t WHERE pk = ?")
    try zeros.bind(Int64(bytes.count), at: 1)
    guard try zeros.step() else { return false }
    let areRight = zeros.value(0) == .blob(Data(count: bytes.count))
    zeros.reset()
    try connection.checkTransaction()
    return isRight && areRight
  }
}

/// The allocations of SQLite in this process, which is for them alone.
struct Allocations: FaultSource {
  private struct Plan {
    var left: Int?
    var persists = false
    var hasFailed = false
    var made = 0
  }

  private static let plan = Mutex(Plan())

  /// Before the first use of SQLite.
  static func install() throws {
    let code = faulty_allocations_install {
      Allocations.plan.withLock { plan in
        guard let left = plan.left else { return 0 }
        plan.made += 1
        plan.left = left > 1 ? left - 1 : plan.persists ? 1 : nil
        guard left == 1 else { return 0 }
        plan.hasFailed = true
        return 1
      }
    }
    guard code == 0 else { throw StoreError(.sqlite, "SQLite is in use already.", sqliteCode: code) }
  }

  /// How many there were since faults were last asked for, until they ended.
  static var made: Int { plan.withLock(\.made) }

  func fail(_ number: Int, persists: Bool) {
    Self.plan.withLock { $0 = Plan(left: max(number, 1), persists: persists) }
  }

  func heal() -> Bool {
    Self.plan.withLock { plan in
      plan.left = nil
      return plan.hasFailed
    }
  }
}

/// Units that read a number and write the next one, in several processes at once.
struct Counting: Sendable {
  static let entities = TestStore.people

  let file: URL
  let process: Int

  /// The rows that a process made.
  static func people(of process: Int) -> EntityQuery<Person> {
    let first = process * 100_000
    return Person.where { $0.uid >= first && $0.uid < first + 100_000 }
  }

  func open() throws -> EntityStore { try EntityStore(.file(file), entities: Self.entities, busyTimeout: .ample) }

  /// - Parameter said: Hears of each commit.
  nonisolated(nonsending) func run(_ count: Int, said: (Int) throws -> Void) async throws {
    let store = try open()
    for number in 1...count {
      try await store.background { context in
        let counter = try context.fetch(Team.self, uid: "counter") ?? context.insert(Team.self)
        counter.uid = "counter"
        counter.title = "\((counter.title.flatMap { Int($0) } ?? 0) + 1)"
        let person = try context.insert(Person.self)
        person.uid = process * 100_000 + number
        person.team = counter
      }
      try said(number)
    }
  }
}
