import EntityClient
import EntityStore
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox

@Entity final class Agent: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String

  static var basePath: String { "agents" }
}

@Entity final class Inquiry: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var urgency: Int = 0
  var agent: Agent?

  static var basePath: String { "inquiries" }
  static var outbox: OutboxRules<Inquiry> { [.idempotencyKey(), .command(Assign.self)] }
}

/// Has a link among its effects.
struct Assign: OutboxCommand {
  static let name = "assign"
  var agent: Int

  func request(for inquiry: Inquiry) throws -> URLRequest {
    var request = try Inquiry.request(.post, "\(inquiry.uid)/assign")
    try request.setJSON(["agent": agent])
    return request
  }

  func apply(to inquiry: Inquiry) throws {
    inquiry.agent = try inquiry.entityContext?.fetch(Agent.where { $0.uid == agent }).first
  }
}

/// An outbox whose file is lost, and whose changes come back from an archive.
@Suite struct ArchivedOutboxTests {
  private static let entities: [any ManagedEntity.Type] = [Agent.self, Inquiry.self] + shopEntities + depotEntities

  private func scene(_ server: ShopServer = ShopServer()) throws -> OutboxScene {
    try OutboxScene(server, store: EntityStore(.inMemory, entities: Self.entities))
  }

  /// The same server, and another store with the rows of an archive under other row ids.
  private func restored(_ scene: OutboxScene) async throws -> OutboxScene {
    let archive = try await scene.store.archive()
    let other = try self.scene(scene.server)
    try await other.store.background(as: .server) { context in
      for uid in 100...120 { try context.insert(Agent.self).uid = uid }
    }
    _ = try await other.store.restore(from: archive, discardsPending: true)
    return other
  }

  @Test func `a create whose answer was lost is sent with its bytes and its key`() async throws {
    let scene = try scene()
    let id = try await scene.edit { context in
      try context.make(Payment.self) { $0.amount = 5 }.entityID
    }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).amount = 7 }
    let other = try await restored(scene)
    other.clock.advance(by: .seconds(31))
    try await other.outbox.send()
    #expect(other.server.log == ["POST payments", "POST payments", "PATCH payments/1"])
    #expect(other.server.bodies == [#"{"amount":5}"#, #"{"amount":5}"#, #"{"amount":7}"#])
    let keys = other.server.sentKeys
    #expect(keys[0] != nil && keys[0] == keys[1])
    #expect(other.server.count("payments") == 1)
    #expect(try await other.pending().isEmpty)
    #expect(try await other.edit { try $0.fetch(Payment.self).map(\.uid) } == [1])
  }

  @Test func `a create that nothing can ask about stays unknown`() async throws {
    let scene = try scene()
    _ = try await scene.edit { context in try context.make(Customer.self) { $0.name = "Ada" }.entityID }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    let other = try await restored(scene)
    other.clock.advance(by: .seconds(31))
    try await other.outbox.send()
    #expect(other.server.log == ["POST customers"])
    let item = try #require(try await other.outbox.items().first)
    #expect(item.state == .unknown)
    try await other.outbox.confirm(item, .happened(uid: 1))
    #expect(try await other.pending().isEmpty)
    #expect(try await other.edit { try $0.fetch(Customer.self).map(\.uid) } == [1])
  }

  @Test func `a command keeps its place among the edits, and its effect is none of them`() async throws {
    let scene = try scene()
    scene.server.set("agents", 8, ["name": "Bob"])
    scene.server.set("inquiries", 1, ["text": "a", "urgency": 1])
    let id = try await Client.withClient(scene.client) {
      _ = try await Agent.get()
      return try #require(try await Inquiry.get("1").ids.first)
    }
    try await scene.edit { try $0.known(id).urgency = 5 }
    try await scene.outbox.enqueue(Assign(agent: 8), on: id)
    try await scene.edit { try $0.known(id).urgency = 2 }
    let other = try await restored(scene)
    #expect(try await other.edit { try $0.fetch(Inquiry.self).first?.agent?.uid } == 8)
    let before = other.server.log.count
    try await other.outbox.send()
    #expect(
      other.server.log.dropFirst(before) == ["PATCH inquiries/1", "POST inquiries/1/assign", "PATCH inquiries/1"])
    #expect(other.server.bodies.dropFirst(before) == [#"{"urgency":5}"#, #"{"agent":8}"#, #"{"urgency":2}"#])
    // The response to the command has ended the effect: its row id is the one of this store.
    #expect(try await other.pending().isEmpty)
    #expect(try await other.outbox.items().isEmpty)
  }

  @Test func `the drop of a restored command takes its effect back`() async throws {
    let scene = try scene()
    scene.server.set("agents", 8, ["name": "Bob"])
    scene.server.set("inquiries", 1, ["text": "a", "urgency": 1])
    let id = try await Client.withClient(scene.client) {
      _ = try await Agent.get()
      return try #require(try await Inquiry.get("1").ids.first)
    }
    try await scene.edit { try $0.known(id).text = "b" }
    try await scene.outbox.enqueue(Assign(agent: 8), on: id)
    let other = try await restored(scene)
    other.server.answer("POST inquiries/1/assign", 403)
    try await other.outbox.send()
    let item = try #require(try await other.outbox.items().first)
    try await other.outbox.drop(item)
    #expect(try await other.edit { try $0.fetch(Inquiry.self).first?.agent == nil })
    #expect(other.server.object("inquiries", 1)?["text"]?.string == "b")
    #expect(try await other.pending().isEmpty)
  }

  @Test func `a lost update with an embedded object ends its edits`() async throws {
    let scene = try scene()
    scene.server.set("boxes", 1, ["name": "a", "label": ["text": "x", "color": "red"]])
    let id = try await Client.withClient(scene.client) { try #require(try await Box.get("1").ids.first) }
    try await scene.edit { context in
      let box = try context.known(id)
      box.name = "b"
      box.label?.text = "y"
    }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    let other = try await restored(scene)
    let entry = try #require(try await other.store.read { try $0.pendingEdits.outboxEntries() }.first)
    let label = try #require(try await other.store.read { try $0.fetch(Label.self).first?.entityID.pk })
    #expect(entry.state == .sending)
    #expect(entry.sent?.contains(#""row":\#(label),"#) == true, "\(entry.sent ?? "")")
    other.clock.advance(by: .seconds(31))
    try await other.outbox.send()
    #expect(other.server.log.suffix(2) == ["PATCH boxes/1", "PATCH boxes/1"])
    #expect(try await other.pending().isEmpty)
  }
}
