import TestSchema
import Testing

@testable import EntityStore

@MainActor
struct ManyToManyTests {
  static let albums: [any ManagedEntity.Type] = Album.world

  /// A store with articles 1, 2 and tags a, b, c, none of them linked.
  private struct Shop {
    let test: TestStore
    let main: EntityContext
    let one: Article
    let two: Article
    let a: Tag
    let b: Tag
    let c: Tag

    @MainActor
    init(_ place: Place) throws {
      let test = try TestStore(place, TestStore.blog)
      let main = test.store.main
      let writer = try main.insert(Writer.self)
      writer.uid = 1
      let articles = try (1...2).map { uid in
        let article = try main.insert(Article.self)
        article.uid = uid
        article.author = writer
        return article
      }
      (one, two) = (articles[0], articles[1])
      let tags = try ["a", "b", "c"].map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      (a, b, c) = (tags[0], tags[1], tags[2])
      (self.test, self.main) = (test, main)
      try main.save()
    }

    /// The uids of the tags of article `uid`, as another context sees them.
    func saved(_ uid: Int) async throws -> [String] {
      try await test.store.read { try $0.fetch(Article.self, uid: uid)?.tags.map(\.uid).sorted() ?? [] }
    }

    func rows() throws -> Int {
      try main.connection.rows("SELECT count(*) FROM main.\"Article,tags\"") { Int($0.int64(0)) }[0]
    }
  }

