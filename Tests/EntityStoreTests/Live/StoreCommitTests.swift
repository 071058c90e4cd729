import EntityMacros
import EntityStore
import TestSchema
import Testing

@testable import EntityStore

struct StoreCommitTests {
  /// As by a program that puts the number of the last commit back.
  @Test func `commits whose numbers go back are a gap`() {
    var summary = CommitSummary(first: 1_001, last: 1_001, origin: nil)
    summary.append(CommitSummary(first: 2, last: 2, origin: nil))
    #expect(summary.first...summary.last == 2...1_001)
    #expect(summary.hasGap)
  }

  @Test(arguments: Place.usual)
  func `a commit names its changes`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ada = try await test.store.addPerson(1, "Ada")
    let bob = try await test.store.addPerson(2, "Bob")
    var commits = test.store.commits.makeAsyncIterator()
    let cid = try await test.store.background { context in
      try context.object(ada)?.name = "Eve"
      try context.object(bob).map { try context.delete($0) }
      let cid = try context.insert(Person.self)
      cid.uid = 3
      return cid.entityID
    }
    let commit = try #require(await commits.next())
    #expect(!commit.isUnknown)
    #expect(commit.entityNames == ["Person"])
    let people = commit.changes(of: Person.self)
    #expect(people.inserted == [cid])
    #expect(people.updated.map(\.id) == [ada])
    #expect(people.updated.map(\.columns.names) == [["name"]])
    #expect(people.deleted == [bob])
    #expect(!people.mayBeAny)
    #expect(commit.changes(of: Note.self).isEmpty)
    #expect(commit.changes(of: Town.self).isEmpty)
  }

  /// As by an answer that confirms an object, which changes the time of the answer and no value.
  @Test(arguments: Place.usual)
  func `an object that is only confirmed is no news`(_ place: Place) async throws {
    let test = try TestStore(place, [Poster.self])
    let id = try await test.store.background(as: .server) { context in
      let poster = try context.insert(Poster.self)
      poster.uid = 1
      return poster.entityID
    }
    let before = try await test.store.read { try $0.snapshots([id]) }
    var commits = test.store.commits.makeAsyncIterator()
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Poster.self)
      try rows.connection.execute("UPDATE Poster SET _heard = _heard + 60")
      rows.note(model, id.pk, .updated, ColumnMask(try #require(model.age)), .effect)
    }
    #expect(try await test.store.read { try $0.snapshots([id]) } == before)
    try await test.store.background { try #require(try $0.object(id)).text = "new" }
    var updated: [[String]] = []
    while updated.last?.contains("text") != true, let commit = await commits.next() {
      updated += commit.changes(of: Poster.self).updated.map { $0.columns.names.sorted() }
    }
    #expect(updated == [["text"]])
  }

  @Test(arguments: Place.usual)
  func `each commit is an element`(_ place: Place) async throws {
    let test = try TestStore(place)
    var commits = test.store.commits.makeAsyncIterator()
    for uid in 0..<5 { try await test.store.addPerson(uid) }
    // A unit that changes nothing is none.
    try await test.store.background { _ = try $0.fetch(Person.all) }
    var generations: [Int64] = []
    for _ in 0..<5 {
      let commit = try #require(await commits.next())
      #expect(commit.changes(of: Person.self).inserted.count == 1)
      generations += Array(commit.generations)
    }
    #expect(generations == Array(1...5))
  }

  @Test(arguments: Place.usual)
  func `commits of a long pause come together`(_ place: Place) async throws {
    let test = try TestStore(place)
    var commits = test.store.commits.makeAsyncIterator()
    for uid in 0..<200 { try await test.store.addPerson(uid) }
    var inserted = 0
    var elements = 0
    var last: Int64 = 0
    while last < 200, let commit = await commits.next() {
      #expect(commit.generations.lowerBound == last + 1)
      last = commit.generations.upperBound
      inserted += commit.changes(of: Person.self).inserted.count
      elements += 1
    }
    #expect(inserted == 200)
    #expect(elements < 100)
  }

  @Test func `commits of another store on the file are unknown`() async throws {
    let test = try TestStore(.file)
    try await test.store.addPerson(1)
    var commits = test.store.commits.makeAsyncIterator()
    let other = try EntityStore(.file(test.folder.file), entities: TestStore.people)
    try await other.addPerson(2)
    let unknown = try #require(await commits.next())
    #expect(unknown.isUnknown)
    #expect(unknown.generations == 2...2)
    #expect(unknown.changes(of: Person.self).mayBeAny)
    #expect(unknown.entityNames == ["Person", "Team", "Note"])
    try await test.store.addPerson(3)
    let known = try #require(await commits.next())
    #expect(known.generations == 3...3)
    #expect(known.changes(of: Person.self).inserted.count == 1)
  }

  @Test(arguments: Place.usual)
  func `a sequence that nobody asks any more costs nothing`(_ place: Place) async throws {
    let test = try TestStore(place)
    do {
      var commits = test.store.commits.makeAsyncIterator()
      try await test.store.addPerson(1)
      #expect(await commits.next() != nil)
    }
    #expect(test.store.core.followers.isEmpty)
  }
}

@Entity private final class Poster {
  @UID var uid: Int
  var text: String?
  static var expires: Duration? { .seconds(100) }
}
