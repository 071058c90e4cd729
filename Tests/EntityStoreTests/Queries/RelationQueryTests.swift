import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Queries across relationships.
@MainActor
struct RelationQueryTests {
  static let blog: [any ManagedEntity.Type] = Writer.world

  /// Ada of Oslo has articles "Alpha" (tags a, b) and "Beta" (tag a, reviewed by Bob); Bob of Rome has "Gamma"; Cid has
  /// no town and no article, is a friend of Ada, and follows Bob.
  private func filled(_ place: Place) throws -> (store: TestStore, main: EntityContext) {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let towns = try ["Oslo", "Rome"].enumerated().map { uid, city in
      let town = try main.insert(Town.self)
      (town.uid, town.city, town.country) = (uid + 1, city, city == "Oslo" ? "Norway" : nil)
      return town
    }
    let writers = try ["Ada", "Bob", "Cid"].enumerated().map { uid, name in
      let writer = try main.insert(Writer.self)
      (writer.uid, writer.name, writer.age, writer.isActive) = (uid + 1, name, 20 + 10 * uid, uid != 1)
      writer.home = uid < 2 ? towns[uid] : nil
      writer.nick = uid == 0 ? "Ada" : uid == 1 ? "bo_b" : nil
      return writer
    }
    let tags = try ["a", "b"].map { uid in
      let tag = try main.insert(Tag.self)
      tag.uid = uid
      return tag
    }
    for (uid, (title, author)) in [("Alpha", 0), ("Beta", 0), ("Gamma", 1)].enumerated() {
      let article = try main.insert(Article.self)
      (article.uid, article.title, article.length) = (uid + 1, title, 100 * uid)
      article.author = writers[author]
      article.tags = uid == 0 ? tags : uid == 1 ? [tags[0]] : []
      if uid == 1 { article.reviewer = writers[1] }
    }
    writers[2].friends = [writers[0]]
    writers[2].following = [writers[1]]
    return (test, main)
  }

  private func names(_ main: EntityContext, _ query: EntityQuery<Writer>) throws -> String {
    let names = try main.fetch(query).map(\.name)
    #expect(try main.count(query) == names.count)
    return names.joined(separator: " ")
  }

  private func titles(_ main: EntityContext, _ query: EntityQuery<Article>) throws -> String {
    try main.fetch(query).map(\.title).joined(separator: " ")
  }

