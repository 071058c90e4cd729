import TestSchema
import Testing

@testable import EntityStore

/// Many-to-many lists that are edited while a save of them is under way, or while one of their members is being deleted.
@MainActor
struct ListsDuringSavesTests {
  private struct Shop {
    let test: TestStore
    let main: EntityContext
    let writers: [Writer]
    let articles: [Article]
    let tags: [Tag]

    @MainActor
    init(_ place: Place) throws {
      let test = try TestStore(place, TestStore.blog)
      let main = test.store.main
      let writers = try (1...3).map { uid in
        let writer = try main.insert(Writer.self)
        writer.uid = uid
        return writer
      }
      articles = try (1...3).map { uid in
        let article = try main.insert(Article.self)
        article.uid = uid
        article.author = writers[0]
        return article
      }
      tags = try ["a", "b", "c"].map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      (self.test, self.main, self.writers) = (test, main, writers)
      try main.save()
    }

    /// Begins a save of the changes, calls `body` while it is under way, and lets it end, or fail.
    @MainActor func duringSave(of object: some ManagedEntity, fails: Bool = false, _ body: () throws -> Void)
      async throws
    {
      let block = Blocker(test.store)
      await block.begin()
      let save = await test.store.beginSave(of: object)
      if fails { save.cancel() }
      try body()
      block.end()
      if fails { _ = await save.result } else { try await save.value }
    }

    func savedTags(_ uid: Int) async throws -> [String] {
      try await test.store.read { try $0.fetch(Article.self, uid: uid)?.tags.map(\.uid).sorted() ?? [] }
    }
  }

  // MARK: During a save

  @Test(arguments: Place.usual)
  func `a pair that is taken out and put back during its save is in both lists`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (one, two) = (shop.writers[0], shop.writers[1])
    try one.add(two, to: \.followers)
    try await shop.duringSave(of: one) {
      try two.remove(one, from: \.following)
      #expect(one.followers.isEmpty)
      #expect(two.following.isEmpty)
      one.followers = [two]
      #expect(one.followers == [two])
      #expect(two.following == [one])
    }
    #expect(one.followers == [two])
    #expect(two.following == [one])
    #expect(!shop.main.hasChanges)
    let (oneID, twoID) = (one.entityID, two.entityID)
    #expect(try await shop.test.store.read { try $0.object(oneID)?.followers.map(\.entityID) } == [twoID])
  }

  /// The pair is the edit of the object that it was added through, whoever took it out and put it back.
  @Test(arguments: Place.usual)
  func `a pair that is put back during a save that fails is dropped with the object that added it`(_ place: Place)
    async throws
  {
    let shop = try Shop(place)
    let (one, two) = (shop.writers[0], shop.writers[1])
    try one.add(two, to: \.followers)
    try await shop.duringSave(of: one, fails: true) {
      try two.remove(one, from: \.following)
      one.followers = [two]
    }
    #expect(one.followers == [two])
    try shop.main.rollback(two)
    #expect(one.followers == [two])
    try shop.main.rollback(one)
    #expect(one.followers.isEmpty)
    #expect(two.following.isEmpty)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a pair that is taken out during a save that fails is no edit`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (one, two) = (shop.writers[0], shop.writers[1])
    try one.add(two, to: \.followers)
    try await shop.duringSave(of: one, fails: true) { try two.remove(one, from: \.following) }
    #expect(one.followers.isEmpty)
    #expect(two.following.isEmpty)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `an object that is rolled back during a save has the list that is saved`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0]]
    try await shop.duringSave(of: article) {
      try article.add(tags[1], to: \.tags)
      try article.remove(tags[0], from: \.tags)
      #expect(article.tags == [tags[1]])
      try shop.main.rollback(article)
      #expect(article.tags == [tags[0]])
      #expect(tags[0].articles == [article])
      #expect(tags[1].articles.isEmpty)
    }
    #expect(article.tags == [tags[0]])
    try await shop.main.save()
    #expect(article.tags == [tags[0]])
    #expect(try await shop.savedTags(1) == ["a"])
  }

  // MARK: Members that are being deleted

  @Test(arguments: Place.usual)
  func `an unsaved pair with an object that is being deleted ends when the list is emptied`(_ place: Place) async throws
  {
    let shop = try Shop(place)
    let (articles, tag) = (shop.articles, shop.tags[0])
    tag.articles = [articles[0]]
    try shop.main.delete(articles[0])
    articles[1].tags = [tag]
    tag.articles = []
    // The list is what the row has, so what others make of it counts.
    let (id, three) = (tag.entityID, articles[2].entityID)
    try await shop.test.store.background { context in
      try #require(try context.object(id)).articles = [try #require(try context.object(three))]
    }
    #expect(tag.articles == [articles[2]])
    try await shop.main.save()
    #expect(tag.articles == [articles[2]])
    #expect(try await shop.savedTags(3) == ["a"])
  }

  @Test(arguments: Place.usual)
  func `an unsaved pair that ended does not come back with its object`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (article, tag) = (shop.articles[0], shop.tags[0])
    tag.articles = [article]
    try shop.main.delete(article)
    tag.articles = []
    try shop.main.rollback(article)
    #expect(tag.articles.isEmpty)
    #expect(article.tags.isEmpty)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a saved member whose deletion is rolled back is in a list that was set meanwhile`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (articles, tag) = (shop.articles, shop.tags[0])
    tag.articles = [articles[0]]
    try await shop.main.save()
    try shop.main.delete(articles[0])
    tag.articles = [articles[1]]
    #expect(tag.articles == [articles[1]])
    try shop.main.rollback(articles[0])
    let before = tag.articles
    #expect(before == [articles[0], articles[1]])
    try await shop.main.save()
    #expect(tag.articles == before)
  }
}
