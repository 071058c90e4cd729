import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// A change that the server fails at, and at no other one.
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
}
