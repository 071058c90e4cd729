import EntityStore
import Foundation
import TestSchema
import Testing

@MainActor
struct ObservationTests {
  @Test(arguments: Place.usual)
  func `own edits tell only observers of the property`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let name = Watcher { _ = person.name }
    let age = Watcher { _ = person.age }
    person.name = "Ada"
    #expect(!name.fired)
    #expect(!age.fired)
    person.name = "Bob"
    #expect(name.fired)
    #expect(!age.fired)
    try await test.store.main.save()
    #expect(!name.fired)
    #expect(!age.fired)
  }

  @Test(arguments: Place.usual)
  func `commits of others tell of changed columns only`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let store = test.store
    let person = try #require(try store.main.object(id))
    let name = Watcher { _ = person.name }
    let age = Watcher { _ = person.age }
    let deleted = Watcher { _ = person.isDeleted }
    try await store.edit(id) { $0.age = 5 }
    try store.mergeMain()
    #expect(!name.fired)
    #expect(age.fired)
    #expect(!deleted.fired)
    #expect(person.age == 5)
    // Equal values write nothing and wake nobody.
    let generation = store.main.news.mergedGeneration
    try await store.edit(id) {
      $0.age = 6
      $0.age = 5
    }
    try store.mergeMain()
    #expect(!name.fired)
    #expect(!age.fired)
    #expect(store.main.news.mergedGeneration == generation)
    try await store.background { try $0.delete(try #require(try $0.object(id))) }
    try store.mergeMain()
    #expect(deleted.fired)
    #expect(!name.fired)
    #expect(person.isDeleted)
    #expect(person.name == "Ada")
    #expect(person.age == 5)
  }

  @Test(arguments: Place.usual)
  func `commits arrive without any call`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let id = person.entityID
    let name = Watcher { _ = person.name }
    try await test.store.edit(id) { $0.name = "Bob" }
    // The merge is a job of the main actor's own; it comes in a bounded number of turns.
    let deadline = ContinuousClock.now + .ample
    var fired = name.fired
    while !fired, ContinuousClock.now < deadline {
      await Task.yield()
      fired = name.fired
    }
    #expect(fired)
    #expect(person.name == "Bob")
  }

  @Test(arguments: Place.usual)
  func `unsaved columns are not overwritten`(_ place: Place) async throws {
    let (test, person) = try await TestStore.withAda(place)
    let id = person.entityID
    person.name = "mine"
    let name = Watcher { _ = person.name }
    try await test.store.edit(id) {
      $0.name = "theirs"
      $0.age = 9
    }
    try test.store.mergeMain()
    #expect(!name.fired)
    #expect(person.name == "mine")
    #expect(person.age == 9)
    #expect(try test.store.main.count(Person.where { $0.name == "mine" && $0.age == 9 }) == 1)
    test.store.main.rollback()
    #expect(name.fired)
    #expect(person.name == "theirs")
  }

  @Test(arguments: Place.usual)
  func `a parent hears of its children`(_ place: Place) async throws {
    let test = try TestStore(place)
    let store = test.store
    let main = store.main
    let first = try main.insert(Person.self)
    let second = try main.insert(Person.self)
    let child = try main.insert(Person.self)
    try await main.save()
    let ids = [first, second, child].map(\.entityID)
    let firstReports = Watcher { _ = first.reports }
    let secondReports = Watcher { _ = second.reports }
    child.boss = first
    #expect(firstReports.fired)
    #expect(!secondReports.fired)
    child.boss = second
    #expect(firstReports.fired)
    #expect(secondReports.fired)
    main.rollback()
    #expect(!firstReports.fired || first.reports.isEmpty)
    #expect(secondReports.fired)
    _ = (firstReports.fired, secondReports.fired)
    // From another context.
    try await store.edit(ids[2]) { $0.boss = try? $0.entityContext?.object(ids[0]) }
    try store.mergeMain()
    #expect(firstReports.fired)
    #expect(!secondReports.fired)
    #expect(first.reports == [child])
    try await store.background { try $0.delete(try #require(try $0.object(ids[2]))) }
    try store.mergeMain()
    #expect(firstReports.fired)
    #expect(!secondReports.fired)
    #expect(first.reports.isEmpty)
    // A new one, and its way back.
    let new = try main.insert(Person.self)
    new.boss = first
    #expect(firstReports.fired)
    main.rollback()
    #expect(firstReports.fired)
    #expect(first.reports.isEmpty)
  }

  /// The rows do not have the links yet: no summary names the lists.
  @Test(arguments: Place.usual)
  func `lists tell of a member by an unsaved link that is deleted elsewhere`(_ place: Place) async throws {
    let test = try TestStore(place, TestStore.blog)
    let (store, main) = (test.store, test.store.main)
    let writers = try (0..<2).map { _ in try main.insert(Writer.self) }
    let article = try main.insert(Article.self)
    let (tag, other) = (try main.insert(Tag.self), try main.insert(Tag.self))
    article.author = writers[0]
    try await main.save()
    article.reviewer = writers[1]
    article.tags = [tag]
    try article.add(other, to: \.tags)
    let reviews = Watcher { _ = writers[1].reviews }
    let tags = Watcher { _ = article.tags }
    let articles = Watcher { _ = other.articles }
    let (articleID, tagID) = (article.entityID, tag.entityID)
    try await store.background { try $0.delete(try #require(try $0.object(tagID))) }
    try store.mergeMain()
    #expect(tags.fired)
    #expect(!articles.fired)
    #expect(article.tags == [other])
    try await store.background { try $0.delete(try #require(try $0.object(articleID))) }
    try store.mergeMain()
    #expect(reviews.fired)
    #expect(writers[1].reviews.isEmpty)
    #expect(articles.fired)
    #expect(other.articles.isEmpty)
  }

  @Test(arguments: Place.usual)
  func `a commit of too many rows to name wakes all observers`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.addPerson(1, "Ada")
    let other = try await test.store.addPerson(2, "Eve")
    let person = try #require(try test.store.main.object(id))
    let gone = try #require(try test.store.main.object(other))
    let name = Watcher { _ = person.name }
    let deleted = Watcher { _ = gone.isDeleted }
    try await test.store.background { context in
      for _ in 0...10_000 { _ = try context.insert(Person.self) }
      try #require(try context.object(id)).name = "Bob"
      try context.delete(try #require(try context.object(other)))
    }
    try test.store.mergeMain()
    #expect(name.fired)
    #expect(person.name == "Bob")
    #expect(deleted.fired)
    #expect(gone.isDeleted)
    #expect(gone.name == "Eve")
  }
}
