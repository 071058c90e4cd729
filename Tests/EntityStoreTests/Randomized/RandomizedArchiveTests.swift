import Foundation
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random graphs, edited by the app and by the server, as archives and back.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
struct RandomizedArchiveTests {
  private static let entities: [any ManagedEntity.Type] =
    Writer.world + Mix.world

  @Test(arguments: Place.usual) func `a graph comes back as it was`(_ place: Place) async {
    await Seeds.each(place == .memory ? 60 : 10, sanitized: 1, place.rawValue) { seed, _ in
      let test = try TestStore(place, Self.entities)
      for step in 0..<8 {
        try await test.store.background(as: step % 2 == 0 ? .server : .app) { context in
          var random = SeededRandom(seed &* 100 &+ UInt64(step))
          var uid = step * 1000
          try Self.change(context, &uid, &random)
        }
      }
      let expected = try await content(test.store)
      let other = try TestStore(.memory, Self.entities)
      let url = test.folder.url.appendingPathComponent("archive")
      let summary = try await test.store.archive(to: url)
      let restored = try await other.store.restore(from: url)
      let found = try await content(other.store)
      try #require(found == expected)
      try #require(restored == summary)
      // The copy goes on as the first one does, and a copy of the copy too.
      for store in [test.store, other.store] {
        try await store.background { context in
          var random = SeededRandom(seed &+ 1)
          try Self.edit(context, &random)
        }
      }
      let last = try TestStore(.memory, Self.entities)
      try await last.store.restore(from: try await other.store.archive())
      let (first, second) = (try await edits(test.store), try await edits(last.store))
      try #require(first == second)
    }
  }

  /// The pending changes, without row ids and times.
  private func edits(_ store: EntityStore) async throws -> [String] {
    try await store.pending.changes().map {
      "\($0.entity) \($0.uid ?? "-") \($0.kind) \($0.edits.map(\.property))"
    }.sorted()
  }

  /// - Parameter uid: The last one that was given to an object.
  private static func change(_ context: EntityContext, _ uid: inout Int, _ random: inout SeededRandom) throws {
    func next() -> Int {
      uid += 1
      return uid
    }
    for _ in 0..<2 {
      let writer = try context.insert(Writer.self)
      if !random.chance(3) { writer.uid = next() }
      writer.name = "w\(random.below(100))"
    }
    let writers = try context.fetch(Writer.all)
    for _ in 0..<random.below(4) {
      let article = try context.insert(Article.self)
      article.uid = next()
      article.author = writers[random.below(writers.count)]
      article.rating = random.chance(2) ? Double(random.below(10)) / 3 : nil
    }
    for _ in 0..<random.below(3) {
      let mix = try context.insert(Mix.self)
      mix.number = next()
      for list in MixList.allCases {
        var numbers = (0..<random.below(5)).map { _ in next() }
        numbers.shuffle(using: &random)
        try list.set(mix, numbers)
      }
    }
    try context.insert(Tag.self).uid = "t\(next())"
    try edit(context, &random)
  }

  private static func edit(_ context: EntityContext, _ random: inout SeededRandom) throws {
    let writers = try context.fetch(Writer.where { $0.uid > 0 }.sorted { $0.uid })
    let articles = try context.fetch(Article.all.sorted { $0.uid })
    let tags = try context.fetch(Tag.all.sorted { $0.uid })
    for writer in writers where random.chance(2) {
      writer.nick = random.chance(2) ? "n\(random.below(9))" : nil
      writer.following = writers.filter { _ in random.chance(3) }
      writer.home = try random.chance(3) ? context.insert(Town.self) : nil
    }
    for article in articles where random.chance(2) {
      article.tags = tags.filter { _ in random.chance(2) }
      article.parent = random.element(articles)
    }
    for mix in try context.fetch(Mix.all.sorted { $0.number }) where random.chance(2) {
      for list in MixList.allCases { try list.edit(mix) { $0.reverse() } }
    }
    if random.chance(2), let article = articles.first { try context.delete(article) }
    if random.chance(3), let tag = tags.last { try context.delete(tag) }
  }
}
