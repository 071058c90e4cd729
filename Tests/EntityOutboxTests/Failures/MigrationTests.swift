import EntityClient
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox

/// The first version of the app.
@Entity final class Duty: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var place: String?

  static var basePath: String { "duties" }
  static var outbox: OutboxRules<Duty> { .idempotencyKey() }
}

/// The next version, with other names.
@Entity @Renamed(from: "Duty") final class Chore: OutboxEntity {
  @UID @Key("id") var uid: Int
  @Key("text") @Renamed(from: "text") var title: String
  var place: String?

  static var basePath: String { "duties" }
  static var outbox: OutboxRules<Chore> { .idempotencyKey() }
}

/// An object whose URL has another attribute than the uid, and its next version.
@Entity final class Ledger: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: Int?

  static var basePath: String { "ledgers" }
  static var objectPath: String? { "ledgers/{number}" }
}

@Entity @Renamed(from: "Ledger") final class Account: OutboxEntity {
  @UID @Key("id") var uid: Int
  @Key("number") @Renamed(from: "number") var place: Int?

  static var basePath: String { "ledgers" }
  static var objectPath: String? { "ledgers/{place}" }
}

/// An object whose conflicts a person settles, with a price that becomes one in cents.
enum WareBefore {
  @Entity final class Ware: OutboxEntity {
    @UID @Key("id") var uid: Int
    var name: String
    var price: Double = 0

    static var basePath: String { "wares" }
    static var outbox: OutboxRules<Ware> { [.rest, .merging(.fail)] }
  }
}

enum WareAfter {
  @Entity final class Ware: OutboxEntity {
    @UID @Key("id") var uid: Int
    var name: String
    var price: Int = 0

    static var basePath: String { "wares" }
    static var outbox: OutboxRules<Ware> { [.rest, .merging(.fail)] }
  }
}

/// An object that is sent whole, with a number that becomes a text.
enum StockBefore {
  @Entity final class Stock: OutboxEntity {
    @UID @Key("id") var uid: Int
    var name: String
    var count: Int = 0

    static var basePath: String { "stocks" }
    static var outbox: OutboxRules<Stock> { [.updating(.put, carrying: .all), .command(Audit.self)] }
  }

  struct Audit: OutboxCommand {
    static let name = "audit"

    func request(for stock: Stock) throws -> URLRequest { try Stock.request(.post, "\(stock.uid)/audit") }
  }
}

enum StockAfter {
  @Entity final class Stock: OutboxEntity {
    @UID @Key("id") var uid: Int
    var name: String
    var count: String

    static var basePath: String { "stocks" }
    static var outbox: OutboxRules<Stock> { [.updating(.put, carrying: .all), .command(Audit.self)] }
  }

  struct Audit: OutboxCommand {
    static let name = "audit"

    func request(for stock: Stock) throws -> URLRequest { try Stock.request(.post, "\(stock.uid)/audit") }
  }
}

/// An object whose weight becomes a number with a fraction. Additions to it are merged.
enum BagBefore {
  @Entity final class Bag: OutboxEntity {
    @UID @Key("id") var uid: Int
    var code: String
    var weight: Int = 0

    static var basePath: String { "bags" }
    static var outbox: OutboxRules<Bag> { [.rest, .lookingUp(by: \.code)] }
  }
}

enum BagAfter {
  @Entity final class Bag: OutboxEntity {
    @UID @Key("id") var uid: Int
    var code: String
    var weight: Double = 0

    static var basePath: String { "bags" }
    static var outbox: OutboxRules<Bag> {
      [
        .rest, .lookingUp(by: \.code),
        .merging(
          .byColumn(.merge(\Bag.Columns.weight) { base, mine, theirs in theirs + (mine - base) }, others: .mine)),
      ]
    }
  }
}

extension EntityContext {
  fileprivate func duty(_ uid: Int) throws -> Duty {
    try #require(try fetch(Duty.where { $0.uid == uid }).first)
  }
}

