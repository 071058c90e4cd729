import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Local edits of many-to-many relationships as the rows keep them: marked in the pair.
@MainActor
struct PairMarkTests {
  private struct Shop {
    let test: TestStore
    let main: EntityContext
    let articles: [Article]
    let tags: [Tag]

    @MainActor
    init(_ test: TestStore) throws {
      main = test.store.main
      self.test = test
      let writer = try main.insert(Writer.self)
      writer.uid = 1
      let main = main
      articles = try (1...2).map { uid in
        let article = try main.insert(Article.self)
        article.uid = uid
        article.author = writer
        return article
      }
      tags = try ["a", "b", "c"].map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      try main.save()
    }

    /// Sets a list as a response does.
    func respond(_ article: Article, _ tags: [Tag], keepsEdits: Bool = true) async throws {
      let (id, ids, core) = (article.entityID, tags.map(\.entityID), test.store.core)
      try await core.unit { rows in
        let context = ContextAnswers.ofResponse(core, rows)
        let article = try #require(try context.object(id))
        let tags = try context.objects(ids)
        context.answers.updating(article, MergePolicy(keepsEdits: keepsEdits), newer: ColumnMask()) {
          article.tags = tags
        }
        try context.saving.throwMistakes()
        try context.saving.flush()
      }
    }

    func pairs() throws -> [String] {
      try main.connection.rows(
        "SELECT a.uid, t.uid, l._edited FROM main.\"Article,tags\" AS l JOIN main.Article AS a ON a._pk = l.owner "
          + "JOIN main.Tag AS t ON t._pk = l.member "
          + "UNION ALL SELECT a.uid, '-' || t.uid, l._edited FROM main.\"Article,tags,removed\" AS l "
          + "JOIN main.Article AS a ON a._pk = l.owner JOIN main.Tag AS t ON t._pk = l.member ORDER BY 1, 2"
      ) { "\($0.int64(0))\($0.text(1) ?? "")" + ($0.text(2).map { " \($0)" } ?? "") }
    }
  }

  /// An article whose one tag, which the server gave it, was taken out here.
  private func withoutItsTag(_ place: Place) async throws -> (shop: Shop, article: Article) {
    let shop = try Shop(TestStore(place, TestStore.blog))
    let article = shop.articles[0]
    try await shop.respond(article, [shop.tags[0]])
    try article.remove(shop.tags[0], from: \.tags)
    return (shop, article)
  }

  @Test(arguments: Place.usual)
  func `an edit is marked in the pair with its side`(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    try await shop.respond(shop.articles[0], [shop.tags[0], shop.tags[1]])
    #expect(try shop.pairs() == ["1a", "1b"])
    try shop.articles[0].add(shop.tags[2], to: \.tags)
    try shop.tags[1].remove(shop.articles[0], from: \.articles)
    try await shop.main.save()
    #expect(try shop.pairs() == ["1-b member", "1a", "1c owner"])
    // Taken back after a save, it is an edit on top of one.
    try shop.articles[0].add(shop.tags[1], to: \.tags)
    try await shop.main.save()
    #expect(try shop.pairs() == ["1a", "1b _back,owner,member", "1c owner"])
    // The response changes the pairs that nobody edited here.
    try await shop.respond(shop.articles[0], [])
    #expect(try shop.pairs() == ["1b _back,owner,member", "1c owner"])
    try await shop.respond(shop.articles[0], [shop.tags[0]], keepsEdits: false)
    #expect(try shop.pairs() == ["1a"])
    #expect(shop.articles[0].tags == [shop.tags[0]])
    #expect(!shop.tags[1].hasLocalEdit(of: try #require(shop.tags[1]._$state.model.index(of: "articles"))))
  }

  enum Meanwhile: CaseIterable {
    case aResponseAddsIt, aResponseTakesItOut, theMemberGoes
  }

