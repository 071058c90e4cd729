import Foundation
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
        let context = EntityContext.ofResponse(core, rows)
        let article = try #require(try context.object(id))
        let tags = try context.objects(ids)
        context.updating(article, MergePolicy(keepsEdits: keepsEdits), newer: ColumnMask()) { article.tags = tags }
        try context.throwMistakes()
        try context.flush()
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

  @Test(arguments: Place.usual)
  func anEditIsMarkedInThePairWithItsSide(_ place: Place) async throws {
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
  func aListWhosePairsOthersChangedAlikeIsNotEdited(_ place: Place, _ meanwhile: Meanwhile) async throws {
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
  func aPairThatIsEditedAndNotSavedHoldsAgainstAnUpdate(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    let article = shop.articles[0]
    try await shop.respond(article, [shop.tags[0]])
    try article.remove(shop.tags[0], from: \.tags)
    try shop.tags[1].add(article, to: \.articles)
    shop.main.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [shop.tags[0], shop.tags[2]] }
    #expect(article.tags == [shop.tags[1], shop.tags[2]])
    try await shop.main.save()
    #expect(try shop.pairs() == ["1-a owner", "1b member", "1c"])
  }

  @Test(arguments: Place.usual)
  func aListThatIsSetMarksPairsThatOthersTookOutMeanwhile(_ place: Place) async throws {
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
  func aRowThatTakesAnotherOnesPlaceTakesItsMarks(_ place: Place) async throws {
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
  func anOverwritingResponseThatSpeaksOfOnePairEndsThatOnesMark(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    let article = shop.articles[0]
    try await shop.respond(article, [shop.tags[0]])
    try article.remove(shop.tags[0], from: \.tags)
    try article.add([shop.tags[1], shop.tags[2]], to: \.tags)
    try await shop.main.save()
    let (id, b, core) = (article.entityID, shop.tags[1].entityID, shop.test.store.core)
    try await core.unit { rows in
      let context = EntityContext.ofResponse(core, rows)
      let article = try #require(try context.object(id))
      let tag = try #require(try context.object(b))
      try context.updating(article, .overwritingEdits, newer: ColumnMask()) { try article.add(tag, to: \.tags) }
      try context.flush()
    }
    #expect(try shop.pairs() == ["1-a owner", "1b", "1c owner"])
    #expect(article.hasLocalEdit(of: try #require(article._$state.model.index(of: "tags"))))
  }

  @Test(arguments: Place.usual)
  func aPairThatWasSentUnsavedAndChangedSinceIsAnEdit(_ place: Place) async throws {
    let shop = try Shop(TestStore(place, TestStore.blog))
    let article = shop.articles[0]
    try await shop.respond(article, [shop.tags[0]])
    try article.remove(shop.tags[0], from: \.tags)
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

  /// A file of the first format, whose rows name edited lists and whose pairs have no marks.
  private func fileOfTheFirstFormat(hasTable: Bool) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(folder.file), entities: TestStore.blog)
      let writer = try store.main.insert(Writer.self)
      writer.uid = 1
      for uid in 1...2 {
        let article = try store.main.insert(Article.self)
        article.uid = uid
        article.author = writer
        for name in ["a", "b"] {
          let tag = try store.main.fetch(Tag.self, uid: name) ?? store.main.insert(Tag.self)
          tag.uid = name
          if uid == 2 || name == "a" { try article.add(tag, to: \.tags) }
        }
      }
      try await store.main.save()
    }
    // Article 1's list was edited, and nothing of article 2.
    let raw = try RawConnection(folder.file.path, vfs: nil)
    if !hasTable { try raw.run("DROP TABLE \"Article,tags,removed\"") }
    try raw.run("UPDATE \"Article,tags\" SET _edited = NULL")
    try raw.run("UPDATE Tag SET _edited = NULL")
    try raw.run("UPDATE Article SET _edited = CASE uid WHEN 1 THEN 'title,tags' END")
    try raw.run("UPDATE _entity_store SET value = 1 WHERE key = 'format'")
    try raw.close()
    return folder
  }

  /// The table of removed pairs may be there: a program that knows the first format alone opens such a file, too.
  @Test(arguments: [false, true])
  func aFileThatNamesEditedListsInTheRowIsBroughtToMarks(hasTable: Bool) async throws {
    let folder = try await fileOfTheFirstFormat(hasTable: hasTable)
    let store = try EntityStore(.file(folder.file), entities: TestStore.blog)
    try await store.core.unit { rows in
      let context = EntityContext.ofResponse(store.core, rows)
      let tag = try #require(try context.fetch(Tag.self, uid: "b"))
      for article in try context.fetch(Article.all) {
        context.updating(article, .keepingEdits, newer: ColumnMask()) { article.tags = [tag] }
      }
      try context.throwMistakes()
      try context.flush()
    }
    let main = store.main
    let one = try #require(try main.fetch(Article.self, uid: 1))
    #expect(one.tags.map(\.uid) == ["a"])
    #expect(try main.fetch(Article.self, uid: 2)?.tags.map(\.uid) == ["b"])
    // Once it is acknowledged, the list is the server's.
    let sent = SentEdits(of: one, one._$state.model.all)
    _ = try await store.core.unit { try sent.acknowledge(on: $0) }
    sent.settle(one)
    #expect(!one.hasLocalEdit(of: try #require(one._$state.model.index(of: "tags"))))
    #expect(try main.connection.rows("SELECT 1 FROM main.\"Article,tags,removed\"") { _ in 0 }.isEmpty)
    // A second opening finds nothing to do.
    _ = try EntityStore(.file(folder.file), entities: TestStore.blog)
    // A version that knows the first format alone refuses the file, and so edits no list without marks.
    let format = try main.connection.rows("SELECT value FROM _entity_store WHERE key = 'format'") { $0.int64(0) }
    #expect(format == [StoreSetup.format])
  }
}
