import TestSchema
import Testing

@testable import EntityStore

/// Links and lists of drafts with objects that end meanwhile.
@MainActor
struct DraftLinkTests {
  /// How the parent drops a new object.
  enum Dropping: CaseIterable, Sendable {
    case object, all, deletion

    @MainActor
    func drop<E: ManagedEntity>(_ object: E, in context: EntityContext) throws {
      switch self {
      case .object: try context.rollback(object)
      case .all: context.rollback()
      case .deletion: try context.delete(object)
      }
    }
  }

  private func copy<E: ManagedEntity>(_ object: E, in context: EntityContext) throws -> E {
    try #require(try context.object(object.entityID))
  }

  // MARK: Objects that the parent never saved

  @Test(arguments: Place.usual, Dropping.allCases)
  func `a link of a draft to a new object that its parent drops has no target`(_ place: Place, _ dropping: Dropping)
    async throws
  {
    let staff = try Staff(place)
    let new = try staff.main.insert(Person.self)
    let outer = try staff.main.edit(staff.ada)
    let inner = try outer.context.edit(outer.object)
    outer.object.boss = try copy(new, in: outer.context)
    #expect(inner.object.boss?.entityID == new.entityID)
    inner.object.age = 50
    try dropping.drop(new, in: staff.main)
    #expect(outer.object.boss == nil)
    #expect(inner.object.boss == nil)
    #expect(inner.hasChanges)
    try inner.save()
    try outer.save()
    try staff.main.saveAtOnce()
    #expect(staff.ada.boss == nil)
    #expect(staff.ada.age == 50)
    let id = staff.ada.entityID
    #expect(try await staff.store.read { try $0.object(id)?.boss == nil })
  }

  @Test(arguments: Place.usual)
  func `a link that ends with its target is no edit of the draft`(_ place: Place) throws {
    let staff = try Staff(place)
    let new = try staff.main.insert(Person.self)
    let draft = try staff.main.edit(staff.ada)
    let boss = Watcher { _ = draft.object.boss }
    draft.object.boss = try copy(new, in: draft.context)
    #expect(boss.fired)
    try staff.main.rollback(new)
    #expect(boss.fired)
    #expect(!draft.hasChanges)
  }

  @Test(arguments: Place.usual, Dropping.allCases)
  func `a member that the parent drops is in no list of a draft`(_ place: Place, _ dropping: Dropping) throws {
    let shop = try TagShop(place)
    let tag = try shop.main.insert(Tag.self)
    tag.uid = "new"
    let draft = try shop.main.edit(shop.articles[0])
    try draft.object.add(try copy(tag, in: draft.context), to: \.tags)
    let other = try copy(shop.articles[1], in: draft.context)
    other.tags = [try copy(tag, in: draft.context), try copy(shop.tags[0], in: draft.context)]
    try dropping.drop(tag, in: shop.main)
    #expect(draft.object.tags.isEmpty)
    #expect(other.tags.map(\.uid) == ["a"])
    try draft.save()
    try shop.main.saveAtOnce()
    #expect(shop.articles[0].tags.isEmpty)
    #expect(shop.articles[1].tags.map(\.uid) == ["a"])
  }

  @Test(arguments: Place.usual)
  func `a new member that is rolled back is in no list`(_ place: Place) throws {
    let shop = try TagShop(place)
    let tag = try shop.main.insert(Tag.self)
    tag.uid = "new"
    try shop.articles[0].add(tag, to: \.tags)
    shop.articles[1].tags = [tag, shop.tags[0]]
    try shop.main.rollback(tag)
    #expect(shop.articles[0].tags.isEmpty)
    #expect(shop.articles[1].tags.map(\.uid) == ["a"])
    #expect(!shop.articles[0].hasChanges)
    try shop.main.saveAtOnce()
    #expect(shop.articles[1].tags.map(\.uid) == ["a"])
  }

  @Test(arguments: Place.usual, [Dropping.object, .all])
  func `a required link to a new object that the parent drops is refused by the save of the draft`(
    _ place: Place, _ dropping: Dropping
  ) throws {
    let shop = try TagShop(place)
    let writer = try shop.main.insert(Writer.self)
    writer.uid = 9
    let draft = try shop.main.edit(shop.articles[0])
    draft.object.title = "draft"
    draft.object.author = try copy(writer, in: draft.context)
    try dropping.drop(writer, in: shop.main)
    #expect(draft.object.author.isDeleted)
    let error = try #require(storeError { try draft.save() })
    #expect(error.kind == .brokenLink)
    #expect(error.objects == [draft.object._$state.id])
    #expect(error.message.contains("'Article.author'"))
    #expect(shop.articles[0].title == "")
    #expect(!shop.main.hasChanges)
    #expect(draft.object.title == "draft")
    draft.object.author = try copy(shop.writer, in: draft.context)
    try draft.save()
    #expect(shop.articles[0].title == "draft")
    try shop.main.saveAtOnce()
  }

  // MARK: Objects whose rows go

