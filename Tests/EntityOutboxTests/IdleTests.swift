import EntityClient
import EntityTesting
import Observation
import Synchronization
import Testing

@testable import EntityOutbox

/// A clock that counts how often it is looked at.
private final class CountingClock: Clock, Sendable {
  let base = VirtualClock()
  let looks = Mutex(0)

  var now: VirtualClock.Instant {
    looks.withLock { $0 += 1 }
    return base.now
  }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

/// An outbox with nothing to send, in an app that reads.
@MainActor @Suite struct IdleTests {
  /// Responses with other values of an order, each in a commit of its own.
  private func read(_ client: Client) async throws {
    for number in 1...40 {
      _ = try await Client.withClient(client) {
        try await Order.upsert(from: [["id": 7, "number": JSONValue("A-\(number)"), "total": 1]])
      }
    }
  }

  /// Lets the work that hangs on the main actor and on others go on.
  private func pause() async throws { try await Task.sleep(for: .milliseconds(50)) }

  @Test func `views of the outbox hear of no commit that changes nothing of it`() async throws {
    let scene = try OutboxScene()
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await scene.outbox.send()
    try await pause()
    let live = LiveOutbox(scene.outbox)
    let news = Mutex(0)
    withObservationTracking {
      _ = live.count
    } onChange: {
      news.withLock { $0 += 1 }
    }
    try await read(scene.client)
    // A pass makes a plan of its own.
    try await scene.outbox.send()
    try await pause()
    #expect(news.withLock(\.self) == 0)
    try await scene.edit { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    try await scene.outbox.settled { $0.count == 1 }
    #expect(news.withLock(\.self) == 1)
  }

  @Test func `no plan is made while nothing is pending`() async throws {
    let store = try EntityStore(.inMemory, entities: shopEntities)
    let server = ShopServer()
    let client = try Client(adapter: server, store: store, baseURL: "https://api.example.com/")
    let clock = CountingClock()
    let outbox = try Outbox(client, time: OutboxTime(clock))
    try await store.background { _ = try $0.make(Customer.self) { $0.name = "Ada" } }
    try await outbox.send()
    try await pause()
    // A plan needs the time.
    let looks = clock.looks.withLock(\.self)
    try await read(client)
    try await pause()
    #expect(clock.looks.withLock(\.self) == looks)
    try await store.background { _ = try $0.make(Customer.self) { $0.name = "Bea" } }
    try await outbox.settled { $0.count == 1 }
    try await outbox.send()
    #expect(server.count("customers") == 2)
  }

  @Test func `no plan is made for a commit of another process while nothing is pending`() async throws {
    let folder = try TestFolder()
    func open() throws -> EntityStore { try EntityStore(.file(folder.file("a.sqlite")), entities: shopEntities) }
    let (store, other) = (try open(), try open())
    let clock = CountingClock()
    let client = try Client(adapter: ShopServer(), store: store, baseURL: "https://api.example.com/")
    let outbox = try Outbox(client, time: OutboxTime(clock))
    try await outbox.send()
    try await pause()
    let looks = clock.looks.withLock(\.self)
    try await other.background(as: .server) { _ = try $0.upsert(Customer.self, uid: 1) }
    let generation = try await other.read { $0.generation }
    while await outbox.engine.covered != generation { try await pause() }
    #expect(clock.looks.withLock(\.self) == looks)
    try await other.background { try $0.upsert(Customer.self, uid: 1).name = "Ada" }
    try await outbox.settled { $0.count == 1 }
  }

  @Test func `an outbox hears of the first change where nobody else follows the commits`() async throws {
    let scene = try OutboxScene()
    try await read(scene.client)
    scene.outbox.start()
    let id = try await scene.edit { try $0.make(Customer.self) { $0.name = "Ada" }.entityID }
    try await scene.outbox.settled { $0.count == 0 && scene.server.log == ["POST customers"] }
    try await read(scene.client)
    try await scene.edit { try $0.known(id).name = "Bea" }
    try await scene.outbox.settled { $0.count == 0 && scene.server.log.count == 2 }
    #expect(scene.server.log == ["POST customers", "PATCH customers/1"])
  }
}
