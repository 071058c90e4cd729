import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// How failures add up to a pause.
@Suite struct PauseTests {
  private func customers(_ count: Int, _ scene: OutboxScene) async throws {
    try await scene.edit { context in
      for number in 1...count { _ = try context.make(Customer.self) { $0.name = "\(number)" } }
    }
  }

  @Test func `requests that were under way together are one failure`() async throws {
    let scene = try OutboxScene()
    try await customers(8, scene)
    scene.server.setOffline(true)
    try await scene.outbox.send()
    let plan = try await scene.plan()
    #expect(plan.contains("paused: offline, 1 failure\n"), "\(plan)")
  }

  @Test func `each try after a pause is one more failure, however many requests it has`() async throws {
    let scene = try OutboxScene()
    try await customers(8, scene)
    scene.server.setOffline(true)
    scene.outbox.start()
    try await scene.outbox.settled { $0.pause != nil }
    for failures in 2...4 {
      guard case .offline(let until) = await LiveOutbox(scene.outbox).pause else {
        Issue.record("The outbox does not pause.")
        return
      }
      scene.clock.advance(by: .seconds(301))
      try await scene.outbox.settled { $0.pause.map { $0 != .offline(until: until) } ?? false }
      let plan = try await scene.plan()
      #expect(plan.contains(", \(failures) failures)"), "\(plan)")
    }
  }

  @Test func `a pause counts the failures that began after it`() {
    var pause = OutboxPausing()
    #expect(pause.counts(1, now: 0))
    // Four requests have begun; the first of them fails.
    pause.goOffline(until: 5, last: 4)
    #expect((1...4).allSatisfy { !pause.counts($0, now: 100) })
    // A read that began in place of a request ends while the pause lasts.
    #expect(!pause.counts(5, now: 4))
    #expect(pause.counts(5, now: 5))
    pause.goBusy(until: 9, last: 5)
    #expect(pause.failures == 2)
    // An answer to an earlier request asks for a longer wait, and for a shorter one.
    pause.prolong(until: 20)
    pause.prolong(until: 10)
    #expect(pause.until == 20)
    #expect(pause.failures == 2)
    // The end of a pause forgets both.
    pause.end()
    #expect(pause.counts(1, now: 6))
    #expect(pause.failures == 0)
    // A failure of the connection does not end the wait for new credentials.
    pause.begin(.unauthorized, until: .infinity)
    #expect(!pause.counts(6, now: 100))
  }
}
