import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

@Suite struct SendingTests {
  @Test func `changes that were made offline are sent once the server can be reached`() async throws {
    let scene = try OutboxScene()
    scene.server.setOffline(true)
    let (customer, order) = try await scene.edit { context in
      let customer = try context.make(Customer.self) { $0.name = "Ada" }
      let order = try context.make(Order.self) {
        $0.number = "A-1"
        $0.customer = customer
      }
      return (customer.entityID, order.entityID)
    }
    let first = try await scene.outbox.send()
    #expect(first.sent == 0)
    #expect(first.left == 2)
    guard case .offline = first.pause else {
      Issue.record("\(first)")
      return
    }
    scene.server.setOffline(false)
    try await scene.edit { try $0.known(order).note = "left at the door" }
    let second = try await scene.outbox.send()
    #expect(second == OutboxPass(sent: 2))
    #expect(scene.server.log == ["POST customers", "POST orders"])
    #expect(scene.server.object("orders", 2)?["customer"]?.int == 1)
    #expect(scene.server.object("orders", 2)?["note"]?.string == "left at the door")
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.object(customer)?.uid } == 1)
  }

  @Test func `an edit is one PATCH of the edited properties, and a deletion a DELETE`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "old", "total": 5])
    scene.server.set("orders", 8, ["number": "A-8", "total": 5])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    try await scene.edit { context in
      try context.order(7).note = "a"
      let other = try context.order(8)
      try context.delete(other)
    }
    try await scene.edit { context in
      try context.order(7).note = "b"
      try context.order(7).total = 6
    }
    let before = scene.server.log.count
    #expect(try await scene.outbox.send().sent == 2)
    #expect(scene.server.log.dropFirst(before).sorted() == ["DELETE orders/8", "PATCH orders/7"])
    #expect(scene.server.bodies.contains(#"{"note":"b","total":6}"#))
    #expect(scene.server.object("orders", 8) == nil)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an object that goes with one that was made here is deleted on the server`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 1, ["number": "A-1"])
    scene.server.set("items", 7, ["text": "a", "order": 1])
    try await Client.withClient(scene.client) {
      _ = try await Order.get()
      _ = try await Item.get()
    }
    let order = try await scene.edit { context in
      let order = try context.make(Order.self) { $0.number = "A-2" }
      try #require(try context.fetch(Item.self, uid: 7)).order = order
      return order.entityID
    }
    try await scene.edit { try $0.delete($0.known(order)) }
    let before = scene.server.log.count
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.log.dropFirst(before) == ["DELETE items/7"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a refused change stays and holds up nothing that does not depend on it`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 400, ["name": ["too short"]])
    let (customer, item) = try await scene.edit { context in
      let customer = try context.make(Customer.self) { $0.name = "A" }
      let other = try context.make(Order.self) { $0.number = "B-1" }
      let item = try context.make(Item.self) {
        $0.text = "pen"
        $0.order = other
      }
      _ = try context.make(Order.self) {
        $0.number = "A-1"
        $0.customer = customer
      }
      return (customer.entityID, item.entityID)
    }
    let pass = try await scene.outbox.send()
    #expect(pass.refused == 1)
    #expect(pass.sent == 3)
    #expect(try await scene.edit { try $0.object(item)?.uid } != nil)
    let refused = try #require(try await scene.outbox.items().first)
    #expect(refused.state == .refused)
    #expect(refused.status == 400)
    #expect(try refused.model(as: [String: [String]].self) == ["name": ["too short"]])
    // The edit of the object is the answer to the refusal.
    try await scene.edit { try $0.known(customer).name = "Ada" }
    #expect(try await scene.outbox.send().refused == 0)
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.count("customers") == 1)
    // The order that was created without its customer has it by now.
    #expect(scene.server.state.withLock { $0.tables["orders"]?.values.contains { $0["customer"]?.int != nil } } == true)
  }

  @Test func `a lost answer to a create without a key waits for a person`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(600))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST customers"])
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .unknown)
    try await scene.outbox.confirm(item, .happened(uid: 1))
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.edit { try $0.object(id)?.uid } == 1)
  }

  @Test func `a create that did not happen is sent again with the same bytes`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).name = "Bea" }
    scene.server.state.withLock { $0.tables = [:] }
    try await scene.outbox.confirm(try #require(try await scene.outbox.items().first), .didNotHappen)
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST customers", "POST customers", "PATCH customers/2"])
    #expect(scene.server.bodies == [#"{"name":"Ada"}"#, #"{"name":"Ada"}"#, #"{"name":"Bea"}"#])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a create with a key is sent again byte for byte, and later edits follow`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Payment.self) { $0.amount = 5 }.entityID }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).amount = 7 }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST payments", "POST payments", "PATCH payments/1"])
    #expect(scene.server.bodies[0] == scene.server.bodies[1])
    #expect(scene.server.sentKeys[0] != nil)
    #expect(scene.server.sentKeys[0] == scene.server.sentKeys[1])
    #expect(scene.server.count("payments") == 1)
    #expect(scene.server.object("payments", 1)?["amount"]?.int == 7)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `after a lost answer the server is asked for the object`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Parcel.self) { $0.code = "X1" }.entityID }
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST parcels", "GET parcels"])
    #expect(try await scene.edit { try $0.object(id)?.uid } == 1)
    #expect(try await scene.edit { try $0.count(Parcel.all) } == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a create without a value to ask for is unknown, and an edit does not double it`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Barrel.self) { $0.weight = 3 }.entityID }
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("did not carry") == true)
    try await scene.edit { try $0.known(id).label = "L1" }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST barrels"])
    try await scene.outbox.confirm(item, .happened(uid: 1))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST barrels", "PATCH barrels/1"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a create that the server does not have is sent again`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    try await scene.edit { _ = try $0.make(Parcel.self) { $0.code = "X1" } }
    try await scene.outbox.send()
    scene.server.state.withLock { $0.tables = [:] }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST parcels", "GET parcels", "POST parcels"])
    #expect(scene.server.count("parcels") == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit during a send stays an edit, with the sent value as its base`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 5])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    let gate = StubGate()
    scene.server.hold("PATCH orders/7", at: gate)
    try await scene.edit { try $0.order(7).note = "b" }
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.edit { try $0.order(7).note = "a" }
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    #expect(scene.server.object("orders", 7)?["note"]?.string == "a")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an object that the server deleted is kept, and restored or dropped by a person`() async throws {
    let scene = try OutboxScene()
    for id in [7, 8] { scene.server.set("orders", id, ["number": "A", "note": "a", "total": 5]) }
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    for id in [7, 8] { scene.server.set("orders", id, nil) }
    try await scene.edit { context in
      for id in [7, 8] { try context.order(id).note = "mine" }
    }
    try await scene.outbox.send()
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.gone, .gone])
    try await scene.outbox.drop(items[0])
    try await scene.outbox.restore(items[1])
    try await scene.outbox.send()
    #expect(scene.server.count("orders") == 1)
    #expect(scene.server.bodies.last?.contains(#""note":"mine""#) == true)
    #expect(try await scene.edit { try $0.count(Order.all) } == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a pass has nothing of what the outbox sent by itself before`() async throws {
    let scene = try OutboxScene()
    let log = scene.outbox.log
    scene.outbox.start()
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    for await line in log { if case .done = line.event { break } }
    #expect(try await scene.outbox.send() == OutboxPass())
  }

  @Test func `a stop in the middle of a pass says what was sent, and what is left`() async throws {
    let scene = try OutboxScene()
    let gate = StubGate()
    scene.server.hold("POST customers", at: gate)
    try await scene.edit { context in
      let customer = try context.make(Customer.self) { $0.name = "Ada" }
      _ = try context.make(Order.self) {
        $0.number = "A-1"
        $0.customer = customer
      }
    }
    async let pass = scene.outbox.send()
    await gate.arrival()
    async let stop: Void = scene.outbox.stop()
    while await scene.outbox.engine.isSending { await Task.yield() }
    gate.open()
    let result = try await pass
    await stop
    #expect(result == OutboxPass(sent: 1, left: 1))
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1))
  }

  @Test func `an object with a uid of its own is created by PUT, and its update carries all`() async throws {
    let scene = try OutboxScene()
    let id = try await scene.edit {
      try $0.make(Token.self) {
        $0.uid = "t1"
        $0.text = "a"
      }.entityID
    }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).text = "b" }
    try await scene.outbox.send()
    #expect(scene.server.log == ["PUT tokens/t1", "PUT tokens/t1", "PUT tokens/t1"])
    #expect(scene.server.object("tokens", "t1")?["text"]?.string == "b")
    #expect(try await scene.pending().isEmpty)
  }
}
