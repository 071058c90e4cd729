import EntityStore
import class Foundation.ProcessInfo
import TestSchema
import TestSupport
import Testing

/// Random conditions across relationships, by SQL and in Swift over the objects, with unsaved changes.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedQueryTests {
  @Test(arguments: Place.usual)
  func `queries find the same objects as Swift`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 80 : 20, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let test = try TestStore(place, RelationQueryTests.blog)
      let main = test.store.main
      var world = World(main)
      for round in 0..<4 {
        try world.change(&random)
        if round == 1 { try await main.save() }
        for number in 0..<75 {
          // Other tests need the main actor too.
          await Task.yield()
          let writers = WriterCondition.random(&random, 3)
          let found = try main.fetch(Writer.where(writers.sql)).map(\.entityID.pk)
          let expected = world.writers.filter { !$0.isDeleted && writers.holds($0) }.map(\.entityID.pk).sorted()
          let articles = ArticleCondition.random(&random, 3)
          let foundArticles = try main.fetch(Article.where(articles.sql)).map(\.entityID.pk)
          let expectedArticles = world.articles.filter { !$0.isDeleted && articles.holds($0) }.map(\.entityID.pk)
            .sorted()
          guard found == expected, foundArticles == expectedArticles else {
            throw Difference(
              description: """
                round \(round), query \(number): \(writers.text) finds \(found), not \(expected); \(articles.text) finds \
                \(foundArticles), not \(expectedArticles)
                """)
          }
        }
      }
    }
  }

  /// Live queries against fetches, while objects are edited here and in units, saved and rolled back.
  @Test(arguments: Place.usual)
  func `live queries find the same objects as fetches`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 40 : 10, sanitized: 2, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      let test = try TestStore(place, RelationQueryTests.blog)
      let main = test.store.main
      var world = World(main)
      try world.change(&random)
      var live: [(text: String, query: LiveQuery<Writer>)] = []
      for _ in 0..<10 {
        let condition = WriterCondition.random(&random, 3)
        var query = Writer.where(condition.sql)
        if random.chance(2) { query = query.sorted(by: \.age, random.chance(2) ? .ascending : .descending) }
        if random.chance(3) { query = query.sorted { $0.home.city } }
        if random.chance(3) { query = query.limited(to: 3, offset: random.below(2)) }
        live.append((condition.text, LiveQuery(query, in: test.store)))
      }
      for step in 0..<12 {
        let action = random.below(5)
        steps += "\(action) "
        switch action {
        case 0: try world.change(&random)
        case 1: try await main.save()
        case 2:
          main.rollback()
          world.forgetDeleted()
        default:
          let unit = SeededRandom(state: random.next())
          try await test.store.background { context in
            var unit = unit
            try World.edit(in: context, &unit)
          }
        }
        for (text, query) in live where !random.chance(4) {
          let found = query.objects.map(\.entityID.pk)
          let expected = try main.fetch(query.query).map(\.entityID.pk)
          guard found == expected, query.error == nil else {
            throw Difference(description: "step \(step): \(text) has \(found), not \(expected)")
          }
        }
      }
    }
  }

  private struct Difference: Error, CustomStringConvertible { let description: String }

  @MainActor
  private struct World {
    let main: EntityContext
    var writers: [Writer] = []
    var articles: [Article] = []
    var tags: [Tag] = []
    var towns: [Town] = []

    init(_ main: EntityContext) { self.main = main }

    mutating func forgetDeleted() {
      writers.removeAll(where: \.isDeleted)
      articles.removeAll(where: \.isDeleted)
      tags.removeAll(where: \.isDeleted)
      towns.removeAll(where: \.isDeleted)
    }

    /// Edits what is saved, in a unit.
    nonisolated static func edit(in context: EntityContext, _ random: inout SeededRandom) throws {
      let writers = try context.fetch(Writer.all)
      for writer in writers where random.chance(3) {
        switch random.below(4) {
        case 0: writer.age = random.below(5)
        case 1: writer.name = random.text()
        case 2: writer.nick = random.chance(2) ? nil : random.text()
        default: writer.home = random.element(try context.fetch(Town.all))
        }
      }
      for article in try context.fetch(Article.all) where random.chance(3) {
        article.title = random.text()
        if let author = random.element(writers) { article.author = author }
        article.tags = try context.fetch(Tag.all).filter { _ in random.chance(3) }
      }
      if random.chance(3) { try context.insert(Writer.self).age = random.below(5) }
    }

    mutating func change(_ random: inout SeededRandom) throws {
      for _ in 0..<2 { towns.append(try main.insert(Town.self)) }
      for _ in 0..<3 {
        let writer = try main.insert(Writer.self)
        writers.append(writer)
        let tag = try main.insert(Tag.self)
        tags.append(tag)
        for _ in 0..<2 {
          let article = try main.insert(Article.self)
          article.author = writer
          articles.append(article)
        }
      }
      for town in towns where random.chance(2) {
        town.city = random.text()
        town.country = random.chance(3) ? nil : random.text()
      }
      for writer in writers where !writer.isDeleted && random.chance(2) {
        writer.name = random.text()
        writer.age = random.below(5)
        writer.nick = random.chance(3) ? nil : random.text()
        writer.isActive = random.chance(2)
        writer.home = random.chance(3) ? nil : random.element(towns)
        writer.friends = writers.filter { !$0.isDeleted && random.chance(4) }
        writer.following = writers.filter { !$0.isDeleted && random.chance(4) }
      }
      for article in articles where !article.isDeleted && random.chance(2) {
        article.title = random.text()
        article.length = random.below(5)
        article.rating = random.chance(3) ? nil : Double(random.below(4)) / 2
        if let author = random.element(writers.filter { !$0.isDeleted }) { article.author = author }
        article.reviewer = random.chance(2) ? nil : random.element(writers.filter { !$0.isDeleted })
        article.parent = random.chance(2) ? nil : random.element(articles.filter { !$0.isDeleted })
        article.tags = tags.filter { !$0.isDeleted && random.chance(3) }
      }
      for tag in tags where !tag.isDeleted && random.chance(5) { try main.delete(tag) }
      for article in articles where !article.isDeleted && random.chance(8) {
        try main.delete(article)
      }
    }
  }
}

