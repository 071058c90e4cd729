import TestSchema
import Testing

@testable import EntityStore

/// Drafts whose parent changes, or whose rows others change, before they are saved.
@MainActor
final class DraftMeanwhileTests: DraftSuite {
  @Test(arguments: Place.usual)
  func `a draft follows its parent and the commits of others`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    let draft = try main.edit(ada)
    draft.object.name = "mine"
    #expect(draft.object.age == 30)
    ada.age = 31
    #expect(draft.object.age == 31)
    #expect(draft.object.name == "mine")
    try await test.store.edit(ada.entityID) { $0.email = "unit@example.com" }
    try main.merging.merge()
    #expect(draft.object.email == "unit@example.com")
    main.rollback()
    #expect(draft.object.age == 30)
    #expect(draft.object.name == "mine")
  }

  @Test(arguments: Place.usual)
  func `observers of a draft hear of its parent and of commits`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    let draft = try main.edit(ada)
    let age = Watcher { _ = draft.object.age }
    ada.age = 31
    while !age.fired { await Task.yield() }
    #expect(draft.object.age == 31)
    let email = Watcher { _ = draft.object.email }
    try await test.store.edit(ada.entityID) { $0.email = "unit@example.com" }
    try main.merging.merge()
    #expect(email.fired)
    draft.object.email = "draft@example.com"
    #expect(email.fired)
    let reports = Watcher { _ = draft.object.reports }
    let new = try main.insert(Person.self)
    new.boss = ada
    while !reports.fired { await Task.yield() }
    #expect(draft.object.reports.count == 1)
  }

  @Test(arguments: Place.usual)
  func `a draft of an object that was deleted meanwhile is refused`(_ place: Place) async throws {
    let (test, main, ada, bob) = try people(place)
    let draft = try main.edit(ada)
    draft.object.name = "mine"
    let other = try #require(try draft.context.object(bob.entityID))
    other.name = "also mine"
    let id = ada.entityID
    try await test.store.background { context in
      if let ada = try context.object(id) { try context.delete(ada) }
    }
    try main.merging.merge()
    #expect(errorKind { try draft.save() } == .objectDeleted)
    #expect(bob.name == "Bob")
    #expect(!main.hasChanges)
    #expect(other.name == "also mine")
    try draft.context.rollback(draft.object)
    try draft.save()
    #expect(bob.name == "also mine")
    #expect(errorKind { _ = try main.edit(ada) } == .objectDeleted)
  }

  @Test(arguments: Place.usual)
  func `a draft and its parent meet a conflict`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let draft = try main.edit(ada)
    draft.object.name = "draft"
    draft.object.age = 31
    ada.age = 40
    #expect(draft.object.age == 31)
    let error = #expect(throws: StoreError.self) { try draft.save() }
    #expect(error?.kind == .conflict)
    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.property == "age")
    #expect(conflict.base.as(Int.self) == 30)
    #expect(conflict.mine.as(Int.self) == 31)
    #expect(conflict.theirs.as(Int.self) == 40)
    #expect(conflict.isLocalEdit)
    #expect(conflict.uid == "1")
    #expect(ada.name == "Ada")
    #expect(ada.age == 40)
    try draft.save(conflicts: .custom { _ in .value(41) })
    #expect(ada.name == "draft")
    #expect(ada.age == 41)
    #expect(draft.object.age == 41)
    draft.object.age = 50
    ada.age = 60
    try draft.save(conflicts: .theirs)
    #expect(ada.age == 60)
    #expect(draft.object.age == 60)
    draft.object.age = 50
    ada.age = 70
    try draft.context.save(conflicts: .mine)
    #expect(ada.age == 50)
  }

  @Test(arguments: Place.usual)
  func `an edit of a draft counts more than the server's value`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    try await test.store.pending.acknowledge(ada.entityID)
    let draft = try main.edit(ada)
    draft.object.age = 31
    let id = ada.entityID
    try await test.store.background(as: .server) { context in try context.object(id)?.age = 50 }
    try main.merging.merge()
    #expect(ada.age == 50)
    try draft.save()
    #expect(ada.age == 31)
    try await main.save()
    #expect(try await test.store.read { try $0.object(id)?.age } == 31)
  }

  @Test(arguments: Place.usual)
  func `a draft that was not read since is saved over what is there`(_ place: Place) throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0], tags[1]]
    try shop.main.save()
    let draft = try shop.main.edit(article)
    draft.object.tags = try [tags[1], tags[2]].map { try #require(try draft.context.object($0.entityID)) }
    try article.add(tags[3], to: \.tags)
    try draft.save()
    #expect(article.tags.map(\.uid) == ["b", "c"])
  }

  @Test(arguments: Place.usual)
  func `a deletion that the parent takes back leaves the draft as it was`(_ place: Place) throws {
    let (test, main, ada, bob) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let draft = try main.edit(ada)
    draft.object.age = 31
    let copy = try #require(try draft.context.object(bob.entityID))
    try draft.context.delete(copy)
    try main.delete(ada)
    try main.delete(bob)
    #expect(draft.object.isDeleted)
    main.rollback()
    #expect(draft.object.age == 31)
    #expect(!draft.object.isDeleted)
    #expect(copy.isDeleted)
    ada.age = 40
    #expect(errorKind { try draft.save() } == .conflict)
    #expect(ada.age == 40)
    try draft.save(conflicts: .mine)
    #expect(ada.age == 31)
    #expect(bob.isDeleted)
  }

  @Test(arguments: Place.usual)
  func `a new object that a draft deletes again is in no link`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let draft = try main.edit(ada)
    let boss = try draft.context.insert(Person.self)
    draft.object.boss = boss
    try draft.context.delete(boss)
    #expect(draft.object.boss == nil)
    try draft.save()
    #expect(ada.boss == nil)
    try main.save()
    #expect(ada.boss == nil)
    #expect(try main.count(Person.all) == 2)
  }

  @Test(arguments: Place.usual)
  func `a link to an object that the parent has deleted has no target`(_ place: Place) throws {
    let (test, main, ada, bob) = try people(place)
    defer { withExtendedLifetime(test) {} }
    ada.boss = bob
    try main.save()
    let draft = try main.edit(ada)
    #expect(draft.object.age == 30)
    try main.delete(bob)
    #expect(draft.object.boss == nil)
    main.rollback()
    #expect(draft.object.boss?.name == "Bob")
  }
}
