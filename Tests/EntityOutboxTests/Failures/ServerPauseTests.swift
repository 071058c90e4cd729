import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

@testable import EntityOutbox

/// Failures that concern the whole outbox: it pauses.
@Suite struct ServerPauseTests {
  @Test func `refused credentials pause the outbox until it is started again`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 401)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    #expect(try await scene.outbox.send().pause == .unauthorized)
    #expect(try await scene.pending().count == 1)
    #expect(try await scene.outbox.send().sent == 1)
    #expect(scene.server.count("customers") == 1)
  }

  @Test func `credentials are in no file, and those of the day go with each try`() async throws {
    let folder = try TestFolder()
    let server = ShopServer()
    func scene(_ token: String) throws -> (store: EntityStore, clock: VirtualClock, outbox: Outbox) {
      let store = try EntityStore(.file(folder.file("a.sqlite")), entities: shopEntities)
      let client = try Client(
        adapter: server, store: store, baseURL: "https://api.example.com/", headers: ["Authorization": token])
      let clock = VirtualClock()
      return (store, clock, try Outbox(client, time: OutboxTime(clock)))
    }
    func files() throws -> [Data] {
      try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil)
        .filter { !$0.hasDirectoryPath }.map { try Data(contentsOf: $0) }
    }
    let first = try scene("Bearer first-token")
    try await first.store.background { _ = try $0.make(Payment.self) { $0.amount = 5 } }
    server.loseAnswers(1)
    try await first.outbox.send()
    // The entry has the request, and not the token.
    #expect(try files().contains { $0.range(of: Data("example.com".utf8)) != nil })
    #expect(try files().allSatisfy { $0.range(of: Data("first-token".utf8)) == nil })
    await first.outbox.stop()
    let second = try scene("Bearer second-token")
    second.clock.advance(by: .seconds(60))
    #expect(try await second.outbox.send().sent == 1)
    #expect(server.log == ["POST payments", "POST payments"])
    #expect(server.state.withLock(\.credentials) == ["Bearer first-token", "Bearer second-token"])
    #expect(try files().allSatisfy { $0.range(of: Data("-token".utf8)) == nil })
  }

  @Test func `the server's wait is a pause, and the next try comes after it`() async throws {
    // The clock of the scene stands still from here on.
    let began = Date().timeIntervalSince1970
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 429, headers: ["Retry-After": "100"])
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    guard case .busy(let until) = try await scene.outbox.send().pause else {
      Issue.record("no pause")
      return
    }
    #expect(until - began >= 100)
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
}
