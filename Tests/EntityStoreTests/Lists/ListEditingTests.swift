import TestSchema
import Testing

@testable import EntityStore

/// Objects that are added to lists and taken out of them, and the cost of it.
@MainActor
struct ListEditingTests {
  private struct Shop {
    let test: TestStore
    let main: EntityContext
    let writers: [Writer]
    let articles: [Article]
    let tags: [Tag]

    @MainActor
    init(_ place: Place, articles count: Int = 3, tags tagCount: Int = 3) throws {
      let test = try TestStore(place, TestStore.blog)
      let main = test.store.main
      let writers = try (1...2).map { uid in
        let writer = try main.insert(Writer.self)
        writer.uid = uid
        return writer
      }
      articles = try (1...count).map { uid in
        let article = try main.insert(Article.self)
        article.uid = uid
        article.author = writers[0]
        return article
      }
      tags = try (1...tagCount).map { uid in
        let tag = try main.insert(Tag.self)
        tag.uid = "\(uid)"
        return tag
      }
      (self.test, self.main, self.writers) = (test, main, writers)
      try main.save()
    }
  }

  // MARK: Effects

  @Test(arguments: Place.usual, [false, true])
  func `a member taken out during the save of a set list stays out`(_ place: Place, _ isOtherSide: Bool) async throws {
    let shop = try Shop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0], tags[1]]
    let block = Blocker(shop.test.store)
    await block.begin()
    let save = await shop.test.store.beginSave(of: article)
    if isOtherSide { try tags[0].remove(article, from: \.articles) } else { try article.remove(tags[0], from: \.tags) }
    try article.add(tags[2], to: \.tags)
    #expect(article.tags == [tags[1], tags[2]])
    block.end()
    try await save.value
    #expect(article.tags == [tags[1], tags[2]])
    try await shop.main.save()
    #expect(article.tags == [tags[1], tags[2]])
    let id = article.entityID
    #expect(try await shop.test.store.read { try $0.object(id)?.tags.map(\.uid).sorted() } == ["2", "3"])
  }

  @Test(arguments: Place.usual)
  func `an object is added to and taken out of a list on both sides`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (one, two) = (shop.articles[0], shop.articles[1])
    try shop.writers[1].add(one, to: \.reviews)
    try shop.writers[1].add([one, two], to: \.reviews)
    try one.add(shop.tags, to: \.tags)
    try shop.tags[0].add(two, to: \.articles)
    #expect(one.reviewer === shop.writers[1])
    #expect(shop.writers[1].reviews == [one, two])
    #expect(one.tags == shop.tags)
    #expect(shop.tags[0].articles == [one, two])
    try await shop.main.save()
    try shop.writers[1].remove(one, from: \.reviews)
    try shop.writers[0].remove(two, from: \.reviews)
    try one.remove(shop.tags.prefix(2), from: \.tags)
    try two.remove(shop.tags[2], from: \.tags)
    #expect(one.reviewer == nil)
    #expect(two.reviewer === shop.writers[1])
    #expect(one.tags == [shop.tags[2]])
    #expect(shop.tags[0].articles == [two])
    try await shop.main.save()
    let read = try await shop.test.store.read { context in
      try context.fetch(Article.all).map { "\($0.reviewer?.uid ?? 0) \($0.tags.map(\.uid))" }
    }
    #expect(read == ["0 [\"3\"]", "2 [\"1\"]", "0 []"])
  }

  @Test(arguments: Place.usual)
  func `a unit adds list members and takes them out too`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (id, ids, writer) = (shop.articles[0].entityID, shop.tags.map(\.entityID), shop.writers[1].entityID)
    try await shop.test.store.background { context in
      let article = try #require(try context.object(id))
      let tags = try context.objects(ids)
      try article.add(tags, to: \.tags)
      try article.remove(tags[1], from: \.tags)
      try #require(try context.object(writer)).add(article, to: \.articles)
      #expect(article.tags.count == 2)
      #expect(article.author.uid == 2)
    }
    #expect(shop.articles[0].tags == [shop.tags[0], shop.tags[2]])
    #expect(shop.writers[1].articles == [shop.articles[0]])
  }

  @Test(arguments: Place.usual)
  func `a change taken back before a save is no edit`(_ place: Place) async throws {
    let shop = try Shop(place)
    let one = shop.articles[0]
    try one.add(shop.tags[0], to: \.tags)
    #expect(one.hasChanges)
    try shop.tags[0].remove(one, from: \.articles)
    #expect(!shop.main.hasChanges)
    try shop.tags[0].add(one, to: \.articles)
    try await shop.main.save()
    try one.remove(shop.tags[0], from: \.tags)
    try one.add(shop.tags[0], to: \.tags)
    #expect(!shop.main.hasChanges)
    try one.add(shop.tags[1], to: \.tags)
    try shop.main.rollback(one)
    #expect(one.tags == [shop.tags[0]])
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `others' changes of the list show beside added members`(_ place: Place) async throws {
    let shop = try Shop(place)
    let one = shop.articles[0]
    one.tags = [shop.tags[0]]
    try await shop.main.save()
    try one.add(shop.tags[1], to: \.tags)
    let (id, c) = (one.entityID, shop.tags[2].entityID)
    try await shop.test.store.background { context in
      try #require(try context.object(id)).tags = [try #require(try context.object(c))]
    }
    #expect(one.tags == [shop.tags[1], shop.tags[2]])
    try await shop.main.save()
    #expect(one.tags == [shop.tags[1], shop.tags[2]])
    #expect(!shop.main.hasChanges)
    // A list that was set as a whole has the members that were set, and the ones that are added later.
    one.tags = [shop.tags[0]]
    try shop.tags[1].add(one, to: \.articles)
    try await shop.test.store.background { context in try #require(try context.object(id)).tags = [] }
    #expect(one.tags == [shop.tags[0], shop.tags[1]])
  }

  @Test(arguments: Place.usual)
  func `observers hear of changes of a list`(_ place: Place) throws {
    let shop = try Shop(place)
    let tags = Watcher { _ = shop.articles[0].tags }
    let articles = Watcher { _ = shop.tags[0].articles }
    let reviews = Watcher { _ = shop.writers[1].reviews }
    try shop.articles[0].add(shop.tags[0], to: \.tags)
    try shop.writers[1].add(shop.articles[0], to: \.reviews)
    #expect(tags.fired)
    #expect(articles.fired)
    #expect(reviews.fired)
    try shop.articles[0].add(shop.tags[0], to: \.tags)
    try shop.writers[1].add(shop.articles[0], to: \.reviews)
    #expect(!tags.fired)
    #expect(!articles.fired)
    #expect(!reviews.fired)
  }

  @Test(arguments: Place.usual)
  func `an invalid member is refused at once`(_ place: Place) async throws {
    let shop = try Shop(place)
    let other = try Shop(place)
    #expect(errorKind { try shop.articles[0].add(other.tags[0], to: \.tags) } == .wrongContext)
    #expect(
      errorKind { try shop.writers[0].add([shop.articles[0], other.articles[0]], to: \.reviews) } == .wrongContext)
    #expect(shop.writers[0].reviews == [shop.articles[0]])
    let new = try shop.main.insert(Article.self)
    #expect(errorKind { try new.author.add(shop.articles[0], to: \.articles) } == .objectDeleted)
    try shop.main.delete(new)
    let kind = await asyncErrorKind {
      try await shop.test.store.read { context in
        let article = try #require(try context.fetch(Article.self, uid: 1))
        try article.add(try context.fetch(Tag.self), to: \.tags)
      }
    }
    #expect(kind == .readOnly)
    try await shop.main.save()
  }

  // MARK: Costs

  /// The number of SQLite's steps for one edit, in the main context and at the save, in stores with `count` articles
  /// and tags in the lists.
  private func work(_ place: Place, _ count: Int, _ edit: (Shop) throws -> Void) async throws -> (Int, Int) {
    let shop = try Shop(place, articles: count, tags: count)
    shop.articles[0].tags = Array(shop.tags.dropLast())
    shop.tags[0].articles = shop.articles.dropLast()
    try await shop.main.save()
    // All that is to be read is read, and unsaved changes lie over no table any more.
    try shop.articles[0].remove(shop.tags[1], from: \.tags)
    shop.main.rollback()
    _ = (shop.articles.map(\.title), shop.tags.map(\.name), shop.writers.map(\.name), shop.articles[0].tags)
    let counter = WorkCounter(on: shop.main.connection)
    let edited = try counter.work { try edit(shop) }
    try await shop.test.store.core.unit { counter.count(on: $0.connection) }
    let saved = try counter.work { try shop.main.save() }
    try await shop.test.store.core.unit { counter.stop(on: $0.connection) }
    return (edited, saved)
  }

  @Test(arguments: Place.usual)
  func `an edit of one member costs the same in a long list as in a short list`(_ place: Place) async throws {
    let edits: [@MainActor (Shop) throws -> Void] = [
      { try $0.articles[0].add($0.tags[$0.tags.count - 1], to: \.tags) },
      { try $0.articles[0].remove($0.tags[1], from: \.tags) },
      { try $0.tags[0].add($0.articles[$0.articles.count - 1], to: \.articles) },
      { try $0.writers[1].add($0.articles[1], to: \.articles) },
      { try $0.writers[1].add($0.articles[1], to: \.reviews) },
      { $0.articles[1].author = $0.writers[1] },
    ]
    for (index, edit) in edits.enumerated() {
      let few = try await work(place, 4) { try edit($0) }
      let many = try await work(place, 150) { try edit($0) }
      #expect(many.0 <= few.0 + 20, "edit \(index)")
      #expect(many.1 <= few.1 + 20, "the save of edit \(index)")
    }
  }

  @Test(arguments: Place.usual)
  func `a to-one relationship is set without the database`(_ place: Place) async throws {
    let (edited, _) = try await work(place, 100) { $0.articles[1].author = $0.writers[1] }
    #expect(edited == 0)
  }

  @Test(arguments: Place.usual)
  func `unsaved members do not make the next member more costly`(_ place: Place) async throws {
    let shop = try Shop(place, articles: 1, tags: 400)
    let counter = WorkCounter(on: shop.main.connection)
    let work = try shop.tags.map { tag in try counter.work { try shop.articles[0].add(tag, to: \.tags) } }
    #expect(work[399] <= work[3] + 20)
    let back = try shop.tags.map { tag in try counter.work { try tag.remove(shop.articles[0], from: \.articles) } }
    #expect(back[396] <= back[3] + 20)
    #expect(!shop.main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `setting a list costs as much as the list has members`(_ place: Place) async throws {
    func work(_ count: Int) async throws -> Int {
      let shop = try Shop(place, articles: 1, tags: count)
      let counter = WorkCounter(on: shop.main.connection)
      try await shop.test.store.core.unit { counter.count(on: $0.connection) }
      let work = try counter.work {
        shop.articles[0].tags = shop.tags
        try shop.main.save()
        shop.articles[0].tags = shop.tags.dropLast()
        try shop.main.save()
      }
      try await shop.test.store.core.unit { counter.stop(on: $0.connection) }
      return work
    }
    let (few, many) = (try await work(100), try await work(800))
    #expect(many < few * 10)
  }

  @Test(arguments: Place.usual)
  func `each membership ends once where both ends go`(_ place: Place) async throws {
    let shop = try Shop(place)
    let (ada, bob) = (shop.writers[0], shop.writers[1])
    ada.following = [ada, bob]
    bob.following = [ada]
    try await shop.main.save()
    let keys = [ada, bob].map { RowKey(entity: $0._$state.model.number, pk: $0._$state.pk) }
    let articles = shop.articles.map { RowKey(entity: $0._$state.model.number, pk: $0._$state.pk) }
    let written = try await shop.test.store.core.unit { rows in
      try rows.deletion.delete(keys + articles)
      return rows.rowsWritten
    }
    #expect(written == 2 + 3 + 3)
  }
}