/// A new version of the app opens a file with pending changes.
@Suite struct MigrationTests {
  /// A file with a create whose answer was lost, and edited since; a refused update; an update; a deletion.
  private func file(_ folder: TestFolder, _ server: ShopServer) async throws -> StoreLocation {
    let file = StoreLocation.file(folder.file("a.sqlite"))
    for id in [11, 12, 13] { server.set("duties", id, ["text": "a", "place": "b"]) }
    let scene = try OutboxScene(server, store: EntityStore(file, entities: [Duty.self]))
    _ = try await Client.withClient(scene.client) { try await Duty.get() }
    server.loseAnswers(1)
    let id = try await scene.edit { try $0.make(Duty.self) { $0.text = "new" }.entityID }
    try await scene.outbox.send()
    try await scene.edit { try $0.known(id).place = "later" }
    server.answer("PATCH duties/11", 400)
    try await scene.edit { try $0.duty(11).text = "refused" }
    try await scene.outbox.send()
    try await scene.edit { context in
      try context.duty(12).text = "edited"
      try context.delete(context.duty(13))
    }
    await scene.outbox.stop()
    return file
  }

  @Test func `pending changes and entries keep their meaning under other names`() async throws {
    let (folder, server) = (try TestFolder(), ShopServer())
    let file = try await file(folder, server)
    let before = server.log.count
    let scene = try OutboxScene(server, store: EntityStore(file, entities: [Chore.self]))
    scene.clock.advance(by: .seconds(60))
    try await scene.outbox.send()
    #expect(
      server.log.dropFirst(before).sorted() == [
        "DELETE duties/13", "PATCH duties/12", "PATCH duties/14", "POST duties",
      ])
    // The bytes of the lost create are those of the earlier version, with its key.
    #expect(server.bodies.filter { $0.contains("new") } == [#"{"text":"new"}"#, #"{"text":"new"}"#])
    #expect(Set(server.sentKeys.compactMap(\.self)).count == 1)
    #expect(server.bodies.contains(#"{"text":"edited"}"#))
    #expect(server.bodies.contains(#"{"place":"later"}"#))
    #expect(server.object("duties", 13) == nil)
    let item = try #require(try await scene.outbox.items().first)
    #expect(item.state == .refused)
    try await scene.outbox.retry(item)
    try await scene.outbox.send()
    #expect(server.object("duties", 11)?["text"]?.string == "refused")
    #expect(try await scene.pending().isEmpty)
    #expect(try await scene.plan() == "nothing is pending")
  }

  @Test func `a deletion finds its URL under other names`() async throws {
    let (folder, server) = (try TestFolder(), ShopServer())
    let file = StoreLocation.file(folder.file("a.sqlite"))
    server.set("ledgers", 7, ["number": 7])
    do {
      let scene = try OutboxScene(server, store: EntityStore(file, entities: [Ledger.self]))
      _ = try await Client.withClient(scene.client) { try await Ledger.get() }
      try await scene.edit { try $0.delete(#require(try $0.fetch(Ledger.self, uid: 7))) }
      await scene.outbox.stop()
    }
    let scene = try OutboxScene(server, store: EntityStore(file, entities: [Account.self]))
    #expect(try await scene.outbox.send().sent == 1)
    #expect(server.log.last == "DELETE ledgers/7")
    #expect(try await scene.pending().isEmpty)
  }

  @Test func `a value of a lost create that is converted is not added to the server's`() async throws {
    let (folder, server) = (try TestFolder(), ShopServer())
    let file = StoreLocation.file(folder.file("a.sqlite"))
    do {
      let scene = try OutboxScene(server, store: EntityStore(file, entities: [BagBefore.Bag.self]))
      server.loseAnswers(1)
      try await scene.edit { context in
        _ = try context.make(BagBefore.Bag.self) { ($0.code, $0.weight) = ("X1", 5) }
      }
      try await scene.outbox.send()
      await scene.outbox.stop()
    }
    let weights = Migration("weights") { step in
      try step.convert("weight", of: "Bag", to: Double.self, sql: "CAST(weight AS REAL)")
    }
    let scene = try OutboxScene(
      server, store: EntityStore(file, entities: [BagAfter.Bag.self], migrations: [weights]))
    scene.clock.advance(by: .seconds(31))
    #expect(try await scene.outbox.send().left == 0)
    #expect(server.log == ["POST bags", "GET bags"])
    #expect(try await scene.edit { try $0.fetch(BagAfter.Bag.all).map(\.weight) } == [5])
    #expect(try await scene.pending().isEmpty)
  }

  /// The request has the values that the object had before.
  @Test(arguments: [false, true])
  func `an answer to a request from before a conversion brings no value of the former type`(
    _ isEdited: Bool
  ) async throws {
    let (folder, server) = (try TestFolder(), ShopServer())
    let file = StoreLocation.file(folder.file("a.sqlite"))
    server.set("stocks", 1, ["name": "a", "count": 5])
    do {
      let scene = try OutboxScene(server, store: EntityStore(file, entities: [StockBefore.Stock.self]))
      let id = try await Client.withClient(scene.client) { try #require(try await StockBefore.Stock.get().ids.first) }
      try await scene.edit { context in
        let stock = try context.known(id)
        stock.name = "b"
        if isEdited { stock.count = 6 }
      }
      try await scene.outbox.enqueue(StockBefore.Audit(), on: id)
      await scene.outbox.stop()
    }
    let counts = Migration("counts") { step in
      try step.convert("count", of: "Stock", to: String.self, sql: "count || ' pieces'")
    }
    let scene = try OutboxScene(
      server, store: EntityStore(file, entities: [StockAfter.Stock.self], migrations: [counts]))
    for request in ["PUT stocks/1", "POST stocks/1/audit", "PUT stocks/1"] { server.answer(request, 204) }
    try await scene.outbox.send()
    // An edit of the property is sent again, in the new form.
    let puts =
      isEdited ? [#"{"count":6,"name":"b"}"#, #"{"count":"6 pieces","name":"b"}"#] : [#"{"count":5,"name":"b"}"#]
    #expect(server.bodies.filter { $0.hasPrefix("{") } == puts)
    let shown = try await scene.edit { try $0.fetch(StockAfter.Stock.all).map(\.count) }
    #expect(shown == [isEdited ? "6 pieces" : "5 pieces"])
    #expect(try await scene.pending().isEmpty)
  }
  /// A person could not take the server's value, which has the former type.
  @Test(arguments: [false, true])
  func `a conflict of a property that is converted ends, and the edit is sent`(_ isOther: Bool) async throws {
    let (folder, server) = (try TestFolder(), ShopServer())
    let file = StoreLocation.file(folder.file("a.sqlite"))
    server.set("wares", 1, ["name": "a", "price": 9.5])
    do {
      let scene = try OutboxScene(server, store: EntityStore(file, entities: [WareBefore.Ware.self]))
      let id = try await Client.withClient(scene.client) { try #require(try await WareBefore.Ware.get().ids.first) }
      try await scene.edit { context in
        let ware = try context.known(id)
        ware.price = 12
        if isOther { ware.name = "mine" }
      }
      server.set("wares", 1, ["name": "theirs", "price": 8.5])
      _ = try await Client.withClient(scene.client) { try await WareBefore.Ware.get() }
      #expect(try await scene.outbox.items().map(\.state) == [.conflict])
      await scene.outbox.stop()
    }
    let cents = Migration("cents") { step in
      try step.convert("price", of: "Ware", to: Int.self, sql: "CAST(round(price * 100) AS INTEGER)")
    }
    let scene = try OutboxScene(server, store: EntityStore(file, entities: [WareAfter.Ware.self], migrations: [cents]))
    let items = try await scene.outbox.items()
    let states: [OutboxItem.State] = isOther ? [.conflict] : []
    #expect(items.map(\.state) == states)
    for item in items {
      let conflicts = try await scene.outbox.conflicts(of: item)
      #expect(conflicts.map(\.property) == ["name"])
      for conflict in conflicts { try await scene.outbox.settle(conflict, .theirs) }
    }
    try await scene.outbox.send()
    #expect(server.bodies.last == #"{"price":1200}"#)
    #expect(server.object("wares", 1)?["price"]?.int == 1_200)
    #expect(server.object("wares", 1)?["name"]?.string == "theirs")
    #expect(try await scene.edit { try $0.fetch(WareAfter.Ware.all).map(\.price) } == [1_200])
    #expect(try await scene.pending().isEmpty)
  }
}
