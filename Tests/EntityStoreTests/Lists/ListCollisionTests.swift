import TestSchema
import Testing

@testable import EntityStore

/// Edited many-to-many lists of rows that turn out to be one object.
@MainActor
struct ListCollisionTests {
  @Test(arguments: Place.usual, [false, true])
  func `unsaved changes follow a row that turns out to be another object`(_ place: Place, isMerged: Bool) async throws {
    let shop = try TagShop(place)
    shop.articles[0].tags = [shop.tags[0], shop.tags[1]]
    shop.tags[0].articles.append(shop.articles[1])
    let reviewer = try shop.main.insert(Writer.self)
    reviewer.uid = 7
    try await shop.main.save()
    shop.articles[0].tags = [shop.tags[0], shop.tags[2]]
    shop.articles[1].reviewer = reviewer
    try await shop.absorb("a", "new a")
    try await shop.absorb("c", "new c")
    try await shop.test.store.background { context in
      let writer = try context.insert(Writer.self)
      writer.name = "new"
      try context.save()
      writer.uid = 7
    }
    if isMerged {
      try shop.test.store.mergeMain()
      #expect(shop.articles[0].tags.map(\.name) == ["new a", "new c"])
      #expect(shop.articles[1].reviewer?.name == "new")
    }
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a", "c"])
    #expect(try await shop.saved(2) == ["a"])
    #expect(shop.articles[0].tags.map(\.name) == ["new a", "new c"])
    #expect(shop.articles[1].reviewer?.name == "new")
    #expect(try await shop.test.store.read { try $0.fetch(Article.self, uid: 2)?.reviewer?.name } == "new")
  }

  @Test(arguments: Place.usual)
  func `a collision keeps the lists of the rows concerned only`(_ place: Place) async throws {
    let shop = try TagShop(place)
    shop.articles[0].tags = [shop.tags[0], shop.tags[1]]
    shop.articles[1].tags = [shop.tags[0], shop.tags[1]]
    try await shop.main.save()
    let (one, c) = (shop.articles[0].entityID, shop.tags[2].entityID)
    // One's list is edited here, others add to it, and elsewhere in the same save two rows become one.
    shop.articles[0].tags = [shop.tags[0]]
    let new = try shop.main.insert(Article.self)
    new.author = shop.writer
    new.tags = [shop.tags[3]]
    try await shop.test.store.background { context in
      try #require(try context.object(one)).tags.append(try #require(try context.object(c)))
    }
    // As a response says it.
    shop.main.answers.updating(new, .keepingEdits, newer: ColumnMask()) { new.uid = 2 }
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
    #expect(try await shop.saved(2) == ["a", "b", "d"])
  }

  /// The list of the row that stays, or that of the other one, may be set as a whole beside it.
  @Test(arguments: Place.usual, 0...2)
  func `members that were added and taken out follow a row that turns out to be another object`(
    _ place: Place, whole: Int
  ) async throws {
    let shop = try TagShop(place)
    let (listed, tags) = (shop.articles[0], shop.tags)
    let posted = try shop.main.insert(Article.self)
    posted.author = shop.writer
    listed.tags = [tags[0], tags[1]]
    posted.tags = [tags[1]]
    try await shop.main.save()
    for article in [listed, posted] {
      try await shop.acknowledge(SentEdits(of: article, article._$state.model.all, endsInsertion: true))
    }
    try shop.test.store.mergeMain()
    #expect(!listed.hasLocalEdits)
    #expect(!posted.hasLocalEdits)
    let expected: [String]
    switch whole {
    case 0:
      // Both have b.
      try listed.add(tags[3], to: \.tags)
      try listed.remove(tags[1], from: \.tags)
      expected = ["a", "d"]
    case 1:
      try listed.add(tags[3], to: \.tags)
      posted.tags = [tags[0], tags[2]]
      expected = ["a", "c", "d"]
    default:
      listed.tags = [tags[0], tags[2]]
      try posted.add(tags[3], to: \.tags)
      expected = ["a", "c", "d"]
    }
    let id = posted.entityID
    try await shop.test.store.background { try #require(try $0.object(id)).uid = 1 }
    try shop.test.store.mergeMain()
    #expect(listed.forwardedTo == posted.entityID)
    #expect(posted.tags.map(\.uid).sorted() == expected)
    #expect(shop.main.changes.properties(of: posted) == ["tags"])
    try await shop.main.save()
    #expect(posted.tags.map(\.uid).sorted() == expected)
    #expect(try await shop.saved(1) == expected)
    #expect(posted.hasLocalEdit(of: try #require(posted._$state.model.index(of: "tags"))))
    // The edits stay when a response has the list as it was before.
    let core = shop.test.store.core
    let old = [tags[0].entityID, tags[1].entityID]
    try await core.unit { rows in
      let context = ContextAnswers.ofResponse(core, rows)
      let posted = try #require(try context.object(id))
      let tags = try context.objects(old)
      context.answers.updating(posted, .keepingEdits, newer: ColumnMask()) { posted.tags = tags }
      try context.saving.flush()
    }
    #expect(try await shop.saved(1) == expected)
  }
}
