import TestSchema
import Testing

@testable import EntityStore

/// The lists and the embedded objects of two rows that turn out to be one object.
@MainActor
struct UIDCollisionListTests {
  private let uid = Person.columns.uid.index
  private let name = Person.columns.name.index

  // MARK: Lists

  @Test(arguments: Place.usual, [false, true])
  func `a list has the pairs of both rows except the pairs that were taken out`(_ place: Place, isOwn: Bool)
    async throws
  {
    let rows = try UIDRows(place, TestStore.blog)
    let ids = try await rows.store.background { context in
      let writer = try context.insert(Writer.self)
      writer.uid = 1
      let articles = try (1...2).map { _ in try context.insert(Article.self) }
      for article in articles { article.author = writer }
      articles[0].uid = 7
      let tags = try ["a", "b", "c", "d"].map { uid in
        let tag = try context.insert(Tag.self)
        tag.uid = uid
        return tag
      }
      articles[0].tags = Array(tags[0...2])
      articles[1].tags = [tags[0], tags[3]]
      return articles.map(\.entityID)
    }
    let tags = Article.columns.tags.index
    // The server knows both lists.
    try await rows.store.core.unit { rows in
      let model = try rows.schema.model(Article.self)
      guard case .manyToMany(let membership, _) = model.properties[tags].kind else { return }
      for id in ids { try rows.pairs.endMarks(membership, of: id.pk) }
    }
    try await rows.store.background { context in
      let article = try #require(try context.object(ids[isOwn ? 1 : 0]))
      try article.remove(try #require(try context.fetch(Tag.self, uid: "a")), from: \.tags)
    }
    _ = try await rows.respond(Article.self, pk: ids[1].pk, [Article.columns.uid.index: .integer(7)])
    let article = try #require(try rows.main.object(ids[1]))
    #expect(article.tags.map(\.uid).sorted() == ["b", "c", "d"])
    #expect(try rows.edited(ids[1]).contains("tags"))
  }

  @Test(arguments: Place.usual)
  func `lists of others tell that a member is another object`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let (store, article) = (shop.test.store, shop.articles[0])
    article.tags = [shop.tags[0]]
    try shop.main.saveAtOnce()
    var changes = store.changes(of: Article.all).makeAsyncIterator()
    #expect(try await changes.next()?.get().inserted.count == 3)
    var commits = store.commits.makeAsyncIterator()
    let list = Watcher { _ = article.tags }
    // A tag without uid turns out to be the one in the list.
    try await shop.absorb("a", "new")
    #expect(list.fired)
    #expect(article.tags.map(\.name) == ["new"])
    let updated = try #require(try await changes.next()?.get()).updated
    #expect(updated.map(\.id) == [article.entityID])
    #expect(updated.map(\.columns.names) == [["tags"]])
    let commit = try #require(await commits.next())
    #expect(commit.changes(of: Article.self).updated.map(\.id) == [article.entityID])
  }

  @Test(arguments: Place.usual, [false, true])
  func `an unsaved list of the other object follows`(_ place: Place, isMerged: Bool) async throws {
    let rows = try UIDRows(place, TestStore.blog)
    let main = rows.main
    let writer = try main.insert(Writer.self)
    writer.uid = 1
    let articles = try (1...2).map { _ in try main.insert(Article.self) }
    for article in articles { article.author = writer }
    articles[0].uid = 7
    let tags = try ["a", "b", "c"].map { try main.upsert(Tag.self, uid: $0) }
    articles[0].tags = [tags[0]]
    try await main.save()
    articles[0].tags = [tags[1], tags[2]]
    _ = try await rows.respond(
      Article.self, pk: articles[1].entityID.pk, [Article.columns.uid.index: .integer(7)])
    if isMerged {
      try main.merging.merge()
      #expect(articles[1].tags.map(\.uid).sorted() == ["b", "c"])
    }
    try await main.save()
    #expect(articles[0].isDeleted)
    #expect(articles[1].tags.map(\.uid).sorted() == ["b", "c"])
    #expect(try rows.edited(articles[1].entityID).contains("tags"))
    #expect(try await rows.store.read { try $0.fetch(Article.self, uid: 7)?.tags.map(\.uid).sorted() } == ["b", "c"])
  }

  // MARK: Objects without uid

  @Test(arguments: Place.usual, 0..<4)
  func `embedded parts are those of the row where they were edited`(_ place: Place, edited: Int) async throws {
    let (isOwnEdited, areTheirsEdited) = (edited & 1 == 1, edited & 2 == 2)
    let rows = try UIDRows(place)
    let note = (text: Note.columns.text.index, person: Note.columns.person.index)
    let listed = try await rows.respond(Person.self, [uid: .integer(5), name: .text("list")])
    let posted = try rows.main.insert(Person.self)
    posted.name = "posted"
    try await rows.main.save()
    let theirs = try await rows.respond(Note.self, [note.text: .text("theirs"), note.person: .integer(listed.pk)])
    let own = try await rows.respond(
      Note.self, [note.text: .text("own"), note.person: .integer(posted.entityID.pk)])
    try await rows.store.background { context in
      if areTheirsEdited { try #require(try context.object(theirs)).rank = 1 }
      if isOwnEdited { try #require(try context.object(own)).rank = 1 }
    }
    _ = try await rows.respond(Person.self, pk: posted.entityID.pk, [uid: .integer(5)])
    try rows.main.merging.merge()
    let expected = (isOwnEdited || !areTheirsEdited ? ["own"] : []) + (areTheirsEdited ? ["theirs"] : [])
    #expect(posted.notes.map(\.text).sorted() == expected)
    #expect(try rows.count("Note") == Int64(expected.count))
  }

  @Test(arguments: Place.usual, 0..<4)
  func `the part that no row has any more goes`(_ place: Place, edited: Int) async throws {
    let (isOwnEdited, areTheirsEdited) = (edited & 1 == 1, edited & 2 == 2)
    let rows = try UIDRows(place, Orchard.world)
    let columns = Orchard.columns
    let (mine, other) = try await (
      rows.respond(OrchardShed.self, [OrchardShed.columns.city.index: .text("own")]),
      rows.respond(OrchardShed.self, [OrchardShed.columns.city.index: .text("theirs")])
    )
    _ = try await rows.respond(Orchard.self, [columns.uid.index: .integer(5), columns.shed.index: .integer(other.pk)])
    let posted = try await rows.respond(Orchard.self, [columns.shed.index: .integer(mine.pk)])
    try await rows.store.background { context in
      if areTheirsEdited { try #require(try context.object(other)).city = "theirs, edited" }
      if isOwnEdited { try #require(try context.object(mine)).city = "own, edited" }
    }
    _ = try await rows.respond(Orchard.self, pk: posted.pk, [columns.uid.index: .integer(5)])
    let orchard = try #require(try rows.main.object(posted))
    let expected = isOwnEdited ? "own, edited" : areTheirsEdited ? "theirs, edited" : "own"
    #expect(orchard.shed?.city == expected)
    #expect(try rows.count("OrchardShed") == 1)
  }
}
