import EntityClient
import EntityTesting
import Synchronization
import Testing

@testable import EntityOutbox

/// The plan of an outbox, as a person reads it.
@Suite struct PlanTextTests {
  @Test func `the part about an object has all that it waits for, by several steps`() async throws {
    let scene = try OutboxScene()
    let item = try await scene.edit { context in
      let customer = try context.make(Customer.self) { $0.name = "Ada" }
      let order = try context.make(Order.self) {
        $0.number = "A-1"
        $0.customer = customer
      }
      _ = try context.make(Payment.self) { $0.amount = 5 }
      return try context.make(Item.self) {
        $0.text = "pen"
        $0.order = order
      }.entityID
    }
    #expect(
      try await scene.outbox.explain(item).description == """
        not started: call start() or send()
        1  POST  customers  name                  ready
        2  POST  orders     number, customer ‹1›  after 1
        3  POST  items      text, order ‹2›       after 2
        """)
    #expect(try await scene.outbox.plan().lines.count == 4)
    #expect(scene.server.log.isEmpty)
  }

  @Test func `a line says which version its request holds for`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: libraryEntities))
    scene.server.state.withLock { $0.versions = ["chapters": .header, "verses": .attribute, "stories": .body] }
    scene.server.set("chapters", 1, ["title": "a"])
    scene.server.set("chapters", 2, ["title": "b"])
    scene.server.set("chapters", 2, ["title": "c"])
    for uid in [1, 2] { scene.server.set("verses", uid, ["text": "a"]) }
    scene.server.set("stories", 1, ["text": "a"])
    let (known, listed, verses, story) = try await Client.withClient(scene.client) {
      let known = try #require(try await Chapter.get("2").ids.first)
      // A list has no versions.
      let listed = try #require(try await Chapter.get().ids.first { $0 != known })
      return (known, listed, try await Verse.get().ids, try #require(try await Story.get("1").ids.first))
    }
    try await scene.edit { try $0.known(known).note = "x" }
    try await scene.edit { try $0.known(listed).note = "x" }
    try await scene.edit { try $0.known(verses[0]).mood = "x" }
    try await scene.edit { try $0.delete($0.known(verses[1])) }
    try await scene.edit { try $0.known(story).mood = "x" }
    #expect(
      try await scene.plan() == """
        not started: call start() or send()
        1  PATCH   chapters/2  note  If-Match "2"
        2  PATCH   chapters/1  note  ready
        3  PATCH   verses/1    mood  If-Match "1"
        4  DELETE  verses/2          If-Match "1"
        5  PATCH   stories/1   mood  waits until another request ends
        """)
    #expect(try await scene.outbox.explain(known).lines.map(\.reason) == [#"If-Match "2""#])
  }

  @Test func `a plan says whether the outbox was started`() async throws {
    let scene = try OutboxScene()
    scene.server.setOffline(true)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    #expect(try await scene.outbox.plan().isSending == false)
    scene.outbox.start()
    try await scene.outbox.settled { $0.pause != nil }
    let started = try await scene.plan()
    #expect(started.hasPrefix("paused: offline, next try in "), "\(started)")
    await scene.outbox.stop()
    let stopped = try await scene.plan()
    #expect(
      stopped == """
        not started: call start() or send()
        paused: offline, 1 failure
        1  POST  customers  name  ready
        """)
  }

  @Test func `a request that may have arrived keeps its version in the plan`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: libraryEntities))
    scene.server.state.withLock { $0.versions = ["chapters": .header] }
    scene.server.set("chapters", 1, ["title": "a"])
    let id = try await Client.withClient(scene.client) { try #require(try await Chapter.get("1").ids.first) }
    try await scene.edit { try $0.known(id).title = "mine" }
    scene.server.answer("PATCH chapters/1", 500)
    try await scene.outbox.send()
    scene.server.set("chapters", 1, ["title": "theirs"])
    _ = try await Client.withClient(scene.client) { try await Chapter.get("1") }
    scene.clock.advance(by: .seconds(31))
    #expect(
      try await scene.outbox.plan().lines.map(\.reason) == [#"If-Match "1"; sent again, because the answer was lost"#])
  }
}
