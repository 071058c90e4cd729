import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The ends of pending changes: discarded, acknowledged, set by the server, or gone with all rows.
@MainActor struct PendingEndTests {
  @Test(arguments: Place.usual)
  func `discarded edits return to the values that the server last said`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let (ada, bob) = (try test.person(1), try test.person(2))
    (ada.name, ada.age, ada.boss) = ("one", 1, bob)
    bob.name = "two"
    try await main.save()
    let seen = Watcher { _ = ada.name }
    try await test.store.pending.discard(ada.entityID, \.name)
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.name == "Ada")
    #expect(!ada.hasChanges)
    #expect(ada.pendingColumns.names == ["age", "boss"])
    #expect(bob.reports == [ada])
    // Unsaved changes stay, as with any commit.
    ada.age = 2
    let change = try #require(try await test.store.pending.changes().first { $0.uid == "1" })
    try await test.store.pending.discard(change)
    try test.store.mergeMain()
    #expect(ada.age == 2)
    #expect(ada.boss == nil)
    #expect(bob.reports == [])
    main.rollback()
    #expect(ada.age == 0)
    try await test.store.pending.discard(bob.entityID)
    try test.store.mergeMain()
    #expect(bob.name == "Bob")
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.usual)
  func `discarded inserts go`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let main = test.store.main
    let new = try main.insert(Person.self)
    let note = try main.insert(Note.self)
    note.person = new
    let ada = try test.person(1)
    (ada.boss, ada.age) = (new, 1)
    try await main.save()
    try await test.store.pending.discard(new.entityID)
    try test.store.mergeMain()
    #expect(new.isDeleted)
    #expect(note.isDeleted)
    // The edit by which she had the new boss is taken back, and no other one.
    #expect(ada.boss == nil)
    #expect(try await test.pendingTexts() == ["Person 1: age was edited"])
    try await test.store.pending.discardAll()
    #expect(try await test.store.pending.count() == 0)
  }

  @Test(arguments: Place.usual)
  func `acknowledged edits keep their values`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    (ada.name, ada.age) = ("one", 1)
    try await test.store.main.save()
    try await test.store.pending.acknowledge(ada.entityID, \.name)
    try test.store.mergeMain()
    #expect(ada.pendingColumns.names == ["age"])
    #expect(try await test.store.pending.changes().map { $0.edits.map(\.property) } == [["age"]])
    try await test.store.pending.acknowledge(try #require(try await test.store.pending.changes().first))
    try test.store.mergeMain()
    #expect(ada.pendingColumns.isEmpty)
    #expect((ada.name, ada.age) == ("one", 1))
    // The next edit begins anew.
    ada.name = "two"
    try await test.store.main.save()
    #expect(try await test.store.pending.changes().first?.edits.first?.base == .attribute(.text("one")))
  }

  @Test(arguments: Place.usual)
  func `a unit of the server ends the edits that it sets`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    (ada.name, ada.age) = ("mine", 1)
    try await test.store.main.save()
    let id = ada.entityID
    try await test.store.background(as: .server) { try #require(try $0.object(id)).name = "theirs" }
    try test.store.mergeMain()
    #expect(ada.name == "theirs")
    #expect(try await test.store.pending.changes().map { $0.edits.map(\.property) } == [["age"]])
  }

  @Test(arguments: Place.usual)
  func `a store with pending changes is emptied only where the caller discards them`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background { context in
      let article = try context.insert(Article.self)
      let tag = try context.insert(Tag.self)
      (article.uid, article.author, article.tags, tag.uid) = (1, try context.insert(Writer.self), [tag], "a")
    }
    let main = test.store.main
    let article = try #require(try main.fetch(Article.self, uid: 1))
    let author = article.author
    #expect(await asyncErrorKind { try await test.store.reset() } == .pendingChanges)
    #expect(!article.isDeleted)
    try await test.store.reset(discardsPending: true)
    try test.store.mergeMain()
    #expect(try main.count(Article.all) == 0)
    #expect(article.title == "" && article.isDeleted)
    #expect(author.name == "" && author.isDeleted)
    #expect(try await test.store.pending.count() == 0)
    try await test.store.reset()
    let again = try main.insert(Tag.self)
    again.uid = "a"
    try await main.save()
    #expect(try main.count(Tag.all) == 1)
    #expect(again.entityID.pk != article.entityID.pk)
  }

  @Test(arguments: Place.usual)
  func `a unit of the server ends the pairs that it takes out`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    try await test.store.background(as: .server) { context in
      try context.insert(Tag.self).uid = "a"
      let article = try context.insert(Article.self)
      (article.uid, article.author) = (1, try context.insert(Writer.self))
    }
    try await test.store.background { context in
      let tag = try #require(try context.fetch(Tag.self, uid: "a"))
      tag.articles = try context.fetch(Article.all)
    }
    #expect(try await test.pendingTexts() == ["Tag a: articles was edited"])
    // Through the list on the other side.
    try await test.store.background(as: .server) { context in
      let article = try #require(try context.fetch(Article.self, uid: 1))
      article.tags = []
      try context.save()
      #expect(try context.fetch(Tag.all).allSatisfy { $0.pendingColumns.isEmpty })
    }
    #expect(try await test.store.pending.count() == 0)
    #expect(try await test.store.read { try $0.count(Tag.where { $0.hasPendingChanges }) } == 0)
  }
}