private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

private func precedes(_ left: String?, _ right: String) -> Bool {
  left.map { $0.utf8.lexicographicallyPrecedes(right.utf8) } ?? false
}

/// A condition, once for the store and once in plain Swift.
@MainActor
private struct WriterCondition {
  let text: String
  let sql: (QueryRow<Writer>) -> EntityPredicate
  let holds: (Writer) -> Bool

  static func random(_ random: inout SeededRandom, _ depth: Int) -> WriterCondition {
    let text = random.text()
    let number = random.below(5)
    switch depth == 0 ? random.below(10) : random.below(22) {
    case 0: return .init(text: "age > \(number)", sql: { $0.age > number }, holds: { $0.age > number })
    case 1: return .init(text: "name == \(text)", sql: { $0.name == text }, holds: { bytes($0.name) == bytes(text) })
    case 2: return .init(text: "nick == nil", sql: { $0.nick == nil }, holds: { $0.nick == nil })
    case 3:
      return .init(text: "nick < \(text)", sql: { $0.nick < text }, holds: { precedes($0.nick, text) })
    case 4: return .init(text: "isActive", sql: { $0.isActive && $0.isActive }, holds: \.isActive)
    case 5:
      return .init(
        text: "name hasPrefix \(text)", sql: { $0.name.hasPrefix(text) },
        holds: { Array($0.name.utf8).starts(with: text.utf8) })
    case 6:
      return .init(
        text: "nick hasSuffix \(text)", sql: { $0.nick.hasSuffix(text) },
        holds: { $0.nick.map { Array($0.utf8).suffix(text.utf8.count).elementsEqual(text.utf8) } ?? false })
    case 7:
      return .init(
        text: "age in 1...\(number + 1)", sql: { $0.age.isIn(1...number + 1) },
        holds: { (1...number + 1).contains($0.age) })
    case 8:
      return .init(text: "name == nick", sql: { $0.name == $0.nick }, holds: { bytes($0.name) == bytes($0.nick) })
    case 9:
      return .init(
        text: "age in [\(number), 0]", sql: { $0.age.isIn([number, 0]) }, holds: { [number, 0].contains($0.age) })
    case 10:
      return .init(
        text: "home.city == \(text)", sql: { $0.home.city == text }, holds: { bytes($0.home?.city) == bytes(text) })
    case 11:
      return .init(
        text: "home.country != \(text)", sql: { $0.home.country != text },
        holds: { bytes($0.home?.country) != bytes(text) })
    case 12: return .init(text: "home == nil", sql: { $0.home == nil }, holds: { $0.home == nil })
    case 13:
      return .init(
        text: "articles.count > \(number)", sql: { $0.articles.count > number }, holds: { $0.articles.count > number })
    case 14:
      return .init(
        text: "followers.count == friends.count", sql: { $0.followers.count == $0.friends.count },
        holds: { $0.followers.count == $0.friends.count })
    case 15:
      let inner = ArticleCondition.random(&random, depth - 1)
      return .init(
        text: "articles.any(\(inner.text))", sql: { $0.articles.any(inner.sql) },
        holds: { $0.articles.contains(where: inner.holds) })
    case 16:
      let inner = ArticleCondition.random(&random, depth - 1)
      return .init(
        text: "articles.all(\(inner.text))", sql: { $0.articles.all(inner.sql) },
        holds: { $0.articles.allSatisfy(inner.holds) })
    case 17:
      let inner = WriterCondition.random(&random, depth - 1)
      return .init(
        text: "friends.any(\(inner.text))", sql: { $0.friends.any(inner.sql) },
        holds: { $0.friends.contains(where: inner.holds) })
    case 18:
      let inner = WriterCondition.random(&random, depth - 1)
      return .init(
        text: "followers.all(\(inner.text))", sql: { $0.followers.all(inner.sql) },
        holds: { $0.followers.allSatisfy(inner.holds) })
    case 19:
      let inner = WriterCondition.random(&random, depth - 1)
      return .init(text: "!(\(inner.text))", sql: { !inner.sql($0) }, holds: { !inner.holds($0) })
    case 20:
      let (one, other) = (WriterCondition.random(&random, depth - 1), WriterCondition.random(&random, depth - 1))
      return .init(
        text: "(\(one.text) && \(other.text))", sql: { one.sql($0) && other.sql($0) },
        holds: { one.holds($0) && other.holds($0) })
    default:
      let (one, other) = (WriterCondition.random(&random, depth - 1), WriterCondition.random(&random, depth - 1))
      return .init(
        text: "(\(one.text) || \(other.text))", sql: { one.sql($0) || other.sql($0) },
        holds: { one.holds($0) || other.holds($0) })
    }
  }
}

