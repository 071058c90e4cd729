import TestSchema
import Testing

@testable import EntityStore

/// Lists that are edited in drafts.
@MainActor
struct DraftListTests {
  /// Another context adds a tag to the first article, and the main context takes that over.
  private func others(add tag: Int, to shop: TagShop) async throws {
    let (article, tag) = (shop.articles[0].entityID, shop.tags[tag].entityID)
    try await shop.test.store.background { context in
      try #require(try context.object(article)).add(try #require(try context.object(tag)), to: \.tags)
    }
    try shop.main.merging.merge()
  }

  private func copies(_ shop: TagShop, _ places: [Int], in context: EntityContext) throws -> [Tag] {
    try places.map { try #require(try context.object(shop.tags[$0].entityID)) }
  }

  @Test(arguments: Place.usual, 1...2)
  func `a list that a draft sets is the whole list in its parent`(_ place: Place, _ depth: Int) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.tags = [shop.tags[0], shop.tags[1]]
    try shop.main.saveAtOnce()
    var contexts = [shop.main]
    for _ in 0..<depth { contexts.append(try contexts[contexts.count - 1].child()) }
    let context = contexts[depth]
    let copy = try #require(try context.object(article.entityID))
    copy.tags = try copies(shop, [1, 2], in: context)
    for context in contexts.dropFirst().reversed() { try context.saveAtOnce() }
    #expect(article.tags.map(\.uid) == ["b", "c"])
    try await others(add: 3, to: shop)
    #expect(article.tags.map(\.uid) == ["b", "c"])
    #expect(copy.tags.map(\.uid) == ["b", "c"])
    try shop.main.saveAtOnce()
    #expect(try await shop.saved(1) == ["b", "c"])
  }

