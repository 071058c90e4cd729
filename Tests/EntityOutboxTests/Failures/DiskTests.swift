import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// A full disk.
@Suite struct DiskTests {
  private func scene(_ folder: TestFolder, _ disk: TestDisk) throws -> OutboxScene {
    try OutboxScene(
      store: EntityStore(.file(folder.file("a.sqlite"), vfs: disk.name), entities: shopEntities))
  }

  @Test func `a full disk pauses the outbox, and nothing is sent without a claim`() async throws {
    let (folder, disk) = (try TestFolder(), try TestDisk())
    let scene = try scene(folder, disk)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    disk.setFull(true)
    for _ in 0..<3 {
      guard case .store = try await scene.outbox.send().pause else {
        Issue.record("no pause")
        return
      }
    }
    #expect(try await scene.plan().contains("paused: the store failed"))
    #expect(scene.server.log.isEmpty)
    disk.setFull(false)
    scene.clock.advance(by: .seconds(11))
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.log == ["POST customers"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a started outbox goes on by itself once there is room`() async throws {
    let (folder, disk) = (try TestFolder(), try TestDisk())
    let scene = try scene(folder, disk)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    disk.setFull(true)
    scene.outbox.start()
    try await scene.outbox.settled { if case .store = $0.pause { true } else { false } }
    disk.setFull(false)
    scene.clock.advance(by: .seconds(11))
    try await scene.outbox.settled { $0.count == 0 }
    #expect(scene.server.log == ["POST customers"])
  }

  @Test func `an answer that the full disk can't take in is unknown, and doubles nothing`() async throws {
    let (folder, disk) = (try TestFolder(), try TestDisk())
    let scene = try scene(folder, disk)
    let gate = StubGate()
    scene.server.hold("POST payments", at: gate)
    scene.server.hold("POST customers", at: gate)
    try await scene.edit { context in
      _ = try context.make(Payment.self) { $0.amount = 5 }
      _ = try context.make(Customer.self) { $0.name = "Ada" }
    }
    async let pass = scene.outbox.send()
    await gate.arrival(2)
    disk.setFull(true)
    gate.open()
    _ = try await pass
    disk.setFull(false)
    scene.clock.advance(by: .seconds(60))
    try await scene.outbox.send()
    #expect(scene.server.log.sorted() == ["POST customers", "POST payments", "POST payments"])
    #expect(Set(scene.server.sentKeys.compactMap(\.self)).count == 1)
    #expect(scene.server.count("payments") == 1)
    // Nothing tells of the customer but a person.
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.unknown])
    try await scene.outbox.confirm(try #require(items.first), .happened(uid: 1))
  }
}
