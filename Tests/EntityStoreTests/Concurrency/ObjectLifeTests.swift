import TestSchema
import Testing

@testable import EntityStore

/// Objects that are deleted, or whose deletion is dropped, while the save that inserts them is under way.
@MainActor
struct ObjectLifeTests {
  /// Inserts a tag of an article, begins to save it, calls `body`, and lets the save end, or fail.
  private func duringInsertion(
    _ place: Place, fails: Bool, _ body: (EntityContext, Tag, Blocker) throws -> Void
  ) async throws -> (test: TestStore, article: Article, tag: Tag) {
    let test = try TestStore(place, TestStore.blog)
    let main = test.store.main
    let writer = try main.insert(Writer.self)
    writer.uid = 1
    let article = try main.insert(Article.self)
    article.uid = 1
    article.author = writer
    try await test.store.main.save()
    let tag = try main.insert(Tag.self)
    tag.uid = "new"
    article.tags = [tag]
    let block = Blocker(test.store)
    await block.begin()
    let save = await test.store.beginSave(of: tag)
    if fails { save.cancel() }
    try body(main, tag, block)
    block.end()
    if fails { _ = await save.result } else { try await save.value }
    return (test, article, tag)
  }

  @Test(arguments: Place.usual)
  func `a new object that is deleted while its save fails leaves nothing to save`(_ place: Place) async throws {
    let (test, article, tag) = try await duringInsertion(place, fails: true) { main, tag, _ in try main.delete(tag) }
    #expect(tag.isDeleted)
    #expect(!tag.isInserted)
    #expect(!tag.hasChanges)
    #expect(article.tags.isEmpty)
    #expect(!article.hasChanges)
    #expect(!test.store.main.hasChanges)
    let changes = test.store.main.changes
    #expect(changes.isEmpty)
    try await test.store.main.save()
    let tags = try await test.store.read { try $0.fetch(Tag.self).map(\.uid) }
    #expect(tags.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a new object that is changed after its deletion holds up the save until it is rolled back`(_ place: Place)
    async throws
  {
    let (test, _, tag) = try await duringInsertion(place, fails: true) { main, tag, _ in
      try main.delete(tag)
      tag.uid = "changed"
    }
    let main = test.store.main
    let error = try #require(await #expect(throws: StoreError.self) { try await main.save() })
    #expect(error.kind == .objectDeleted)
    #expect(error.objects.map(\.pk) == [tag.entityID.pk])
    try main.rollback(tag)
    try await main.save()
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `a new object that is deleted during its save is deleted by the next`(_ place: Place) async throws {
    let (test, article, tag) = try await duringInsertion(place, fails: false) { main, tag, _ in try main.delete(tag) }
    #expect(tag.isDeleted)
    #expect(!tag.isInserted)
    #expect(tag.hasChanges)
    try await test.store.main.save()
    #expect(article.tags.isEmpty)
    let tags = try await test.store.read { try $0.fetch(Tag.self).map(\.uid) }
    #expect(tags.isEmpty)
  }

  @Test(arguments: Place.usual, [false, true])
  func `a deletion that is dropped during the save leaves the object as it was`(_ place: Place, fails: Bool)
    async throws
  {
    let (test, article, tag) = try await duringInsertion(place, fails: fails) { main, tag, _ in
      try main.delete(tag)
      try main.rollback(tag)
    }
    #expect(!tag.isDeleted)
    #expect(tag.isInserted == fails)
    #expect(article.tags.map(\.uid) == ["new"])
    try await test.store.main.save()
    let tags = try await test.store.read { try $0.fetch(Article.self, uid: 1)?.tags.map(\.uid) }
    #expect(tags == ["new"])
  }

  @Test(arguments: Place.usual)
  func `a new object that another save wrote is deleted though its own save failed`(_ place: Place) async throws {
    let (test, article, tag) = try await duringInsertion(place, fails: true) { main, tag, block in
      tag.uid = "written"
      block.end()
      try main.saveAtOnce()
      try main.delete(tag)
    }
    #expect(tag.isDeleted)
    try await test.store.main.save()
    #expect(article.tags.isEmpty)
    let tags = try await test.store.read { try $0.fetch(Tag.self).map(\.uid) }
    #expect(tags.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a new object whose row others wrote is deleted although its save failed`(_ place: Place) async throws {
    let (test, _, _) = try await duringInsertion(place, fails: true) { main, tag, block in
      block.end()
      let model = tag._$state.model
      try main.core.blockingUnit { rows in
        var row = RowValues(count: model.properties.count)
        row[Tag.columns.uid.index] = .text("new")
        _ = try rows.insert(model, pk: tag._$state.pk, row, .effect)
      }
      try main.merging.merge()
      #expect(!tag.isInserted)
      try main.delete(tag)
    }
    try await test.store.main.save()
    #expect(!test.store.main.hasChanges)
    let tags = try await test.store.read { try $0.fetch(Tag.self).map(\.uid) }
    #expect(tags.isEmpty)
  }

  @Test func `the deletion of an object whose row is gone is no change`() throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    let person = try #require(main.reading.object(try main.core.schema.model(Person.self), 4711) as? Person)
    try main.delete(person)
    #expect(person.isDeleted)
    #expect(!main.hasChanges)
  }

  @Test(arguments: Place.usual)
  func `changes that a save has taken are not to be saved again`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    let (store, main) = (test.store, test.store.main)
    let block = Blocker(store)
    await block.begin()
    ada.name = "Eve"
    let new = try main.insert(Person.self)
    let old = await store.beginSave(of: ada)
    #expect(new.isInserted)
    #expect(!main.hasChanges && main.changes.isEmpty)
    ada.age = 5
    #expect(main.hasChanges)
    try main.rollback(ada)
    #expect(!main.hasChanges)
    try main.delete(new)
    #expect(main.hasChanges)
    block.end()
    try await old.value
    #expect(main.hasChanges)
    try await main.save()
    #expect(!main.hasChanges)
  }

}
