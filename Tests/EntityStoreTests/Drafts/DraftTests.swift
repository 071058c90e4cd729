import TestSchema
import Testing

@testable import EntityStore

/// `@unchecked Sendable`: the test sets the draft before it begins the detached task, and waits for that task's end before it
/// makes the next box. So only one of the two has the draft at a time.
private final class DraftBox: @unchecked Sendable {
  var draft: Draft<Person>?

  init(draft: Draft<Person>) { self.draft = draft }
}

/// Child contexts: objects that are edited apart from those of their parent.
@MainActor
final class DraftTests: DraftSuite {
  // MARK: An object

  @Test(arguments: Place.usual)
  func `an edit is seen when the draft is saved`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    let draft = try main.edit(ada)
    #expect(draft.object !== ada)
    #expect(draft.object.entityID == ada.entityID)
    #expect(draft.object.name == "Ada")
    draft.object.name = "Ada L."
    #expect(draft.hasChanges)
    #expect(ada.name == "Ada")
    #expect(!main.hasChanges)
    #expect(try main.count(Person.where { $0.name == "Ada L." }) == 0)
    #expect(try draft.context.count(Person.where { $0.name == "Ada L." }) == 1)
    try draft.save()
    #expect(!draft.hasChanges)
    #expect(ada.name == "Ada L.")
    #expect(main.changes.properties(of: ada) == ["name"])
    #expect(try await test.store.read { try $0.count(Person.where { $0.name == "Ada L." }) } == 0)
    try await main.save()
    #expect(try await test.store.read { try $0.count(Person.where { $0.name == "Ada L." }) } == 1)
    #expect(draft.object.name == "Ada L.")
  }

  @Test(arguments: Place.usual)
  func `a draft is saved again after further edits`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let draft = try main.edit(ada)
    draft.object.age = 40
    try draft.save()
    draft.object.age = 41
    draft.object.email = "a@example.com"
    #expect(ada.age == 40)
    try draft.save()
    try main.save()
    #expect(ada.age == 41)
    #expect(ada.email == "a@example.com")
    draft.object.age = 42
    draft.object.age = 41
    #expect(!draft.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `rolling back a draft leaves the edits of its parent`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    ada.email = "a@example.com"
    let draft = try main.edit(ada)
    #expect(draft.object.email == "a@example.com")
    draft.object.email = "b@example.com"
    draft.object.age = 99
    draft.rollback()
    #expect(draft.object.email == "a@example.com")
    #expect(draft.object.age == 30)
    #expect(!draft.hasChanges)
    #expect(main.changes.properties(of: ada) == ["email"])
  }

  @Test(arguments: Place.usual)
  func `a draft that is released leaves no trace`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    weak var context: EntityContext?
    let copy: Person
    do {
      let draft = try main.edit(ada)
      context = draft.context
      copy = draft.object
      copy.name = "gone"
      _ = try draft.context.fetch(Person.self)
    }
    #expect(context == nil)
    #expect(copy.isDetached)
    #expect(ada.name == "Ada")
    #expect(!main.hasChanges)
    // The next draft has its tables.
    let next = try main.edit(ada)
    #expect(try next.context.count(Person.where { $0.name == "gone" }) == 0)
    next.object.name = "next"
    #expect(try next.context.count(Person.where { $0.name == "next" }) == 1)
    #expect(try next.context.count(Person.where { $0.name == "gone" }) == 0)
  }

  // MARK: New objects

  @Test(arguments: Place.usual)
  func `a new object is in no list until its draft is saved`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    let draft = try main.draft(Person.self)
    draft.object.uid = 3
    draft.object.name = "Cy"
    draft.object.boss = try draft.context.object(ada.entityID)
    #expect(try main.count(Person.all) == 2)
    #expect(ada.reports.isEmpty)
    #expect(try draft.context.object(ada.entityID)?.reports.first === draft.object)
    try draft.save()
    #expect(try main.count(Person.all) == 3)
    #expect(ada.reports.map(\.name) == ["Cy"])
    let new = try #require(try main.object(draft.object.entityID))
    #expect(new.isInserted)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Person.self, uid: 3)?.boss?.uid } == 1)
    #expect(!draft.object.isInserted)
    draft.object.name = "Cyd"
    try draft.save()
    #expect(new.name == "Cyd")
  }

  @Test(arguments: Place.usual)
  func `a draft of an unsaved object saves into that object`(_ place: Place) throws {
    let (test, main, _, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let new = try main.insert(Person.self)
    new.name = "new"
    let draft = try main.edit(new)
    #expect(draft.object.name == "new")
    draft.object.name = "newer"
    #expect(new.name == "new")
    try draft.save()
    #expect(new.name == "newer")
    #expect(new.isInserted)
    try main.rollback(new)
    #expect(draft.object.isDeleted)
  }

  // MARK: Relationships

  @Test(arguments: Place.usual)
  func `a list is edited apart from that of the parent`(_ place: Place) throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0], tags[1]]
    try shop.main.save()
    let draft = try shop.main.edit(article)
    #expect(draft.object.tags.map(\.uid) == ["a", "b"])
    draft.object.tags.removeAll { $0.uid == "a" }
    draft.object.tags.append(try #require(try draft.context.object(tags[2].entityID)))
    #expect(draft.object.tags.map(\.uid) == ["b", "c"])
    #expect(article.tags.map(\.uid) == ["a", "b"])
    // As with columns, the edit of a list that was set holds.
    try article.add(tags[3], to: \.tags)
    #expect(draft.object.tags.map(\.uid) == ["b", "c"])
    try draft.save()
    #expect(article.tags.map(\.uid) == ["b", "c"])
    try shop.main.save()
    #expect(draft.object.tags.map(\.uid) == ["b", "c"])
    #expect(try shop.main.fetch(Tag.self, uid: "a")?.articles.isEmpty == true)
  }

  @Test(arguments: Place.usual)
  func `members that a draft adds or takes out join the changes of the parent`(_ place: Place) throws {
    let shop = try TagShop(place)
    let (article, tags) = (shop.articles[0], shop.tags)
    article.tags = [tags[0], tags[1]]
    try shop.main.save()
    let draft = try shop.main.edit(article)
    let copies = try tags.map { try #require(try draft.context.object($0.entityID)) }
    try draft.object.add(copies[2], to: \.tags)
    try draft.object.remove(copies[0], from: \.tags)
    try article.add(tags[3], to: \.tags)
    #expect(draft.object.tags.map(\.uid) == ["b", "c", "d"])
    #expect(copies[2].articles.map(\.uid) == [1])
    #expect(tags[2].articles.isEmpty)
    try draft.save()
    #expect(article.tags.map(\.uid) == ["b", "c", "d"])
    #expect(tags[2].articles == [article])
    try shop.main.save()
    #expect(draft.object.tags.map(\.uid) == ["b", "c", "d"])
  }

  @Test(arguments: Place.usual, MixList.allCases)
  func `the order of a list is edited apart`(_ place: Place, _ list: MixList) async throws {
    let shop = try await MixShop(place, list)
    let draft = try shop.main.edit(shop.mix)
    let order = [3, 91, 1, 6, 5, 2]
    try list.set(draft.object, order)
    #expect(list.read(draft.object) == order)
    #expect(shop.numbers == [1, 2, 3, 4, 5])
    try draft.save()
    #expect(list.read(draft.object) == order)
    #expect(shop.numbers == order)
    try shop.save()
    #expect(try await shop.saved() == order)
    try list.edit(draft.object) { $0.swapAt(0, 4) }
    #expect(list.read(draft.object) == [5, 91, 1, 6, 3, 2])
    draft.rollback()
    #expect(list.read(draft.object) == order)
    try list.edit(draft.object) { $0.swapAt(0, 4) }
    try draft.save()
    #expect(shop.numbers == [5, 91, 1, 6, 3, 2])
  }

  @Test(arguments: Place.usual)
  func `objects are deleted when the draft is saved`(_ place: Place) throws {
    let (test, main, ada, bob) = try people(place)
    defer { withExtendedLifetime(test) {} }
    bob.boss = ada
    try main.save()
    let context = try main.child()
    let copy = try #require(try context.object(bob.entityID))
    try context.delete(copy)
    #expect(copy.isDeleted)
    #expect(try context.count(Person.all) == 1)
    #expect(try context.object(ada.entityID)?.reports.isEmpty == true)
    #expect(!bob.isDeleted)
    #expect(ada.reports == [bob])
    try context.save()
    #expect(bob.isDeleted)
    #expect(ada.reports.isEmpty)
    main.rollback()
    #expect(!bob.isDeleted)
    #expect(try context.count(Person.all) == 2)
  }

  // MARK: All drafts

  @Test(arguments: Place.usual)
  func `drafts end on any thread`(_ place: Place) async throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    for _ in 0..<20 {
      let box = DraftBox(draft: try main.edit(ada))
      box.draft?.object.age = 50
      await Task.detached { box.draft = nil }.value
    }
    let (one, other) = (try main.edit(ada), try main.edit(ada))
    #expect(one.context.lineage.overlayNumber != other.context.lineage.overlayNumber)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a draft has drafts of its own`(_ place: Place) throws {
    let (test, main, ada, _) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let outer = try main.edit(ada)
    outer.object.age = 50
    let inner = try outer.context.edit(outer.object)
    #expect(inner.object.age == 50)
    inner.object.age = 51
    inner.object.name = "inner"
    #expect(try inner.context.count(Person.where { $0.age == 51 }) == 1)
    #expect(try outer.context.count(Person.where { $0.age == 50 }) == 1)
    #expect(try main.count(Person.where { $0.age == 30 }) == 1)
    ada.email = "a@example.com"
    #expect(inner.object.email == "a@example.com")
    try inner.save()
    #expect(outer.object.age == 51)
    #expect(ada.age == 30)
    try outer.save()
    #expect(ada.age == 51)
    #expect(ada.name == "inner")
  }

  @Test(arguments: Place.usual)
  func `a mistake of a draft is thrown by its save`(_ place: Place) throws {
    let (test, main, ada, bob) = try people(place)
    defer { withExtendedLifetime(test) {} }
    let draft = try main.edit(ada)
    draft.object.boss = bob
    #expect(errorKind { try draft.save() } == .wrongContext)
    #expect(ada.boss == nil)
    #expect(errorKind { _ = try main.edit(draft.object) } == .wrongContext)
  }

  @Test(arguments: Place.usual)
  func `only the main context and its drafts have drafts`(_ place: Place) async throws {
    let (test, _, ada, _) = try people(place)
    let id = ada.entityID
    try await test.store.background { context in
      let ada = try #require(try context.object(id))
      #expect(errorKind { _ = try context.edit(ada) } == .wrongContext)
    }
    try await test.store.read { context in #expect(errorKind { _ = try context.child() } == .wrongContext) }
  }
}
