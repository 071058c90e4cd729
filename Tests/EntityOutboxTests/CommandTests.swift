import EntityClient
import EntityStore
import EntityTesting
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

@Entity final class Cart: OutboxEntity {
  @UID @Key("id") var uid: Int
  var quantity: Int = 0
  var status: String?
  var note: String?

  static var basePath: String { "carts" }
  static var outbox: OutboxRules<Cart> {
    [
      .rest, .idempotencyKey(), .command(Checkout.self), .command(Cancel.self), .command(Nameless.self),
      .command(Wrap.self),
    ]
  }
}

/// A cart of a service with versions.
@Entity final class Hamper: OutboxEntity {
  @UID @Key("id") var uid: Int
  var quantity: Int = 0
  var likes: Int = 0
  var note: String?

  static var basePath: String { "hampers" }
  static var outbox: OutboxRules<Hamper> {
    [
      .rest, .ifMatch(.etag), .command(Ship.self), .command(Like.self),
      .merging(
        .byColumn(
          .merge(\Hamper.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
          .column(\Hamper.Columns.note, .fail), others: .mine)),
    ]
  }
}

struct Ship: OutboxCommand {
  static let name = "ship"

  func request(for hamper: Hamper) throws -> URLRequest { try Hamper.request(.post, "\(hamper.uid)/ship") }
}

struct Like: OutboxCommand {
  static let name = "like"

  func request(for hamper: Hamper) throws -> URLRequest { try Hamper.request(.post, "\(hamper.uid)/like") }

  func apply(to hamper: Hamper) { hamper.likes += 1 }
}

struct Checkout: OutboxCommand {
  static let name = "checkout"
  var by: String

  func request(for cart: Cart) throws -> URLRequest {
    var request = try Cart.request(.post, "\(cart.uid)/checkout")
    try request.setJSON(["by": by])
    return request
  }

  func apply(to cart: Cart) { cart.status = "ordered" }
}

struct Cancel: OutboxCommand {
  static let name = "cancel"

  func request(for cart: Cart) throws -> URLRequest { try Cart.request(.post, "\(cart.uid)/cancel") }

  func apply(to cart: Cart) { cart.status = "cancelled" }
}

struct Wrap: OutboxCommand {
  static let name = "wrap"

  func request(for cart: Cart) throws -> URLRequest { try Cart.request(.post, "\(cart.uid)/wrap") }

  func apply(to cart: Cart) { cart.note = "wrapped" }
}

struct Nameless: OutboxCommand {
  static let name = "nameless"

  func request(for cart: Cart) throws -> URLRequest {
    throw RequestError(.invalidRequest, "There is no request for it.")
  }
}

struct Undeclared: OutboxCommand {
  static let name = "undeclared"

