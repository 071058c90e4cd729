import Foundation
import Synchronization
import TestSchema
import TestSupport

@testable import EntityStore

/// One store object on a file, or in memory, with all that follows it. There may be several in a process, and some in others.
@MainActor final class LiveSide {
  let store: EntityStore
  private(set) var log: [String] = []
  private var watches: [any LiveWatch] = []
  private var reads: [ReadWatch] = []
  private let commits = Published((through: Int64(0), isFirst: true, isGap: false, news: [StoreCommit]()))
  private let following: Task<Void, Never>
  private let counter = WorkCounter()
  /// Whether changes of the main context were made since the last comparison, saved or not.
  private var hasActed = true

  init(_ location: StoreLocation, watches: Int, _ random: inout SeededRandom) throws {
    store = try EntityStore(location, entities: LiveChanges.entities, busyTimeout: .ample)
    // It follows the store from now on, before the task begins.
    let (commits, iterator) = (commits, store.commits.makeAsyncIterator())
    // Before its first use the main context is of no generation of the file.
    try store.main.merging.merge()
    let first = store.main.generation
    commits.change { $0.through = first }
    counter.count(on: store.main.connection)
    following = Task.detached {
      var iterator = iterator
      while let commit = await iterator.next() {
        commits.change { state in
          // Another process may have made commits between the opening of the store and now.
          let next = state.through + 1
          let isNext = commit.generations.lowerBound == next || (state.isFirst && commit.generations.lowerBound < next)
          state.isGap = state.isGap || !isNext
          state.isFirst = false
          state.through = commit.generations.upperBound
          state.news.append(commit)
        }
      }
    }
    for _ in 0..<watches { addWatch(&random) }
  }

  func end() {
    counter.stop(on: store.main.connection)
    following.cancel()
    for watch in watches { watch.end() }
    for read in reads { read.end() }
  }

  private var main: EntityContext { store.main }

  // MARK: Watches

  private func addWatch(_ random: inout SeededRandom) {
    let watch = LiveShapes.watch(in: store, &random)
    watches.append(watch)
    if random.chance(2) { reads.append(ReadWatch(LiveShapes.read(&random), in: store)) }
    log.append("watch \(watch.text)")
  }

  /// One comes and another one goes. The first ones stay for good.
  func exchangeWatch(keeping count: Int, _ random: inout SeededRandom) {
    if watches.count > count, random.chance(2) {
      watches.remove(at: count + random.below(watches.count - count)).end()
    }
    if reads.count > count, random.chance(2) { reads.remove(at: count + random.below(reads.count - count)).end() }
    if watches.count < count + 5 { addWatch(&random) }
  }

  // MARK: Changes

  private struct Stop: Error {}

  /// Errors that random changes may have, after which they are rolled back.
  private nonisolated static let refusals: Set<StoreError.Kind> = [
    .conflict, .uniqueViolation, .objectDeleted, .brokenLink, .deleteDenied, .invalidValue, .invalidObject,
  ]

  private nonisolated static func isRefusal(_ error: any Error) -> Bool {
    error is Stop || (error as? StoreError).map { refusals.contains($0.kind) } == true
  }

  /// A unit of work of the app or of the server, which may be dropped.
  nonisolated static func unit(in store: EntityStore, _ seed: UInt64) async throws -> String {
    var random = SeededRandom(seed)
    let author: ChangeAuthor = random.chance(3) ? .server : .app
    let isUnnoticed = random.chance(6)
    let drawn = random
    do {
      try await store.background(as: author) { context in
        var random = drawn
        if isUnnoticed { return try LiveChanges.makeUnnoticed(in: context, &random) }
        try LiveChanges.make(1 + random.below(4), in: context, &random)
        if random.chance(10) {
          try context.save()
          try LiveChanges.make(2, in: context, &random)
          context.rollback()
        }
        if random.chance(12) { throw Stop() }
      }
      return "unit \(seed) of \(author)\(isUnnoticed ? ", unnoticed" : "")"
    } catch  where isRefusal(error) {
      return "unit \(seed) of \(author), refused: \(error)"
    }
  }

