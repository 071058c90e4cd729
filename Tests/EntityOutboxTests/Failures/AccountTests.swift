import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox

/// Changes of another account, and of a copy.
@Suite struct AccountTests {
  @Test func `the changes of another account are not sent`() async throws {
    let account = Mutex("ada")
    let scene = try OutboxScene(identity: { account.withLock(\.self) })
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    account.withLock { $0 = "bea" }
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    #expect(try await scene.outbox.send().pause == .otherAccount)
    #expect(
      try await scene.outbox.plan().pause
        == "the file's changes belong to another account; sign in as that account, or call adopt()")
    #expect(scene.server.count("customers") == 1)
    try await scene.outbox.adopt()
    try await scene.outbox.send()
    #expect(scene.server.count("customers") == 2)
  }

  @Test func `an object is not asked for with the credentials of another account`() async throws {
    let account = Mutex("ada")
    let scene = try OutboxScene(
      store: EntityStore(.inMemory, entities: [Hamper.self]), identity: { account.withLock(\.self) })
    scene.server.state.withLock { $0.versions["hampers"] = .header }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 0])
    let id = try await Client.withClient(scene.client) { try #require(try await Hamper.get().ids.first) }
    try await scene.edit { try $0.known(id).quantity = 5 }
    let gate = StubGate()
    scene.server.answer("PATCH hampers/1", 412)
    scene.server.hold("PATCH hampers/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    account.withLock { $0 = "bea" }
    gate.open()
    #expect(try await pass.pause == .otherAccount)
    #expect(scene.server.log == ["GET hampers", "GET hampers/1", "PATCH hampers/1"])
    account.withLock { $0 = "ada" }
    try await scene.outbox.send()
    #expect(scene.server.object("hampers", 1)?["quantity"]?.int == 5)
    #expect(try await scene.pending().isEmpty)
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
    let pause = try await other.outbox.plan().pause
    #expect(pause?.hasSuffix("; call adopt() where that one sends nothing any more") == true)
    #expect(server.count("customers") == 1)
    try await other.outbox.adopt()
    try await other.outbox.send()
    #expect(server.count("customers") == 2)
  }
}
