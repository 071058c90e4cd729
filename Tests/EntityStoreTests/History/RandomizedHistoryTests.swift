import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// The log of random commits says how one content became another one.
@MainActor struct RandomizedHistoryTests {
  @Test(arguments: Place.usual)
  func `the log leads from one content to the next`(_ place: Place) async throws {
    await Seeds.each(6, sanitized: 2, "history \(place)") { seed, steps in
      let test = try HistoryStore(place, .keepingAll, CommitSequence.entities)
      let sequence = CommitSequence(seed)
      var random = SeededRandom(seed)
      var (dump, last) = try await Self.dump(test.store)
      var number = 0
      while number < 30 {
        for _ in 0...random.below(6) {
          number += 1
          try await sequence.commit(number, to: test.store)
        }
        let (after, generation) = try await Self.dump(test.store)
        let (before, start) = (dump, last)
        steps += "\(start)...\(generation) "
        let mistakes = try await test.store.read { context in
          let log = HistoryLog(connection: context.connection, schema: context.core.schema)
          var replay = HistoryReplay(before: before)
          for commit in try log.commits(after: start).commits { replay.take(commit) }
          try replay.check(after, context.core.schema)
          return replay.mistakes
        }
        try #require(mistakes == [])
        (dump, last) = (after, generation)
      }
    }
  }

  private static func dump(_ store: EntityStore) async throws -> (RowDump, Int64) {
    try await store.read { (try RowDump($0), try $0.connection.generation()) }
  }
}
