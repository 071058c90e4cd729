import class Foundation.ProcessInfo
import TestSupport
import Testing

@testable import EntityStore

/// Lists that are set as a whole, again and again: the members that the context keeps, for how long, and the cost.
@MainActor
struct KeptListTests {
  /// The number of SQLite's steps for each of `count` appends to both kinds of lists.
  nonisolated private static func append(_ count: Int, in context: EntityContext) throws -> [[Int]] {
    let counter = WorkCounter()
    counter.count(on: context.connection)
    defer { counter.stop(on: context.connection) }
    let writer = try #require(try context.fetch(Writer.self).first)
    let article = try #require(try context.fetch(Article.where { $0.uid == 1 }).first)
    let (articles, tags) = (try context.fetch(Article.self), try context.fetch(Tag.self))
    return try [
      articles.map { article in counter.work { writer.reviews.append(article) } },
      tags.map { tag in counter.work { article.tags.append(tag) } },
      // A new one is as cheap: its unsaved values change no list.
      (0..<count).map { number in
        let new = try context.insert(Article.self)
        new.uid = count + 1 + number
        new.author = writer
        return counter.work { writer.reviews.append(new) }
      },
    ]
  }

  private func filled(_ place: Place, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, ManyToManyTests.blog)
    try await test.store.background { context in
      let writer = try context.insert(Writer.self)
      for uid in 1...count {
        let article = try context.insert(Article.self)
        article.uid = uid
        article.author = writer
        try context.insert(Tag.self).uid = "\(uid)"
      }
    }
    return test
  }

  @Test(arguments: Place.allCases, [true, false])
  func anObjectIsAppendedToALongListAsToAShortOne(_ place: Place, isInMain: Bool) async throws {
    let test = try await filled(place, 200)
    let costs =
      isInMain
      ? try Self.append(200, in: test.store.main) : try await test.store.background { try Self.append(200, in: $0) }
    for (kind, cost) in costs.enumerated() where !(isInMain && kind == 1) {
      // The main context keeps no many-to-many list. The first ones read the list, to be kept.
      #expect(cost[199] <= cost[10] + 20, "\(cost)")
    }
    if isInMain { try test.store.main.saveAtOnce() }
    let read = try await test.store.read { context in
      [try context.fetch(Writer.self)[0].reviews.count, try context.fetch(Article.where { $0.uid == 1 })[0].tags.count]
    }
    #expect(read == [400, 200])
  }

  enum End: CaseIterable { case save, rollback, rollbackOfOne, undone, others }

  @Test(arguments: Place.allCases, End.allCases)
  func aContextKeepsAListNoLongerThanItsChanges(_ place: Place, _ end: End) async throws {
    let test = try await filled(place, 3)
    let main = test.store.main
    weak var member: Article?
    do {
      let writer = try #require(try main.fetch(Writer.self).first)
      let articles = try main.fetch(Article.self)
      writer.reviews.append(articles[0])
      try test.store.main.saveAtOnce()
      writer.reviews.append(articles[1])
      writer.reviews.append(articles[2])
      #expect(writer.reviews.count == 3)
      member = articles[0]
      switch end {
      case .save: try await main.save()
      case .rollback: main.rollback()
      case .rollbackOfOne: for article in articles { try main.rollback(article) }
      case .undone: for article in articles.dropFirst() { article.reviewer = nil }
      case .others: try await test.store.background { try $0.fetch(Tag.self)[0].name = "new" }
      }
      if end == .others { _ = try main.fetch(Tag.self) }
    }
    #expect(member == nil)
  }

  /// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=1000` runs so many.
  @Test(arguments: Place.allCases, [true, false])
  func aKeptListIsTheOneThatAQueryFinds(_ place: Place, isInMain: Bool) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 3, "\(place), main: \(isInMain)") { seed, _ in
      let test = try await filled(place, 5)
      if isInMain {
        var steps = ListSteps(context: test.store.main, random: SeededRandom(seed))
        for _ in 0..<60 {
          if steps.random.chance(8) { try await others(test.store, &steps.random) }
          try steps.step()
          try steps.compare()
        }
      } else {
        try await test.store.background { context in
          var steps = ListSteps(context: context, random: SeededRandom(seed))
          for _ in 0..<60 {
            try steps.step()
            try steps.compare()
          }
          context.rollback()
        }
      }
    }
  }

  /// Another context changes lists.
  private func others(_ store: EntityStore, _ random: inout SeededRandom) async throws {
    let numbers = (0..<3).map { _ in random.below(5) }
    try await store.background { context in
      let (articles, tags) = (try context.fetch(Article.self), try context.fetch(Tag.self))
      guard articles.count > numbers[0], tags.count > numbers[1] else { return }
      articles[numbers[0]].tags = [tags[numbers[1]]]
      articles[numbers[0]].reviewer = numbers[2] < 2 ? nil : articles[0].author
      if numbers[2] == 0, tags.count > 3 { try context.delete(tags[numbers[1]]) }
    }
  }
}

/// Random edits of lists and of their members.
private struct ListSteps {
  let context: EntityContext
  var random: SeededRandom
  var log: [String] = []
  var lastUID = 1_000

  struct Difference: Error, CustomStringConvertible { let description: String }

  init(context: EntityContext, random: SeededRandom) {
    self.context = context
    self.random = random
  }

  mutating func step() throws {
    let (writers, articles) = (try context.fetch(Writer.self), try context.fetch(Article.self))
    let tags = try context.fetch(Tag.self)
    guard let writer = random.element(writers), let article = random.element(articles), let tag = random.element(tags)
    else { return context.rollback() }
    let choice = random.below(17)
    log.append("\(choice)")
    switch choice {
    case 0...2: for _ in 0..<3 { writer.reviews.append(random.element(articles) ?? article) }
    case 3...5: for _ in 0..<3 { article.tags.append(random.element(tags) ?? tag) }
    case 6: writer.reviews.removeAll { _ in random.chance(2) }
    case 7: article.tags.removeAll { _ in random.chance(2) }
    case 8: tag.articles.append(article)
    case 9: article.reviewer = random.chance(2) ? nil : writer
    case 10: try article.remove(tag, from: \.tags)
    case 11: try article.add(tag, to: \.tags)
    case 12:
      lastUID += 1
      let new = try context.insert(Article.self)
      new.uid = lastUID
      new.author = writer
      writer.reviews.append(new)
      new.tags = tags
    case 13:
      if random.chance(2), tags.count > 2 {
        try context.delete(tag)
      } else if articles.count > 2 {
        try context.delete(article)
      }
    case 14: writer.reviews.shuffle(using: &random)
    case 15: if random.chance(2) { try context.rollback(article) } else { context.rollback() }
    default: try context.save()
    }
  }

  /// Each list reads as the objects that a query finds, in the same order.
  mutating func compare() throws {
    guard random.chance(2) else { return }
    for writer in try context.fetch(Writer.self) { try compare(writer, \.reviews, writer.reviews) }
    for article in try context.fetch(Article.self) { try compare(article, \.tags, article.tags) }
    for tag in try context.fetch(Tag.self) { try compare(tag, \.articles, tag.articles) }
  }

  private func compare<E: ManagedEntity, T: ManagedEntity>(_ object: E, _ list: KeyPath<E, [T]>, _ read: [T]) throws {
    let property = try #require(object._$state.model.index(of: list))
    let found = try context.members(of: object, property).map(\._$state.pk)
    guard read.map(\._$state.pk) == found else {
      throw Difference(
        description: "\(log.joined(separator: " ")): \(object._$state.id) has \(read.map(\._$state.pk)), not \(found)")
    }
  }
}
