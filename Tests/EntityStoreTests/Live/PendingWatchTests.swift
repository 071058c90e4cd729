import EntityMacros
import EntityStore
import TestSchema
import Testing

@testable import EntityStore

/// The news of pending changes, for an outbox in a store that nobody else follows.
struct PendingWatchTests {
  private func present(_ store: EntityStore) async throws -> Int64 { try await store.core.reading { $0.generation } }

  /// A person that the server has.
  private func person(_ uid: Int, _ name: String, in store: EntityStore) async throws -> EntityID<Person> {
    try await store.background(as: .server) { context in
      let person = try context.insert(Person.self)
      (person.uid, person.name) = (uid, name)
      return person.entityID
    }
  }

  private func rename(_ person: EntityID<Person>, _ name: String, in store: EntityStore) async throws {
    try await store.background { context in try context.object(person)?.name = name }
  }

  @Test(arguments: Place.usual)
  func `news that was told once is told again until somebody has it`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ada = try await test.store.addPerson(1, "Ada")
    let bob = try await test.store.addPerson(2, "Bob")
    let watch = PendingWatch(test.store.core)
    let begin = try await present(test.store)
    try await rename(ada, "Eve", in: test.store)
    let first = try await watch.news(after: begin)
    #expect(first.rows?.map(\.pk) == [ada.pk])
    try await rename(bob, "Cid", in: test.store)
    let second = try await watch.news(after: begin)
    #expect(second.rows.map { Set($0.map(\.pk)) } == [ada.pk, bob.pk])
    let third = try await watch.news(after: first.generation)
    #expect(!third.changesNotes || third.rows == nil || third.rows?.map(\.pk) == [bob.pk])
    let last = try await watch.news(after: second.generation)
    #expect(!last.changesNotes)
  }

  @Test(arguments: Place.usual)
  func `a commit that nothing is pending after is no news`(_ place: Place) async throws {
    let test = try TestStore(place)
    let watch = PendingWatch(test.store.core)
    let begin = try await present(test.store)
    _ = try await person(1, "Ada", in: test.store)
    let news = try await watch.news(after: begin)
    #expect(!news.changesNotes)
    #expect(news.generation > begin)
  }

  @Test(arguments: Place.usual)
  func `an edited link whose object becomes another row is news`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ada = try await person(1, "Ada", in: test.store)
    let team = try await test.store.background(as: .server) { context in
      let team = try context.insert(Team.self)
      team.uid = "a"
      return team.entityID
    }
    let unnamed = try await test.store.background(as: .server) { try $0.insert(Team.self).entityID }
    try await test.store.background { context in try context.object(ada)?.team = context.object(team) }
    let watch = PendingWatch(test.store.core)
    let begin = try await present(test.store)
    try await test.store.background(as: .server) { context in try context.object(unnamed)?.uid = "a" }
    let news = try await watch.news(after: begin)
    #expect(news.changesNotes)
    #expect(news.rows?.map(\.pk).contains(ada.pk) != false)
  }

  @Test(arguments: Place.usual)
  func `the first pending change is news of any row, and later ones name theirs`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ada = try await person(1, "Ada", in: test.store)
    let watch = PendingWatch(test.store.core)
    let begin = try await present(test.store)
    try await rename(ada, "Eve", in: test.store)
    let first = try await watch.news(after: begin)
    #expect(first.changesNotes)
    #expect(first.rows == nil)
    try await rename(ada, "Ida", in: test.store)
    let second = try await watch.news(after: first.generation)
    #expect(second.rows?.map(\.pk) == [ada.pk])
  }
}