  @Test(arguments: Place.usual)
  func `a link to an object that others deleted is refused by the save of the draft`(_ place: Place) async throws {
    let staff = try Staff(place)
    let draft = try staff.main.edit(staff.ada)
    draft.object.age = 50
    draft.object.boss = try copy(staff.bob, in: draft.context)
    let bob = staff.bob.entityID
    try await staff.store.background { try $0.delete(try #require(try $0.object(bob))) }
    let error = try #require(storeError { try draft.save() })
    #expect(error.kind == .brokenLink)
    #expect(error.objects == [staff.ada._$state.id])
    #expect(staff.ada.age == 30)
    #expect(!staff.main.hasChanges)
    draft.object.boss = nil
    try draft.save()
    try staff.main.saveAtOnce()
    #expect(staff.ada.age == 50)
  }

  @Test(arguments: Place.usual)
  func `a member that others deleted is left out of the list of a draft`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let draft = try shop.main.edit(shop.articles[0])
    draft.object.tags = [try copy(shop.tags[0], in: draft.context), try copy(shop.tags[1], in: draft.context)]
    let other = try copy(shop.articles[1], in: draft.context)
    try other.add(try copy(shop.tags[0], in: draft.context), to: \.tags)
    let tag = shop.tags[0].entityID
    try await shop.test.store.background { try $0.delete(try #require(try $0.object(tag))) }
    try draft.save()
    #expect(shop.articles[0].tags.map(\.uid) == ["b"])
    try shop.main.saveAtOnce()
    #expect(try await shop.saved(1) == ["b"])
    #expect(try await shop.saved(2) == [])
  }

  @Test(arguments: Place.usual, [false, true])
  func `a link to an object that the parent deletes`(_ place: Place, _ isSaved: Bool) throws {
    let staff = try Staff(place)
    let draft = try staff.main.edit(staff.ada)
    draft.object.boss = try copy(staff.bob, in: draft.context)
    try staff.main.delete(staff.bob)
    #expect(draft.object.boss == nil)
    guard !isSaved else {
      try staff.main.saveAtOnce()
      #expect(storeError { try draft.save() }?.kind == .brokenLink)
      return
    }
    // The deletion may be taken back, and its save follows the delete rules.
    try draft.save()
    try staff.main.saveAtOnce()
    #expect(staff.ada.boss == nil)
    #expect(try staff.main.count(Person.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `an object that comes back in the parent is back in the drafts of drafts`(_ place: Place) throws {
    let staff = try Staff(place)
    let outer = try staff.main.edit(staff.ada)
    let inner = try outer.context.edit(outer.object)
    inner.object.age = 50
    try outer.context.delete(outer.object)
    try outer.save()
    #expect(inner.object.isDeleted)
    staff.main.rollback()
    #expect(!outer.object.isDeleted)
    #expect(!inner.object.isDeleted)
    #expect(inner.object.age == 50)
    #expect(try inner.context.count(Person.all) == 2)
    try inner.save()
    try outer.save()
    #expect(staff.ada.age == 50)
  }

  // MARK: Rows that turn out to be one

  /// Another context gives a new person the uid of one who is there: the new row survives.
  private func absorb(_ uid: Int, in staff: Staff) async throws -> EntityID<Person> {
    try await staff.store.background { context in
      let person = try context.insert(Person.self)
      try context.save()
      person.uid = uid
      return person.entityID
    }
  }

  /// Two people, of whom one is the saved boss of the other.
  private func linked(_ place: Place) throws -> (staff: Staff, main: EntityContext, ada: Person, bob: Person) {
    let staff = try Staff(place)
    staff.main.conflictPolicy = .fail
    staff.ada.boss = staff.bob
    try staff.main.saveAtOnce()
    return (staff, staff.main, staff.ada, staff.bob)
  }

  @Test(arguments: Place.usual)
  func `the base of a link is the row that survives`(_ place: Place) async throws {
    let (staff, main, ada, _) = try linked(place)
    let draft = try main.edit(ada)
    draft.object.boss = try copy(ada, in: draft.context)
    let survivor = try await absorb(2, in: staff)
    try main.merging.merge()
    #expect(ada.boss?.entityID == survivor)
    try draft.save()
    #expect(ada.boss === ada)
    try main.saveAtOnce()
    #expect(ada.boss === ada)
  }

  @Test(arguments: Place.usual, [false, true])
  func `the base of a conflict is the row that survives`(_ place: Place, _ isMerged: Bool) async throws {
    let (staff, main, ada, bob) = try linked(place)
    ada.boss = nil
    let survivor = try await absorb(2, in: staff)
    if isMerged { try main.merging.merge() }
    let id = ada.entityID
    try await staff.store.edit(id) { $0.boss = $0 }
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.object(bob._$state.model.id(survivor.pk))])
  }

  @Test(arguments: Place.usual)
  func `the base that a save under way has is the row that survives`(_ place: Place) async throws {
    let (staff, main, ada, bob) = try linked(place)
    ada.boss = nil
    // A row that no save accepts: this one gives its edits back.
    let twin = try main.insert(Person.self)
    twin.uid = 1
    let block = Blocker(staff.store)
    let new = try await absorbing(2, in: staff, before: block)
    let save = await staff.store.beginSave(of: ada)
    block.end()
    await #expect(throws: StoreError.self) { try await save.value }
    let survivor = try await new.value
    try main.merging.merge()
    try main.delete(twin)
    let id = ada.entityID
    try await staff.store.edit(id) { $0.boss = $0 }
    let error = try #require(storeError { try main.saveAtOnce() })
    #expect(error.conflicts.map(\.base) == [.object(bob._$state.model.id(survivor.pk))])
  }

  /// The unit that is running, and the one behind it.
  private func absorbing(
    _ uid: Int, in staff: Staff, before block: Blocker
  ) async throws -> Task<EntityID<Person>, any Error> {
    await block.begin()
    let store = staff.store
    return Task { @MainActor in
      try await store.background { context in
        let person = try context.insert(Person.self)
        try context.save()
        person.uid = uid
        return person.entityID
      }
    }
  }
}
