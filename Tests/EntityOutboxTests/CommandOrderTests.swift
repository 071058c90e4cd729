import EntityClient
import EntityStore
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

/// The order of edits and commands where a request can't be made, or must be made anew, before its turn has come.
@Suite struct CommandOrderTests {
  /// - Parameter isInList: Whether the hamper is from a list, which has no ETag of it.
  private func hamper(isInList: Bool = false) async throws -> (OutboxScene, EntityID<Hamper>) {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Hamper.self]))
    scene.server.state.withLock { $0.versions["hampers"] = .header }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 1])
    let id = try await Client.withClient(scene.client) {
      try await isInList ? Hamper.get().ids.first : Hamper.get("1").ids.first
    }
    return (scene, try #require(id))
  }

  /// The bodies of updates, and the names of commands, in the order of sending.
  private func sent(_ scene: OutboxScene) -> [String] {
    zip(scene.server.log, scene.server.bodies).compactMap { request, body -> String? in
      if request.hasPrefix("PATCH") { return body }
      return request.hasPrefix("POST") ? request.split(separator: "/").last.map(String.init) : nil
    }
  }

  @Test func `edits between commands stay between them where requests hold for a version`() async throws {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try $0.known(id).likes = 3 }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try $0.known(id).quantity = 9 }
    try await scene.outbox.enqueue(Ship(), on: id)
    let plan = try await scene.outbox.plan().lines.map { $0.method == "PATCH" ? $0.properties.joined() : "ship" }
    #expect(plan == ["quantity", "ship", "likes", "ship", "quantity", "ship"])
    try await scene.outbox.send()
    #expect(sent(scene) == [#"{"quantity":5}"#, "ship", #"{"likes":3}"#, "ship", #"{"quantity":9}"#, "ship"])
    #expect(try await scene.pending().isEmpty)
  }

  /// The version is yet to be read, so that the first request is made when its turn has come.
  @Test func `a property that is edited again goes once, in its first place`() async throws {
    let (scene, id) = try await hamper(isInList: true)
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try ($0.known(id).quantity, $0.known(id).likes) = (9, 3) }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.outbox.send()
    #expect(sent(scene) == [#"{"quantity":9}"#, "ship", "ship", #"{"likes":3}"#, "ship"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a request that is made anew before a command has no later edits`() async throws {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try $0.known(id).likes = 3 }
    scene.server.set("hampers", 1, ["likes": 11])
    try await scene.outbox.send()
    #expect(sent(scene) == [#"{"quantity":5}"#, #"{"quantity":5}"#, "ship", #"{"likes":13}"#])
    #expect(scene.server.object("hampers", 1)?["likes"]?.int == 13)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit after the place of a new object's name goes behind the next command`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Crate.self, Wagon.self]))
    scene.server.set("wagons", 1, ["name": "old"])
    let id = try await Client.withClient(scene.client) { try #require(try await Wagon.get("1").ids.first) }
    try await scene.edit { try $0.known(id).crate = $0.make(Crate.self) { $0.uid = 7 } }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.edit { try $0.known(id).name = "new" }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.edit { try $0.known(id).name = "newer" }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.outbox.send()
    let sent = sent(scene)
    #expect(sent.count == 5 && sent[0].contains("crate") && !sent[0].contains("name"), "\(sent)")
    #expect(sent.dropFirst() == ["pull", #"{"name":"newer"}"#, "pull", "pull"], "\(sent)")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an update that meets another version stays before a command that came meanwhile`() async throws {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).quantity = 5 }
    scene.server.answer("PATCH hampers/1", 503)
    try await scene.outbox.send()
    scene.server.set("hampers", 1, ["likes": 11])
    let gate = StubGate()
    scene.server.hold("PATCH hampers/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.outbox.enqueue(Ship(), on: id)
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    let patch = #"{"quantity":5}"#
    #expect(sent(scene) == [patch, patch, patch, "ship"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test(arguments: [Conflict.Resolution.mine, .theirs])
  func `a conflict about an edit before a command is settled before both are sent`(resolution: Conflict.Resolution)
    async throws
  {
    let (scene, id) = try await hamper()
    scene.server.set("hampers", 1, ["note": "base"])
    _ = try await Client.withClient(scene.client) { try await Hamper.get("1") }
    try await scene.edit { try $0.known(id).note = "mine" }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try $0.known(id).quantity = 5 }
    scene.server.set("hampers", 1, ["note": "theirs"])
    try await scene.outbox.send()
    #expect(sent(scene) == [#"{"note":"mine"}"#])
    #expect(scene.server.object("hampers", 1)?["note"]?.string == "theirs")
    let item = try #require(try await scene.outbox.items().first)
    let conflict = try #require(try await scene.outbox.conflicts(of: item).first)
    try await scene.outbox.settle(conflict, resolution)
    try await scene.outbox.send()
    let isMine = scene.server.object("hampers", 1)?["note"]?.string == "mine"
    #expect(sent(scene).dropFirst() == (isMine ? [#"{"note":"mine"}"#] : []) + ["ship", #"{"quantity":5}"#])
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.pending().isEmpty)
  }

  /// The rule of the entity adds the edit to the server's value.
  @Test func `no rule merges the effect of a command, which would be sent as an edit`() async throws {
    let (scene, id) = try await hamper()
    try await scene.outbox.enqueue(Like(), on: id)
    scene.server.set("hampers", 1, ["likes": 11])
    _ = try await Client.withClient(scene.client) { try await Hamper.get() }
    scene.server.answer("POST hampers/1/like", 200, ["id": 1, "quantity": 1, "likes": 12])
    try await scene.outbox.send()
    #expect(sent(scene) == ["like"])
    #expect(try await scene.edit { try $0.known(id).likes } == 12)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an addition before a command whose answer was lost counts once, also where the next reading fails`()
    async throws
  {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).likes = 2 }
    try await scene.outbox.enqueue(Ship(), on: id)
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    // The read that follows the 412 is lost, too.
    let gate = StubGate()
    scene.server.hold("PATCH hampers/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    scene.server.loseAnswers(1)
    gate.open()
    _ = try await pass
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.object("hampers", 1)?["likes"]?.int == 2)
    #expect(try await scene.edit { try $0.known(id).likes } == 2)
    #expect(sent(scene).filter { $0 == "ship" }.count == 1)
    #expect(try await scene.pending().isEmpty)
  }
}
