import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Processes that die while they write, and several that write one file.
@Suite(
  .enabled(if: WorkerProcess.isPossible, WorkerProcess.reason), .timeLimit(.minutes(Faults.minutes)))
struct FaultProcessTests {
  /// The file has the commits that were acknowledged, and at most one more: that of which the process died.
  @Test func `a process that is killed loses no acknowledged commit`() async throws {
    await Seeds.each(Faults.areAll ? 30 : 1, sanitized: 1, "kill") { seed, steps in
      let sequence = CommitSequence(seed)
      let contents = try await sequence.contents(80)
      var random = SeededRandom(seed)
      let folder = try TemporaryFolder()
      var number = 0
      for _ in 0..<(Faults.areAll ? 10 : Seeds.isSanitized ? 2 : 3) where number + 20 < contents.count {
        let worker = try WorkerProcess("commits", "\(seed)", suite: FaultWorkerTests.self)
        let call = random.chance(2) ? 1 + random.below(150) : 0
        var lines = call == 0 ? 1 + random.below(8) : .max
        steps += "after \(number) commits: at system call \(call), or at line \(lines)\n"
        var answer = try await worker.ask("\(call) \(number + 1) \(number + 15) \(folder.file.path)")
        while let line = answer {
          guard let said = Int(line) else {
            guard line == "all" else { throw StoreError(.sqlite, line) }
            worker.kill()
            break
          }
          number = said
          lines -= 1
          // It goes on with the next commit meanwhile; lines that are under way are acknowledgements too.
          if lines == 0 { worker.kill() }
          answer = try await worker.nextAnswer()
        }
        #expect(try await worker.end() == SIGKILL)
        number += try await commitsMore(folder.file, contents[number...])
      }
    }
  }

  /// How many commits a file has beyond those that were acknowledged.
  private func commitsMore(_ file: URL, _ contents: ArraySlice<[String]>) async throws -> Int {
    let store = try CommitSequence.open(.file(file))
    let found = try await CommitSequence.content(store)
    try Hotel.check(.file(file), CommitSequence.entities)
    let more = contents.prefix(2).firstIndex(of: found)
    try #require(more != nil, "\(found) is neither \(contents.prefix(2))")
    return (more ?? 0) - contents.startIndex
  }

  @Test func `processes that write one file lose nothing`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file.path
    let count = Faults.areAll ? 300 : Seeds.isSanitized ? 10 : 40
    let workers = try (1...2).map { _ in try WorkerProcess("counter", suite: FaultWorkerTests.self) }
    // One that dies on the way holds up nobody.
    let dying = try WorkerProcess("counter", suite: FaultWorkerTests.self)
    let acknowledged = try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, worker) in workers.enumerated() {
        group.addTask {
          var (said, answer) = (0, try await worker.ask("\(count) \(number + 1) \(path)"))
          while let line = answer, line != "all" {
            said += 1
            guard Int(line) == said else { throw StoreError(.sqlite, line) }
            answer = try await worker.nextAnswer()
          }
          return said
        }
      }
      group.addTask {
        var (said, answer) = (0, try await dying.ask("100000 9 \(path)"))
        while answer != nil {
          said += 1
          if said == 5 { dying.kill() }
          answer = try await dying.nextAnswer()
        }
        return said
      }
      group.addTask {
        try await Counting(file: URL(filePath: path), process: 0).run(count) { _ in }
        return count
      }
      return try await group.reduce(0, +)
    }
    let store = try Counting(file: folder.file, process: 0).open()
    let (counter, people) = try await store.read { context in
      (try context.fetch(Team.self, uid: "counter")?.title, try context.count(Person.all))
    }
    // The one that died may have made a commit that it did not come to say.
    #expect(people == acknowledged || people == acknowledged + 1)
    #expect(counter == "\(people)")
    let each = try await store.read { context in
      try (0...2).map { try context.count(Counting.people(of: $0)) }
    }
    #expect(each == [count, count, count])
    try Hotel.check(.file(folder.file), Counting.entities)
  }

  // MARK: Memory

  /// A text over several pages takes memory where it is read.
  @Test(.disabled(if: Seeds.isSanitized, "the sanitizer has its own allocations"))
  func `a value is read as it is or not at all`() async throws {
    let worker = try WorkerProcess("values", suite: FaultWorkerTests.self)
    let answer = try await worker.ask("6000 16")
    #expect(answer.flatMap { Int($0) }.map { $0 > 16 } == true, "\(answer ?? "the worker ended")")
  }

  /// An allocation of SQLite fails, in processes of their own: by turns in one for each processor in the long form.
  @Test(.disabled(if: Seeds.isSanitized, "the sanitizer has its own allocations"), arguments: FaultScenario.all)
  func `any allocation may fail`(_ scenario: FaultScenario) async throws {
    let count = Faults.areAll ? ProcessInfo.processInfo.activeProcessorCount : 1
    let workers = try (0..<count).map { _ in try WorkerProcess("allocations", suite: FaultWorkerTests.self) }
    for (place, length) in FaultRun.Length.allCases.enumerated() {
      let step = Faults.allocations(length)
      let start = ContinuousClock.now
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for (number, worker) in workers.enumerated() {
          let first = 1 + place * 17 % step + number * step
          group.addTask { try await worker.ask("\(scenario.name) \(length.rawValue) \(first) \(step * count)") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      var (failed, made) = (0, 0)
      for answer in answers {
        // The text of a mistake may have numbers, too.
        let numbers = answer?.split(separator: " ").map { Int($0) ?? -1 } ?? []
        guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }) else {
          Issue.record("\(scenario.name), \(length): \(answer ?? "the worker ended")")
          return
        }
        (failed, made) = (failed + numbers[0], numbers[1])
      }
      if Faults.areAll {
        let time = start.duration(to: .now)
        print("\(scenario.name), \(length): \(failed) of \(made) allocations failed, \(time)")
      }
      #expect(failed > 0, "\(scenario.name), \(length)")
    }
  }
}
