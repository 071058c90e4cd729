import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// Requests with an unknown end.
@Suite struct LostAnswerTests {
  @Test func `a failing server gets an update again, made anew`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    scene.server.answer("PATCH orders/7", 500)
    try await scene.edit { try $0.order(7).note = "b" }
    try await scene.outbox.send()
    try await scene.edit { try $0.order(7).total = 2 }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.bodies.suffix(2) == [#"{"note":"b"}"#, #"{"note":"b","total":2}"#])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an update that was taken back after a lost answer is read`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    scene.server.loseAnswers(1)
    let id = try await scene.edit { context in
      let order = try context.order(7)
      order.note = "b"
      return order.entityID
    }
    try await scene.outbox.send()
    try await scene.store.pending.discard(id)
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["PATCH orders/7", "GET orders/7"])
    #expect(try await scene.edit { try $0.order(7).note } == "b")
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `an object that is deleted before its create was answered is created, and then deleted`() async throws {
    let scene = try OutboxScene()
    let gate = StubGate()
    scene.server.hold("POST customers", at: gate)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.edit { try $0.delete($0.known(id)) }
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST customers", "DELETE customers/1"])
    #expect(scene.server.count("customers") == 0)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `an object that is deleted before its first request is nothing`() async throws {
    let scene = try OutboxScene()
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.edit { try $0.delete($0.known(id)) }
    try await scene.outbox.send()
    #expect(scene.server.log.isEmpty)
  }

  @Test func `a create that fails again and again keeps its key`() async throws {
    let scene = try OutboxScene()
    try await scene.edit { _ = try $0.make(Payment.self) { $0.amount = 5 } }
    for number in 0..<7 {
      scene.server.answer("POST payments", 500)
      try await scene.outbox.send()
      // Others succeed meanwhile.
      try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "\(number)" } }
      try await scene.outbox.send()
      scene.clock.advance(by: .seconds(number < 4 ? 40 : 3_700))
    }
    let keys = zip(scene.server.log, scene.server.sentKeys).filter { $0.0 == "POST payments" }.map(\.1)
    #expect(keys.count == 7)
    #expect(Set(keys).count == 1)
    #expect(scene.server.count("customers") == 7)
  }

  @Test func `the deletion of an object is sent, though another answer brought the object back`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    try await scene.edit { try $0.delete($0.known(id)) }
    try await Client.withClient(scene.client) { _ = try await Customer.get() }
    // Nothing tells yet that this is the object.
    #expect(try await scene.edit { try $0.count(Customer.all) } == 1)
    try await scene.outbox.confirm(try #require(try await scene.outbox.items().first), .happened(uid: 1))
    #expect(try await scene.edit { try $0.count(Customer.all) } == 0)
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST customers", "GET customers", "DELETE customers/1"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an object that was made here is sent whole, though another answer had it first`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit {
      try $0.make(Token.self) {
        $0.uid = "t1"
        $0.text = "a"
      }.entityID
    }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).text = "b" }
    try await Client.withClient(scene.client) { _ = try await Token.get() }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log == ["PUT tokens/t1", "GET tokens", "PUT tokens/t1", "PUT tokens/t1"])
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.plan() == "nothing is pending")
  }

  @Test func `a person names the uid of a create, in the form that the entity has`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    let missing = await #expect(throws: RequestError.self) { try await scene.outbox.confirm(item, .happened) }
    #expect(missing?.kind == .missingUID)
    let wrong = await #expect(throws: RequestError.self) {
      try await scene.outbox.confirm(item, .happened(uid: "seven"))
    }
    #expect(wrong?.kind == .invalidRequest)
    #expect(try await scene.outbox.items().map(\.state) == [.unknown])
    try await scene.outbox.confirm(item, .happened(uid: 1))
    #expect(try await scene.edit { try $0.known(id).uid } == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an object that was discarded after a lost answer is asked for and deleted there`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Parcel.self) { $0.code = "X1" }.entityID }
    try await scene.outbox.send()
    try await scene.store.pending.discard(id)
    scene.clock.advance(by: .seconds(31))
    while try await scene.outbox.send().sent > 0 {}
    #expect(scene.server.log == ["POST parcels", "GET parcels", "DELETE parcels/1"])
    #expect(try await scene.edit { try $0.count(Parcel.all) } == 0)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `a question that can't be asked waits for a person and holds up nothing`() async throws {
    let scene = try OutboxScene(width: 1)
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Barrel.self) { $0.weight = 3 }.entityID }
    try await scene.outbox.send()
    try await scene.store.pending.discard(id)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.count("customers") == 1)
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.unknown])
    #expect(items.first?.reason?.contains("did not carry") == true)
  }

  @Test func `the plan says that the server is asked while it is`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    try await scene.edit { _ = try $0.make(Parcel.self) { $0.code = "X1" } }
    try await scene.outbox.send()
    let gate = StubGate()
    scene.server.hold("GET parcels", at: gate)
    scene.clock.advance(by: .seconds(31))
    async let pass = scene.outbox.send()
    await gate.arrival()
    let line = try #require(try await scene.outbox.plan().lines.first)
    #expect("\(line.method) \(line.path)" == "GET parcels")
    #expect(line.state == .sending)
    gate.open()
    _ = try await pass
  }
}