  func unit(_ random: inout SeededRandom) async throws {
    log.append(try await Self.unit(in: store, random.next()))
  }

  /// Edits in the main context, which are then saved or not.
  func edit(_ random: inout SeededRandom) async throws {
    hasActed = true
    do {
      log.append("edit")
      if random.chance(5) {
        let child = try main.child()
        try LiveChanges.make(1 + random.below(3), in: child, &random)
        if random.chance(3) { child.rollback() } else { try child.saveAtOnce() }
        log.append("edited in a child")
      } else {
        let drawn = random
        try LiveChanges.make(1 + random.below(3), in: main, &random)
        var again = drawn
        log.append("edited, from \(again.below(3)) \(again.below(30))")
      }
    } catch  where Self.isRefusal(error) {
      log.append("refused: \(error)")
      main.rollback()
    }
    if !random.chance(4) { try await settle(&random) }
  }

  /// Saves the changes of the main context, or drops them.
  func settle(_ random: inout SeededRandom) async throws {
    guard main.hasChanges else { return }
    hasActed = true
    do {
      switch random.below(5) {
      case 0: main.rollback()
      case 1, 2: try main.saveAtOnce()
      default: try await main.save()
      }
      log.append("settled")
    } catch  where Self.isRefusal(error) {
      log.append("not saved: \(error)")
      main.rollback()
    }
  }

  // MARK: Comparing

  /// Compares all that follows the store with reads, after all commits up to one.
  ///
  /// - Parameter isLone: Whether there was one commit or none since the last comparison.
  func compare(through generation: Int64, isLone: Bool) async throws {
    guard await commits.waits(until: { $0.through >= generation }) else {
      throw LiveFault("the commits up to \(generation) are not told: \(commits.value)")
    }
    let seen = commits.value
    guard !seen.isGap, seen.through == generation else {
      throw LiveFault("commits are missing, or there are too many: \(seen.news.map(\.generations)), not \(generation)")
    }
    commits.change { $0.news = [] }
    let reach = LiveReach(seen.news)
    let truth = try await truth()
    guard truth.generation == generation else { throw LiveFault("a read is of \(truth.generation), not \(generation)") }
    if main.hasChanges {
      for watch in watches { try watch.compareUnsaved(in: main) }
    } else {
      for (watch, result) in zip(watches, truth.results) {
        try await watch.compareLive(result, truth, isLone: isLone && !hasActed)
      }
    }
    for (watch, result) in zip(watches, truth.results) { try await watch.compareChanges(result, truth) }
    for (read, lines) in zip(reads, truth.values) { try await read.compare(lines, truth, reach) }
    hasActed = false
  }

  /// To be asked at once after commits: another turn of the main actor would run the queries.
  func expectNoSQL(_ reach: LiveReach) throws {
    guard !hasActed else { return }
    try main.merging.merge()
    for watch in watches { try watch.expectNoSQL(reach, counter) }
  }

  /// The commits since the last comparison, once all up to `generation` are known.
  func reach(through generation: Int64) async throws -> LiveReach {
    guard await commits.waits(until: { $0.through >= generation }) else {
      throw LiveFault("the commits up to \(generation) are not told: \(commits.value)")
    }
    return LiveReach(commits.value.news)
  }

  /// The generation in the file.
  func generation() async throws -> Int64 { try await store.read { $0.generation } }

  private func truth() async throws -> LiveTruth {
    let (fetches, lines) = (watches.map(\.fetch), reads.map(\.read.read))
    return try await store.read { context in
      func rows<E: LiveEntity>(_ type: E.Type) throws -> [Int64: [String: String]] {
        Dictionary(uniqueKeysWithValues: try context.fetch(E.all).map { ($0.entityID.pk, $0.values) })
      }
      return LiveTruth(
        generation: context.generation, results: try fetches.map { try $0(context) },
        values: try lines.map { try $0(context) },
        rows: [
          "Writer": try rows(Writer.self), "Article": try rows(Article.self), "Tag": try rows(Tag.self),
          "Mix": try rows(Mix.self), "Remark": try rows(Remark.self),
        ])
    }
  }
}
