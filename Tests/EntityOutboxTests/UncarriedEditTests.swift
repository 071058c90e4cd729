import EntityClient
import Testing

@testable import EntityOutbox

/// Updates whose edits no body carries.
@Suite struct UncarriedEditTests {
  @Test func `another uid of the server's object is refused with words, and can be dropped`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "total": 5])
    _ = try await Client.withClient(scene.client) { try await Order.get("7") }
    try await scene.edit { try $0.order(7).uid = 70 }
    #expect(try await scene.outbox.send().refused == 1)
    #expect(scene.server.log == ["GET orders/7"])
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.reason?.contains("an edit of 'uid'") == true)
    #expect(try await scene.plan().contains("refused before it was sent"))
    // An edit that a body carries is sent, and the other one is still there.
    try await scene.edit { try $0.order(70).total = 6 }
    scene.server.set("orders", 70, ["number": "A-7", "total": 5])
    try await scene.outbox.send()
    #expect(scene.server.bodies.last == #"{"total":6}"#)
    let again = try #require(try await scene.outbox.items().first)
    #expect(again.reason?.contains("an edit of 'uid'") == true)
    try await scene.outbox.drop(again)
    #expect(try await scene.edit { try $0.order(7).total } == 6)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.plan() == "nothing is pending")
  }

  @Test func `a uid that was made here needs no request once the server has the object`() async throws {
    let scene = try OutboxScene()
    let id = try await scene.edit { context in
      try context.make(Token.self) { ($0.uid, $0.text) = ("t1", "a") }.entityID
    }
    // A create of another way, whose answer was lost, has reached the server.
    _ = try await Client.withClient(scene.client) { try await Token.upsert(from: [["id": "t1", "text": "a"]]) }
    try await scene.outbox.send()
    #expect(scene.server.log.isEmpty)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.plan() == "nothing is pending")
    #expect(try await scene.edit { try $0.known(id).uid } == "t1")
  }
}