  func request(for cart: Cart) throws -> URLRequest { try Cart.request(.post, "\(cart.uid)") }
}

@Suite struct CommandTests {
  private func scene() async throws -> (OutboxScene, EntityID<Cart>) {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    scene.server.set("carts", 1, ["quantity": 1, "status": "open"])
    let id = try await Client.withClient(scene.client) { try #require(try await Cart.get("1").ids.first) }
    return (scene, id)
  }

  @Test func `a command goes between the edits before and after it, with the values of its moment`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.edit { try $0.known(id).quantity = 1 }
    #expect(try await scene.edit { try $0.known(id).status } == "ordered")
    try await scene.outbox.send()
    #expect(
      scene.server.log == ["GET carts/1", "PATCH carts/1", "POST carts/1/checkout", "PATCH carts/1"])
    #expect(scene.server.bodies.dropFirst() == [#"{"quantity":5}"#, #"{"by":"Ada"}"#, #"{"quantity":1}"#])
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(id).status } == "paid")
    #expect(try await scene.edit { try $0.known(id).quantity } == 1)
  }

  @Test func `an object that is restored is made with all edits, and then has its commands`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.edit { try $0.known(id).quantity = 6 }
    try await scene.outbox.enqueue(Cancel(), on: id)
    scene.server.set("carts", 1, nil)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .gone)
    try await scene.outbox.restore(item)
    try await scene.outbox.send()
    let uid = try await scene.edit { try $0.known(id).uid }
    #expect(
      scene.server.log == [
        "GET carts/1", "PATCH carts/1", "POST carts", "POST carts/\(uid)/checkout", "POST carts/\(uid)/cancel",
      ])
    #expect(scene.server.object("carts", uid)?["quantity"]?.int == 6)
    #expect(try await scene.outbox.items().isEmpty)
    #expect(try await scene.pending().isEmpty)
  }

  @MainActor @Test func `an object waits while a command of it alone is left`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.outbox.settled { $0.count == 1 }
    #expect(try scene.store.main.known(id).sendState == .waiting)
    try await scene.outbox.send()
    try await scene.outbox.settled { $0.count == 0 }
    #expect(try scene.store.main.known(id).sendState == .sent)
  }

  @Test func `a command and the edits before it survive an offline time`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.edit { try $0.known(id).quantity = 1 }
    scene.server.setOffline(true)
    for _ in 0..<3 { try await scene.outbox.send() }
    scene.server.setOffline(false)
    scene.server.answer("PATCH carts/1", 503)
    scene.server.answer("POST carts/1/checkout", 429)
    scene.server.answer("POST carts/1/checkout", 204)
    for _ in 0..<3 { try await scene.outbox.send() }
    #expect(
      scene.server.log.dropFirst() == [
        "PATCH carts/1", "PATCH carts/1", "POST carts/1/checkout", "POST carts/1/checkout", "PATCH carts/1",
      ])
    #expect(scene.server.bodies[2] == #"{"quantity":5}"#)
    #expect(scene.server.bodies.last == #"{"quantity":1}"#)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a lost answer to a command with a key is sent again, byte for byte`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    for _ in 0..<2 { scene.server.answer("POST carts/1/checkout", 204) }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(31))
    try await scene.outbox.send()
    #expect(scene.server.log.filter { $0.hasPrefix("POST") }.count == 2)
    #expect(Set(scene.server.sentKeys.compactMap(\.self)).count == 1)
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(id).status } == "ordered")
  }

  @Test func `a refused command takes its effect back when it is dropped`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    scene.server.answer("POST carts/1/checkout", 400)
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.command == "checkout")
    #expect(try await scene.edit { try $0.known(id).status } == "ordered")
    // The effect is no edit.
    #expect(scene.server.log.filter { $0.hasPrefix("PATCH") }.isEmpty)
    try await scene.outbox.drop(item)
    #expect(try await scene.edit { try $0.known(id).status } == "open")
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `an edit that is given up leaves the effect of a command that waits`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).note = "bad" }
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    scene.server.answer("PATCH carts/1", 400)
    try await scene.outbox.send()
    try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    let shown = try await scene.edit { try ($0.known(id).note, $0.known(id).status) }
    #expect(shown == (nil, "ordered"))
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET carts/1", "PATCH carts/1", "POST carts/1/checkout"])
    #expect(try await scene.edit { try $0.known(id).status } == "paid")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit on top of an effect is an edit`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.edit { try $0.known(id).status = "mine" }
    scene.server.answer("POST carts/1/checkout", 204)
    try await scene.outbox.send()
    #expect(scene.server.bodies.last == #"{"status":"mine"}"#)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a command on a new object follows its create`() async throws {
    let (scene, _) = try await scene()
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 2 }.entityID }
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    scene.server.answer("POST carts/2/checkout", 204)
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["POST carts", "POST carts/2/checkout"])
    #expect(scene.server.bodies.suffix(2).first == #"{"quantity":2}"#)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a command that can't be sent ends with words, and nothing else stops`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Nameless(), on: id)
    await #expect(throws: RequestError.self) { try await scene.outbox.enqueue(Undeclared(), on: id) }
    try await scene.edit { _ = try $0.make(Cart.self) { $0.quantity = 2 } }
    try await scene.outbox.send()
    #expect(scene.server.log.last == "POST carts")
    #expect(try await scene.outbox.items().map(\.reason) == ["There is no request for it."])
  }

  @Test func `a command that no longer decodes ends with words`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.store.core.unit { rows in
      for var entry in try rows.outbox.all() {
        entry.kept = #"{"from":"another version"}"#
        try rows.outbox.update(entry)
      }
    }
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.reason?.contains("can't be read by this version") == true)
  }

  @Test func `a command that the app has no more ends with words, and nothing else stops`() async throws {
    let (scene, id) = try await scene()
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.store.core.unit { rows in
      for var entry in try rows.outbox.all() {
        entry.name = "retired"
        try rows.outbox.update(entry)
      }
    }
    try await scene.edit { _ = try $0.make(Cart.self) { $0.quantity = 2 } }
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET carts/1", "POST carts"])
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    #expect(
      item.reason == "This version of the app has no command 'retired' of 'Cart'. Declare it and retry, or drop it.")
    #expect(try #require(try await scene.outbox.plan().lines.first).reason.hasSuffix("; retry or drop it"))
    try await scene.outbox.drop(item)
    #expect(try await scene.edit { try $0.known(id).status } == "open")
    #expect(try await scene.outbox.plan().lines.isEmpty)
  }

  @Test func `edits go before a command, also where their version is yet to be read`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Hamper.self]))
    scene.server.state.withLock { $0.versions = ["hampers": .header] }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 1])
    // A list has no versions.
    let id = try await Client.withClient(scene.client) { try #require(try await Hamper.get().ids.first) }
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    let lines = try await scene.outbox.plan().lines.map { "\($0.method) \($0.path)" }
    #expect(lines == ["PATCH hampers/1", "POST hampers/1"])
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET hampers", "GET hampers/1", "PATCH hampers/1", "POST hampers/1/ship"])
    #expect(scene.server.bodies.filter { !$0.isEmpty } == [#"{"quantity":5}"#])
    #expect(scene.server.state.withLock(\.conditions)[2] == "\"1\"")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `edits before a command hold for the version, and are merged with another one`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Hamper.self]))
    scene.server.state.withLock { $0.versions = ["hampers": .header] }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 1])
    let id = try await Client.withClient(scene.client) { try #require(try await Hamper.get("1").ids.first) }
    try await scene.edit { try $0.known(id).likes = 3 }
    try await scene.outbox.enqueue(Ship(), on: id)
    scene.server.set("hampers", 1, ["likes": 11])
    try await scene.outbox.send()
    #expect(
      scene.server.log == [
        "GET hampers/1", "PATCH hampers/1", "GET hampers/1", "PATCH hampers/1", "POST hampers/1/ship",
      ])
    #expect(scene.server.object("hampers", 1)?["likes"]?.int == 13)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an addition before a command is merged when an earlier request meets another version`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Hamper.self]))
    scene.server.state.withLock { $0.versions = ["hampers": .header] }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 1])
    let id = try await Client.withClient(scene.client) { try #require(try await Hamper.get("1").ids.first) }
    try await scene.edit { try $0.known(id).quantity = 5 }
    scene.server.set("hampers", 1, ["likes": 11])
    let gate = StubGate()
    scene.server.hold("PATCH hampers/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.edit { try $0.known(id).likes = 3 }
    try await scene.outbox.enqueue(Ship(), on: id)
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    #expect(scene.server.object("hampers", 1)?["likes"]?.int == 13)
    #expect(scene.server.object("hampers", 1)?["quantity"]?.int == 5)
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `the plan has all properties of the request before a command`() async throws {
    let (scene, id) = try await scene()
    try await scene.edit { try $0.known(id).quantity = 5 }
    let gate = StubGate()
    scene.server.hold("PATCH carts/1", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    try await scene.edit { try $0.known(id).note = "x" }
    try await scene.outbox.enqueue(Checkout(by: "me"), on: id)
    scene.server.answer("PATCH carts/1", 503)
    gate.open()
    _ = try await pass
    #expect(try await scene.outbox.plan().lines.first?.properties == ["note", "quantity"])
    try await scene.outbox.send()
    #expect(scene.server.bodies.contains(#"{"note":"x","quantity":5}"#))
  }

  @Test func `a refused create that is tried again goes before the command`() async throws {
    let (scene, _) = try await scene()
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 5 }.entityID }
    scene.server.answer("POST carts", 400)
    try await scene.outbox.send()
    try await scene.outbox.enqueue(Checkout(by: "me"), on: id)
    // The effect of the command is an edit of an object that is not created yet, and has the create go again at once.
    scene.server.answer("POST carts", 400)
    for _ in 0..<2 {
      scene.server.answer("POST carts", 400)
      try await scene.outbox.send()
      #expect(scene.server.log.allSatisfy { ["GET carts/1", "POST carts"].contains($0) })
      try await scene.outbox.retry(#require(try await scene.outbox.items().first))
    }
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(2) == ["POST carts", "POST carts/2/checkout"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a command that comes while its object is created doubles nothing`() async throws {
    let (scene, _) = try await scene()
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 5 }.entityID }
    let gate = StubGate()
    scene.server.hold("POST carts", at: gate)
    async let pass = scene.outbox.send()
    await gate.arrival()
    for note in ["a", "b"] {
      try await scene.edit { try $0.known(id).note = note }
      try await scene.outbox.enqueue(Checkout(by: note), on: id)
    }
    gate.open()
    _ = try await pass
    try await scene.outbox.send()
    #expect(scene.server.count("carts") == 2)
    #expect(scene.server.log.count { $0 == "POST carts" } == 1)
    #expect(scene.server.log.count { $0 == "POST carts/2/checkout" } == 2)
    #expect(scene.server.object("carts", 2)?["note"]?.string == "b")
    #expect(try await scene.pending().isEmpty)
  }
}