@MainActor
private struct ArticleCondition {
  let text: String
  let sql: (QueryRow<Article>) -> EntityPredicate
  let holds: (Article) -> Bool

  static func random(_ random: inout SeededRandom, _ depth: Int) -> ArticleCondition {
    let text = random.text()
    let number = random.below(5)
    switch depth == 0 ? random.below(5) : random.below(14) {
    case 0: return .init(text: "length <= \(number)", sql: { $0.length <= number }, holds: { $0.length <= number })
    case 1:
      return .init(
        text: "title contains \(text)", sql: { $0.title.contains(text) },
        holds: { article in
          let (title, part) = (Array(article.title.utf8), Array(text.utf8))
          return (0...title.count).contains { title.dropFirst($0).starts(with: part) }
        })
    case 2: return .init(text: "rating > 0.5", sql: { $0.rating > 0.5 }, holds: { $0.rating.map { $0 > 0.5 } ?? false })
    case 3:
      return .init(
        text: "rating == nil || parent != nil", sql: { $0.rating == nil || $0.parent != nil },
        holds: { $0.rating == nil || $0.parent != nil })
    case 4: return .init(text: "reviewer == nil", sql: { $0.reviewer == nil }, holds: { $0.reviewer == nil })
    case 5:
      return .init(
        text: "author.age > \(number)", sql: { $0.author.age > number }, holds: { $0.author.age > number })
    case 6:
      return .init(
        text: "author.home.city == nil", sql: { $0.author.home.city == nil }, holds: { $0.author.home == nil })
    case 7:
      return .init(
        text: "reviewer.home.city != \(text)", sql: { $0.reviewer.home.city != text },
        holds: { bytes($0.reviewer?.home?.city) != bytes(text) })
    case 8: return .init(text: "tags.isEmpty", sql: { $0.tags.isEmpty }, holds: { $0.tags.isEmpty })
    case 9:
      return .init(
        text: "parent.parent.length == \(number)", sql: { $0.parent.parent.length == number },
        holds: { $0.parent?.parent?.length == number })
    case 10:
      return .init(
        text: "tags.any(articles.count > \(number))", sql: { $0.tags.any { $0.articles.count > number } },
        holds: { $0.tags.contains { $0.articles.count > number } })
    case 11:
      let inner = ArticleCondition.random(&random, depth - 1)
      return .init(
        text: "children.any(\(inner.text))", sql: { $0.children.any(inner.sql) },
        holds: { $0.children.contains(where: inner.holds) })
    case 12:
      let inner = WriterCondition.random(&random, depth - 1)
      return .init(
        text: "author.friends.any(\(inner.text))", sql: { $0.author.friends.any(inner.sql) },
        holds: { $0.author.friends.contains(where: inner.holds) })
    default:
      // The closure names a row around it.
      return .init(
        text: "author.articles.any(longer)",
        sql: { article in article.author.articles.any { $0.length > article.length } },
        holds: { article in article.author.articles.contains { $0.length > article.length } })
    }
  }
}
