import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Live queries, changes and observed reads against reads after each commit of several contexts, stores and processes.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=60` runs so many, of about 250 commits
/// each.
@MainActor
@Suite(.timeLimit(.minutes(Seeds.isLong ? 120 : 10))) struct RandomizedLiveTests {
  @Test func `results follow the contexts of a store in memory`() async throws {
    await Seeds.each(1, sanitized: 1, "memory") { seed, steps in
      var run = try LiveRun(.memory, seed)
      defer { steps = run.log }
      try await run.go()
    }
  }

  @Test(.enabled(if: WorkerProcess.isPossible, WorkerProcess.reason))
  func `results follow two processes and two stores on a file`() async throws {
    await Seeds.each(1, sanitized: 1, "file") { seed, steps in
      var run = try LiveRun(.file, seed)
      defer { steps = run.log }
      try await run.go()
    }
  }
}

@MainActor private struct LiveRun {
  private let folder: TemporaryFolder
  private let sides: [LiveSide]
  private let worker: WorkerProcess?
  private var random: SeededRandom
  private var generation: Int64 = 0
  private var lines: [String] = []

  init(_ place: Place, _ seed: UInt64) throws {
    folder = try TemporaryFolder()
    random = SeededRandom(seed)
    let location: StoreLocation = place == .file ? .file(folder.file) : .inMemory
    var sides = [try LiveSide(location, watches: Seeds.isSanitized ? 4 : 8, &random)]
    if place == .file { sides.append(try LiveSide(location, watches: 2, &random)) }
    self.sides = sides
    worker = place == .file ? try WorkerProcess("live", folder.file.path, "\(seed)", suite: LiveWorkerTests.self) : nil
  }

  var log: String {
    (lines.suffix(12) + sides.map { $0.log.suffix(8).joined(separator: "; ") }).joined(separator: "\n")
  }

  /// Another process answers many steps of a file.
  private var steps: Int { Seeds.isSanitized ? 12 : Seeds.isLong || worker == nil ? 220 : 100 }

  mutating func go() async throws {
    defer { for side in sides { side.end() } }
    for step in 0..<steps {
      let isLone = try await act(step)
      let last = try await sides[0].generation()
      // Where the main actor was free in between, tasks have run the queries: the others find out at once.
      for side in sides {
        let reach = try await side.reach(through: last)
        try side.expectNoSQL(reach)
      }
      for side in sides { try await side.compare(through: last, isLone: isLone && last <= generation + 1) }
      if let worker, random.chance(8) || !isLone {
        let answer = try await worker.ask("compare \(last)")
        guard answer == "same" else { throw LiveFault("the other process: \(answer ?? "it ended")") }
      }
      guard last >= generation else { throw LiveFault("generation \(last) after \(generation)") }
      generation = last
    }
    lines.append("\(generation) commits")
  }

  /// - Returns: Whether it made one commit at most.
  private mutating func act(_ step: Int) async throws -> Bool {
    let side = sides[random.below(sides.count)]
    let kind = random.below(16)
    lines.append("step \(step): \(kind)")
    switch kind {
    case 0...4: try await side.unit(&random)
    case 5...7: try await side.edit(&random)
    case 8: try await side.settle(&random)
    case 9: side.exchangeWatch(keeping: side === sides[0] ? 3 : 1, &random)
    case 10...13:
      guard let worker else {
        try await sides[0].unit(&random)
        return true
      }
      lines.append("the other process: \(try await worker.ask("act \(random.next() >> 1)") ?? "it ended")")
    default:
      try await burst()
      return false
    }
    return true
  }

  /// Units of all contexts and processes at once, and edits of the main context meanwhile.
  private mutating func burst() async throws {
    let seeds = (0..<6).map { _ in random.next() }
    let (worker, sides) = (worker, sides)
    let (first, last) = (sides[0].store, sides[sides.count - 1].store)
    let seed = random.next() >> 1
    async let others = worker?.ask("burst \(seed)")
    async let units = withThrowingTaskGroup { group in
      for (index, seed) in seeds.enumerated() {
        group.addTask { try await LiveSide.unit(in: index % 2 == 0 ? first : last, seed) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for side in sides { try await side.edit(&random) }
    lines += try await units
    if let line = try await others { lines.append("the other process: \(line)") }
  }
}

/// The second process of `RandomizedLiveTests`, with its own store and its own watches.
@MainActor enum LiveWorker {
  static func run(_ job: [String]) async throws {
    guard job.count == 3, let seed = UInt64(job[2]) else { throw LiveFault("no job: \(job)") }
    var random = SeededRandom(~seed)
    let side = try LiveSide(.file(URL(fileURLWithPath: job[1])), watches: 3, &random)
    defer { side.end() }
    try await WorkerProcess.serve { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let number = UInt64(words[1]) else { throw LiveFault("no command: \(line)") }
      switch words[0] {
      case "act":
        random = SeededRandom(number)
        if random.chance(3) { try await side.edit(&random) } else { try await side.unit(&random) }
        return side.log.last ?? ""
      case "burst":
        random = SeededRandom(number)
        for _ in 0..<4 { try await side.unit(&random) }
        try await side.edit(&random)
        return "a burst"
      default:
        try await side.compare(through: Int64(number), isLone: false)
        return "same"
      }
    }
  }
}
