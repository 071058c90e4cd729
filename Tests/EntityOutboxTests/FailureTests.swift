import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox

@Suite struct FailureTests {
  @Test func `refused credentials pause the outbox until it is started again`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 401)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    #expect(try await scene.outbox.send().pause == .unauthorized)
    #expect(try await scene.pending().count == 1)
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.count("customers") == 1)
  }

  @Test func `the server's wait is a pause, and the next try comes after it`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 429, headers: ["Retry-After": "100"])
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    guard case .busy(let until) = try await scene.outbox.send().pause else {
      Issue.record("no pause")
      return
    }
    #expect(until - Date().timeIntervalSince1970 > 90)
    scene.outbox.start()
    scene.clock.advance(by: .seconds(110))
    try await scene.outbox.settled { $0.count == 0 }
    #expect(scene.server.log == ["POST customers", "POST customers"])
  }

  @Test func `an answer to any request of the app ends the pause`() async throws {
    let scene = try OutboxScene()
    scene.outbox.start()
    scene.server.setOffline(true)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.settled { if case .offline = $0.pause { true } else { false } }
    scene.server.setOffline(false)
    await #expect(throws: RequestError.self) {
      try await Client.withClient(scene.client) { _ = try await Order.get("99") }
    }
    try await scene.outbox.settled { $0.count == 0 }
    #expect(scene.server.count("customers") == 1)
  }

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
    #expect(items.allSatisfy { $0.problem != nil })
    #expect(scene.server.log.filter { $0 == "POST customers" }.count == 1)
    #expect(scene.server.log.filter { $0 == "PATCH orders/7" }.count == 1)
    #expect(scene.server.count("items") == 1)
  }

  @Test func `a kill after the claim leaves an unknown create, and no second one`() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = ShopServer()
    let gate = StubGate()
    server.hold("POST customers", at: gate)
    server.hold("POST payments", at: gate)
    let scene = try OutboxScene(
      server, store: EntityStore(.file(folder.appending(path: "a.sqlite")), entities: shopEntities))
    try await scene.edit { context in
      _ = try context.make(Customer.self) { $0.name = "Ada" }
      _ = try context.make(Payment.self) { $0.amount = 5 }
    }
    async let pass = scene.outbox.send()
    await gate.arrival(2)
    // The disk at the moment of the kill.
    let copy = folder.appending(path: "b")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(
        at: folder.appending(path: "a.sqlite" + ending), to: copy.appending(path: "a.sqlite" + ending))
    }
    gate.open()
    _ = try await pass
    server.state.withLock { $0.gates = [:] }
    let later = try OutboxScene(
      server, store: EntityStore(.file(copy.appending(path: "a.sqlite")), entities: shopEntities))
    later.clock.advance(by: .seconds(60))
    try await later.outbox.send()
    #expect(server.log.sorted() == ["POST customers", "POST payments", "POST payments"])
    #expect(server.count("payments") == 1)
    #expect(server.count("customers") == 1)
    let items = try await later.outbox.items()
    #expect(items.map(\.state) == [.unknown])
    #expect(items.map(\.object.entityName) == ["Customer"])
    try await later.outbox.confirm(items[0], .happened(uid: 1))
    #expect(try await later.pending().isEmpty)
  }

  @Test func `edits since a claim of an earlier process stay edits`() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "a.sqlite"))
    let server = ShopServer()
    let scene = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Payment.self) { $0.amount = 5 }.entityID }
    try await scene.outbox.send()
    await scene.outbox.stop()
    let later = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    try await later.edit { try $0.known(id).note = "mine" }
    later.clock.advance(by: .seconds(60))
    try await later.outbox.send()
    #expect(server.log == ["POST payments", "POST payments", "PATCH payments/1"])
    #expect(server.object("payments", 1)?["note"]?.string == "mine")
    #expect(try await later.pending().isEmpty)
  }

  @Test func `the changes of another account are not sent`() async throws {
    let account = Mutex("ada")
    let scene = try OutboxScene(identity: { account.withLock(\.self) })
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    account.withLock { $0 = "bea" }
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    #expect(try await scene.outbox.send().pause == .otherAccount)
    #expect(scene.server.count("customers") == 1)
    try await scene.outbox.adopt()
    try await scene.outbox.send()
    #expect(scene.server.count("customers") == 2)
  }

  @Test func `after a reset the next account sends`() async throws {
    let account = Mutex("ada")
    let scene = try OutboxScene(identity: { account.withLock(\.self) })
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    try await scene.store.reset()
    account.withLock { $0 = "bea" }
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    #expect(try await scene.outbox.send() == OutboxPass(sent: 1))
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

  @Test func `a copy of the file sends nothing until it is adopted`() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = ShopServer()
    let scene = try OutboxScene(
      server, store: EntityStore(.file(folder.appending(path: "a.sqlite")), entities: shopEntities))
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    let copy = folder.appending(path: "b.sqlite")
    try await scene.store.backup(to: copy)
    let other = try OutboxScene(server, store: EntityStore(.file(copy), entities: shopEntities))
    #expect(try await other.outbox.send().pause == .copied)
    #expect(server.count("customers") == 1)
    try await other.outbox.adopt()
    try await other.outbox.send()
    #expect(server.count("customers") == 2)
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

  @Test func `a question that can't be asked waits for a person and holds up nothing`() async throws {
    let scene = try OutboxScene(width: 1)
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Parcel.self) { $0.code = "X1" }.entityID }
    try await scene.outbox.send()
    try await scene.store.pending.discard(id)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.count("customers") == 1)
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.unknown])
    #expect(items.first?.problem?.contains("deleted here") == true)
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

  @Test func `two senders of one file take turns`() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "a.sqlite"))
    let server = ShopServer()
    let scene = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    let other = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    #expect(try await other.outbox.send().pause == .otherSender)
    await scene.outbox.stop()
    #expect(try await other.outbox.send().sent == 1)
    #expect(server.count("customers") == 2)
  }

  @Test func `a verb of the object and the outbox never send at once`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    let gate = StubGate()
    scene.server.hold("PATCH orders/7", at: gate)
    try await scene.edit { try $0.order(7).note = "b" }
    async let pass = scene.outbox.send()
    await gate.arrival()
    let sent = Task { @MainActor in
      try await Client.withClient(scene.client) { try await scene.store.main.order(7).patchPending() }
    }
    gate.open()
    _ = try await pass
    // The verb had its turn when nothing was left to send.
    #expect(try await sent.value == nil)
    #expect(scene.server.log.filter { $0.hasPrefix("PATCH") }.count == 1)
  }

  @Test func `a store has one outbox, and an entity with one`() async throws {
    let scene = try OutboxScene()
    #expect(throws: RequestError.self) { try Outbox(scene.client) }
    let store = try EntityStore(.inMemory, entities: [Plain.self])
    let client = try Client(adapter: scene.server, store: store, baseURL: "https://api.example.com/")
    #expect(throws: RequestError.self) { try Outbox(client) }
  }

  @Test func `a rule that makes no request refuses the change with its words`() async throws {
    let scene = try OutboxScene()
    try await scene.edit { _ = try $0.make(Token.self) { $0.text = "no uid" } }
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    let pass = try await scene.outbox.send()
    #expect(pass == OutboxPass(sent: 1, refused: 1, left: 1))
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.problem?.contains("has no uid") == true)
  }
}

@Entity final class Plain {
  @UID var uid: Int
}
