import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// A change that the server fails at, while it takes others.
@Suite struct PoisonTests {
  /// An update that has failed five times while other changes went.
  private func scene() async throws -> (OutboxScene, OutboxItem) {
    let scene = try OutboxScene()
    scene.server.set("orders", 7, ["number": "A-7", "note": "a", "total": 1])
    try await Client.withClient(scene.client) { _ = try await Order.get() }
    try await scene.edit { try $0.order(7).note = "poison" }
    for number in 0..<5 {
      scene.server.answer("PATCH orders/7", 500)
      #expect(try await scene.outbox.items().isEmpty)
      try await scene.outbox.send()
      try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "\(number)" } }
      try await scene.outbox.send()
      scene.clock.advance(by: .seconds(40))
    }
    #expect(scene.server.count("customers") == 5)
    return (scene, try #require(try await scene.outbox.items().first))
  }

  /// The uids of the orders that a query finds as refused.
  private func refused(_ scene: OutboxScene) async throws -> [Int] {
    try await scene.edit { try $0.fetch(Order.where { $0.isRefused }).map(\.uid) }
  }

  @Test func `a poisonous update is shown as refused, and tried once an hour`() async throws {
    let (scene, item) = try await scene()
    #expect(item.state == .refused)
    #expect(item.status == 500)
    #expect(item.next != nil)
    #expect(try await refused(scene) == [7])
    let tries = { scene.server.log.count { $0 == "PATCH orders/7" } }
    scene.clock.advance(by: .seconds(3_000))
    try await scene.outbox.send()
    #expect(tries() == 5)
    scene.clock.advance(by: .seconds(700))
    // The hour is over, and nothing was tried yet.
    #expect(try await refused(scene) == [7])
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
    try await scene.outbox.send()
    #expect(tries() == 6)
    #expect(try await refused(scene) == [])
    #expect(scene.server.object("orders", 7)?["note"]?.string == "poison")
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.items().isEmpty)
  }

  @Test func `an edit of a poisonous update is sent at once`() async throws {
    let (scene, _) = try await scene()
    try await scene.edit { try $0.order(7).note = "cure" }
    #expect(try await refused(scene) == [])
    #expect(try await scene.outbox.items().isEmpty)
    try await scene.outbox.send()
    #expect(scene.server.bodies.last == #"{"note":"cure"}"#)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a poisonous update that is dropped goes back to the server's value`() async throws {
    let (scene, item) = try await scene()
    try await scene.outbox.drop(item)
    #expect(try await scene.edit { try $0.order(7).note } == "a")
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  /// A create at which the server has failed five times while another change went: that of a payment with 500, which may have
  /// made it, and that of a customer, which has no key, with 503.
  private func create(
    _ path: String, _ server: ShopServer = ShopServer(), store: EntityStore? = nil
  ) async throws -> (OutboxScene, OutboxItem) {
    let scene = try OutboxScene(server, store: store)
    for _ in 0..<5 { server.answer("POST \(path)", path == "payments" ? 500 : 503) }
    try await scene.edit { context in
      if path == "payments" {
        _ = try context.make(Payment.self) { $0.amount = 5 }
      } else {
        _ = try context.make(Customer.self) { $0.name = "Ada" }
      }
    }
    try await scene.outbox.send()
    #expect(try await scene.outbox.items().isEmpty)
    try await scene.edit { _ = try $0.make(Order.self) { $0.number = "A-1" } }
    for _ in 0..<6 {
      try await scene.outbox.send()
      scene.clock.advance(by: .seconds(40))
    }
    #expect(tries(path, scene) == 5)
    let items = try await scene.outbox.items()
    #expect(items.count == 1)
    return (scene, try #require(items.first))
  }

  private func tries(_ path: String, _ scene: OutboxScene) -> Int { scene.server.log.count { $0 == "POST \(path)" } }

  /// The number of creates that a query finds as refused.
  private func refusedCreates(_ scene: OutboxScene) async throws -> Int {
    try await scene.edit { context in
      let payments = try context.count(Payment.where { $0.isRefused })
      return try payments + context.count(Customer.where { $0.isRefused })
    }
  }

  @Test(arguments: ["payments", "customers"])
  func `a poisonous create is shown as refused, and tried once an hour with its key`(_ path: String) async throws {
    let (scene, item) = try await create(path)
    let status = path == "payments" ? 500 : 503
    #expect(item.state == .refused && item.action == .create && item.status == status && item.next != nil)
    #expect(try await refusedCreates(scene) == 1)
    try await scene.outbox.settled { $0.refused.count == 1 }
    let reason = try #require(try await scene.outbox.plan().lines.first).reason
    #expect(reason.contains("refused \(status) by the server at ") && reason.contains(", tried again at "), "\(reason)")
    scene.clock.advance(by: .seconds(3_000))
    try await scene.outbox.send()
    #expect(tries(path, scene) == 5)
    scene.clock.advance(by: .seconds(700))
    // The hour is over, and nothing was tried yet.
    #expect(try await refusedCreates(scene) == 1)
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
    try await scene.outbox.send()
    #expect(tries(path, scene) == 6)
    #expect(try await refusedCreates(scene) == 0)
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.pending().isEmpty)
    #expect(scene.server.count(path) == 1)
    let sent = zip(scene.server.log, zip(scene.server.bodies, scene.server.sentKeys)).filter { $0.0 == "POST \(path)" }
    #expect(Set(sent.map(\.1.0)).count == 1)
    #expect(Set(sent.map(\.1.1)).count == 1)
    #expect(sent.allSatisfy { ($0.1.1 != nil) == (path == "payments") })
  }

  @Test(arguments: ["payments", "customers"])
  func `a poisonous create that is retried is sent at once`(_ path: String) async throws {
    let (scene, item) = try await create(path)
    try await scene.outbox.retry(item)
    #expect(try await refusedCreates(scene) == 0)
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.outbox.send().sent == 1)
    #expect(tries(path, scene) == 6)
    #expect(Set(zip(scene.server.log, scene.server.sentKeys).filter { $0.0 == "POST \(path)" }.map(\.1)).count == 1)
    #expect(try await scene.pending().isEmpty)
  }

  @Test(arguments: ["payments", "customers"])
  func `a poisonous create that is dropped ends`(_ path: String) async throws {
    let (scene, item) = try await create(path)
    try await scene.outbox.drop(item)
    #expect(try await scene.edit { try $0.count(Payment.all) + $0.count(Customer.all) } == 0)
    #expect(try await scene.outbox.plan().lines.isEmpty)
    scene.clock.advance(by: .seconds(4_000))
    try await scene.outbox.send()
    #expect(tries(path, scene) == 5)
  }

  @Test func `an edit of a poisonous create with a key waits for it, also in the next process`() async throws {
    let folder = try TestFolder()
    let server = ShopServer()
    let file = StoreLocation.file(folder.file("a.sqlite"))
    let (scene, _) = try await create("payments", server, store: EntityStore(file, entities: shopEntities))
    try await scene.edit { try #require(try $0.fetch(Payment.all).first).note = "later" }
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
    await scene.outbox.stop()
    let later = try OutboxScene(server, store: EntityStore(file, entities: shopEntities))
    #expect(try await later.outbox.items().map(\.state) == [.refused])
    #expect(try await refusedCreates(later) == 1)
    let lines = try await later.outbox.plan().lines
    #expect(lines.map(\.method) == ["POST", "PATCH"])
    #expect(lines.last?.reason == "waits for payments (row \(lines[0].id.pk)), which was refused")
    later.clock.advance(by: .seconds(4_000))
    try await later.outbox.send()
    #expect(server.log.suffix(2) == ["POST payments", "PATCH payments/2"])
    #expect(server.object("payments", 2)?["note"]?.string == "later")
    #expect(try await later.pending().isEmpty)
    withExtendedLifetime(folder) {}
  }
}