  @Test(arguments: Place.usual)
  func `a list that a draft of a new object sets is the whole list`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let draft = try shop.main.draft(Article.self)
    draft.object.uid = 9
    draft.object.author = try #require(try draft.context.object(shop.writer.entityID))
    draft.object.tags = try copies(shop, [0, 1], in: draft.context)
    try draft.save()
    let new = try #require(try shop.main.object(draft.object.entityID))
    #expect(new.tags.map(\.uid) == ["a", "b"])
    // A member that is taken out since is out of the whole list too.
    try new.remove(shop.tags[0], from: \.tags)
    try shop.main.saveAtOnce()
    #expect(try await shop.saved(9) == ["b"])
  }

  @Test(arguments: Place.usual)
  func `a member that a draft adds leaves the members of others`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    let draft = try shop.main.edit(article)
    try draft.object.add(try copies(shop, [0], in: draft.context), to: \.tags)
    try draft.save()
    try await others(add: 3, to: shop)
    #expect(article.tags.map(\.uid) == ["a", "d"])
    try shop.main.saveAtOnce()
    #expect(try await shop.saved(1) == ["a", "d"])
  }

  @Test(arguments: Place.usual)
  func `a member that a draft adds joins a list that its parent has set`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.tags = [shop.tags[0]]
    let draft = try shop.main.edit(article)
    try draft.object.add(try copies(shop, [1], in: draft.context), to: \.tags)
    try draft.save()
    try await others(add: 3, to: shop)
    #expect(article.tags.map(\.uid) == ["a", "b"])
    try shop.main.saveAtOnce()
    #expect(try await shop.saved(1) == ["a", "b"])
  }

  @Test(arguments: Place.usual)
  func `a list that a draft sets back is no edit`(_ place: Place) throws {
    let shop = try TagShop(place)
    let article = shop.articles[0]
    article.tags = [shop.tags[0]]
    try shop.main.saveAtOnce()
    article.tags = [shop.tags[1]]
    let draft = try shop.main.edit(article)
    draft.object.tags = try copies(shop, [0], in: draft.context)
    try draft.save()
    #expect(article.tags.map(\.uid) == ["a"])
    #expect(!shop.main.hasChanges)
  }

  // MARK: Observers

  @Test(arguments: Place.usual)
  func `observers of a list in a draft hear of each change`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    let draft = try shop.main.edit(article)
    let tag = try #require(try draft.context.object(tags[3].entityID))
    let list = Watcher { _ = draft.object.tags }
    let inverse = Watcher { _ = tag.articles }
    func hears(_ watcher: Watcher, _ change: () throws -> Void) async throws {
      try change()
      while !watcher.fired { await Task.yield() }
    }
    try await hears(list) { try article.add(tags[0], to: \.tags) }
    #expect(draft.object.tags.map(\.uid) == ["a"])
    try await hears(list) { shop.main.rollback() }
    #expect(draft.object.tags.isEmpty)
    try await hears(inverse) { article.tags = [tags[3]] }
    #expect(tag.articles.map(\.uid) == [1])
    #expect(list.fired)
    try await hears(list) { try shop.main.delete(tags[3]) }
    #expect(draft.object.tags.isEmpty)
    try await hears(list) { try shop.main.rollback(tags[3]) }
    #expect(draft.object.tags.map(\.uid) == ["d"])
    try await hears(list) { try shop.main.rollback(article) }
    #expect(draft.object.tags.isEmpty)
    #expect(inverse.fired)
    #expect(!inverse.fired)
    // Another draft, and another context.
    let other = try shop.main.edit(article)
    try await hears(list) {
      other.object.tags = try copies(shop, [1], in: other.context)
      #expect(draft.object.tags.isEmpty)
      try other.save()
    }
    #expect(draft.object.tags.map(\.uid) == ["b"])
    try shop.main.saveAtOnce()
    _ = list.fired
    try await others(add: 2, to: shop)
    #expect(list.fired)
    #expect(draft.object.tags.map(\.uid) == ["b", "c"])
    // Its own.
    try draft.object.add(tag, to: \.tags)
    #expect(list.fired)
    #expect(inverse.fired)
  }

  @Test(arguments: Place.usual)
  func `observers in a draft hear of lists of objects that the parent does not hold`(_ place: Place) async throws {
    let staff = try Staff(place)
    let (main, bob) = (staff.main, staff.bob)
    let id = try await staff.store.addPerson(3, "Cy")
    let context = try main.child()
    let boss = try #require(try context.object(id))
    let reports = Watcher { _ = boss.reports }
    do { bob.boss = try main.object(id) }
    while !reports.fired { await Task.yield() }
    #expect(boss.reports.map(\.uid) == [2])
    #expect(main.loaded.objects[bob._$state.model.number][id.pk] == nil)
    try main.rollback(bob)
    while !reports.fired { await Task.yield() }
    #expect(boss.reports.isEmpty)
    do { bob.boss = try main.object(id) }
    while !reports.fired { await Task.yield() }
    main.rollback()
    while !reports.fired { await Task.yield() }
    #expect(boss.reports.isEmpty)
    // An object in the list by an unsaved link goes.
    do { bob.boss = try main.object(id) }
    while !reports.fired { await Task.yield() }
    let bobID = bob.entityID
    try await staff.store.background { try $0.delete(try #require(try $0.object(bobID))) }
    try main.merging.merge()
    while !reports.fired { await Task.yield() }
    #expect(boss.reports.isEmpty)
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `observers of an ordered list in a draft hear of moves`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    let draft = try shop.main.edit(shop.mix)
    let watcher = Watcher { _ = list.read(draft.object) }
    try list.set(shop.mix, [5, 1, 2, 3, 4])
    while !watcher.fired { await Task.yield() }
    #expect(list.read(draft.object) == [5, 1, 2, 3, 4])
    shop.main.rollback()
    while !watcher.fired { await Task.yield() }
    #expect(list.read(draft.object) == [1, 2, 3, 4, 5])
    try await shop.others { $0.swapAt(0, 1) }
    try shop.main.merging.merge()
    #expect(watcher.fired)
    #expect(list.read(draft.object) == [2, 1, 3, 4, 5])
  }

  @Test(arguments: Place.usual)
  func `a context forgets its drafts once they are gone`(_ place: Place) throws {
    let staff = try Staff(place)
    do {
      let drafts = try (0..<3).map { _ in try staff.main.edit(staff.ada) }
      #expect(!staff.main.lineage.children.isEmpty)
      drafts[0].object.age = 50
    }
    staff.ada.age = 40
    #expect(staff.main.lineage.children.isEmpty)
  }
}
