import TestSchema
import Testing

@testable import EntityStore

/// Edited many-to-many lists that were sent, and their acknowledgement.
@MainActor
struct ListAcknowledgementTests {
  @Test(arguments: Place.usual)
  func `a list that could not be read is not sent empty`(_ place: Place) async throws {
    let shop = try TagShop(place)
    shop.articles[0].tags = [shop.tags[0]]
    shop.articles[0].title = "T"
    try await shop.main.save()
    let all = shop.articles[0]._$state.model.all
    try await shop.test.store.core.unit { try $0.connection.execute("ALTER TABLE \"Article,tags\" RENAME TO away") }
    let sent = SentEdits(of: shop.articles[0], all)
    try await shop.test.store.core.unit { try $0.connection.execute("ALTER TABLE away RENAME TO \"Article,tags\"") }
    try await shop.acknowledge(sent)
    #expect(try await shop.saved(1) == ["a"])
    #expect(try shop.edited()[0] == "tags")
  }

  @Test(arguments: Place.usual)
  func `an acknowledgement leaves later edits of other contexts`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.title = "mine"
    article.length = 1
    article.tags = [shop.tags[0]]
    try await shop.main.save()
    // Edited again, and not saved.
    article.length = 2
    article.rating = 5
    let sent = SentEdits(of: article, article._$state.model.all)
    let (id, b) = (article.entityID, shop.tags[1].entityID)
    try await shop.test.store.background { context in
      let article = try #require(try context.object(id))
      article.title = "theirs"
      article.rating = 3
      article.tags = [try #require(try context.object(b))]
    }
    try await shop.acknowledge(sent)
    let read = try await shop.test.store.read { context in
      try context.object(id).map { "\($0.title) \($0.length) \($0.rating ?? 0) \($0.tags.map(\.uid))" }
    }
    #expect(read == "theirs 2 3.0 [\"b\"]")
    #expect(try shop.edited()[0] == "title,rating,tags")
  }

  @Test(arguments: Place.usual)
  func `an acknowledged list leaves the other side's edit`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.tags = [shop.tags[0]]
    try await shop.main.save()
    let sent = SentEdits(of: article, article._$state.model.all)
    let (id, a, b) = (article.entityID, shop.tags[0].entityID, shop.tags[1].entityID)
    try await shop.test.store.background { context in
      try #require(try context.object(a)).articles = []
      try #require(try context.object(b)).articles = [try #require(try context.object(id))]
    }
    try await shop.acknowledge(sent)
    #expect(try await shop.saved(1) == ["b"])
  }

  @Test(arguments: Place.usual, [false, true])
  func `an unsaved list that was sent holds against an older edit of the other side`(_ place: Place, removes: Bool)
    async throws
  {
    let shop = try TagShop(place)
    let (one, two, tag) = (shop.articles[0], shop.articles[1], shop.tags[0])
    // An edit of the tag, which is saved and not sent.
    tag.articles = removes ? [one, two] : [two]
    try await shop.main.save()
    one.tags = removes ? [] : [tag]
    let sent = SentEdits(of: one, one._$state.model.all)
    try await shop.acknowledge(sent)
    try shop.test.store.mergeMain()
    sent.settle(one)
    #expect(one.tags.map(\.uid) == (removes ? [] : ["a"]))
    #expect(!shop.main.hasChanges)
    #expect(try await shop.saved(1) == (removes ? [] : ["a"]))
    #expect(try await shop.saved(2) == ["a"])
  }

  @Test(arguments: Place.usual)
  func `an object knows which of its lists are edited`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    #expect(article.title == "")
    let tags = try #require(article._$state.model.index(of: "tags"))
    let (id, a) = (article.entityID, shop.tags[0].entityID)
    try await shop.test.store.background { context in
      try #require(try context.object(id)).tags = [try #require(try context.object(a))]
    }
    try shop.test.store.mergeMain()
    #expect(article.title == "")
    #expect(article._$state.edited.contains(tags))
    // A response that is read into the object leaves the list alone.
    shop.main.answers.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [] }
    #expect(article.tags.map(\.uid) == ["a"])
    let sent = SentEdits(of: article, article._$state.model.all)
    try await shop.acknowledge(sent)
    try shop.test.store.mergeMain()
    sent.settle(article)
    #expect(article.title == "")
    #expect(!article._$state.edited.contains(tags))
    shop.main.answers.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [] }
    #expect(article.tags.isEmpty)
  }
}
