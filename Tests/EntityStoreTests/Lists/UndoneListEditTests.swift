import TestSchema
import Testing

@testable import EntityStore

/// Edits of many-to-many lists that are undone: set back, rolled back, or given up by a save that fails.
@MainActor
struct UndoneListEditTests {
  @Test(arguments: Place.usual)
  func `an edit that is undone before the save is no change`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0]]
    article.title = "T"
    try await shop.main.save()
    let sent = SentEdits(of: article, article._$state.model.all)
    try await shop.acknowledge(sent)
    sent.settle(article)
    #expect(try shop.edited()[0] == "")
    article.tags = [tags[1]]
    article.title = "U"
    article.tags = [tags[0]]
    article.title = "T"
    #expect(!article.hasChanges)
    #expect(!shop.main.hasChanges)
    try await shop.main.save()
    #expect(try shop.edited()[0] == "")
    // Undone from the other side.
    article.tags = []
    tags[0].articles = [article]
    #expect(!shop.main.hasChanges)
    // Others' changes come through again.
    let (id, c) = (article.entityID, tags[2].entityID)
    try await shop.test.store.background { context in
      let article = try #require(try context.object(id))
      article.tags = [try #require(try context.object(c))]
      article.title = "V"
    }
    #expect(article.title == "V")
    #expect(article.tags.map(\.uid) == ["c"])
    // An edit that was saved is one until it is acknowledged, also when it is set back to the server's list.
    article.tags = [tags[0]]
    try await shop.main.save()
    article.tags = [tags[2]]
    try await shop.main.save()
    #expect(try shop.edited()[0] == "title,tags")
  }

  @Test(arguments: Place.usual)
  func `an edit to the value that a merge brought is no change`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let id = person.entityID
    person.name = "Bob"
    try await test.store.edit(id) { $0.name = "Eve" }
    try test.store.mergeMain()
    person.name = "Ada"
    #expect(person.hasChanges)
    person.name = "Eve"
    #expect(!person.hasChanges)
    #expect(!test.store.main.hasChanges)
    try await test.store.edit(id) { $0.name = "Zed" }
    try test.store.mergeMain()
    #expect(person.name == "Zed")
  }

  @Test(arguments: Place.usual)
  func `an edit that is on its way is undone by an edit`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.title = "sent"
    article.tags = [shop.tags[0]]
    let sent = SentEdits(of: article, article._$state.model.all)
    article.title = ""
    article.tags = []
    #expect(article.hasChanges)
    try await shop.acknowledge(sent)
    sent.settle(article)
    try shop.test.store.mergeMain()
    #expect(article.title == "")
    #expect(article.tags.isEmpty)
    try await shop.main.save()
    #expect(try await shop.saved(1) == [])
    #expect(try shop.edited()[0] == "title,tags")
  }

  @Test(arguments: Place.usual)
  func `an object that was never saved leaves the lists it was in`(_ place: Place) throws {
    let shop = try TagShop(place)
    let new = try shop.main.insert(Article.self)
    shop.tags[0].articles.append(new)
    #expect(shop.tags[0].hasChanges)
    try shop.main.delete(new)
    #expect(shop.tags[0].articles.isEmpty)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `rolling back one object leaves edits through another`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (one, two) = (shop.articles[0], shop.articles[1])
    two.tags = [shop.tags[3]]
    try await shop.main.save()
    shop.tags[0].articles = [one, two]
    shop.tags[3].articles = []
    one.tags.append(shop.tags[1])
    two.tags.append(shop.tags[1])
    try shop.main.rollback(one)
    try shop.main.rollback(two)
    #expect(one.tags.map(\.uid) == ["a"])
    #expect(two.tags.map(\.uid) == ["a"])
    #expect(shop.tags[3].articles.isEmpty)
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
    #expect(try await shop.saved(2) == ["a"])
    one.tags = [shop.tags[1]]
    shop.tags[2].articles = [one]
    try shop.main.rollback(shop.tags[2])
    #expect(one.tags.map(\.uid) == ["b"])
    try shop.main.rollback(one)
    #expect(one.tags.map(\.uid) == ["a"])
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a list whose save failed holds against others' changes`(_ place: Place) async throws {
    let shop = try TagShop(place)
    shop.articles[0].tags = [shop.tags[0]]
    // It has no author, so that the save fails.
    let new = try shop.main.insert(Article.self)
    let (id, a, b) = (shop.articles[0].entityID, shop.tags[0].entityID, shop.tags[1].entityID)
    let saved = try shop.main.saving.collectChanges()
    try await shop.test.store.background { context in
      let article = try #require(try context.object(id))
      article.tags = [try #require(try context.object(a)), try #require(try context.object(b))]
    }
    try shop.test.store.mergeMain()
    shop.main.saving.restore(saved)
    #expect(shop.articles[0].tags.map(\.uid) == ["a"])
    #expect(shop.tags[1].articles.isEmpty)
    try shop.main.delete(new)
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
  }
}
