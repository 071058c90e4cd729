import EntityStore
import TestSchema
import Testing

@MainActor
struct RequiredLinkTests {
  static let blog: [any ManagedEntity.Type] = Writer.world
  static let binders: [any ManagedEntity.Type] = Binder.world

  private func article(_ context: EntityContext, _ title: String = "", by author: Writer? = nil) throws -> Article {
    let article = try context.insert(Article.self)
    article.title = title
    if let author { article.author = author }
    return article
  }

  @Test(arguments: Place.usual)
  func `an object is saved with its required link or not at all`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let article = try article(main, "A")
    do {
      try await main.save()
      Issue.record("saved without an author")
    } catch let error as StoreError {
      #expect(error.kind == .invalidObject)
      #expect(error.problems.map(\.property) == ["author"])
      #expect(error.problems.map(\.object) == [article.entityID.untyped])
    }
    let writer = try main.insert(Writer.self)
    article.author = writer
    try await main.save()
    #expect(article.author === writer)
    #expect(writer.articles == [article])
  }

  @Test(arguments: Place.usual)
  func `a unit may query before it sets the required link`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    try await test.store.background { try $0.insert(Writer.self).name = "Ada" }
    try await test.store.background { context in
      let article = try context.insert(Article.self)
      article.title = "A"
      #expect(try context.count(Article.all) == 1)
      article.author = try #require(try context.fetch(Writer.where { $0.name == "Ada" }).first)
    }
    #expect(try await test.store.read { try $0.fetch(Article.self).map(\.author.name) } == ["Ada"])
    // It is asked for when the unit saves, and when it ends.
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        let article = try context.insert(Article.self)
        _ = try context.count(Article.all)
        #expect(errorKind { try context.save() } == .invalidObject)
        article.title = "B"
        #expect(errorKind { try context.save() } == .invalidObject)
      }
    }
    #expect(kind == .invalidObject)
    try await test.store.background { context in
      let article = try context.insert(Article.self)
      _ = try context.count(Article.all)
      #expect(errorKind { try context.save() } == .invalidObject)
      context.rollback()
      #expect(article.isDeleted)
      let known = try #require(try context.fetch(Article.self).first)
      known.author = try context.insert(Writer.self)
    }
    #expect(try await test.store.read { try $0.fetch(Article.self).map(\.author.name) } == [""])
  }

  @Test(arguments: Place.usual)
  func `a required link without a target reads as an object without a row`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let article = try article(main)
    let nobody = article.author
    #expect(nobody.isDeleted)
    #expect(nobody.name == "")
    #expect(nobody.age == 0)
    #expect(nobody.nick == nil)
    #expect(nobody.articles.isEmpty)
    #expect(nobody.friends.isEmpty)
    #expect(nobody.home == nil)
    #expect(try main.object(nobody.entityID) == nil)
    nobody.name = "Zed"
    #expect(nobody.name == "")
    #expect(errorKind { try main.save() } == .objectDeleted)
    main.rollback()
    #expect(article.isDeleted)
    #expect(article.author.isDeleted)
    let writer = try main.insert(Writer.self)
    let other = try self.article(main, by: writer)
    try await main.save()
    nobody.friends = [writer]
    #expect(errorKind { try main.save() } == .objectDeleted)
    other.author = nobody
    #expect(errorKind { try main.save() } == .invalidObject)
    main.rollback()
    #expect(other.author === writer)
    try main.delete(nobody)
    #expect(!main.hasChanges)
    _ = try main.fetch(Writer.self)
  }

  @Test(arguments: Place.usual)
  func `an object outlives its context`(_ place: Place) throws {
    var test: TestStore? = try TestStore(place, Self.blog)
    let article = try test?.store.main.insert(Article.self)
    test = nil
    #expect(article?.author.name == "")
    #expect(article?.author.home == nil)
    #expect(article?.author.isDeleted == true)
  }

  @Test(arguments: Place.usual)
  func `deleting the target is refused while it is held`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let (ada, bob) = (try main.insert(Writer.self), try main.insert(Writer.self))
    let first = try article(main, by: ada)
    let second = try article(main, by: ada)
    try await main.save()
    try main.delete(ada)
    #expect(first.author.isDeleted)
    do {
      try await main.save()
      Issue.record("deleted")
    } catch let error as StoreError {
      #expect(error.kind == .deleteDenied)
      #expect(error.message.contains("'Article.author'"))
      #expect(error.message.contains("onDelete: .cascade"))
    }
    // In one unit the order does not matter.
    first.author = bob
    try main.delete(second)
    try await main.save()
    #expect(ada.isDeleted)
    #expect(first.author === bob)
    try main.delete(first)
    try main.delete(bob)
    try await main.save()
    #expect(try main.count(Writer.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `deleting the target cascades where the rule says so`(_ place: Place) async throws {
    let test = try TestStore(place, Self.binders)
    let main = test.store.main
    let binder = try main.insert(Binder.self)
    for number in 0..<3 {
      let page = try main.insert(Page.self)
      page.number = number
      page.binder = binder
      page.frame = try main.insert(Frame.self)
    }
    try await main.save()
    #expect(binder.pages.count == 3)
    let page = try #require(binder.pages.first)
    try main.delete(page.frame)
    #expect(errorKind { try main.save() } == .deleteDenied)
    main.rollback()
    try main.delete(page)
    try await main.save()
    // A frame lives in its page.
    #expect(try main.count(Frame.all) == 2)
    try main.delete(binder)
    try await main.save()
    #expect(try main.count(Page.all) == 0)
    #expect(try main.count(Frame.all) == 0)
  }

  @Test(arguments: Place.usual)
  func `taking a member out of the list is refused`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let ada = try main.insert(Writer.self)
    let (first, second) = (try article(main, by: ada), try article(main, by: ada))
    try await main.save()
    ada.articles = [first]
    #expect(second.author.isDeleted)
    do {
      try await main.save()
      Issue.record("saved")
    } catch let error as StoreError {
      #expect(error.kind == .invalidObject)
      #expect(error.message.contains("'author' is required"))
      #expect(error.objects == [second.entityID.untyped])
    }
    try main.delete(second)
    try await main.save()
    #expect(ada.articles == [first])
    let bob = try main.insert(Writer.self)
    bob.articles = [first]
    try await main.save()
    #expect(ada.articles.isEmpty)
    #expect(first.author === bob)
  }

  @Test(arguments: Place.usual)
  func `rows that turn out to be one keep their holders`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let known = try await test.store.background { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 7
      writer.name = "Ada"
      let article = try context.insert(Article.self)
      article.author = writer
      return article.entityID
    }
    let ada = try main.insert(Writer.self)
    let new = try article(main, by: ada)
    try await main.save()
    ada.uid = 7
    try await main.save()
    #expect(try main.object(known)?.author === ada)
    #expect(new.author === ada)
    #expect(ada.articles.count == 2)
    #expect(try main.fetch(Writer.self) == [ada])
  }

  @Test(arguments: Place.usual)
  func `observers on both sides hear of a change of a required link`(_ place: Place) async throws {
    let test = try TestStore(place, Self.blog)
    let main = test.store.main
    let (ada, bob) = (try main.insert(Writer.self), try main.insert(Writer.self))
    let article = try article(main, by: ada)
    try await main.save()
    let author = Watcher { _ = article.author.name }
    let adas = Watcher { _ = ada.articles }
    let bobs = Watcher { _ = bob.articles }
    article.author = ada
    #expect(!author.fired)
    #expect(!adas.fired)
    #expect(!bobs.fired)
    article.author = bob
    #expect(author.fired)
    #expect(adas.fired)
    #expect(bobs.fired)
    try await main.save()
    #expect(!author.fired)
    #expect(!adas.fired)
    #expect(!bobs.fired)
    article.author = ada
    #expect(author.fired)
    #expect(adas.fired)
    #expect(bobs.fired)
    main.rollback()
    #expect(author.fired)
    #expect(adas.fired)
    #expect(bobs.fired)
    let (id, other) = (article.entityID, ada.entityID)
    try await test.store.background { context in
      try #require(try context.object(id)).author = try #require(try context.object(other))
    }
    _ = try main.count(Writer.all)
    #expect(author.fired)
    #expect(adas.fired)
    #expect(bobs.fired)
    #expect(article.author === ada)
  }

  @Test func `a file gets a required link only where no row would lack it`() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(folder.file), entities: [LooseNote.self, Writer.self] + Self.blog.dropFirst())
      _ = store
    }
    _ = try EntityStore(.file(folder.file), entities: [BoundNote.self] + Self.blog)
    let other = try TemporaryFolder()
    do {
      let store = try EntityStore(.file(other.file), entities: [LooseNote.self] + Self.blog)
      _ = try store.main.insert(LooseNote.self)
      try store.main.save()
    }
    #expect(
      errorKind { _ = try EntityStore(.file(other.file), entities: [BoundNote.self] + Self.blog) } == .schemaMismatch)
  }
}