  @Test(arguments: Place.usual, [false, true])
  func `links are followed`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try filled(place)
    if isSaved { try await main.save() }
    #expect(try names(main, Writer.where { $0.home.city == "Oslo" }) == "Ada")
    #expect(try names(main, Writer.where { $0.home.city != "Oslo" }) == "Bob Cid")
    #expect(try names(main, Writer.where { $0.home.city == nil }) == "Cid")
    #expect(try names(main, Writer.where { $0.home.country == nil }) == "Bob Cid")
    #expect(try names(main, Writer.where { $0.home.city > "P" && $0.age > 21 }) == "Bob")
    #expect(try names(main, Writer.where { !($0.home.city > "P") }) == "Ada Cid")
    #expect(try titles(main, Article.where { $0.author.name == "Ada" }) == "Alpha Beta")
    #expect(try titles(main, Article.where { $0.author.home.city == "Rome" }) == "Gamma")
    #expect(try titles(main, Article.where { $0.reviewer.home.city == nil }) == "Alpha Gamma")
    #expect(try titles(main, Article.where { $0.reviewer.home.uid == 2 }) == "Beta")
    #expect(try titles(main, Article.where { $0.author == $0.reviewer }) == "")
    #expect(
      try titles(main, Article.where { $0.author.home.city < $0.reviewer.home.city || $0.author.isActive })
        == "Alpha Beta")
    #expect(try names(main, Writer.all.sorted { $0.home.city }) == "Cid Ada Bob")
    #expect(try names(main, Writer.all.sorted(.descending) { $0.home.city }) == "Bob Ada Cid")
    #expect(try names(main, Writer.all.sorted(.descending) { $0.articles.count }) == "Ada Bob Cid")
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `queries can ask for the members of lists`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try filled(place)
    if isSaved { try await main.save() }
    let ada = try #require(try main.fetch(Writer.self, uid: 1))
    let b = try #require(try main.fetch(Tag.self, uid: "b"))
    #expect(try names(main, Writer.where { $0.articles.any { $0.title.hasPrefix("A") } }) == "Ada")
    #expect(try names(main, Writer.where { $0.articles.all { $0.title.hasPrefix("A") } }) == "Cid")
    #expect(try names(main, Writer.where { $0.articles.isEmpty }) == "Cid")
    #expect(try names(main, Writer.where { !$0.articles.isEmpty }) == "Ada Bob")
    #expect(try names(main, Writer.where { $0.articles.count >= 2 }) == "Ada")
    #expect(try names(main, Writer.where { $0.articles.count == $0.reviews.count }) == "Bob Cid")
    #expect(try names(main, Writer.where { $0.friends.contains(ada) }) == "Cid")
    #expect(try names(main, Writer.where { $0.followers.any { $0.name == "Cid" } }) == "Bob")
    #expect(try titles(main, Article.where { $0.tags.contains(b.entityID) }) == "Alpha")
    #expect(try titles(main, Article.where { $0.tags.count == 1 }) == "Beta")
    #expect(try titles(main, Article.where { $0.author.articles.count == 2 }) == "Alpha Beta")
    #expect(try titles(main, Article.where { $0.reviewer.articles.isEmpty }) == "Alpha Gamma")
    // A closure may name the rows of those around it.
    #expect(
      try names(main, Writer.where { writer in writer.articles.any { $0.title < writer.name || $0.reviewer == nil } })
        == "Ada Bob")
    #expect(
      try names(
        main,
        Writer.where { writer in
          writer.articles.any { article in
            writer.friends.isEmpty && article.tags.any { tag in article.tags.count == 2 && tag.articles.count == 2 }
          }
        }) == "Ada")
    let found = try await test.store.background { context in
      try context.fetch(Writer.where { $0.articles.any { $0.tags.any { $0.uid == "b" } } }).map(\.name)
    }
    #expect(found == (isSaved ? ["Ada"] : []))
    let read = try await test.store.read { context in
      try context.fetch(Writer.where { $0.home.city.isIn(["Oslo", nil]) }).map(\.name)
    }
    #expect(read == (isSaved ? ["Ada", "Cid"] : []))
  }

  @Test(arguments: Place.usual)
  func `unsaved changes of every entity take part`(_ place: Place) async throws {
    let (test, main) = try filled(place)
    try await main.save()
    let town = try #require(try main.fetch(Town.self, uid: 1))
    town.city = "Bergen"
    #expect(try names(main, Writer.where { $0.home.city == "Bergen" }) == "Ada")
    try main.delete(town)
    #expect(try names(main, Writer.where { $0.home.city == nil }) == "Ada Cid")
    let gamma = try #require(try main.fetch(Article.self, uid: 3))
    gamma.tags = [try #require(try main.fetch(Tag.self, uid: "b"))]
    #expect(try names(main, Writer.where { $0.articles.any { $0.tags.any { $0.uid == "b" } } }) == "Ada Bob")
    main.rollback()
    #expect(try names(main, Writer.where { $0.home.city == "Oslo" }) == "Ada")
    let counts = try await test.store.background { context in
      let tag = try #require(try context.fetch(Tag.self, uid: "b"))
      tag.articles = []
      return try context.count(Article.where { $0.tags.contains(tag) })
    }
    #expect(counts == 0)
  }

  @Test(arguments: Place.usual)
  func `text is matched as it is`(_ place: Place) throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    for text in [
      "", "a", "ab", "a%b", "a_b", "axb", "É", "éa", "e\u{301}", "z\u{10FFFF}", "z\u{10FFFF}a", "x\0y", "AB",
    ] {
      let writer = try main.insert(Writer.self)
      writer.name = text
      writer.nick = text.isEmpty ? nil : text
    }
    func found(_ query: EntityQuery<Writer>) throws -> [String] { try main.fetch(query).map(\.name) }
    #expect(try found(Writer.where { $0.name.hasPrefix("a") }) == ["a", "ab", "a%b", "a_b", "axb"])
    #expect(try found(Writer.where { $0.name.contains("%") }) == ["a%b"])
    #expect(try found(Writer.where { $0.name.contains("_") }) == ["a_b"])
    #expect(try found(Writer.where { $0.name.hasPrefix("z\u{10FFFF}") }) == ["z\u{10FFFF}", "z\u{10FFFF}a"])
    #expect(try found(Writer.where { $0.name.hasPrefix("e") }) == ["e\u{301}"])
    #expect(try found(Writer.where { $0.name.hasSuffix("y") }) == ["x\0y"])
    #expect(try found(Writer.where { $0.name.hasSuffix("\0y") }) == ["x\0y"])
    #expect(try found(Writer.where { $0.name.contains("\0") }) == ["x\0y"])
    #expect(try found(Writer.where { $0.name.hasSuffix("xxxxb") }) == [])
    #expect(try found(Writer.where { $0.name.hasSuffix("") }).count == 13)
    #expect(try found(Writer.where { $0.nick.hasPrefix("") }).count == 12)
    #expect(try found(Writer.where { $0.name.ignoringASCIICase == "aB" }) == ["ab", "AB"])
    #expect(try found(Writer.where { $0.name.ignoringASCIICase != "aB" }).count == 11)
    #expect(try found(Writer.where { $0.nick.ignoringASCIICase.hasPrefix("É") }) == ["É"])
    #expect(try found(Writer.where { $0.nick.ignoringASCIICase.hasSuffix("B") && $0.name.contains("A") }) == ["AB"])
    #expect(try found(Writer.where { $0.name.ignoringASCIICase.contains("XB") }) == ["axb"])
  }

  @Test(arguments: Place.usual)
  func `values are compared in ranges`(_ place: Place) throws {
    let (test, main) = try filled(place)
    #expect(try names(main, Writer.where { $0.age.isIn(20...30) }) == "Ada Bob")
    #expect(try names(main, Writer.where { $0.age.isIn(20..<30) }) == "Ada")
    #expect(try names(main, Writer.where { $0.nick.isIn("A"..."B") }) == "Ada")
    #expect(try names(main, Writer.where { $0.name == $0.nick }) == "Ada")
    #expect(try names(main, Writer.where { $0.name != $0.nick }) == "Bob Cid")
    #expect(try names(main, Writer.where { $0.isActive }) == "Ada Cid")
    #expect(try names(main, Writer.where { !$0.isActive || $0.age < 25 }) == "Ada Bob")
    #expect(try names(main, Writer.where { $0.age > $0.uid && $0.age <= $0.age }) == "Ada Bob Cid")
    withExtendedLifetime(test) {}
  }

  /// SQLite's plan of a query.
  private func plan<E>(_ main: EntityContext, _ query: EntityQuery<E>) throws -> String {
    let query = try query.sql("_pk").rendered(main.core.schema, main.overlay.source)
    return try main.connection.rows("EXPLAIN QUERY PLAN \(query.sql)", query.values) { $0.text(3) ?? "" }.joined(
      separator: "\n")
  }

  @Test func `large tables are read by their indexes`() async throws {
    let test = try TestStore(.memory, Self.blog + Person.world)
    let count = ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil ? 100_000 : 2_000
    try await test.store.background { context in
      var writers: [Writer] = []
      for uid in 0..<count / 100 {
        let writer = try context.insert(Writer.self)
        (writer.uid, writer.name) = (uid, "W\(uid)")
        writers.append(writer)
      }
      let tag = try context.insert(Tag.self)
      tag.uid = "a"
      for uid in 0..<count {
        let article = try context.insert(Article.self)
        (article.uid, article.author) = (uid, writers[uid % writers.count])
        if uid % 1000 == 0 { article.tags = [tag] }
      }
    }
    let main = test.store.main
    for isEdited in [false, true] {
      if isEdited {
        try #require(try main.fetch(Article.self, uid: 1)).title = "edited"
        try #require(try main.fetch(Writer.self, uid: 1)).age = 3
        try #require(try main.fetch(Article.self, uid: 2)).tags = try main.fetch(Tag.self)
      }
      let queries: [(String, Int, EntityQuery<Writer>)] = [
        ("any", count / 100, Writer.where { $0.articles.any { $0.length == 0 } }),
        ("count", count / 100, Writer.where { $0.articles.count == 100 }),
        ("tags", 0, Writer.where { $0.uid < 10 && $0.articles.any { $0.tags.any { $0.uid == "b" } } }),
      ]
      for (name, expected, query) in queries {
        let plan = try plan(main, query)
        #expect(plan.contains("Article,author"), "\(name): \(plan)")
        #expect(!plan.contains("SCAN Article"), "\(name): \(plan)")
        #expect(!plan.contains("AUTOMATIC"), "\(name): \(plan)")
        #expect(try main.count(query) == expected)
      }
      let linked = Article.where { $0.author.name == "W7" && $0.tags.contains(EntityID<Tag>(pk: 1)) }
      let plan = try plan(main, linked)
      #expect(plan.contains("USING INTEGER PRIMARY KEY"), "\(plan)")
      #expect(plan.contains("Article,tags,owner"), "\(plan)")
      #expect(!plan.contains("SCAN Article,tags"), "\(plan)")
      #expect(!plan.contains("SCAN p"), "\(plan)")
      _ = try main.count(linked)
      let prefix = Person.where { $0.team == EntityID<Team>(pk: 3) }
      #expect(try self.plan(main, prefix).contains("Person,team"))
    }
  }
}
