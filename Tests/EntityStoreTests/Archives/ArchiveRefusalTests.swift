import EntityJSON
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Archives that are refused, and of which nothing is taken in.
struct ArchiveRefusalTests {
  /// A store with a row that must stay, and the archive of another one.
  private func scene(_ place: Place = .memory) async throws -> (
    test: TestStore, archive: Data, before: [String]
  ) {
    let source = try TestStore(.memory)
    try await source.store.background(as: .server) { context in
      let ada = try context.insert(Person.self)
      (ada.uid, ada.name) = (1, "Ada \u{1F600}")
      let note = try context.insert(Note.self)
      note.person = ada
    }
    try await source.store.background { try $0.fetch(Person.self, uid: 1)?.age = 5 }
    let test = try TestStore(place)
    try await test.store.background(as: .server) { context in
      let team = try context.insert(Team.self)
      (team.uid, team.title) = ("t", "stays")
    }
    return (test, try await source.store.archive(), try await content(test.store))
  }

  @Test func `an archive that is cut anywhere is refused`() async throws {
    let (test, archive, before) = try await scene()
    let generation = try await test.store.read { $0.news.mergedGeneration }
    for length in 0..<archive.count {
      let kind = await asyncErrorKind { try await test.store.restore(from: archive.prefix(length)) }
      #expect(
        kind == .damagedArchive || kind == .notAnArchive, "\(length): \(String(describing: kind))")
    }
    #expect(try await content(test.store) == before)
    #expect(try await test.store.read { $0.news.mergedGeneration } == generation)
    try await test.store.restore(from: archive)
  }

  @Test func `an archive with any byte changed is refused`() async throws {
    let (test, archive, before) = try await scene()
    let kinds: [StoreError.Kind?] = [.damagedArchive, .notAnArchive, .newerArchive]
    for place in archive.indices {
      for change: UInt8 in [1, 0x20, 0xFF] {
        var changed = archive
        changed[place] ^= change
        let kind = await asyncErrorKind { try await test.store.restore(from: changed) }
        #expect(kinds.contains(kind), "\(place): \(String(describing: kind))")
      }
    }
    for place in [0, 40, archive.count / 2, archive.count] {
      for more in ["\n", "x", "{}\n", "[]\n", "[1,null,0]\n"] {
        var changed = archive
        changed.insert(contentsOf: Data(more.utf8), at: place)
        #expect(
          kinds.contains(await asyncErrorKind { try await test.store.restore(from: changed) }),
          "\(place) \(more)")
      }
    }
    #expect(try await content(test.store) == before)
  }

  @Test(arguments: [
    "", "\n", "{}\n", "[]\n", "x", "{\"archive\":\"Other\",\"format\":1}\n",
    "{\"archive\":\"EntityClient\"}\n",
    "{\"archive\":\"EntityClient\",\"format\":1,\"lastRow\":5}", "SQLite format 3\u{0}",
    String(repeating: "x", count: 1 << 20),
  ]) func `a text of another program is no archive`(_ text: String) async throws {
    let (test, _, before) = try await scene()
    #expect(
      await asyncErrorKind { try await test.store.restore(from: Data(text.utf8)) } == .notAnArchive)
    let url = test.folder.url.appendingPathComponent("other")
    try Data(text.utf8).write(to: url)
    #expect(await asyncErrorKind { try await test.store.restore(from: url) } == .notAnArchive)
    #expect(try await content(test.store) == before)
  }

  @Test func `an archive of a newer format says so`() async throws {
    let (test, _, _) = try await scene()
    let archive = Data("{\"archive\":\"EntityClient\",\"format\":2,\"anything\":[]}\nwhatever".utf8)
    let error = await storeError { try await test.store.restore(from: archive) }
    #expect(error?.kind == .newerArchive)
    #expect(error?.message.contains("format 2") == true)
  }

  // MARK: Whole archives that don't fit

  /// An archive with these lines, as it would be written.
  private func made(_ lines: [String], lastRow: Int = 100) throws -> Data {
    var output = ArchiveOutput(nil)
    try output.line(ArchiveHeader(lastRow: Int64(lastRow)).line)
    for line in lines { try output.line(try JSONValue(parsing: Data(line.utf8))) }
    try output.endLine()
    return output.data
  }

  @Test(
    arguments: [
      (["{\"rows\":\"Planet\",\"columns\":[]}"], .unknownEntity, "'Planet'"),
      (["{\"rows\":\"Person,friends\",\"columns\":[]}"], .unknownEntity, "'Person,friends'"),
      (["{\"edits\":true}", "[\"Planet\",1,\"x\",null,0,null,0,0]"], .unknownEntity, "'Planet'"),
      (["{\"rows\":\"Person\",\"columns\":[\"uid\",\"size\"]}"], .schemaMismatch, "'Person.size'"),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"age\"]}", "[1,null,0,\"x\"]"], .schemaMismatch,
        "'Person.age'"
      ),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"age\"]}", "[1,null,0,1.0]"], .schemaMismatch,
        "'Person.age'"
      ),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"age\"]}", "[1,null,0,null]"], .schemaMismatch,
        "'Person.age'"
      ),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"score\"]}", "[1,null,0,1]"], .schemaMismatch,
        "'Person.score'"
      ),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"boss\"]}", "[1,null,0,101]"], .schemaMismatch,
        "'Person.boss'"
      ),
      (["{\"rows\":\"Person\",\"columns\":[\"boss\"]}", "[1,null,0,7]"], .damagedArchive, "link"),
      (
        ["{\"rows\":\"Person\",\"columns\":[\"uid\"]}", "[1,null,0,5]", "[2,null,0,5]"],
        .uniqueViolation, "uid"
      ),
      (["{\"rows\":\"Person\",\"columns\":[]}", "[0,null,0]"], .damagedArchive, "row"),
      (["{\"rows\":\"Person\",\"columns\":[]}", "[101,null,0]"], .damagedArchive, "row"),
      (["{\"rows\":\"Person\",\"columns\":[]}", "[1,null,2]"], .damagedArchive, "row"),
      (["{\"rows\":\"Person\",\"columns\":[]}", "[1,null]"], .damagedArchive, "row"),
      (["{\"rows\":\"Person\",\"columns\":[]}", "[1,null,0,true]"], .damagedArchive, "row"),
      (["[1,null,0]"], .damagedArchive, "row"), (["7"], .damagedArchive, "row"),
      (["{\"rows\":7}"], .damagedArchive, "part"),
      (["{\"edits\":true}", "[1]"], .damagedArchive, "edit"),
      (["{\"edits\":true}", "[\"Person\",1,\"name\",null,0,null,1,0]"], .damagedArchive, "edit"),
      (["{\"edits\":true}", "[\"Person\",1,\"name\",null,0,null,0,\"x\"]"], .damagedArchive, "edit"),
      (["{\"deletions\":true}", "[\"Person\",1,5,1.0,200,0]"], .damagedArchive, "deletion"),
    ] as [([String], StoreError.Kind, String)])
  func `a whole archive that does not fit is refused`(
    _ lines: [String], _ kind: StoreError.Kind, _ word: String
  ) async throws {
    let (test, _, before) = try await scene()
    let archive = try made(lines)
    let error = await storeError { try await test.store.restore(from: archive) }
    #expect(error?.kind == kind, "\(String(describing: error))")
    #expect(error?.description.contains(word) == true, "\(String(describing: error))")
    #expect(try await content(test.store) == before)
    // The store goes on.
    try await test.store.addPerson(1)
  }

  @Test func `a row id beyond all is refused`() async throws {
    let (test, _, _) = try await scene()
    let archive = Data(
      "{\"archive\":\"EntityClient\",\"format\":1,\"lastRow\":9223372036854775807}\n".utf8)
    #expect(await asyncErrorKind { try await test.store.restore(from: archive) } == .damagedArchive)
  }

  @Test func `a required relationship that is missing is named`() async throws {
    let test = try TestStore(.memory, Writer.world)
    let archive = try made(["{\"rows\":\"Article\",\"columns\":[\"uid\"]}", "[1,null,0,5]"])
    let error = await storeError { try await test.store.restore(from: archive) }
    #expect(error?.kind == .schemaMismatch)
    #expect(error?.message.contains("'Article.author'") == true)
  }

  private func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  @Test func `losing changes must be allowed by a parameter of each call`() async throws {
    let (test, archive, _) = try await scene()
    try await test.store.addPerson(1, "not sent")
    for error in [
      await storeError { try await test.store.restore(from: archive) },
      await storeError { try await test.store.reset() },
    ] {
      #expect(error?.kind == .pendingChanges)
      #expect(error?.message.contains("lose them with `discardsPending: true`") == true)
    }
  }

  // MARK: Other versions of the app

  @Test func `an entity that the app removed is passed over`() async throws {
    let old = try TestStore(.memory, TestStore.blog + TestStore.people)
    try await old.store.background(as: .server) { context in
      for uid in 1...2 {
        try context.insert(Town.self).uid = uid
        try context.insert(Person.self).uid = uid
      }
    }
    try await old.store.background { context in
      let (article, writer, tag) = (
        try context.insert(Article.self), try context.insert(Writer.self), try context.insert(Tag.self)
      )
      (article.uid, writer.uid, tag.uid) = (1, 2, "t")
      (article.author, article.tags) = (writer, [tag])
      try #require(try context.fetch(Town.self, uid: 1)).city = "gone"
      try context.delete(try #require(try context.fetch(Town.self, uid: 2)))
      try #require(try context.fetch(Person.self, uid: 1)).name = "stays"
    }
    let archive = try await old.store.archive()
    // An app that says nothing of them may have forgotten them.
    let other = try TestStore(.memory)
    let error = await storeError { try await other.store.restore(from: archive) }
    #expect(error?.kind == .unknownEntity)
    #expect(error?.message.contains("`removed:`") == true)
    let store = try EntityStore(
      .inMemory, entities: TestStore.people, removed: ["Writer", "Article", "Tag", "Town"])
    let summary = try await store.restore(from: archive)
    #expect(summary.objects == ["Person": 2, "Team": 0, "Note": 0])
    #expect(summary.pending == 1)
    #expect(try await store.pending.changes().flatMap(\.edits).map(\.property) == ["name"])
    #expect(try await store.check(.full).isEmpty)
    let blog = try EntityStore(.inMemory, entities: TestStore.blog, removed: ["Person", "Team", "Note"])
    #expect(try await blog.restore(from: archive).objects == ["Town": 1, "Writer": 1, "Article": 1, "Tag": 1])
    #expect(try await blog.read { try $0.fetch(Article.self)[0].tags.map(\.uid) } == ["t"])
  }

  @Test func `names that changed are followed`() async throws {
    let old = try TestStore(.memory, V1.all)
    try await old.store.background { context in
      let (guest, room, perk) = (
        try context.insert(V1.Guest.self), try context.insert(V1.Room.self),
        try context.insert(V1.Perk.self)
      )
      (guest.uid, room.uid, perk.name) = (1, 2, "bath")
      (guest.fullName, guest.code, guest.room, guest.perks) = ("Ada", "A", room, [perk])
    }
    let archive = try await old.store.archive()
    let new = try TestStore(.memory, V2.all)
    #expect(
      try await new.store.restore(from: archive).objects == ["Visitor": 1, "Room": 1, "Perk": 1])
    try await new.store.read { context in
      let visitor = try #require(try context.fetch(V2.Visitor.self, uid: 1))
      #expect(visitor.name == "Ada")
      #expect(visitor.badge == "A")
      #expect(visitor.place?.uid == 2)
      #expect(visitor.extras.map(\.name) == ["bath"])
    }
    let pending = try await new.store.pending.changes(of: V2.Visitor.self)
    #expect(
      Set(pending.flatMap(\.edits).map(\.property)).isSuperset(of: [
        "name", "badge", "place", "extras",
      ]))
  }

  @Test func `properties that the archive lacks get their defaults`() async throws {
    let old = try TestStore(.memory, [Thing1.self])
    try await old.store.background(as: .server) { context in
      let thing = try context.insert(Thing1.self)
      (thing.uid, thing.name) = (1, "a")
    }
    let new = try TestStore(.memory, [Thing2.self, Part2.self])
    try await new.store.restore(from: try await old.store.archive())
    try await new.store.read { context in
      let thing = try #require(try context.fetch(Thing2.self, uid: 1))
      #expect(thing.name == "a")
      #expect(thing.kind == "it's")
      #expect(thing.limit == -.infinity)
      #expect(thing.age == nil)
    }
    // And the other way, a property that is neither declared nor removed is not lost without a word.
    let error = await storeError {
      try await old.store.restore(from: try await new.store.archive())
    }
    #expect(error?.kind == .schemaMismatch || error?.kind == .unknownEntity)
  }
}
