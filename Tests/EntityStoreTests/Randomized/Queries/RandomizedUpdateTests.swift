import EntityStore
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Updates and deletions by query against the same changes made object by object, in two stores: rows, marks, notes, deletions,
/// commits and the objects that are alive are equal after each unit and each save.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedUpdateTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  /// A change, made by query and object by object. It returns how many objects the query found.
  private struct Change: Sendable {
    let text: String
    let byQuery: @Sendable (EntityContext) throws -> Int
    let byObjects: @Sendable (EntityContext) throws -> Int

    init<E: ManagedEntity>(
      _ text: String, _ query: EntityQuery<E>,
      _ changes: @escaping @Sendable (EntityContext, inout RowChanges<E>) throws -> Void,
      _ set: @escaping @Sendable (EntityContext, [E]) throws -> Void
    ) {
      self.text = "update \(text)"
      byQuery = { context in try context.update(query) { try changes(context, &$0) } }
      byObjects = { context in
        let objects = try context.fetch(query)
        try set(context, objects)
        return objects.count
      }
    }

    init<E: ManagedEntity>(deleting query: EntityQuery<E>, _ text: String) {
      self.text = "delete \(text)"
      byQuery = { try $0.delete(query) }
      byObjects = { context in
        let objects = try context.fetch(query)
        for object in objects { try context.delete(object) }
        return objects.count
      }
    }

    static func random(_ random: inout SeededRandom) -> Change {
      let (number, other) = (random.below(6), random.below(4))
      let some: EntityQuery<Article> =
        switch random.below(4) {
        case 0: Article.where { $0.length > number }
        case 1: Article.where { $0.author.age == number || $0.reviewer == nil }
        case 2: Article.all.sorted(by: \.length, .descending).limited(to: 1 + other)
        default: Article.where { $0.tags.count > 0 && $0.rating != nil }
        }
      switch random.below(12) {
      case 0:
        return Change(
          "length = \(number)", some, { $1.set(\.length, to: number) },
          { $1.forEach { $0.length = number } })
      case 1:
        return Change(
          "length + 1, title", some,
          {
            $1.set(\.length) { $0.length + 1 }
            $1.set(\.title, to: "t\(other)")
          },
          { _, all in
            for article in all {
              (article.length, article.title) = (article.length + 1, "t\(other)")
            }
          })
      case 2:
        return Change(
          "rating = nil", some, { $1.set(\.rating, to: nil) }, { $1.forEach { $0.rating = nil } })
      case 3:
        return Change(
          "rating * 2", some, { $1.set(\.rating) { $0.rating * 2 } },
          { $1.forEach { $0.rating = $0.rating.map { $0 * 2 } } })
      case 4:
        return Change(
          "title = author.name", some, { $1.set(\.title) { $0.author.name } },
          { _, all in
            let names = all.map(\.author.name)
            for (article, name) in zip(all, names) { article.title = name }
          })
      case 5:
        return Change(
          "reviewer", some,
          { context, changes in
            changes.set(\.reviewer, to: try context.fetchOne(Writer.where { $0.age == other }))
          },
          { context, all in
            let writer = try context.fetchOne(Writer.where { $0.age == other })
            for article in all { article.reviewer = writer }
          })
      case 6:
        return Change(
          "author", some,
          { context, changes in
            if let writer = try context.fetchOne(Writer.all.reversed()) {
              changes.set(\.author, to: writer)
            }
          },
          { context, all in
            guard let writer = try context.fetchOne(Writer.all.reversed()) else { return }
            for article in all { article.author = writer }
          })
      case 7:
        return Change(
          "age + number", Writer.where { $0.age < 3 }, { $1.set(\.age) { $0.age + number } },
          { $1.forEach { $0.age += number } })
      case 8:
        return Change(
          "nick = name, isActive", Writer.where { $0.isActive == false },
          {
            $1.set(\.nick) { $0.name }
            $1.set(\.isActive, to: true)
          },
          { _, all in
            for writer in all { (writer.nick, writer.isActive) = (writer.name, true) }
          })
      case 9: return Change(deleting: some, "articles")
      case 10: return Change(deleting: Writer.where { $0.age == number }, "writers")
      default:
        return Change(
          deleting: random.chance(2) ? Tag.all.limited(to: 1) : Tag.where { $0.articles.isEmpty },
          "tags")
      }
    }
  }

  /// One of the two stores.
  @MainActor
  private final class Side {
    let test: TestStore
    let isByQuery: Bool
    private var commits: StoreCommits.Iterator

    init(_ place: Place, isByQuery: Bool) throws {
      test = try TestStore(place, TestStore.blog)
      self.isByQuery = isByQuery
      commits = test.store.commits.makeAsyncIterator()
    }

    func fill(_ seed: UInt64) async throws {
      var random = SeededRandom(seed)
      let (server, own) = (random.next(), random.next())
      try await test.store.background(as: .server) { try Side.fill($0, server) }
      try await test.store.background { try Side.fill($0, own) }
    }

    nonisolated private static func fill(_ context: EntityContext, _ seed: UInt64) throws {
      var random = SeededRandom(seed)
      var (writers, tags) = (try context.fetch(Writer.all), try context.fetch(Tag.all))
      for _ in 0..<4 {
        let writer = try context.insert(Writer.self)
        (writer.uid, writer.name, writer.age) = (
          Int(random.next() >> 2), "w\(random.below(9))", random.below(5)
        )
        writer.friends = writers.filter { _ in random.chance(3) }
        writer.following = writers.filter { _ in random.chance(3) }
        writers.append(writer)
        let tag = try context.insert(Tag.self)
        tag.uid = "\(random.next())"
        tags.append(tag)
      }
      var articles = try context.fetch(Article.all)
      for article in articles where random.chance(3) { article.title = "edited" }
      for _ in 0..<6 {
        let article = try context.insert(Article.self)
        (article.uid, article.length) = (Int(random.next() >> 2), random.below(6))
        article.rating = random.chance(3) ? nil : Double(random.below(4))
        article.author = random.element(writers) ?? writers[0]
        article.reviewer = random.chance(2) ? nil : random.element(writers)
        article.parent = random.chance(2) ? nil : random.element(articles)
        article.tags = tags.filter { _ in random.chance(3) }
        articles.append(article)
      }
    }

    /// Makes the changes in a unit.
    ///
    /// - Returns: The results of the changes, and the values of the objects that were alive.
    func unit(_ changes: [Change], as author: ChangeAuthor, inserts: Bool) async -> [String] {
      let isByQuery = isByQuery
      do {
        return try await test.store.background(as: author) { context in
          if inserts {
            // Neither has a uid.
            let tag = try context.insert(Tag.self)
            try context.fetchOne(Article.all)?.tags.append(tag)
            _ = try context.insert(Tag.self)
          }
          let alive = try Side.objects(context)
          var results: [String] = []
          for change in changes {
            alive.articles.first { !$0.isDeleted }?.title += "!"
            results.append("\(try isByQuery ? change.byQuery(context) : change.byObjects(context))")
            results += Side.text(alive)
          }
          return results
        }
      } catch {
        return ["\((error as? StoreError)?.kind as Any)"]
      }
    }

    func save(_ changes: [Change]) throws -> [String] {
      let main = test.store.main
      do {
        let counts = try changes.map { "\(try isByQuery ? $0.byQuery(main) : $0.byObjects(main))" }
        try main.saveAtOnce()
        return counts
      } catch let error as StoreError {
        main.rollback()
        return ["\(error.kind)"]
      }
    }

    typealias Objects = (articles: [Article], writers: [Writer], tags: [Tag])

    nonisolated static func objects(_ context: EntityContext) throws -> Objects {
      (try context.fetch(Article.all), try context.fetch(Writer.all), try context.fetch(Tag.all))
    }

    nonisolated static func text(_ objects: Objects) -> [String] {
      objects.articles.map {
        $0.isDeleted
          ? "gone"
          : "\($0.title) \($0.length) \($0.rating as Any) \($0.author.entityID.pk) \($0.reviewer?.entityID.pk as Any) \($0.tags.count)"
      }
        + objects.writers.map {
          $0.isDeleted
            ? "gone"
            : "\($0.name) \($0.age) \($0.nick as Any) \($0.articles.map(\.entityID.pk)) \($0.reviews.count) \($0.friends.count)"
        } + objects.tags.map { $0.isDeleted ? "gone" : "\($0.articles.map(\.entityID.pk))" }
    }

    /// All that is in the file but times.
    func content() throws -> [String] {
      let connection = test.store.main.connection
      let tables = try connection.rows(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
      ) {
        $0.text(0) ?? ""
      }
      return try tables.filter { $0 != "_entity_store" && $0 != "_entity_migrations" }.flatMap {
        table in
        let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
          $0.text(0) ?? ""
        }
        .filter { $0 != "time" }
        return try connection.rows(
          "SELECT \(columns.map(\.quoted).joined(separator: ", ")) FROM main.\(table.quoted) ORDER BY 1, 2, 3"
        ) { row in "\(table): \(columns.indices.map { row.value($0) })" }
      }
    }

    /// The next commit, and the generation up to which it goes.
    func commit() async -> (text: String, generation: Int64) {
      var iterator = commits
      guard let commit = await iterator.next() else { return ("none", .max) }
      commits = iterator
      func text<E: ManagedEntity>(_ type: E.Type) -> String {
        let changes = commit.changes(of: type)
        let updated = changes.updated.map { "\($0.id.pk) \($0.columns.names.sorted())" }
        return
          "\(changes.mayBeAny) \(changes.inserted.map(\.pk)) \(updated) \(changes.deleted.map(\.pk))"
      }
      return (
        "\(text(Article.self)) \(text(Writer.self)) \(text(Tag.self)) \(text(Town.self))",
        commit.generations.upperBound
      )
    }
  }

  @Test(arguments: Place.usual)
  func `changes by query equal the changes of objects`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 120 : 15, sanitized: 2, place.rawValue) { seed, steps in
      var random = SeededRandom(seed)
      let sides = [try Side(place, isByQuery: true), try Side(place, isByQuery: false)]
      for side in sides { try await side.fill(seed) }
      var generation: Int64 = 0
      for _ in 0..<6 {
        await Task.yield()
        let changes = (0...random.below(3)).map { _ in Change.random(&random) }
        let (way, inserts) = (random.below(4), random.chance(4))
        steps += "\(["unit", "unit", "server", "main"][way]): \(changes.map(\.text))\n"
        let alive = try sides.map { try Side.objects($0.test.store.main) }
        var results: [[String]] = []
        for side in sides {
          results.append(
            way == 3
              ? try side.save(changes) : await side.unit(changes, as: way == 2 ? .server : .app, inserts: inserts))
        }
        func check(_ name: String, _ values: [[String]]) throws {
          guard values[0] != values[1] else { return }
          let (own, other) = (Set(values[0]), Set(values[1]))
          throw Difference(
            description:
              "\(name): \(values[0].filter { !other.contains($0) }), not \(values[1].filter { !own.contains($0) })"
          )
        }
        // The name of a writer whose deletion a rule will deny: to SQL there is none, and an object without a row has a neutral one.
        if results[0].first?.contains("invalidValue") == true, results[1].first?.contains("deleteDenied") == true {
          results[0] = results[1]
        }
        try check("result", results)
        try check("objects", alive.map(Side.text))
        try check("content", sides.map { try $0.content() })
        let generations = try sides.map { try $0.test.store.main.connection.generation() }
        try check("generation", generations.map { ["\($0)"] })
        guard generations[0] > generation else { continue }
        generation = generations[0]
        var commits: [[String]] = []
        for side in sides {
          // Those of the beginning come first.
          var last = (text: "", generation: Int64(0))
          while last.generation < generation { last = await side.commit() }
          commits.append([last.text])
        }
        try check("commit", commits)
      }
    }
  }
}
