import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

@Suite struct RulesTests {
  private func scene() throws -> OutboxScene {
    try OutboxScene(store: EntityStore(.inMemory, entities: depotEntities))
  }

  @Test func `embedded objects go with their parent`() async throws {
    let scene = try scene()
    let id = try await scene.edit { context in
      try context.make(Box.self) { box in
        box.name = "a"
        let label = Label()
        label.text = "fragile"
        box.label = label
      }.entityID
    }
    try await scene.outbox.send()
    #expect(scene.server.object("boxes", 1)?["label"]?["text"]?.string == "fragile")
    #expect(try await scene.pending().isEmpty)
    try await scene.edit { try #require(try $0.known(id).label).color = "red" }
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST boxes", "PATCH boxes/1"])
    #expect(scene.server.object("boxes", 1)?["label"]?["color"]?.string == "red")
    #expect(scene.server.object("boxes", 1)?["label"]?["text"]?.string == "fragile")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an embedded edit during a send stays an edit`() async throws {
    let scene = try scene()
    let gate = StubGate()
    scene.server.hold("POST boxes", at: gate)
    let id = try await scene.edit { context in
      try context.make(Box.self) { box in
        box.name = "a"
        let label = Label()
        label.text = "fragile"
        box.label = label
      }.entityID
    }
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.edit { try #require(try $0.known(id).label).text = "heavy" }
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    #expect(scene.server.object("boxes", 1)?["label"]?["text"]?.string == "heavy")
    #expect(try await scene.pending().isEmpty)
  }

  @MainActor @Test func `an object waits while its embedded object alone has an edit`() async throws {
    let scene = try scene()
    let id = try await scene.edit { context in
      try context.make(Box.self) { $0.label = Label() }.entityID
    }
    try await scene.outbox.send()
    try await scene.outbox.settled { $0.count == 0 }
    #expect(try scene.store.main.known(id).sendState == .sent)
    try await scene.edit { try #require(try $0.known(id).label).color = "red" }
    try await scene.outbox.settled { $0.count == 1 }
    #expect(try scene.store.main.known(id).sendState == .waiting)
    try await scene.outbox.send()
    try await scene.outbox.settled { $0.count == 0 }
    #expect(try scene.store.main.known(id).sendState == .sent)
  }

  @Test func `lists are sent once their members have uids`() async throws {
    let scene = try scene()
    let id = try await scene.edit { context in
      let box = try context.make(Box.self) { $0.name = "a" }
      box.sheets = try ["x", "y"].map { text in try context.make(Sheet.self) { $0.text = text } }
      box.marks = [try context.make(Mark.self) { $0.name = "m" }]
      return box.entityID
    }
    for _ in 0..<3 { try await scene.outbox.send() }
    let plan = try await scene.plan()
    #expect(plan == "nothing is pending")
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.count("sheets") == 2)
    #expect(scene.server.count("marks") == 1)
    try await scene.edit { context in
      let box = try context.known(id)
      box.sheets = box.sheets.reversed()
      box.marks = []
    }
    try await scene.outbox.send()
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.object("boxes", box(scene))?["marks"]?.array?.count == 0)
  }

  private func box(_ scene: OutboxScene) -> Int {
    scene.server.state.withLock { $0.tables["boxes"]?.keys.first.flatMap(Int.init) } ?? 0
  }

  @Test func `a rule that misses a uid says so in the plan, and the change goes once it has it`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Postcard.self]))
    let id = try await scene.edit { try $0.make(Postcard.self) { $0.text = "draft" }.entityID }
    #expect(try await scene.outbox.send() == OutboxPass(left: 1))
    let line = try #require(try await scene.outbox.plan().lines.first)
    #expect(line.state == .queued)
    #expect(line.reason == "no request can be made yet: The album of the postcard has no uid yet.")
    scene.server.answer("POST postcards/import", 201, ["id": 5])
    try await scene.edit { try $0.known(id).text = "hi" }
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1))
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `a project makes its own requests, and reads refusals out of successes`() async throws {
    let scene = try scene()
    scene.server.answer("POST letters/import", 200, ["id": 5], headers: ["X-Failed": "no stamp"])
    try await scene.edit { _ = try $0.make(Letter.self) { $0.text = "hi" } }
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.reason == "no stamp")
    #expect(item.status == 200)
    scene.server.answer("POST letters/import", 201, ["id": 5])
    try await scene.outbox.retry(item)
    try await scene.outbox.send()
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.bodies.last == #"{"fields":["text"],"text":"hi"}"#)
  }

  @Test(arguments: [200, 400])
  func `the verdict of an entity refuses a request of the outbox too, and has the words of another refusal`(
    _ status: Int
  ) async throws {
    let scene = try scene()
    scene.server.answer("POST letters/import", status, ["id": 5, "accepted": false, "error": "no room"])
    try await scene.edit { _ = try $0.make(Letter.self) { $0.text = "hi" } }
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.status == status)
    #expect(item.reason == "no room")
    #expect(try await scene.pending().count == 1)
    scene.server.answer("POST letters/import", 201, ["id": 5, "accepted": true])
    try await scene.outbox.retry(item)
    try await scene.outbox.send()
    #expect(try await scene.pending().isEmpty)
  }

  @MainActor @Test func `a screen shows the state of the outbox and of each object`() async throws {
    let scene = try OutboxScene()
    let live = LiveOutbox(scene.outbox)
    scene.server.answer("POST customers", 400)
    scene.server.loseAnswers(0)
    let (customer, order) = try await scene.edit { context in
      let customer = try context.make(Customer.self) { $0.name = "Ada" }
      let item = try context.make(Item.self) { $0.text = "pen" }
      item.order = try context.make(Order.self) { $0.number = "A" }
      return (customer.entityID, item.order.entityID)
    }
    let main = scene.store.main
    #expect(try main.known(customer).sendState == .waiting)
    try await scene.outbox.send()
    try await scene.outbox.settled { $0.refused.count == 1 }
    #expect(live.count == 1)
    guard case .refused(let item) = try main.known(customer).sendState else {
      Issue.record("\(try main.known(customer).sendState)")
      return
    }
    #expect(item.status == 400)
    #expect(try main.known(order).sendState == .sent)
    try await scene.outbox.drop(item)
    try await scene.outbox.settled { $0.count == 0 }
    #expect(live.refused.isEmpty)
    #expect(try main.count(Customer.all) == 0)
  }

  @Test func `a started outbox sends each save`() async throws {
    let scene = try OutboxScene()
    scene.outbox.start()
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    for try await changes in scene.store.pending.updates() where try changes.get().isEmpty { break }
    try await scene.edit { try $0.known(id).name = "Bea" }
    for try await changes in scene.store.pending.updates() where try changes.get().isEmpty { break }
    #expect(scene.server.object("customers", 1)?["name"]?.string == "Bea")
    await scene.outbox.stop()
    try await scene.edit { try $0.known(id).name = "Cleo" }
    #expect(try await scene.outbox.plan().lines.count == 1)
    #expect(scene.server.log.count == 2)
  }

  @Test func `the log has a line for each claim and each end, without values`() async throws {
    let scene = try OutboxScene()
    let log = scene.outbox.log
    scene.server.answer("POST customers", 400)
    try await scene.edit { context in
      _ = try context.make(Customer.self) { $0.name = "secret" }
    }
    try await scene.outbox.send()
    var lines: [String] = []
    for await line in log {
      lines.append(line.description)
      if lines.count == 2 { break }
    }
    #expect(
      lines == [
        "POST https://api.example.com/customers: sending", "POST https://api.example.com/customers: refused 400",
      ])
  }
}
