import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Objects that are made without a context.
@MainActor
struct LooseObjectTests {
  private func blog(_ place: Place) throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place, TestStore.blog)
    return (test, test.store.main)
  }

  // MARK: Values

  @Test func `a loose object has its values`() throws {
    let person = Person()
    #expect((person.name, person.age, person.email, person.score) == ("", 0, nil, nil))
    (person.uid, person.name, person.email, person.age) = (7, "Ada", "ada@example.com", 36)
    #expect((person.uid, person.name, person.email, person.age) == (7, "Ada", "ada@example.com", 36))
    #expect(!person.isInserted)
    #expect(!person.hasChanges)
    #expect(!person.isDeleted)
    #expect(!person.isDetached)
    #expect(person.entityContext == nil)
    #expect(Note().text == "new")
    #expect(!Person().hasUID)
    #expect(person.hasUID)
  }

  @Test(arguments: Place.usual)
  func `an inserted object is the same and is saved`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = Person()
    (person.uid, person.name, person.age) = (7, "Ada", 36)
    #expect(try main.fetch(Person.all).isEmpty)
    #expect(!main.hasChanges)
    #expect(try main.insert(person) === person)
    #expect(person.isInserted)
    #expect(person.entityContext === main)
    #expect(try main.fetch(Person.all) == [person])
    try await main.save()
    #expect(!person.isInserted)
    let id = person.entityID
    let read = try await test.store.read { context in
      try context.object(id).map { "\($0.uid) \($0.name) \($0.age) \($0.email ?? "-")" }
    }
    #expect(read == "7 Ada 36 -")
    person.age = 37
    #expect(main.hasChanges)
    // It is here already.
    #expect(try main.insert(person) === person)
  }

  @Test(arguments: Place.usual)
  func `a unit and a child insert loose objects too, with each kind of value`(_ place: Place) async throws {
    let test = try TestStore(place)
    let id = try await test.store.background { context in
      let note = Note()
      note.rank = 3
      return try context.insert(note).entityID
    }
    let main = test.store.main
    let note = try #require(try main.object(id))
    #expect((note.text, note.rank) == ("new", 3))
    let child = try main.child()
    let other = Note()
    other.text = "child"
    other.person = Person()
    try child.insert(other)
    #expect(try main.fetch(Note.all) == [note])
    try child.saveAtOnce()
    try await main.save()
    let texts = try await test.store.read { try $0.fetch(Note.all.sorted(by: \.text)).map(\.text) }
    #expect(texts == ["child", "new"])
  }

  // MARK: Links

  @Test func `both sides of a relationship change`() {
    let (ada, bob) = (Person(), Person())
    let team = Team()
    ada.team = team
    #expect(team.members == [ada])
    team.members = [bob]
    #expect(ada.team == nil)
    #expect(bob.team === team)
    bob.boss = ada
    #expect(ada.reports == [bob])
    ada.reports = []
    #expect(bob.boss == nil)
    let (article, tag) = (Article(), Tag())
    article.tags = [tag, tag]
    #expect(tag.articles == [article])
    #expect(article.tags == [tag])
    tag.articles = []
    #expect(article.tags.isEmpty)
    let writer = Writer()
    writer.following = [writer]
    #expect(writer.followers == [writer])
    #expect(article.author.isDeleted)
    article.author = writer
    #expect(writer.articles == [article])
  }

  @Test(arguments: Place.usual)
  func `all objects that a loose object is linked to come with it`(_ place: Place) async throws {
    let (test, main) = try blog(place)
    let (article, writer, other) = (Article(), Writer(), Article())
    (article.uid, article.title) = (1, "One")
    (other.uid, other.title) = (2, "Two")
    writer.uid = 1
    (article.author, other.author) = (writer, writer)
    let tags = ["b", "a"].map { uid in
      let tag = Tag()
      tag.uid = uid
      return tag
    }
    article.tags = tags
    writer.home = Town()
    writer.home?.uid = 5
    writer.home?.city = "Rome"
    // Links to them, and no way leads here.
    let follower = Writer()
    follower.friends = [writer]
    try main.insert(article)
    #expect(other.isInserted)
    #expect(!follower.isInserted)
    #expect(follower.friends == [writer])
    #expect(writer.articles == [article, other])
    #expect(article.tags == tags)
    #expect(tags[0].articles == [article])
    #expect(try main.fetch(Town.all).map(\.city) == ["Rome"])
    try await main.save()
    #expect(
      try await test.store.read { try $0.fetch(Tag.all.sorted(by: \.uid)).map(\.articles.count) } == [1, 1])
    follower.uid = 2
    try main.insert(follower)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Writer.self, uid: 2)?.friends.map(\.uid) } == [1])
  }

  @Test(arguments: Place.usual)
  func `a loose object comes into the context of the first object that it is linked to`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let main = shop.main
    let article = Article()
    article.uid = 9
    #expect(!main.hasChanges)
    article.author = shop.writer
    #expect(article.isInserted)
    article.tags = [shop.tags[2], shop.tags[0]]
    article.children = [shop.articles[1]]
    #expect(article.author === shop.writer)
    #expect(shop.writer.articles == shop.articles + [article])
    #expect(shop.articles[1].parent === article)
    #expect(try main.insert(article) === article)
    try await main.save()
    #expect(article.tags == [shop.tags[0], shop.tags[2]])
    #expect(try await shop.saved(9) == ["a", "c"])
  }

  @Test(arguments: Place.usual)
  func `an ordered list keeps its order`(_ place: Place) async throws {
    let test = try TestStore(place, Mix.world)
    let main = test.store.main
    let mix = Mix()
    mix.number = 1
    let tunes = (1...4).map { number in
      let tune = Tune()
      tune.number = number
      return tune
    }
    let known = try main.insert(Tune.self)
    known.number = 9
    mix.tunes = [tunes[2], tunes[0]]
    try mix.add(tunes[3], to: \.tunes)
    try mix.remove(tunes[0], from: \.tunes)
    let remarks = (1...3).map { _ in Remark() }
    mix.remarks = [remarks[1], remarks[2], remarks[0]]
    #expect(mix.tunes == [tunes[2], tunes[3]])
    #expect(!mix.isInserted)
    // Inserts the mix.
    mix.tunes = [tunes[2], known, tunes[3]]
    try mix.add(tunes[1], to: \.tunes)
    #expect(mix.tunes == [tunes[2], known, tunes[3], tunes[1]])
    #expect(mix.remarks == [remarks[1], remarks[2], remarks[0]])
    mix.remarks = [remarks[0], remarks[1], remarks[2]]
    let last = Remark()
    last.mix = mix
    #expect(mix.remarks == remarks + [last])
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Mix.self, uid: 1)?.tunes.map(\.number) } == [3, 9, 4, 2])
  }

  // MARK: Life

  @Test func `an object that nobody holds is reached through its links`() throws {
    let person = Person()
    do {
      let boss = Person()
      boss.name = "Boss"
      boss.score = 1.5
      boss.team = Team()
      boss.team?.title = "Red"
      person.boss = boss
    }
    #expect(person.boss?.name == "Boss")
    #expect(person.boss?.score == 1.5)
    #expect(person.boss?.team?.title == "Red")
    person.boss?.name = "Chief"
    #expect(person.boss?.reports.first === person)
    #expect(person.boss?.team?.members.map(\.name) == ["Chief"])
  }

  @Test func `a circle of loose objects does not leak`() {
    weak var weakly: Person?
    weak var graph: LooseGraph?
    do {
      let (ada, bob) = (Person(), Person())
      (ada.boss, bob.boss) = (bob, ada)
      ada.reports = [bob]
      weakly = ada
      graph = ada._$state.loose
      #expect(graph?.records.count == 2)
    }
    #expect(weakly == nil)
    #expect(graph == nil)
  }

  @Test(arguments: Place.usual)
  func `observers hear of changes before and after the insertion`(_ place: Place) async throws {
    let test = try TestStore(place)
    let (person, team) = (Person(), Team())
    let name = Watcher { _ = person.name }
    let members = Watcher { _ = team.members.count }
    let title = Watcher { _ = person.team?.title }
    person.name = "Ada"
    #expect(name.fired)
    #expect(!members.fired)
    person.team = team
    #expect(members.fired)
    #expect(title.fired)
    team.title = "Red"
    #expect(title.fired)
    try test.store.main.insert(person)
    _ = (name.fired, members.fired, title.fired)
    person.name = "Bob"
    team.title = "Blue"
    #expect(name.fired)
    #expect(title.fired)
    try await test.store.main.save()
    _ = (name.fired, members.fired)
    let (id, teamID) = (person.entityID, team.entityID)
    try await test.store.background { context in
      try context.object(id)?.name = "Cy"
      let other = try context.insert(Person.self)
      other.team = try context.object(teamID)
    }
    #expect(name.fired)
    #expect(members.fired)
    #expect(team.members.count == 2)
  }

  // MARK: Mistakes

  @Test(arguments: Place.usual)
  func `a loose object belongs to no context`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = try main.insert(Person.self)
    #expect(errorKind { try person.remove(Note(), from: \.notes) } == .wrongContext)
    #expect(errorKind { try main.delete(Person()) } == .wrongContext)
    #expect(errorKind { try main.refresh(Person()) } == .wrongContext)
    #expect(errorKind { _ = try main.edit(Person()) } == .wrongContext)
    try main.saveAtOnce()
  }

  @Test(arguments: Place.usual)
  func `an insertion that is refused inserts nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let (blog, second) = try self.blog(.memory)
    let (article, tag) = (Article(), Tag())
    article.tags = [tag]
    // A change of an object that is not there.
    article.author.name = "Ada"
    #expect(errorKind { try second.insert(article) } == .objectDeleted)
    #expect(!second.hasChanges)
    #expect(!article.isInserted && !tag.isInserted)
    try second.insert(article)
    #expect(tag.isInserted)
    #expect(errorKind { try main.insert(article) } == .wrongContext)
    _ = blog
    let unknown = Writer()
    #expect(errorKind { try main.insert(unknown) } == .unknownEntity)
    #expect(await asyncErrorKind { try await test.store.read { _ = try $0.insert(Person()) } } == .readOnly)
    let deleted = try main.insert(Person.self)
    try main.saveAtOnce()
    try main.delete(deleted)
    #expect(errorKind { try main.insert(deleted) } == .objectDeleted)
  }

  @Test(arguments: Place.usual)
  func `no list has objects of two contexts`(_ place: Place) async throws {
    let (test, main) = try blog(place)
    let (other, second) = try blog(.memory)
    let (tag, foreign) = (try main.insert(Tag.self), try second.insert(Tag.self))
    let article = Article()
    article.tags = [tag, foreign]
    #expect(article.tags.isEmpty)
    #expect(errorKind { try main.saveAtOnce() } == .wrongContext)
    #expect(errorKind { try article.add([tag, foreign], to: \.tags) } == .wrongContext)
    #expect(article.tags.isEmpty && !article.isInserted)
    // A former member is in nobody's way.
    let (leader, member) = (Writer(), Writer())
    leader.friends = [member]
    try second.insert(member)
    leader.friends = []
    article.author = leader
    article.tags = [tag]
    #expect(tag.articles == [article])
    #expect(leader.entityContext === main)
    _ = (test, other)
  }

  @Test(arguments: Place.usual)
  func `a uid that is taken is refused by the save`(_ place: Place) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1, "Ada")
    let main = test.store.main
    let person = Person()
    person.uid = 1
    try main.insert(person)
    #expect(errorKind { try main.saveAtOnce() } == .uniqueViolation)
    main.rollback()
    #expect(person.isDeleted)
    #expect(try main.fetch(Person.all).map(\.name) == ["Ada"])
  }

  @Test func `a loose object outlives the store of another`() throws {
    let writer = Writer()
    do {
      let (test, main) = try blog(.memory)
      let town = Town()
      writer.home = town
      // Nothing leads back from a town.
      try main.insert(town)
      _ = test
    }
    let (test, main) = try blog(.memory)
    writer.name = "Ada"
    #expect(errorKind { try main.insert(writer) } == .storeGone)
    writer.home = nil
    try main.insert(writer)
    #expect(try main.fetch(Writer.all).map(\.name) == ["Ada"])
    _ = test
  }
}
