import EntityClient
import EntityStore
import EntityTesting
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

/// An object whose uid is made here.
@Entity final class Crate: OutboxEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "crates" }
  static var outbox: OutboxRules<Crate> { [.creating(.put)] }
}

@Entity final class Wagon: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var crate: Crate?

  static var basePath: String { "wagons" }
  static var outbox: OutboxRules<Wagon> { [.rest, .command(Pull.self)] }
}

struct Pull: OutboxCommand {
  static let name = "pull"

  func request(for wagon: Wagon) throws -> URLRequest { try Wagon.request(.post, "\(wagon.uid)/pull") }
}

/// The place of edits and effects before, beside and after the commands of their object.
@Suite struct CommandPlaceTests {
  /// A hamper from a list, which has no ETag of it: the hamper is read before the first request about it.
  private func hamper() async throws -> (OutboxScene, EntityID<Hamper>) {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Hamper.self]))
    scene.server.state.withLock { $0.versions["hampers"] = .header }
    scene.server.set("hampers", 1, ["quantity": 1, "likes": 0])
    let id = try await Client.withClient(scene.client) { try #require(try await Hamper.get().ids.first) }
    return (scene, id)
  }

  @Test func `an edit before a command is kept aside where the server has the object no more`() async throws {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    scene.server.set("hampers", 1, nil)
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET hampers", "GET hampers/1"])
    let items = try await scene.outbox.items()
    #expect(items.map(\.state) == [.gone])
    try await scene.outbox.drop(#require(items.first))
    #expect(try await scene.pending().isEmpty)
  }

  /// An object that was made here has one number for all its edits, which the command's effect raises.
  @Test func `edits of an object whose create was lost are edits, and no effects of a later command`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 2 }.entityID }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    try await scene.edit { try ($0.known(id).quantity, $0.known(id).note) = (5, "soon") }
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    scene.clock.advance(by: .seconds(31))
    scene.server.answer("POST carts/1/checkout", 400)
    try await scene.outbox.send()
    #expect(scene.server.log.suffix(4) == ["POST carts", "POST carts", "PATCH carts/1", "POST carts/1/checkout"])
    #expect(scene.server.bodies.suffix(2).first == #"{"note":"soon","quantity":5}"#)
    // The command takes no edit back.
    try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    let shown = try await scene.edit { try ($0.known(id).quantity, $0.known(id).note) }
    #expect(shown == (5, "soon"))
    #expect(try await scene.pending().isEmpty)
  }

  /// No response has the property, so that nothing tells the server's value.
  @Test(arguments: [false, true])
  func `the effect on an object that was made here goes when its command is dropped`(_ isLost: Bool) async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 2 }.entityID }
    if isLost {
      scene.server.loseAnswers(1)
      try await scene.outbox.send()
      scene.clock.advance(by: .seconds(31))
    }
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    scene.server.answer("POST carts/1/checkout", 400)
    try await scene.outbox.send()
    #expect(try await scene.edit { try $0.known(id).status } == "ordered")
    try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    #expect(try await scene.edit { try $0.known(id).status } == nil)
    #expect(try await scene.edit { try $0.known(id).quantity } == 2)
    #expect(try await scene.pending().isEmpty)
  }

  /// The moment at which the create goes: its answer is lost before the commands, or it goes between or after them.
  enum CreateMoment: CaseIterable { case before, between, after }

  /// A new cart, and a command of it. The answer to a create from before the command is lost.
  private func sceneWithCheckout(_ moment: CreateMoment) async throws -> (OutboxScene, EntityID<Cart>) {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 2 }.entityID }
    if moment == .before {
      scene.server.loseAnswers(1)
      try await scene.outbox.send()
      scene.clock.advance(by: .seconds(31))
    }
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    return (scene, id)
  }

  @Test(arguments: [false, true], CreateMoment.allCases)
  func `a command that followed another one leaves what the server has when it is dropped`(
    _ isFirstTaken: Bool, _ moment: CreateMoment
  ) async throws {
    let (scene, id) = try await sceneWithCheckout(moment)
    scene.server.answer("POST carts/1/checkout", isFirstTaken ? 204 : 400)
    if moment == .between { try await scene.outbox.send() }
    try await scene.outbox.enqueue(Cancel(), on: id)
    scene.server.answer("POST carts/1/cancel", 400)
    for _ in 0..<(isFirstTaken ? 1 : 2) {
      try await scene.outbox.send()
      #expect(try await scene.edit { try $0.known(id).status } == "cancelled")
      try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    }
    #expect(scene.server.log.suffix(3) == ["POST carts", "POST carts/1/checkout", "POST carts/1/cancel"])
    // A create that goes after both commands has the effect of the first one.
    let isOrdered = isFirstTaken || moment == .after
    #expect(
      try await scene.edit { try $0.known(id).status } == (isOrdered ? "ordered" : nil), "\(isFirstTaken) \(moment)")
    #expect(try await scene.edit { try $0.known(id).quantity } == 2)
    #expect(try await scene.pending().isEmpty)
  }

  @Test(arguments: CreateMoment.allCases)
  func `two commands leave what the server has when they are dropped, the later one first`(
    _ moment: CreateMoment
  ) async throws {
    let (scene, id) = try await sceneWithCheckout(moment)
    scene.server.answer("POST carts/1/checkout", 400)
    if moment == .between { try await scene.outbox.send() }
    try await scene.outbox.enqueue(Cancel(), on: id)
    try await scene.outbox.send()
    // The outbox has one held command of an object, unless an archive brings two.
    try await scene.store.core.unit { rows in
      for var entry in try rows.outbox.all() {
        entry.state = .refused
        try rows.outbox.update(entry)
      }
    }
    let items = try await scene.outbox.items()
    #expect(items.map(\.command) == ["checkout", "cancel"])
    for item in items.reversed() { try await scene.outbox.drop(item) }
    // A create that goes after both commands has the effect of the first one.
    #expect(try await scene.edit { try $0.known(id).status } == (moment == .after ? "ordered" : nil), "\(moment)")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `two commands on an object whose create was lost keep their own effects`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    let id = try await scene.edit { try $0.make(Cart.self) { $0.quantity = 2 }.entityID }
    scene.server.loseAnswers(1)
    try await scene.outbox.send()
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    try await scene.outbox.enqueue(Wrap(), on: id)
    scene.clock.advance(by: .seconds(31))
    scene.server.answer("POST carts/1/checkout", 400)
    scene.server.answer("POST carts/1/wrap", 204)
    try await scene.outbox.send()
    // No effect is sent as an edit.
    #expect(scene.server.log == ["POST carts", "POST carts", "POST carts/1/checkout"])
    try await scene.outbox.drop(#require(try await scene.outbox.items().first))
    try await scene.outbox.send()
    #expect(scene.server.log.dropFirst(3) == ["POST carts/1/wrap"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `edits between two commands go between them, with the values of their moments`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    scene.server.set("carts", 1, ["quantity": 1, "status": "open"])
    let id = try await Client.withClient(scene.client) { try #require(try await Cart.get("1").ids.first) }
    for (quantity, name) in [(5, "Ada"), (7, "Bea")] {
      try await scene.edit { try $0.known(id).quantity = quantity }
      try await scene.outbox.enqueue(Checkout(by: name), on: id)
    }
    try await scene.edit { try $0.known(id).quantity = 9 }
    try await scene.outbox.send()
    #expect(
      scene.server.bodies.dropFirst() == [
        #"{"quantity":5}"#, #"{"by":"Ada"}"#, #"{"quantity":7}"#, #"{"by":"Bea"}"#, #"{"quantity":9}"#,
      ])
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(id).quantity } == 9)
  }

  /// A read may see later commits than the news that it follows.
  @Test func `edits before commands keep their places while the outbox reads`() async throws {
    let folder = try TestFolder()
    let scene = try OutboxScene(store: EntityStore(.file(folder.file("a.sqlite")), entities: [Cart.self]))
    for uid in 1...100 { scene.server.set("carts", uid, ["quantity": 1, "status": "open"]) }
    let ids = try await Client.withClient(scene.client) { try await Cart.get().ids }
    let bell = await scene.outbox.engine.bell
    let rings = Task {
      while !Task.isCancelled {
        await Task.yield()
        bell.ring()
      }
    }
    for id in ids.dropFirst() {
      try await scene.edit { try $0.known(ids[0]).quantity += 1 }
      try await scene.edit { try $0.known(id).quantity = 5 }
      try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    }
    rings.cancel()
    try await scene.outbox.send()
    for id in ids.dropFirst() {
      let uid = try await scene.edit { try $0.known(id).uid }
      let log = scene.server.log.filter { $0.hasSuffix("carts/\(uid)") || $0.contains("carts/\(uid)/") }
      #expect(log == ["PATCH carts/\(uid)", "POST carts/\(uid)/checkout"])
    }
  }

  @Test func `a request between two commands has nothing of the request before the first one`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Cart.self]))
    scene.server.set("carts", 1, ["quantity": 1, "status": "open"])
    let id = try await Client.withClient(scene.client) { try #require(try await Cart.get("1").ids.first) }
    try await scene.edit { try $0.known(id).note = "bad" }
    try await scene.outbox.enqueue(Checkout(by: "Ada"), on: id)
    try await scene.edit { try $0.known(id).quantity = 7 }
    try await scene.outbox.enqueue(Checkout(by: "Bea"), on: id)
    scene.server.answer("PATCH carts/1", 422)
    scene.server.answer("PATCH carts/1", 422)
    try await scene.outbox.send()
    scene.clock.advance(by: .seconds(2))
    try await scene.outbox.send()
    let refused = try await scene.outbox.items()
    #expect(refused.first?.state == .refused)
    let before = scene.server.bodies.count
    try await scene.edit { try $0.known(id).note = "good" }
    try await scene.outbox.send()
    #expect(
      scene.server.bodies.dropFirst(before) == [
        #"{"note":"good","quantity":7}"#, #"{"by":"Ada"}"#, #"{"by":"Bea"}"#,
      ])
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.edit { try $0.known(id).note } == "good")
  }

  @Test func `an edit before a command names an object that is yet to be made in no frozen request`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Crate.self, Wagon.self]))
    scene.server.set("wagons", 1, ["name": "old"])
    let id = try await Client.withClient(scene.client) { try #require(try await Wagon.get("1").ids.first) }
    try await scene.edit { context in
      let crate = try context.make(Crate.self) { $0.uid = 7 }
      try context.known(id).crate = crate
      try context.known(id).name = "new"
    }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.outbox.send()
    #expect(scene.server.log == ["GET wagons/1", "PUT crates/7", "PATCH wagons/1", "POST wagons/1/pull"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a new object that names a new object is created before its command`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Crate.self, Wagon.self]))
    let id = try await scene.edit { context in
      let crate = try context.make(Crate.self) { $0.uid = 7 }
      return try context.make(Wagon.self) { ($0.name, $0.crate) = ("new", crate) }.entityID
    }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.outbox.send()
    let wagon = try await scene.edit { try $0.known(id).uid }
    #expect(scene.server.log == ["PUT crates/7", "POST wagons", "POST wagons/\(wagon)/pull"])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit between two commands that names a new object stays between them`() async throws {
    let scene = try OutboxScene(store: EntityStore(.inMemory, entities: [Crate.self, Wagon.self]))
    scene.server.set("wagons", 1, ["name": "old"])
    let id = try await Client.withClient(scene.client) { try #require(try await Wagon.get("1").ids.first) }
    try await scene.edit { try $0.known(id).name = "new" }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.edit { try $0.known(id).crate = $0.make(Crate.self) { $0.uid = 7 } }
    try await scene.outbox.enqueue(Pull(), on: id)
    try await scene.outbox.send()
    #expect(
      scene.server.log.filter { $0 != "PUT crates/7" } == [
        "GET wagons/1", "PATCH wagons/1", "POST wagons/1/pull", "PATCH wagons/1", "POST wagons/1/pull",
      ])
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `an edit before a command waits where the object is deleted, and the command is not held up`() async throws
  {
    let (scene, id) = try await hamper()
    try await scene.edit { try $0.known(id).quantity = 5 }
    try await scene.outbox.enqueue(Ship(), on: id)
    try await scene.edit { try $0.delete($0.known(id)) }
    try await scene.outbox.send()
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.reason?.contains("was deleted here. Drop the command.") == true)
    try await scene.outbox.drop(item)
    #expect(try await scene.outbox.send().left == 0)
    #expect(scene.server.log.last == "DELETE hampers/1")
    #expect(scene.server.object("hampers", 1) == nil)
  }

  @Test func `an edit whose object can't be read is refused once, also after another edit`() async throws {
    let (scene, id) = try await hamper()
    for quantity in 2...4 {
      try await scene.edit { try $0.known(id).quantity = quantity }
      scene.server.answer("GET hampers/1", 403)
      #expect(try await scene.outbox.send().refused == 1)
    }
    #expect(scene.server.log == ["GET hampers", "GET hampers/1", "GET hampers/1", "GET hampers/1"])
    #expect(try await scene.outbox.items().count == 1)
    try await scene.outbox.retry(#require(try await scene.outbox.items().first))
    #expect(try await scene.outbox.send().left == 0)
    #expect(scene.server.object("hampers", 1)?["quantity"]?.int == 4)
  }
}
