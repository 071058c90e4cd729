import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The members of stored collections in the file, and queries for them.
struct StoredMemberTests {
  private static let key = AnswerKey("feed")
  private static let query = EntityQuery<Person>(membersOf: "feed")

  private func store(_ place: Place = .file, people: Int = 6) async throws -> (test: TestStore, pks: [Int64]) {
    let test = try TestStore(place)
    let pks = try await test.store.background(as: .server) { context in
      try (1...people).map { uid in
        let person = try context.insert(Person.self)
        person.uid = uid
        return person.entityID.pk
      }
    }
    return (test, pks)
  }

  // MARK: Order

  @Test(arguments: Place.usual)
  func `members are found in the order of the list`(_ place: Place) async throws {
    let (test, pks) = try await store(place)
    try await test.store.change { try $0.replace([pks[2], pks[0], pks[1]]) }
    #expect(try await test.store.uids() == [3, 1, 2])
    try await test.store.change { try $0.append([pks[1], pks[3]]) }
    #expect(try await test.store.uids() == [3, 1, 2, 4])
    try await test.store.change { try $0.append([pks[0]]) }
    #expect(try await test.store.uids() == [3, 2, 4, 1], "the newest place counts")
    try await test.store.change { try $0.prepend([pks[4]]) }
    #expect(try await test.store.uids() == [5, 3, 2, 4, 1])
    #expect(try await test.store.uids(Self.query.limited(to: 2, offset: 1)) == [3, 2])
    #expect(try await test.store.uids(Self.query.reversed()) == [1, 4, 2, 3, 5])
    #expect(try await test.store.uids(Self.query.where { $0.uid > 2 }) == [5, 3, 4])
    #expect(try await test.store.uids(Self.query.limited(to: 3).where { $0.uid > 2 }) == [5, 3])
    #expect(try await test.store.uids(Self.query.inverted()) == [6])
    #expect(try await test.store.uids(Self.query.and(Person.where { $0.uid < 3 })) == [2, 1])
    #expect(
      try await test.store.uids(Person.where { $0.uid == 6 }.or(Self.query).unsorted()).sorted() == [1, 2, 3, 4, 5, 6])
    #expect(try await test.store.uids(Person.where { $0.uid > 3 && $0.isMember(ofCollection: "feed") }) == [4, 5])
    #expect(try await test.store.uids(EntityQuery(membersOf: "other")).isEmpty)
    #expect(try await test.store.read { try $0.count(Self.query) } == 5)
    #expect(try await test.store.read { try $0.fetch(Self.query.select { $0.uid }) } == [5, 3, 2, 4, 1])
  }

  @Test func `unsaved changes count in a list`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace(pks) }
    try await MainActor.run {
      let main = test.store.main
      let live = LiveQuery(Self.query, in: test.store)
      #expect(live.objects.map(\.uid) == [1, 2, 3, 4, 5, 6])
      try main.delete(live.objects[1])
      #expect(live.objects.map(\.uid) == [1, 3, 4, 5, 6])
      live.objects[0].name = "edited"
      #expect(try main.fetch(Self.query.limited(to: 2)).map(\.uid) == [1, 3])
      #expect(try main.count(Self.query) == 5)
      main.rollback()
      #expect(live.objects.count == 6)
    }
  }

  @Test func `a window of a long list goes through no more than the window`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace(pks) }
    let plan = try await test.store.core.read { context in
      let sql = try Self.query.limited(to: 2).sql("_pk").rendered(context.core.schema) { $0.table }
      return try context.connection.rows("EXPLAIN QUERY PLAN \(sql.sql)", sql.values) { $0.text(3) ?? "" }
    }
    #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
  }

  @Test func `members that have no numbers left between them are numbered anew`() async throws {
    let (test, pks) = try await store(people: 60)
    try await test.store.change { try $0.replace([pks[0], pks[59]]) }
    // Each one comes right before the last one, so that the gap is halved each time.
    for index in 1..<59 {
      try await test.store.change { members in
        try members.append([pks[index], pks[59]])
        try members.remove([pks[59]])
        let meeting = try members.meeting([pks[index]])
        try members.append([pks[59]])
        _ = meeting
      }
    }
    #expect(try await test.store.uids() == Array(1...60))
    try await test.store.change { members in
      for round in 0..<40 {
        let moved = Array(pks[1..<3])
        try members.splice(
          round.isMultiple(of: 2) ? [pks[0]] + moved : [pks[0]] + moved.reversed(), try members.meeting([pks[0]]))
      }
    }
    #expect(try await Set(test.store.uids()).count == 60)
    #expect(try await test.store.uids().first == 1)
  }

  // MARK: Meeting

  @Test func `the beginning of a list meets the members that are here`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { members in
      try members.replace(Array(pks[0..<4]))
      #expect(try members.meeting([pks[4], pks[5]]).known == 0)
      let whole = try members.meeting([pks[5], pks[0], pks[1]])
      #expect((whole.known, whole.gone, whole.isInOrder, whole.hasTail) == (2, 0, true, true))
      let gone = try members.meeting([pks[0], pks[2]])
      #expect((gone.known, gone.gone, gone.isInOrder, gone.hasTail) == (2, 1, true, true))
      let moved = try members.meeting([pks[3], pks[0]])
      #expect((moved.gone, moved.isInOrder, moved.hasTail) == (0, false, true))
      let end = try members.meeting([pks[3]])
      #expect((end.gone, end.hasTail) == (3, false))
      try members.splice([pks[5], pks[0], pks[2]], try members.meeting([pks[5], pks[0], pks[2]]))
    }
    #expect(try await test.store.uids() == [6, 1, 3, 4])
  }

  // MARK: Rows that go

  @Test(arguments: Place.usual)
  func `a deleted object leaves its lists, and a list deletes no object`(_ place: Place) async throws {
    let (test, pks) = try await store(place)
    try await test.store.change { try $0.replace(pks) }
    try await test.store.background { try $0.delete(try #require(try $0.fetch(Person.self, uid: 3))) }
    #expect(try await test.store.uids() == [1, 2, 4, 5, 6])
    #expect(try await test.store.core.collection(Self.key)?.isEnded == false, "the server still has it")
    try await test.store.pending.acknowledge(try #require(try await test.store.pending.changes().first))
    #expect(try await test.store.core.collection(Self.key)?.isEnded == true)
    try await test.store.change { try $0.replace([pks[0]]) }
    #expect(try await test.store.uids() == [1])
    #expect(try await test.store.read { try $0.count(Person.all) } == 5)
    try await test.store.core.unit { try $0.collections.remove(Self.key) }
    #expect(try await test.store.read { try $0.count(Person.all) } == 5)
    #expect(try await test.store.core.collection(Self.key) == nil)
    try await test.store.change { try $0.replace(Array(pks[3...])) }
    try await test.store.reset(discardsPending: true)
    #expect(try await test.store.uids().isEmpty)
    #expect(try await test.store.core.collection(Self.key) == nil)
  }

  @Test func `the list is there after a restart, and the check of the file knows lost members`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace([pks[1], pks[0]]) }
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await again.uids() == [2, 1])
    #expect(try await again.check().isEmpty)
    try await again.core.unit { rows in
      try rows.connection.prepare("INSERT INTO main._entity_members VALUES (77, 1, 1, 0), (1, 1, 999, 0)").run()
    }
    let problems = try await again.check()
    #expect(problems.count == 2 && problems.allSatisfy { $0.kind == .bookkeeping })
  }

  // MARK: Followers

  @MainActor @Test func `a live query of a list runs with changes of that list alone`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace(Array(pks[0..<2])) }
    let live = LiveQuery(Self.query, in: test.store)
    #expect(live.objects.map(\.uid) == [1, 2])
    let fetches = test.store.main.statistics.fetches
    try await test.store.addPerson(70, "other")
    try await test.store.change("other") { try $0.replace([pks[5]]) }
    #expect(live.objects.map(\.uid) == [1, 2])
    #expect(test.store.main.statistics.fetches == fetches)
    let unread = LiveQuery(Person.where { $0.uid > 1 && $0.isMember(ofCollection: "feed") }, in: test.store)
    #expect(unread.objects.map(\.uid) == [2])
    try await test.store.change { try $0.append([pks[4]]) }
    #expect(live.objects.map(\.uid) == [1, 2, 5])
    #expect(unread.objects.map(\.uid) == [2, 5])
    try await test.store.background(as: .server) { try $0.delete(try #require(try $0.fetch(Person.self, uid: 5))) }
    #expect(live.objects.map(\.uid) == [1, 2])
  }

  @Test func `the differences of a list come by id`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace(Array(pks[0..<3])) }
    var changes = test.store.changes(of: Self.query).makeAsyncIterator()
    let first = try #require(await changes.next()).get()
    #expect(first.inserted.map(\.id.pk) == Array(pks[0..<3]))
    try await test.store.change { try $0.replace([pks[3], pks[2], pks[0]]) }
    let second = try #require(await changes.next()).get()
    #expect(second.inserted.map(\.id.pk) == [pks[3]] && second.removed.map(\.id.pk) == [pks[1]])
    #expect(second.moved.count == 1)
  }

  @Test func `a change that is equal writes nothing`() async throws {
    let (test, pks) = try await store()
    try await test.store.change { try $0.replace(pks) }
    let generation = try await test.store.core.read { $0.news.mergedGeneration }
    try await test.store.change {
      try $0.replace(pks)
      try $0.append([pks[5]])
    }
    #expect(try await test.store.core.read { $0.news.mergedGeneration } == generation)
  }
}

extension EntityStore {
  fileprivate func change(_ key: String = "feed", _ body: @escaping @Sendable (CollectionMembers) throws -> Void)
    async throws
  {
    try await core.unit { rows in
      try body(try #require(try rows.collections.members(AnswerKey(key), of: "Person")))
    }
  }

  fileprivate func uids(_ query: EntityQuery<Person> = EntityQuery(membersOf: "feed")) async throws -> [Int] {
    try await read { try $0.fetch(query).map(\.uid) }
  }
}
