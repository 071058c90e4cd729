import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

@Entity final class Handbill: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var note: String?
  var count: Int = 0

  static var basePath: String { "handbills" }
  static var outbox: OutboxRules<Handbill> {
    [
      .rest,
      .merging(
        .byColumn(
          .column(\Handbill.Columns.text, .fail), .column(\Handbill.Columns.note, .fail),
          .merge(\Handbill.Columns.count) { base, mine, theirs in theirs + (mine - base) }, others: .mine)),
    ]
  }
}

@Suite struct MergeTests {
  private func scene() throws -> OutboxScene {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: libraryEntities))
    scene.server.state.withLock { $0.versions = ["chapters": .header, "verses": .attribute, "stories": .body] }
    return scene
  }

  private func load<E: OutboxEntity>(_ type: E.Type, _ scene: OutboxScene) async throws -> EntityID<E> {
    try await Client.withClient(scene.client) { try #require(try await E.get("1").ids.first) }
  }

  @Test func `an update holds for the version that the app has seen`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).note = "mine" }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).note = "again" }
    try await scene.outbox.send()
    #expect(scene.server.state.withLock(\.conditions).compactMap(\.self) == ["\"1\"", "\"2\""])
    #expect(scene.server.object("chapters", 1)?["note"]?.string == "again")
    #expect(try await scene.pending().isEmpty)
  }

  /// 428 is of a server that wants the condition of a version, whatever the request has (RFC 6585 §3).
  @Test(arguments: [412, 428])
  func `another version is read, merged by column and sent again`(status: Int) async throws {
    let scene = try scene()
    if status == 428 { scene.server.answer("PATCH chapters/1", status) }
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { context in
      let chapter = try context.known(id)
      (chapter.likes, chapter.title) = (3, "mine")
    }
    scene.server.set("chapters", 1, ["title": "theirs", "likes": 11])
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET chapters/1", "PATCH chapters/1", "GET chapters/1", "PATCH chapters/1"])
    #expect(scene.server.bodies.last == #"{"likes":13}"#)
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 13)
    #expect(try await scene.edit { try $0.known(id).title } == "theirs")
    #expect(try await scene.edit { try $0.known(id).likes } == 13)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an addition that comes while a request is under way is merged after its end`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 3 }
    let gate = StubGate()
    scene.server.hold("PATCH chapters/1", at: gate)
    scene.server.answer("PATCH chapters/1", 412)
    async let pass = scene.outbox.send()
    await gate.arrival()
    scene.server.set("chapters", 1, ["likes": 11])
    _ = try await Client.withClient(scene.client) { try await Chapter.get() }
    #expect(try await scene.edit { try $0.known(id).likes } == 3)
    gate.open()
    _ = try await pass
    #expect(scene.server.bodies.last == #"{"likes":13}"#)
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 13)
    #expect(try await scene.edit { try $0.known(id).likes } == 13)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a value that a refresh shows before a failed request is sent again is merged`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).title = "mine" }
    scene.server.answer("PATCH chapters/1", 500)
    try await scene.outbox.send()
    scene.server.set("chapters", 1, ["title": "theirs"])
    _ = try await load(Chapter.self, scene)
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["title"]?.string == "theirs", "\(scene.server.log)")
    #expect(try await scene.edit { try $0.known(id).title } == "theirs")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a version in the body is that of the first request, also after a refresh`() async throws {
    let scene = try scene()
    scene.server.set("stories", 1, ["text": "a"])
    let id = try await load(Story.self, scene)
    try await scene.edit { try $0.known(id).mood = "good" }
    scene.server.answer("PATCH stories/1", 500)
    try await scene.outbox.send()
    scene.server.set("stories", 1, ["text": "theirs"])
    _ = try await load(Story.self, scene)
    // An edit that comes in between goes with the next request.
    try await scene.edit { try $0.known(id).text = "mine" }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    let bodies = scene.server.bodies.filter { $0.contains("lock_version") }
    #expect(bodies.count > 2 && bodies[0] == bodies[1] && bodies[0] != bodies[2], "\(bodies)")
    #expect(scene.server.object("stories", 1)?["mood"]?.string == "good")
    #expect(scene.server.object("stories", 1)?["text"]?.string == "mine")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit that was taken back after a failed try goes with no version in the body`() async throws {
    let scene = try scene()
    scene.server.set("stories", 1, ["text": "a"])
    let id = try await load(Story.self, scene)
    try await scene.edit { try $0.known(id).mood = "good" }
    scene.server.answer("PATCH stories/1", 500)
    try await scene.outbox.send()
    try await scene.store.pending.discard(id, \.mood)
    try await scene.edit { try $0.known(id).text = "mine" }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(3) == ["PATCH stories/1", "GET stories/1", "PATCH stories/1"])
    #expect(scene.server.bodies.last == #"{"lock_version":1,"text":"mine"}"#)
    #expect(scene.server.object("stories", 1)?["mood"] == nil)
    #expect(try await scene.edit { try $0.known(id).mood } == nil)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `a sent value that a refresh shows is the base of later additions`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 3 }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).likes = 7 }
    _ = try await Client.withClient(scene.client) { try await Chapter.get() }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 7)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a server that fails at the reading of a version is asked again`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    // A list has no versions.
    let id = try await Client.withClient(scene.client) { try #require(try await Chapter.get().ids.first) }
    try await scene.edit { try $0.known(id).likes = 3 }
    scene.server.answer("GET chapters/1", 500)
    #expect(try await scene.outbox.send().refused == 0)
    #expect(try await scene.outbox.items().isEmpty)
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 3)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a deletion whose version is not known is over where the server has the object no more`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a"])
    let id = try await Client.withClient(scene.client) { try #require(try await Chapter.get().ids.first) }
    try await scene.edit { try $0.delete($0.known(id)) }
    scene.server.set("chapters", 1, nil)
    #expect(try await scene.outbox.send().left == 0)
    #expect(scene.server.log.suffix(2) == ["GET chapters", "GET chapters/1"])
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a server whose answers have no ETag is read three times, and the change is refused`() async throws {
    let scene = try scene()
    scene.server.state.withLock { $0.versions["chapters"] = nil }
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    let reads = scene.server.log.count
    try await scene.edit { try $0.known(id).likes = 3 }
    #expect(try await scene.outbox.send().refused == 1)
    #expect(scene.server.log.dropFirst(reads) == ["GET chapters/1", "GET chapters/1", "GET chapters/1"])
    #expect(try #require(try await scene.outbox.items().first).reason?.contains("have no ETag") == true)
    // From then on the server sends one.
    scene.server.state.withLock { $0.versions["chapters"] = .header }
    try await scene.outbox.retry(#require(try await scene.outbox.items().first))
    #expect(try await scene.outbox.send().left == 0)
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 3)
  }

  @Test func `a change whose version can never be read is refused, while others go`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await Client.withClient(scene.client) { try #require(try await Chapter.get().ids.first) }
    try await scene.edit { try $0.known(id).likes = 3 }
    for _ in 0..<5 { scene.server.answer("GET chapters/1", 500) }
    var passes = 0
    while try await scene.outbox.items().isEmpty, passes < 5 {
      try await scene.edit { _ = try $0.make(Chapter.self) { $0.title = "other" } }
      try await scene.outbox.send()
      passes += 1
    }
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.status == 500)
    #expect(scene.server.log.count { $0 == "GET chapters/1" } == 5)
    #expect(scene.server.count("chapters") == 1 + passes)
    #expect(!scene.server.log.contains("PATCH chapters/1"))
  }

  @Test func `a conflict waits for a person, who takes one value or another`() async throws {
    let scene = try scene()
    for resolution in [Conflict.Resolution.mine, .theirs, .value("both")] {
      scene.server.set("chapters", 1, ["title": "a", "note": "base"])
      let id = try await load(Chapter.self, scene)
      try await scene.edit { try $0.known(id).note = "mine" }
      scene.server.set("chapters", 1, ["note": "theirs"])
      try await scene.outbox.send()
      let item = try #require(try await scene.outbox.items().first)
      #expect(item.state == .conflict)
      let conflict = try #require(try await scene.outbox.conflicts(of: item).first)
      #expect(conflict.base.as(String.self) == "base")
      #expect(conflict.mine.as(String.self) == "mine")
      #expect(conflict.theirs.as(String.self) == "theirs")
      try await scene.outbox.settle(conflict, resolution)
      try await scene.outbox.send()
      #expect(try await scene.outbox.items().isEmpty)
      #expect(try await scene.pending().isEmpty)
    }
    let notes = scene.server.bodies.filter { $0.contains("note") }
    #expect(notes.suffix(2) == [#"{"note":"mine"}"#, #"{"note":"both"}"#])
    #expect(scene.server.object("chapters", 1)?["note"]?.string == "both")
  }

  @Test func `a conflict is over once its property is no edit, while another edit waits`() async throws {
    let scene = try scene()
    for isAcknowledged in [true, false] {
      scene.server.set("chapters", 1, ["title": "a", "note": "base", "likes": 1])
      let id = try await load(Chapter.self, scene)
      try await scene.edit { context in
        let chapter = try context.known(id)
        (chapter.note, chapter.likes) = ("mine", 3)
      }
      scene.server.set("chapters", 1, ["note": "theirs"])
      try await scene.outbox.send()
      #expect(try await scene.outbox.items().map(\.state) == [.conflict])
      if isAcknowledged {
        try await scene.store.pending.acknowledge(id, \.note)
      } else {
        try await scene.store.pending.discard(id, \.note)
      }
      #expect(try await scene.outbox.items().isEmpty)
      try await scene.outbox.send()
      #expect(scene.server.object("chapters", 1)?["likes"]?.int == 3)
      #expect(scene.server.object("chapters", 1)?["note"]?.string == "theirs")
      #expect(try await scene.pending().isEmpty)
    }
  }

  @Test func `a person's answer to one conflict counts when another one of the object ends`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Handbill.self]))
    scene.server.set("handbills", 1, ["text": "base", "note": "base"])
    let id = try await load(Handbill.self, scene)
    try await scene.edit { context in
      let handbill = try context.known(id)
      (handbill.text, handbill.note) = ("mine", "mine")
    }
    scene.server.set("handbills", 1, ["text": "theirs", "note": "theirs"])
    _ = try await Client.withClient(scene.client) { try await Handbill.get() }
    #expect(try await scene.outbox.items().map(\.state) == [.conflict])
    try await scene.edit { try $0.known(id).text = "ours" }
    try await scene.store.pending.discard(id, \.note)
    try await scene.outbox.send()
    #expect(scene.server.object("handbills", 1)?["text"]?.string == "ours")
    #expect(scene.server.object("handbills", 1)?["note"]?.string == "theirs")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a merge of another property is no answer to a conflict`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Handbill.self]))
    scene.server.set("handbills", 1, ["text": "a", "note": "base", "count": 1])
    let id = try await load(Handbill.self, scene)
    try await scene.edit { context in
      let handbill = try context.known(id)
      (handbill.note, handbill.count) = ("mine", 3)
    }
    for count in [1, 10] {
      scene.server.set("handbills", 1, ["text": "a", "note": "theirs", "count": JSONValue(count)])
      _ = try await Client.withClient(scene.client) { try await Handbill.get() }
    }
    #expect(try await scene.edit { try $0.known(id).count } == 12)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .conflict)
    #expect(scene.server.object("handbills", 1)?["note"]?.string == "theirs")
    try await scene.outbox.settle(try #require(try await scene.outbox.conflicts(of: item).first), .mine)
    try await scene.outbox.send()
    #expect(scene.server.object("handbills", 1)?["note"]?.string == "mine")
    #expect(scene.server.object("handbills", 1)?["count"]?.int == 12)
  }

  @Test func `a conflict that is left, or gets a value that no text is, stays a conflict`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "note": "base"])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).note = "mine" }
    scene.server.set("chapters", 1, ["note": "theirs"])
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    let conflict = try #require(try await scene.outbox.conflicts(of: item).first)
    try await scene.outbox.settle(conflict, .fail)
    let error = await #expect(throws: StoreError.self) { try await scene.outbox.settle(conflict, .value(5)) }
    #expect(error?.kind == .invalidValue)
    try await scene.outbox.send()
    #expect(try await scene.outbox.items().map(\.state) == [.conflict])
    #expect(try await scene.edit { try $0.known(id).note } == "mine")
    #expect(scene.server.object("chapters", 1)?["note"]?.string == "theirs")
    try await scene.outbox.settle(conflict, .mine)
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["note"]?.string == "mine")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a lost update that the server has is settled by reading`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).title = "mine" }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(3) == ["PATCH chapters/1", "PATCH chapters/1", "GET chapters/1"])
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.object("chapters", 1)?["title"]?.string == "mine")
  }

  @Test(arguments: [false, true])
  func `two increments by one are two, whoever reads the other one first`(refreshes: Bool) async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { context in
      let chapter = try context.known(id)
      (chapter.likes, chapter.title) = (2, "b")
    }
    scene.server.set("chapters", 1, ["title": "b", "likes": 2])
    if refreshes { _ = try await Client.withClient(scene.client) { try await Chapter.get() } }
    try await scene.outbox.send()
    #expect(scene.server.bodies.last == #"{"likes":3}"#)
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 3)
    #expect(try await scene.edit { try $0.known(id).likes } == 3)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an increment whose answer was lost counts once`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 2 }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    // The read that follows the 412 is lost, too.
    let gate = StubGate()
    scene.server.hold("PATCH chapters/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    scene.server.loseAnswers(1)
    gate.open()
    _ = try await pass
    #expect(scene.server.log.suffix(2) == ["PATCH chapters/1", "GET chapters/1"])
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 2)
    #expect(try await scene.edit { try $0.known(id).likes } == 2)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.items().isEmpty)
  }

  @Test func `an object that can't be read after a 412 is refused, and nothing pauses`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 2 }
    scene.server.answer("PATCH chapters/1", 412)
    scene.server.answer("GET chapters/1", 200, ["id": ["nonsense"]])
    let pass = try await scene.outbox.send()
    #expect((pass.refused, pass.left) == (1, 1))
    #expect(pass.pause == nil)
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
  }

  @Test func `an object that is gone when a lost update is looked at is kept once`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 2 }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    scene.server.answer("GET chapters/1", 404)
    try await scene.outbox.send()
    #expect(try await scene.outbox.items().map(\.state) == [.gone])
    try await scene.outbox.drop(try #require(try await scene.outbox.items().first))
    #expect(try await scene.outbox.send() == OutboxPass())
    #expect(try await scene.edit { try $0.count(Chapter.all) } == 0)
  }

  @Test func `a version in an attribute is a condition, and one in the body too`() async throws {
    let scene = try scene()
    scene.server.set("verses", 1, ["text": "a"])
    scene.server.set("stories", 1, ["text": "a"])
    let (verse, story) = (try await load(Verse.self, scene), try await load(Story.self, scene))
    try await scene.edit { context in
      try context.known(verse).mood = "good"
      try context.known(story).mood = "good"
    }
    scene.server.set("verses", 1, ["text": "b"])
    scene.server.set("stories", 1, ["text": "b"])
    try await scene.outbox.send()
    #expect(scene.server.log.filter { $0.hasPrefix("PATCH") }.count == 4)
    #expect(scene.server.bodies.contains(#"{"lock_version":2,"mood":"good"}"#))
    for (table, text) in [("verses", "b"), ("stories", "b")] {
      #expect(scene.server.object(table, 1)?["text"]?.string == text)
      #expect(scene.server.object(table, 1)?["mood"]?.string == "good")
    }
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(story).lockVersion } == 3)
  }

  @Test func `a server that never has the version refuses the change in the end`() async throws {
    let scene = try scene()
    scene.server.set("verses", 1, ["text": "a"])
    let verse = try await load(Verse.self, scene)
    for _ in 0..<5 { scene.server.answer("PATCH verses/1", 412) }
    try await scene.edit { try $0.known(verse).mood = "good" }
    try await scene.outbox.send()
    #expect(scene.server.log.filter { $0.hasPrefix("PATCH") }.count == 4)
    #expect(try await scene.outbox.items().map(\.status) == [412])
  }

  @Test func `a deletion holds for the version, too, and deletes the newer one`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a"])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.delete($0.known(id)) }
    scene.server.set("chapters", 1, ["title": "b"])
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(3) == ["DELETE chapters/1", "GET chapters/1", "DELETE chapters/1"])
    #expect(scene.server.object("chapters", 1) == nil)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a refresh merges as well as an answer does`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "note": "base", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { context in
      let chapter = try context.known(id)
      (chapter.likes, chapter.title, chapter.note) = (3, "mine", "mine")
    }
    scene.server.set("chapters", 1, ["title": "theirs", "note": "theirs", "likes": 11])
    _ = try await Client.withClient(scene.client) { try await Chapter.get() }
    #expect(try await scene.edit { try $0.known(id).likes } == 13)
    #expect(try await scene.edit { try $0.known(id).title } == "theirs")
    #expect(try await scene.outbox.items().map(\.state) == [.conflict])
    // A second refresh changes nothing: the bases are the server's values.
    _ = try await Client.withClient(scene.client) { try await Chapter.get() }
    #expect(try await scene.edit { try $0.known(id).likes } == 13)
    #expect(try await scene.outbox.items().count == 1)
    // The edit of the property settles the conflict.
    try await scene.edit { try $0.known(id).note = "ours" }
    try await scene.outbox.send()
    #expect(scene.server.object("chapters", 1)?["note"]?.string == "ours")
    #expect(scene.server.object("chapters", 1)?["likes"]?.int == 13)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a response tells what the rules decided`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "note": "base", "likes": 1])
    scene.server.set("chapters", 2, ["title": "a", "note": "base", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { context in
      let chapter = try context.known(id)
      (chapter.likes, chapter.title, chapter.note) = (3, "mine", "mine")
    }
    scene.server.set("chapters", 1, ["title": "theirs", "note": "theirs", "likes": 11])
    let first = try await Client.withClient(scene.client) { try await Chapter.get().skipped }
    #expect(Set(first.map(\.reason)) == [.merged, .yielded, .conflict])
    #expect(first.count == 3 && first.allSatisfy { $0.uid == "1" && $0.isConflict })
    func text(_ reason: SkippedChange.Reason) -> String? { first.first { $0.reason == reason }?.description }
    #expect(
      text(.merged)
        == "Chapter 1: likes was edited here and merged with the server's value: here 13, there 11, before 1")
    #expect(
      text(.yielded)
        == "Chapter 1: title was edited here and gave way to the server's value: "
        + #"here "mine", there "theirs", before "a""#)
    #expect(text(.conflict)?.hasSuffix(#"here "mine", there "theirs", before "base""#) == true)
    // The same values again are no news to the rules.
    let second = try await Client.withClient(scene.client) { try await Chapter.get().skipped }
    #expect(second.map(\.reason) == [.locallyEdited])
    #expect(second.first?.properties.sorted() == ["likes", "note"])
    #expect(second.first?.isConflict == false)
  }

  @Test func `an object that stands in a response twice is merged and told once`() async throws {
    let scene = try scene()
    scene.server.set("chapters", 1, ["title": "a", "likes": 1])
    let id = try await load(Chapter.self, scene)
    try await scene.edit { try $0.known(id).likes = 3 }
    let response = try await Client.withClient(scene.client) {
      try await Chapter.upsert(from: [["id": 1, "likes": 11], ["id": 1, "likes": 11]])
    }
    #expect(response.skipped.map(\.reason) == [.merged])
    #expect(try await scene.edit { try $0.known(id).likes } == 13)
  }

  // MARK: Objects that the server has deleted

  private func deleted<E: OutboxEntity>(_ type: E.Type, _ scene: OutboxScene) async throws -> SkippedChanges {
    try await Client.withClient(scene.client) { try await E.upsert(from: [["id": 1, "deleted": true]]).skipped }
  }

  @Test func `an edited object that a response deletes is kept aside for a person`() async throws {
    let scene = try scene()
    scene.server.set("scrolls", 1, ["text": "a", "note": "base"])
    let id = try await load(Scroll.self, scene)
    try await scene.edit { try $0.known(id).note = "mine" }
    scene.server.set("scrolls", 1, nil)
    let skipped = try await deleted(Scroll.self, scene)
    #expect(skipped.map(\.reason) == [.keptAside])
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .gone)
    #expect(try await scene.edit { try $0.fetch(Scroll.where { $0.isGone }).map(\.note) } == ["mine"])
    // It is told again, and stays one entry. Nothing asks the server once more.
    #expect(try await deleted(Scroll.self, scene).map(\.reason) == [.keptAside])
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET scrolls/1"])
    #expect(try await scene.outbox.items().map(\.id) == [item.id])
    try await scene.outbox.restore(item)
    try await scene.outbox.send()
    #expect(scene.server.log.last == "POST scrolls")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edited object whose every edit gives way goes with the server's`() async throws {
    let scene = try scene()
    scene.server.set("scrolls", 1, ["text": "a", "note": "base"])
    let id = try await load(Scroll.self, scene)
    try await scene.edit { try $0.known(id).text = "mine" }
    let skipped = try await deleted(Scroll.self, scene)
    #expect(skipped.map(\.reason) == [.yielded])
    #expect(skipped.first?.uid == "1")
    #expect(skipped.first?.properties == [])
    #expect(try await scene.edit { try $0.object(id) == nil })
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.items().isEmpty)
  }

  @Test func `a request that may have arrived finds out about a deletion by itself`() async throws {
    let scene = try scene()
    scene.server.set("scrolls", 1, ["text": "a", "note": "base"])
    let id = try await load(Scroll.self, scene)
    try await scene.edit { try $0.known(id).text = "mine" }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    #expect(try await deleted(Scroll.self, scene).map(\.reason) == [.deletedThere])
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.edit { try $0.known(id).text } == "mine")
  }
}
