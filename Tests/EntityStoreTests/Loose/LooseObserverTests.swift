import Observation
import Synchronization
import TestSchema
import Testing

@testable import EntityStore

/// Observers of loose objects, which may change objects and insert them when they are told.
@MainActor
struct LooseObserverTests {
  /// Runs code once, at the first change of what is read.
  private func whenChanged(_ read: () -> Void, _ action: @escaping @MainActor () -> Void) {
    let isFirst = Mutex(true)
    withObservationTracking(read) {
      // Called again by a change that it makes itself.
      guard
        isFirst.withLock({ isFirst in
          defer { isFirst = false }; return isFirst
        })
      else { return }
      // The compiler knows no isolation of this closure. The change of a property calls it, and these tests change all
      // properties on the main actor; another thread would trap.
      MainActor.assumeIsolated { action() }
    }
  }

  @Test func `an insertion by an observer leaves out no other observer`() throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    let (team, people) = (Team(), [Person(), Person(), Person()])
    let watchers = people.map { person in Watcher { _ = person.team } }
    let members = Watcher { _ = team.members }
    whenChanged {
      for person in people { _ = person.team }
    } _: {
      do { try main.insert(team) } catch { Issue.record(error) }
    }
    team.members = people
    #expect(watchers.map(\.fired) == [true, true, true])
    #expect(members.fired)
    #expect(people.allSatisfy { $0.isInserted && $0.team === team })
  }

  @Test func `a link that an observer sets leaves out no other observer`() {
    let (team, people, bosses) = (Team(), [Person(), Person(), Person()], (0..<8).map { _ in Person() })
    let watchers = people.map { person in Watcher { _ = person.team } }
    // The larger graph takes in the objects of the other one.
    for boss in bosses { boss.boss = bosses[0] }
    whenChanged {
      for person in people { _ = person.team }
    } _: {
      team.members[0].boss = bosses[0]
    }
    team.members = people
    #expect(watchers.map(\.fired) == [true, true, true])
    #expect(people[0].boss === bosses[0])
    #expect(team.members == people)
  }

  @Test(arguments: Place.usual)
  func `an attribute that its own observer sets has one value`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = Person()
    person.name = "Ada"
    whenChanged {
      _ = person.name
    } _: {
      person.name = "Bob"
    }
    person.name = "Cy"
    #expect(person.name == "Cy")
    // The value of the object that is made in place of one that nobody holds.
    let team = Team()
    do {
      let member = Person()
      team.members = [member]
      whenChanged {
        _ = member.name
      } _: {
        team.members.first?.name = "Bob"
      }
      member.name = "Dee"
    }
    #expect(team.members.map(\.name) == ["Dee"])
    try main.insert(person)
    try main.insert(team)
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Person.all.sorted(by: \.name)).map(\.name) } == ["Cy", "Dee"])
  }

  @Test(arguments: Place.usual)
  func `an object that its observer inserts during a change is saved`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let person = Person()
    whenChanged {
      _ = person.name
    } _: {
      do { try main.insert(person) } catch { Issue.record(error) }
    }
    person.name = "Ada"
    try await main.save()
    #expect(try await test.store.read { try $0.fetch(Person.all).map(\.name) } == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `observers hear of the life after the insertion`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let (person, other) = (Person(), Person())
    let deleted = Watcher { _ = person.isDeleted }
    let sent = Watcher { _ = person.isSending }
    let pending = Watcher { _ = person.pendingColumns.isEmpty }
    let gone = Watcher { _ = other.isDeleted }
    try main.insert(person)
    try main.insert(other)
    _ = (deleted.fired, sent.fired, pending.fired)
    person.name = "Ada"
    #expect(pending.fired)
    main.rollback()
    #expect(gone.fired)
    #expect(other.isDeleted)
    #expect(deleted.fired)
    let third = Person()
    let isSent = Watcher { _ = third.isSending }
    try main.insert(third)
    let edits = SentEdits(of: third, third._$state.model.stored)
    #expect(isSent.fired)
    #expect(third.isSending)
    edits.settle(third)
  }

  @Test(arguments: Place.usual)
  func `observers hear of an insertion when it is done`(_ place: Place) async throws {
    let shop = try TagShop(place)
    let writer = shop.writer
    let (article, child, tag, reviewer) = (Article(), Article(), Tag(), Writer())
    article.children = [child]
    article.tags = [tag]
    article.reviewer = reviewer
    var seen: [String] = []
    @MainActor func look(_ name: String) {
      seen.append(
        "\(name): \(article.reviewer === reviewer) \(child.parent === article) \(article.tags.count) "
          + "\(article.isInserted && child.isInserted && tag.isInserted && reviewer.isInserted)")
    }
    let reads: [(name: String, read: () -> Void)] = [
      ("articles", { _ = writer.articles }), ("parent", { _ = child.parent }), ("author", { _ = article.author }),
      ("reviewer", { _ = article.reviewer }), ("tags", { _ = article.tags }), ("reviews", { _ = reviewer.reviews }),
    ]
    for (name, read) in reads { whenChanged(read) { look(name) } }
    article.author = writer
    for name in ["articles", "author"] { #expect(seen.contains { $0.hasPrefix(name) }) }
    #expect(seen.allSatisfy { $0.hasSuffix(": true true 1 true") }, "\(seen)")
    // The objects that the links lead to are the same as before.
    #expect(!seen.contains { $0.hasPrefix("reviewer") || $0.hasPrefix("parent") })
  }
}
