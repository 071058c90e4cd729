import EntityClient
import EntityTesting
import Foundation
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

  @Test func `the server's wait is a pause, and the next try comes after it`() async throws {
    let scene = try OutboxScene()
    scene.server.answer("POST customers", 429, headers: ["Retry-After": "100"])
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    let began = Date().timeIntervalSince1970
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