  @Test(arguments: Place.usual)
  func `both sides of a many-to-many list see the same`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.b, shop.a, shop.b]
    #expect(shop.one.tags == [shop.a, shop.b])
    #expect(shop.a.articles == [shop.one])
    #expect(shop.c.articles.isEmpty)
    #expect(shop.main.hasChanges)
    #expect(shop.one.hasChanges)
    #expect(try await shop.saved(1) == [])
    try await shop.main.save()
    #expect(!shop.main.hasChanges)
    #expect(!shop.one.hasChanges)
    #expect(shop.one.tags == [shop.a, shop.b])
    #expect(try await shop.saved(1) == ["a", "b"])
    shop.a.articles.append(shop.two)
    shop.b.articles = []
    #expect(shop.one.tags == [shop.a])
    #expect(shop.two.tags == [shop.a])
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
    #expect(try await shop.saved(2) == ["a"])
    #expect(try shop.rows() == 2)
  }

  @Test(arguments: Place.usual)
  func `an equal list changes nothing`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a, shop.b]
    try await shop.main.save()
    shop.one.tags = [shop.b, shop.a]
    #expect(!shop.main.hasChanges)
    shop.one.tags.removeAll { $0 === shop.a }
    shop.one.tags.append(shop.a)
    #expect(shop.one.tags == [shop.a, shop.b])
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a", "b"])
    #expect(try shop.rows() == 2)
  }

  @Test(arguments: Place.usual)
  func `rollback drops unsaved memberships`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a]
    try await shop.main.save()
    shop.one.tags = [shop.b]
    shop.two.tags = [shop.b]
    try shop.main.rollback(shop.one)
    #expect(shop.one.tags == [shop.a])
    #expect(shop.b.articles == [shop.two])
    #expect(!shop.one.hasChanges)
    #expect(shop.two.hasChanges)
    shop.main.rollback()
    #expect(shop.b.articles.isEmpty)
    #expect(!shop.main.hasChanges)
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a"])
    #expect(try shop.rows() == 1)
  }

  @Test(arguments: Place.usual)
  func `deleting either end ends the membership only`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a, shop.b]
    shop.two.tags = [shop.a]
    try await shop.main.save()
    try shop.main.delete(shop.a)
    #expect(shop.one.tags == [shop.b])
    shop.main.rollback()
    #expect(shop.one.tags == [shop.a, shop.b])
    try shop.main.delete(shop.a)
    shop.one.tags = [shop.b, shop.c]
    try await shop.main.save()
    #expect(shop.one.tags == [shop.b, shop.c])
    #expect(shop.two.tags.isEmpty)
    try shop.main.delete(shop.one)
    try await shop.main.save()
    #expect(try shop.main.count(Tag.all) == 2)
    #expect(try shop.rows() == 0)
  }

  @Test(arguments: Place.usual)
  func `a list of new objects is saved with the objects`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    let main = test.store.main
    let (ada, bob) = (try main.insert(Writer.self), try main.insert(Writer.self))
    ada.friends = [bob, ada]
    bob.following = [ada]
    #expect(ada.followers == [bob])
    #expect(bob.friends.isEmpty)
    let discarded = try main.insert(Writer.self)
    ada.friends.append(discarded)
    try main.delete(discarded)
    try await main.save()
    #expect(ada.friends == [ada, bob])
    #expect(ada.followers == [bob])
    #expect(bob.followers.isEmpty)
    let ids = try await test.store.background { context in
      try context.fetch(Writer.all).map { [$0.friends.count, $0.following.count, $0.followers.count] }
    }
    #expect(ids == [[2, 0, 1], [0, 1, 0]])
  }

  @Test(arguments: Place.usual)
  func `changes of other contexts are merged, and observers hear of them`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a]
    try await shop.main.save()
    let tags = Watcher { _ = shop.one.tags }
    let others = Watcher { _ = shop.two.tags }
    let articles = Watcher { _ = shop.b.articles }
    let (one, b) = (shop.one.entityID, shop.b.entityID)
    try await shop.test.store.background { context in
      let (article, tag) = (try #require(try context.object(one)), try #require(try context.object(b)))
      article.tags.append(tag)
      #expect(tag.articles == [article])
      #expect(try context.fetch(Tag.all).count == 3)
    }
    _ = try shop.main.count(Tag.all)
    #expect(tags.fired)
    #expect(articles.fired)
    #expect(!others.fired)
    #expect(shop.one.tags == [shop.a, shop.b])
    // A list that is edited here has the members that were set, also when others change it.
    shop.one.tags.append(shop.c)
    #expect(tags.fired)
    #expect(!articles.fired)
    try await shop.test.store.background { context in
      try #require(try context.object(b)).articles = []
    }
    #expect(shop.one.tags == [shop.a, shop.b, shop.c])
    #expect(shop.b.articles == [shop.one])
    _ = (tags.fired, articles.fired)
    try await shop.main.save()
    #expect(try await shop.saved(1) == ["a", "b", "c"])
    #expect(!tags.fired)
    #expect(!articles.fired)
    #expect(!others.fired)
  }

  @Test(arguments: Place.usual, [false, true])
  func `an edited list holds against others' changes`(_ place: Place, isMerged: Bool) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a, shop.b]
    try await shop.main.save()
    let (one, a, c) = (shop.one.entityID, shop.a.entityID, shop.c.entityID)
    shop.one.tags = [shop.b]
    shop.c.articles = [shop.two]
    try await shop.test.store.background { context in
      let article = try #require(try context.object(one))
      article.tags = [try #require(try context.object(a)), try #require(try context.object(c))]
    }
    if isMerged {
      #expect(try shop.main.count(Article.where { $0.tags.contains(shop.b) }) == 1)
      #expect(shop.one.tags == [shop.b])
      #expect(shop.a.articles.isEmpty)
      #expect(shop.c.articles == [shop.two])
    }
    // One side's edit is the other side's too.
    shop.two.tags = []
    shop.b.articles.append(shop.two)
    try await shop.main.save()
    #expect(shop.one.tags == [shop.b])
    #expect(shop.two.tags == [shop.b])
    #expect(shop.c.articles.isEmpty)
    #expect(try await shop.saved(1) == ["b"])
    #expect(try await shop.saved(2) == ["b"])
    #expect(!shop.main.hasChanges)
    #expect(try shop.rows() == 2)
  }

  @Test(arguments: Place.usual)
  func `observers hear of local changes when they happen`(_ place: Place) async throws {
    let shop = try Shop(place)
    let tags = Watcher { _ = shop.one.tags }
    let a = Watcher { _ = shop.a.articles }
    let b = Watcher { _ = shop.b.articles }
    shop.one.tags = [shop.a]
    #expect(tags.fired)
    #expect(a.fired)
    #expect(!b.fired)
    shop.one.tags = [shop.a]
    #expect(!tags.fired)
    #expect(!a.fired)
    try await shop.main.save()
    #expect(!tags.fired)
    #expect(!a.fired)
    #expect(!b.fired)
    try shop.main.delete(shop.a)
    #expect(tags.fired)
    shop.main.rollback()
    #expect(tags.fired)
    #expect(!a.fired)
    shop.b.articles = [shop.one]
    #expect(tags.fired)
    #expect(b.fired)
    #expect(!a.fired)
    shop.main.rollback()
    #expect(tags.fired)
    #expect(b.fired)
    #expect(!a.fired)
    #expect(shop.one.tags == [shop.a])
  }

  @Test(arguments: Place.usual)
  func `the same membership made twice is one row`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (one, a, b) = (shop.one.entityID, shop.a.entityID, shop.b.entityID)
    shop.one.tags = [shop.a, shop.b]
    try await shop.test.store.background { context in
      try #require(try context.object(a)).articles = [try #require(try context.object(one))]
      try context.delete(try #require(try context.object(b)))
    }
    try await shop.main.save()
    #expect(shop.one.tags == [shop.a])
    #expect(try shop.rows() == 1)
    shop.one.tags = []
    try await shop.test.store.background { try #require(try $0.object(one)).tags = [] }
    try await shop.main.save()
    #expect(try shop.rows() == 0)
  }

  @Test(arguments: Place.usual)
  func `rows that turn out to be one have the lists of both`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a, shop.b]
    let writer = try #require(try shop.main.fetch(Writer.self, uid: 1))
    let new = try shop.main.insert(Article.self)
    new.author = writer
    new.tags = [shop.b, shop.c]
    writer.friends = [writer]
    let other = try shop.main.insert(Writer.self)
    other.friends = [other, writer]
    try await shop.main.save()
    new.uid = 1
    other.uid = 1
    try await shop.main.save()
    #expect(shop.one.isDeleted)
    #expect(writer.isDeleted)
    #expect(new.tags == [shop.a, shop.b, shop.c])
    #expect(shop.b.articles == [new])
    #expect(other.friends == [other])
    #expect(new.author === other)
    #expect(try shop.rows() == 3)
  }

  @Test(arguments: Place.usual)
  func `delete rules of lists hold`(_ place: Place) async throws {
    let test = try TestStore(place, Self.albums)
    let main = test.store.main
    let (one, two) = (try main.insert(Album.self), try main.insert(Album.self))
    let tracks = try (0..<3).map { _ in try main.insert(Track.self) }
    one.tracks = [tracks[0], tracks[1]]
    two.tracks = [tracks[1], tracks[2]]
    let shelf = try main.insert(Shelf.self)
    shelf.albums = [one]
    try await main.save()
    try main.delete(one)
    #expect(errorKind { try main.save() } == .deleteDenied)
    main.rollback()
    // A track is an object of its own: it outlives the albums that it is in.
    try main.delete(tracks[0])
    try main.delete(shelf)
    try await main.save()
    #expect(one.tracks == [tracks[1]])
    try main.delete(one)
    try await main.save()
    #expect(try main.fetch(Track.self) == [tracks[2]])
    #expect(two.tracks == [tracks[2]])
  }

  @Test(arguments: Place.usual)
  func `a context that only reads refuses edits`(_ place: Place) async throws {
    let shop = try Shop(place)
    let kind = await asyncErrorKind {
      try await shop.test.store.read { context in
        let article = try #require(try context.fetch(Article.self, uid: 1))
        article.tags = try context.fetch(Tag.self)
      }
    }
    #expect(kind == .readOnly)
  }

  @Test(arguments: Place.usual)
  func `edited lists are named in the row`(_ place: Place) async throws {
    let shop = try Shop(place)
    shop.one.tags = [shop.a]
    try await shop.main.save()
    let edited = try shop.main.connection.rows("SELECT _edited FROM main.\"Article\" ORDER BY _pk") { $0.text(0) ?? "" }
    #expect(edited == ["_new,uid,author,tags", "_new,uid,author"])
  }

  @Test func `a many-to-many list is added to a file and not taken away`() throws {
    let folder = try TemporaryFolder()
    _ = try EntityStore(.file(folder.file), entities: [BareLoop.self])
    do {
      let store = try EntityStore(.file(folder.file), entities: [Loop.self])
      let loop = try store.main.insert(Loop.self)
      loop.peers = [loop, try store.main.insert(Loop.self)]
      try store.main.save()
      #expect(loop.peers.count == 2)
    }
    do {
      _ = try EntityStore(.file(folder.file), entities: [BareLoop.self])
      Issue.record("opened")
    } catch let error as StoreError {
      #expect(error.kind == .schemaMismatch)
      #expect(error.message.contains("'Loop.peers'") || error.message.contains("Loop.peers"))
    }
  }
}