  @Test(arguments: Place.usual, Meanwhile.allCases)
  func `a list whose pairs others changed alike is not edited`(_ place: Place, _ meanwhile: Meanwhile) async throws {
    for (isSet, isMerged) in [(false, false), (false, true), (true, false), (true, true)] {
      let shop = try Shop(TestStore(place, TestStore.blog))
      let (article, tag) = (shop.articles[0], shop.tags[0])
      let isRemoved = meanwhile == .aResponseTakesItOut
      if isRemoved { try await shop.respond(article, [tag]) }
      if isSet {
        article.tags = isRemoved ? [] : [tag]
      } else if isRemoved {
        try article.remove(tag, from: \.tags)
      } else {
        try article.add(tag, to: \.tags)
      }
      switch meanwhile {
      case .aResponseAddsIt: try await shop.respond(article, [tag])
      case .aResponseTakesItOut: try await shop.respond(article, [])
      case .theMemberGoes:
        let id = tag.entityID
        try await shop.test.store.background { try $0.delete(try #require(try $0.object(id))) }
      }
      if isMerged { try shop.test.store.mergeMain() }
      try await shop.main.save()
      #expect(try shop.pairs() == (meanwhile == .aResponseAddsIt ? ["1a"] : []))
      let list = try #require(article._$state.model.index(of: "tags"))
      #expect(!article.hasLocalEdit(of: list))
      let named = try shop.main.connection.rows(
        "SELECT 1 FROM main.Article WHERE instr(_edited, 'tags') > 0"
      ) { $0.int64(0) }
      #expect(named.isEmpty)
    }
  }

  @Test(arguments: Place.usual)
  func `a pair that is edited and not saved holds against an update`(_ place: Place) async throws {
    let (shop, article) = try await withoutItsTag(place)
    try shop.tags[1].add(article, to: \.articles)
    shop.main.answers.updating(article, .keepingEdits, newer: ColumnMask()) {
      article.tags = [shop.tags[0], shop.tags[2]]
    }
    #expect(article.tags == [shop.tags[1], shop.tags[2]])
    try await shop.main.save()
    #expect(try shop.pairs() == ["1-a owner", "1b member", "1c"])
  }

  @Test(arguments: Place.usual)
  func `setting a list marks the pairs that others took out meanwhile`(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    let article = shop.articles[0]
    try await shop.respond(article, [shop.tags[0], shop.tags[1]])
    article.tags = [shop.tags[0]]
    let (id, b) = (article.entityID, shop.tags[1].entityID)
    try await shop.test.store.background { context in
      let (article, tag) = (try #require(try context.object(id)), try #require(try context.object(b)))
      article.tags = [tag]
    }
    try await shop.main.save()
    #expect(try shop.pairs() == ["1-b owner", "1a _back,owner"])
    #expect(article.hasLocalEdit(of: try #require(article._$state.model.index(of: "tags"))))
    try await shop.respond(article, [shop.tags[1]])
    #expect(article.tags == [shop.tags[0]])
  }

  @Test(arguments: Place.usual)
  func `a row that takes another row's place takes its marks`(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    try await shop.respond(shop.articles[0], shop.tags)
    try shop.articles[0].remove([shop.tags[0], shop.tags[1]], from: \.tags)
    try await shop.main.save()
    let new = try shop.main.insert(Article.self)
    new.author = shop.articles[0].author
    new.tags = [shop.tags[0], shop.tags[2]]
    try await shop.main.save()
    new.uid = 1
    try await shop.main.save()
    #expect(new.tags == [shop.tags[0], shop.tags[2]])
    #expect(try shop.pairs() == ["1-b owner", "1a owner", "1c owner"])
    try await shop.respond(new, [shop.tags[1]])
    #expect(new.tags == [shop.tags[0], shop.tags[2]])
    // The marks of a deleted row go with it.
    try shop.main.delete(new)
    try await shop.main.save()
    #expect(try shop.main.connection.rows("SELECT 1 FROM main.\"Article,tags,removed\"") { _ in 0 }.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `an overwriting response that speaks of one pair ends that pair's mark`(_ place: Place) async throws {
    let (shop, article) = try await withoutItsTag(place)
    try article.add([shop.tags[1], shop.tags[2]], to: \.tags)
    try await shop.main.save()
    let (id, b, core) = (article.entityID, shop.tags[1].entityID, shop.test.store.core)
    try await core.unit { rows in
      let context = ContextAnswers.ofResponse(core, rows)
      let article = try #require(try context.object(id))
      let tag = try #require(try context.object(b))
      try context.answers.updating(article, .overwritingEdits, newer: ColumnMask()) { try article.add(tag, to: \.tags) }
      try context.saving.flush()
    }
    #expect(try shop.pairs() == ["1-a owner", "1b", "1c owner"])
    #expect(article.hasLocalEdit(of: try #require(article._$state.model.index(of: "tags"))))
  }

  @Test(arguments: Place.usual)
  func `a pair that was sent unsaved and changed since then is an edit`(_ place: Place) async throws {
    let (shop, article) = try await withoutItsTag(place)
    try article.add(shop.tags[1], to: \.tags)
    let sent = SentEdits(of: article, article._$state.model.all)
    try article.add(shop.tags[0], to: \.tags)
    try article.remove(shop.tags[1], from: \.tags)
    try article.add(shop.tags[2], to: \.tags)
    try await shop.main.save()
    _ = try await shop.test.store.core.unit { try sent.acknowledge(on: $0) }
    sent.settle(article)
    #expect(article.tags == [shop.tags[0], shop.tags[2]])
    #expect(try shop.pairs() == ["1-b owner", "1a owner", "1c owner"])
    try await shop.respond(article, [shop.tags[1]])
    #expect(article.tags == [shop.tags[0], shop.tags[2]])
  }
}
