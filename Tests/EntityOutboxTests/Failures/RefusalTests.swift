import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// Changes that the server refuses, or that no request can be made for.
@Suite struct RefusalTests {
  @Test func `an answer that is nonsense holds a create and refuses an update`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    scene.server.answer("POST customers", 201, "nonsense")
    scene.server.answer("PATCH orders/7", 200, ["id": ["nonsense"]])
    try await scene.edit { context in
      _ = try context.make(Customer.self) { $0.name = "Ada" }
      let order = try context.order(7)
      order.note = "b"
      _ = try context.make(Item.self) {
        $0.text = "pen"
        $0.order = order
      }
    }
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(100))
    try await scene.outbox.send()
    let items = try await scene.outbox.items().sorted { $0.action.rawValue < $1.action.rawValue }
    #expect(items.map(\.state) == [.unknown, .refused])
    #expect(items.allSatisfy { $0.reason?.hasPrefix("\(RequestError.notTakenIn) ") == true })
    #expect(items.map(\.properties) == [["name"], ["note"]])
    let reasons = try await scene.outbox.plan().lines.map(\.reason)
    #expect(reasons.contains { $0.hasPrefix("accepted 200 by the server, whose answer was not taken in, at ") })
    #expect(scene.server.log.filter { $0 == "POST customers" }.count == 1)
    #expect(scene.server.log.filter { $0 == "PATCH orders/7" }.count == 1)
    #expect(scene.server.count("items") == 1)
  }

  @Test func `an object that was moved to a new one goes back when the new one is dropped`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7"])
    scene.server.set("items", 8, ["text": "pen", "order": 7])
    try await Client.withClient(scene.client) {
      _ = try await Order.get()
      _ = try await Item.get()
    }
    try await scene.edit { context in
      let new = try context.make(Order.self) { $0.number = "A-9" }
      try #require(try context.fetch(Item.self, uid: 8)).order = new
    }
    for _ in 1...2 { scene.server.answer("POST orders", 422) }
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(2))
    try await scene.outbox.send()
    try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    #expect(try await scene.edit { try $0.fetch(Item.self, uid: 8)?.order.uid } == 7)
    #expect(try await scene.pending().isEmpty)
    try await scene.outbox.send()
    #expect(Set(scene.server.log) == ["GET orders", "GET items", "POST orders"])
  }

  @Test func `a conflict of one create with a key holds up no other change`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST payments", 409)
    try await scene.edit { context in
      for amount in 1...2 { _ = try context.make(Payment.self) { $0.amount = amount } }
    }
    let pass = try await scene.outbox.send()
    #expect(pass.pause == nil)
    #expect(scene.server.count("payments") == 1)
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.count("payments") == 2)
    #expect(Set(scene.server.sentKeys).count == 2)
  }

  @Test func `an update is sent, though the target that its link had before is deleted`() async throws {
    let scene = try OutboxScene()
    for id in [1, 2] { scene.server.set("customers", id, ["name": "Ada"]) }
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1, "customer": 1])
    try await Client.withClient(scene.client) {
      _ = try await Customer.get()
      _ = try await Order.get()
    }
    try await scene.edit { context in
      try context.order(7).customer = try context.fetch(Customer.where { $0.uid == 2 }).first
    }
    _ = try await scene.outbox.plan()
    try await scene.edit { try $0.delete(#require(try $0.fetch(Customer.where { $0.uid == 1 }).first)) }
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["PATCH orders/7", "DELETE customers/1"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a deletion waits for an update whose link led to the deleted object by a response`() async throws {
    let scene = try OutboxScene()
    for id in [1, 2, 3] { scene.server.set("customers", id, ["name": "Ada"]) }
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1, "customer": 1])
    try await Client.withClient(scene.client) {
      _ = try await Customer.get()
      _ = try await Order.get()
    }
    try await scene.edit { context in
      try context.order(7).customer = try context.fetch(Customer.where { $0.uid == 2 }).first
    }
    _ = try await scene.outbox.plan()
    // The edit stays, and the row is as it was: only the base of the edit is another one.
    scene.server.set("orders", 7, ["customer": 3])
    _ = try await Client.withClient(scene.client) { try await Order.get() }
    _ = try await scene.outbox.plan()
    try await scene.edit { try $0.delete(#require(try $0.fetch(Customer.where { $0.uid == 3 }).first)) }
    let lines = try await scene.outbox.plan().lines
    #expect(lines.map(\.method) == ["PATCH", "DELETE"])
    #expect(lines.map { $0.state == .ready } == [true, false])
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["PATCH orders/7", "DELETE customers/3"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a refused change is given up with its embedded objects`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: depotEntities))
    let id = try await scene.edit { try $0.make(Box.self) { $0.name = "a" }.entityID }
    try await scene.outbox.send()
    scene.server.answer("PATCH boxes/1", 400)
    try await scene.edit { context in
      let label = Label()
      label.text = "fragile"
      try context.known(id).label = label
    }
    try await scene.outbox.send()
    try await scene.outbox.drop(try #require(try await scene.outbox.items().first))
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(id).label == nil })
    #expect(try await scene.edit { try $0.count(Label.all) } == 0)
  }

  @Test func `an edit that is discarded takes its new embedded object along`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: depotEntities))
    let id = try await scene.edit { try $0.make(Box.self) { $0.name = "a" }.entityID }
    try await scene.outbox.send()
    try await scene.edit { context in
      let label = Label()
      label.text = "fragile"
      try context.known(id).label = label
    }
    let change = try #require(try await scene.pending().first { $0.id == id.untyped })
    try await scene.store.pending.discard(change)
    #expect(try await scene.edit { try $0.known(id).label == nil })
    #expect(try await scene.edit { try $0.count(Label.all) } == 0)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a rule that makes no request refuses the change with its words`() async throws {
    let scene = try OutboxScene()
    try await scene.edit { _ = try $0.make(Token.self) { $0.text = "no uid" } }
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    let pass = try await scene.outbox.send()
    #expect(pass == OutboxPass(sent: 1, refused: 1, left: 1))
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.reason?.contains("has no uid") == true)
  }
}
