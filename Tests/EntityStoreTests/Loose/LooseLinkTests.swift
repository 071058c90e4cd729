import TestSchema
import Testing

@testable import EntityStore

/// The ends of the links of loose objects: parents, members and missing targets.
@MainActor
struct LooseLinkTests {
  private func blog(_ place: Place) throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place, TestStore.blog)
    return (test, test.store.main)
  }

  @Test(arguments: Place.usual)
  func `a link without an inverse leads to the inserted object`(_ place: Place) async throws {
    let (test, main) = try blog(place)
    let (town, other) = (Town(), Town())
    (town.uid, other.uid) = (1, 2)
    let writers = (1...5).map { uid in
      let writer = Writer()
      writer.uid = uid
      writer.home = town
      return writer
    }
    writers[1].friends = [writers[2], writers[0], writers[3]]
    // Former links.
    writers[2].home = other
    writers[3].home = nil
    writers[4].friends = [writers[0]]
    writers[4].friends = []
    try main.insert(writers[0])
    #expect(writers.map(\.isInserted) == [true, false, false, false, false])
    #expect(writers.map { $0.home?.uid ?? 0 } == [1, 1, 2, 0, 1])
    #expect(writers[1].home === town)
    #expect(town.isInserted)
    #expect(writers[1].friends == [writers[2], writers[0], writers[3]])
    #expect(writers[4].friends.isEmpty)
    try writers[1].remove(writers[0], from: \.friends)
    #expect(writers[1].friends == [writers[2], writers[3]])
    try writers[1].add(writers[0], to: \.friends)
    for writer in writers { try main.insert(writer) }
    try await main.save()
    let read = try await test.store.read { context in
      try context.fetch(Writer.all.sorted(by: \.uid)).map { "\($0.home?.uid ?? 0) \($0.friends.map(\.uid).sorted())" }
    }
    #expect(read == ["1 []", "1 [1, 3, 4]", "2 []", "0 []", "1 []"])
  }

  @Test func `a list keeps its order when members leave it`() throws {
    let people = (0..<60).map { number in
      let person = Person()
      person.uid = number
      return person
    }
    let (team, other) = (Team(), Team())
    team.members = people
    for person in people where person.uid % 5 != 0 { try team.remove(person, from: \.members) }
    #expect(team.members.map(\.uid) == Array(stride(from: 0, to: 60, by: 5)))
    try team.add(people[3], to: \.members)
    try team.add(people[5], to: \.members)
    #expect(team.members.map(\.uid) == Array(stride(from: 0, to: 60, by: 5)) + [3])
    other.members = team.members.reversed()
    #expect(team.members.isEmpty)
    #expect(other.members.map(\.uid) == [3] + stride(from: 55, through: 0, by: -5))
  }

  @Test(arguments: Place.usual)
  func `a change of a missing target is refused`(_ place: Place) async throws {
    let (test, main) = try blog(place)
    let article = Article()
    let nobody = article.author
    #expect(nobody.isDeleted)
    #expect(!nobody.isDetached)
    #expect("\(nobody.name) \(nobody.home?.uid ?? 0) \(nobody.friends.count)" == " 0 0")
    let changes: [() -> Void] = [
      { nobody.name = "Zed" }, { nobody.home = Town() }, { nobody.friends = [Writer()] },
    ]
    for change in changes {
      change()
      #expect(errorKind { try main.insert(article) } == .objectDeleted)
      #expect(!article.isInserted)
    }
    #expect("\(nobody.name) \(nobody.home?.uid ?? 0) \(nobody.friends.count)" == " 0 0")
    // The values that it has.
    nobody.name = ""
    nobody.home = nil
    #expect(errorKind { try nobody.add(Writer(), to: \.friends) } == .objectDeleted)
    #expect(errorKind { try main.insert(nobody) } == .objectDeleted)
    #expect(errorKind { try main.delete(nobody) } == .objectDeleted)
    #expect(errorKind { try article.add(nobody.articles, to: \.children) } == nil)
    let tag = Tag()
    tag.articles = [article]
    article.reviewer = Writer()
    article.reviewer = nobody
    #expect(article.reviewer == nil)
    let friendly = Writer()
    #expect(errorKind { try friendly.add(nobody, to: \.friends) } == .objectDeleted)
    friendly.friends = [nobody]
    #expect(errorKind { try main.insert(friendly) } == .objectDeleted)
    // In the graph that takes in the one of its article.
    for _ in 0..<4 { try tag.add(Article(), to: \.articles) }
    let (alone, parent) = (Article(), try #require(tag.articles.last))
    let absent = alone.author
    alone.parent = parent
    absent.name = "Zed"
    #expect(errorKind { try main.insert(alone) } == .objectDeleted)
    try main.insert(alone)
    absent.name = "Zed"
    #expect(errorKind { try main.saveAtOnce() } == .objectDeleted)
    _ = test
  }

  @Test(arguments: Place.usual)
  func `a missing target of a loose object is no target for an object of a context`(_ place: Place) async throws {
    let (test, main) = try blog(place)
    let (article, writer) = (try main.insert(Article.self), try main.insert(Writer.self))
    (article.author, article.reviewer) = (writer, writer)
    try main.saveAtOnce()
    article.reviewer = Article().author
    #expect(article.reviewer == nil)
    try main.saveAtOnce()
    article.author = Article().author
    #expect(errorKind { try main.saveAtOnce() } == .invalidObject)
    main.rollback()
    writer.friends = [Article().author]
    #expect(errorKind { try main.saveAtOnce() } == .objectDeleted)
    _ = test
  }
}
