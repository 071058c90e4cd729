import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox

/// Processes that send: one that was killed, and two at once.
@Suite struct SenderTests {
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

  @Test func `a second sender goes on by itself once the first one is gone`() async throws {
    let folder = try TestFolder()
    let file = StoreLocation.file(folder.file("a.sqlite"))
    let server = ShopServer()
    let scene = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    let other = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    other.outbox.start()
    try await other.outbox.settled { $0.pause == .otherSender }
    await scene.outbox.stop()
    other.clock.advance(by: .seconds(6))
    try await other.outbox.settled { $0.count == 0 }
    #expect(server.count("customers") == 2)
  }

  @Test func `a claim of a killed process may still arrive for a while after the next one began`() async throws {
    let folder = try TestFolder()
    let file = folder.file("a.sqlite")
    let server = ShopServer()
    let gate = StubGate()
    server.hold("POST parcels", at: gate)
    let scene = try OutboxScene(server, store: EntityStore(.file(file), entities: shopEntities))
    try await scene.edit { _ = try $0.make(Parcel.self) { $0.code = "X1" } }
    async let pass = scene.outbox.send()
    await gate.arrival()
    // The request is slow: the process dies long after the claim.
    let copy = folder.file("b.sqlite")
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy.path + ending)
    }
    let store = try EntityStore(.file(copy), entities: shopEntities)
    let client = try Client(adapter: server, store: store, baseURL: "https://api.example.com/")
    let clock = VirtualClock()
    let later = try Outbox(client, time: OutboxTime(clock, base: Date().timeIntervalSince1970 + 100))
    clock.advance(by: .seconds(20))
    try await later.send()
    #expect(server.log == ["POST parcels"])
    clock.advance(by: .seconds(11))
    try await later.send()
    #expect(server.log == ["POST parcels", "GET parcels"])
    gate.open()
    _ = try await pass
  }

  @Test func `a clock that was set back holds up no lost request`() async throws {
    let folder = try TestFolder()
    let file = StoreLocation.file(folder.file("a.sqlite"))
    let server = ShopServer()
    let scene = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    server.loseAnswers(1)
    try await scene.edit { _ = try $0.make(Payment.self) { $0.amount = 5 } }
    try await scene.outbox.send()
    await scene.outbox.stop()
    let store = try EntityStore(file, entities: shopEntities)
    let client = try Client(adapter: server, store: store, baseURL: "https://api.example.com/")
    let clock = VirtualClock()
    let later = try Outbox(client, time: OutboxTime(clock, base: Date().timeIntervalSince1970 - 40_000))
    clock.advance(by: .seconds(31))
    try await later.send()
    #expect(server.log == ["POST payments", "POST payments"])
    #expect(server.count("payments") == 1)
    #expect(try await store.pending.changes().isEmpty)
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

  @MainActor @Test func `a verb makes no object that the outbox may have made`() async throws {
    let scene = try OutboxScene()
    scene.server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    let customer = try scene.store.main.known(id)
    let error = await #expect(throws: RequestError.self) {
      try await Client.withClient(scene.client) { try await customer.postPending() }
    }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("a request of the outbox") == true)
    #expect(scene.server.log == ["POST customers"])
    // Nothing of the attempt is left.
    let item = try #require(try await scene.outbox.items().first)
    try await scene.outbox.confirm(item, .happened(uid: 1))
    #expect(try await scene.pending().isEmpty)
    #expect(customer.uid == 1)
  }

  @MainActor @Test func `a verb makes an object that the server refused from the outbox`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 400)
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.send()
    let customer = try scene.store.main.known(id)
    try await Client.withClient(scene.client) { _ = try await customer.postPending() }
    #expect(customer.uid == 1)
    try await scene.outbox.send()
    #expect(scene.server.log == ["POST customers", "POST customers"])
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  /// Two orders of the server. The request of the first save, which is about order 7, is held at the gate.
  private func slowFirstSave() async throws -> (OutboxScene, StubGate) {
    let scene = try OutboxScene()
    for uid in [7, 8] { scene.server.set("orders", uid, ["number": "A", "note": "a", "total": 1]) }
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    let gate = StubGate()
    scene.server.hold("PATCH orders/7", at: gate)
    scene.outbox.start()
    try await scene.edit { try $0.order(7).note = "first" }
    await gate.arrival()
    return (scene, gate)
  }

  @Test func `two saves of one object reach the server in their order, while the first one is slow`() async throws {
    let (scene, gate) = try await slowFirstSave()
    try await scene.edit { context in
      try context.order(7).note = "second"
      try context.order(8).note = "other"
    }
    // There is room for other requests, and the second save is not among them.
    try await scene.outbox.settled { _ in scene.server.object("orders", 8)?["note"]?.string == "other" }
    try await scene.outbox.settled { $0.count == 2 && $0.sending == 1 }
    #expect(scene.server.log.count { $0 == "PATCH orders/7" } == 1)
    gate.open()
    try await scene.outbox.settled { $0.count == 0 }
    let bodies = zip(scene.server.log, scene.server.bodies).filter { $0.0 == "PATCH orders/7" }.map(\.1)
    #expect(bodies == [#"{"note":"first"}"#, #"{"note":"second"}"#])
    #expect(scene.server.object("orders", 7)?["note"]?.string == "second")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an object that comes back as another row has one request at a time`() async throws {
    let (scene, gate) = try await slowFirstSave()
    // The deletion is given up, and the next response brings the order back.
    try await scene.edit { try $0.delete($0.order(7)) }
    for change in try await scene.pending() { try await scene.store.pending.discard(change) }
    try await Client.withClient(scene.client) { _ = try await Order.get("7") }
    try await scene.edit { context in
      try context.order(7).note = "second"
      try context.order(8).note = "other"
    }
    // There is room for other requests, and the second one about the order is not among them.
    try await scene.outbox.settled { _ in scene.server.object("orders", 8)?["note"]?.string == "other" }
    try await scene.outbox.settled { $0.count <= 2 }
    #expect(await LiveOutbox(scene.outbox).sending == 1)
    #expect(scene.server.log.count { $0 == "PATCH orders/7" } == 1)
    gate.open()
    try await scene.outbox.settled { $0.count == 0 }
    let bodies = zip(scene.server.log, scene.server.bodies).filter { $0.0 == "PATCH orders/7" }.map(\.1)
    #expect(bodies == [#"{"note":"first"}"#, #"{"note":"second"}"#])
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.order(7).note } == "second")
  }

  @Test func `a store has one outbox, and an entity with one`() async throws {
    let scene = try OutboxScene()
    #expect(throws: RequestError.self) { try Outbox(scene.client) }
    let store = try EntityStore(.inMemory, entities: [Plain.self])
    let client = try Client(adapter: scene.server, store: store, baseURL: "https://api.example.com/")
    #expect(throws: RequestError.self) { try Outbox(client) }
  }
}

@Entity final class Plain {
  @UID var uid: Int
}
