import EntityClient
import EntityTesting
import Testing

@testable import EntityOutbox

/// Queries by the state of an object's changes.
@MainActor @Suite struct OutboxConditionTests {
  private func load<E: OutboxEntity>(_ type: E.Type, _ scene: OutboxScene) async throws -> [E] {
    let ids = try await Client.withClient(scene.client) { try await E.get().ids }
    return try ids.compactMap { try scene.store.main.object($0) }
  }

  /// The uids of the orders whose state is refused.
  private func refused(_ orders: [Order], _ scene: OutboxScene) async throws -> [Int] {
    let items = Set(try await scene.outbox.items().filter { $0.state == .refused }.map(\.object.pk))
    return orders.filter { items.contains($0.entityID.pk) }.map(\.uid).sorted()
  }

  @Test func `a query finds what the outbox calls refused, and a live query follows`() async throws {
    let scene = try OutboxScene()
    for uid in 1...3 { scene.server.set("orders", uid, ["number": JSONValue("A-\(uid)"), "total": 1]) }
    let orders = try await load(Order.self, scene).sorted { $0.uid < $1.uid }
    let live = LiveQuery(Order.where { $0.isRefused }.sorted(by: \.uid), in: scene.store)
    #expect(live.objects.isEmpty)
    for order in orders { order.note = "mine" }
    try await scene.store.main.save()
    scene.server.answer("PATCH orders/1", 400)
    scene.server.answer("PATCH orders/2", 400)
    try await scene.outbox.send()
    #expect(live.objects.map(\.uid) == [1, 2])
    #expect(try await refused(orders, scene) == [1, 2])
    #expect(try scene.store.main.fetch(Order.where { !$0.isRefused }).map(\.uid) == [3])
    // The edit is the answer of a person, whether it was sent or not.
    orders[0].note = "again"
    try await scene.store.main.save()
    #expect(live.objects.map(\.uid) == [2])
    #expect(try await refused(orders, scene) == [2])
    try await scene.outbox.send()
    #expect(live.objects.map(\.uid) == [2])
    let item = try #require(try await scene.outbox.items().first)
    try await scene.outbox.drop(item)
    #expect(live.objects.isEmpty)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a change that is tried again by itself is not refused yet`() async throws {
    let scene = try OutboxScene()
    scene.server.set("orders", 1, ["number": "A-1", "total": 1])
    let orders = try await load(Order.self, scene)
    let live = LiveQuery(Order.where { $0.isRefused }, in: scene.store)
    orders[0].note = "mine"
    try await scene.store.main.save()
    // A unique value may change hands: the outbox tries once more, a second later.
    scene.server.answer("PATCH orders/1", 422)
    scene.server.answer("PATCH orders/1", 422)
    try await scene.outbox.send()
    #expect(live.objects.isEmpty)
    #expect(try await refused(orders, scene) == [])
    scene.clock.advance(by: .seconds(2))
    try await scene.outbox.send()
    #expect(live.objects.map(\.uid) == [1])
    #expect(try await refused(orders, scene) == [1])
  }

  @Test func `a refused command keeps its object refused whatever is edited`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    scene.server.set("carts", 1, ["quantity": 1])
    let cart = try #require(try await load(Cart.self, scene).first)
    let live = LiveQuery(Cart.where { $0.isRefused }, in: scene.store)
    try await scene.outbox.enqueue(Nameless(), on: cart.entityID)
    try await scene.outbox.send()
    #expect(live.objects.map(\.uid) == [1])
    cart.quantity = 3
    try await scene.store.main.save()
    #expect(live.objects.map(\.uid) == [1])
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.refused])
  }

  @Test func `an edit that a later request carries answers no refusal`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    scene.server.set("carts", 1, ["quantity": 1])
    let cart = try #require(try await load(Cart.self, scene).first)
    let live = LiveQuery(Cart.where { $0.isRefused }, in: scene.store)
    cart.note = "bad"
    try await scene.store.main.save()
    try await scene.outbox.enqueue(Cancel(), on: cart.entityID)
    cart.quantity = 3
    try await scene.store.main.save()
    try await scene.outbox.enqueue(Cancel(), on: cart.entityID)
    scene.server.answer("PATCH carts/1", 400)
    try await scene.outbox.send()
    #expect(try await scene.outbox.items().map(\.state) == [.refused])
    #expect(live.objects.map(\.uid) == [1])
    cart.note = "good"
    try await scene.store.main.save()
    #expect(live.objects.isEmpty)
  }

  @Test func `conflicts and gone objects have conditions, too`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: libraryEntities))
    scene.server.set("chapters", 1, ["title": "a", "note": "base"])
    scene.server.set("chapters", 2, ["title": "b", "note": "base"])
    let chapters = try await load(Chapter.self, scene).sorted { $0.uid < $1.uid }
    let conflicts = LiveQuery(Chapter.where { $0.isInConflict }, in: scene.store)
    let gone = LiveQuery(Chapter.where { $0.isGone }, in: scene.store)
    for chapter in chapters { chapter.note = "mine" }
    try await scene.store.main.save()
    scene.server.set("chapters", 1, ["note": "theirs"])
    scene.server.set("chapters", 2, nil)
    _ = try await Client.withClient(scene.client) { try await Chapter.get("1") }
    try await scene.outbox.send()
    #expect(conflicts.objects.map(\.uid) == [1])
    #expect(gone.objects.map(\.uid) == [2])
    #expect(try scene.store.main.count(Chapter.where { $0.isRefused || $0.isInConflict || $0.isGone }) == 2)
    chapters[0].note = "ours"
    try await scene.store.main.save()
    #expect(conflicts.objects.isEmpty)
    let item = try #require(try await scene.outbox.items().first { $0.state == .gone })
    try await scene.outbox.restore(item)
    #expect(gone.objects.isEmpty)
  }
}
