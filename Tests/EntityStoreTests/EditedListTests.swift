import Testing

@testable import EntityStore

/// Edited many-to-many lists beside changes of others: collisions, acknowledgements, edits that are undone.
@MainActor
struct EditedListTests {
  private struct Shop {
    let test: TestStore
    let main: EntityContext
    let writer: Writer
    let articles: [Article]
    let tags: [Tag]

    @MainActor
    init(_ place: Place) throws {
      let test = try TestStore(place, ManyToManyTests.blog)
      let main = test.store.main
      let writer = try main.insert(Writer.self)
      writer.uid = 1
      articles = try (1...3).map { uid in
        let article = try main.insert(Article.self)
        article.uid = uid
        article.author = writer
        return article
      }
      tags = try ["a", "b", "c", "d"].map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      (self.test, self.main, self.writer) = (test, main, writer)
      try main.save()
    }

    func saved(_ uid: Int) async throws -> [String] {
      try await test.store.read { try $0.fetch(Article.self, uid: uid)?.tags.map(\.uid).sorted() ?? [] }
    }

    func edited(_ entity: String = "Article") throws -> [String] {
      try main.connection.rows("SELECT _edited FROM main.\"\(entity)\" ORDER BY _pk") { $0.text(0) ?? "" }
    }

    /// Another context gives a tag without uid the uid of another one.
    func absorb(_ loser: String, _ title: String) async throws {
      try await test.store.background { context in
        let tag = try context.insert(Tag.self)
        tag.name = title
        try context.save()
        tag.uid = loser
      }
    }

    func acknowledge(_ sent: SentEdits) async throws {
      _ = try await test.store.core.unit { try sent.acknowledge(on: $0) }
    }
  }

  // MARK: Collisions

  @Test(arguments: Place.allCases, [false, true])
  func unsavedChangesFollowARowThatTurnsOutToBeAnotherOne(_ place: Place, isMerged: Bool) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func aCollisionKeepsTheListsOfTheRowsConcernedOnly(_ place: Place) async throws {
    let shop = try Shop(place)
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
    shop.main.updating(new, .keepingEdits, newer: ColumnMask()) { new.uid = 2 }
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
    #expect(try await shop.saved(2) == ["a", "b", "d"])
  }

  /// The list of the row that stays, or that of the other one, may be set as a whole beside it.
  @Test(arguments: Place.allCases, 0...2)
  func membersThatWereAddedAndTakenOutFollowARowThatTurnsOutToBeAnotherOne(_ place: Place, whole: Int) async throws {
    let shop = try Shop(place)
    let (listed, tags) = (shop.articles[0], shop.tags)
    let posted = try shop.main.insert(Article.self)
    posted.author = shop.writer
    listed.tags = [tags[0], tags[1]]
    posted.tags = [tags[1]]
    try await shop.main.save()
    for article in [listed, posted] {
      try await shop.acknowledge(SentEdits(of: article, article._$state.model.all))
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
      let context = EntityContext.ofResponse(core, rows)
      let posted = try #require(try context.object(id))
      let tags = try context.objects(old)
      context.updating(posted, .keepingEdits, newer: ColumnMask()) { posted.tags = tags }
      try context.flush()
    }
    #expect(try await shop.saved(1) == expected)
  }

  // MARK: Acknowledgements

  @Test(arguments: Place.allCases)
  func aListThatCouldNotBeReadIsNotSentEmpty(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func anAcknowledgementLeavesLaterEditsOfOtherContexts(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func anAcknowledgedListLeavesTheOtherSidesEdit(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases, [false, true])
  func anUnsavedListThatWasSentHoldsAgainstAnOlderEditOfTheOtherSide(_ place: Place, removes: Bool) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func anObjectKnowsWhichOfItsListsAreEdited(_ place: Place) async throws {
    let shop = try Shop(place)
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
    shop.main.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [] }
    #expect(article.tags.map(\.uid) == ["a"])
    let sent = SentEdits(of: article, article._$state.model.all)
    try await shop.acknowledge(sent)
    try shop.test.store.mergeMain()
    sent.settle(article)
    #expect(article.title == "")
    #expect(!article._$state.edited.contains(tags))
    shop.main.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [] }
    #expect(article.tags.isEmpty)
  }

  // MARK: Undone

  @Test(arguments: Place.allCases)
  func anEditThatIsUndoneBeforeTheSaveIsNoChange(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func anEditToTheValueThatAMergeBroughtIsNoChange(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let person = try #require(try test.store.main.object(id))
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

  @Test(arguments: Place.allCases)
  func anEditThatIsOnItsWayIsUndoneByAnEdit(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func anObjectThatWasNeverSavedLeavesTheListsItWasIn(_ place: Place) throws {
    let shop = try Shop(place)
    let new = try shop.main.insert(Article.self)
    shop.tags[0].articles.append(new)
    #expect(shop.tags[0].hasChanges)
    try shop.main.delete(new)
    #expect(shop.tags[0].articles.isEmpty)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.allCases)
  func rollingBackOneObjectLeavesEditsThroughAnother(_ place: Place) async throws {
    let shop = try Shop(place)
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

  @Test(arguments: Place.allCases)
  func aListWhoseSaveFailedHoldsAgainstOthersChanges(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.articles[0].tags = [shop.tags[0]]
    // It has no author, so that the save fails.
    let new = try shop.main.insert(Article.self)
    let (id, a, b) = (shop.articles[0].entityID, shop.tags[0].entityID, shop.tags[1].entityID)
    let saved = try shop.main.collectChanges()
    try await shop.test.store.background { context in
      let article = try #require(try context.object(id))
      article.tags = [try #require(try context.object(a)), try #require(try context.object(b))]
    }
    try shop.test.store.mergeMain()
    shop.main.restore(saved)
    #expect(shop.articles[0].tags.map(\.uid) == ["a"])
    #expect(shop.tags[1].articles.isEmpty)
    try shop.main.delete(new)
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
  }
}
