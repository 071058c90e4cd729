import Adapters
import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The outbox with a service of Django's REST framework.
@Suite(.enabled(if: OutboxLibrary.url != nil, "scripts/integration starts the service"))
struct LibraryOutboxTests {
  private var server: Bystander { get throws { try OutboxLibrary.bystander } }
  private let run = String(UUID().uuidString.prefix(8))

  @Test func `changes that were made offline are sent once the server is reached`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    let (kept, gone) = try await device.edit { [run] context in
      (try context.reader("\(run)-1", "Ada").entityID, try context.reader("\(run)-2", "Bo").entityID)
    }
    #expect(try await device.outbox.send().text == "2 sent")
    #expect(device.log.take().texts == ["POST 201", "POST 201"])
    let uid = try await device.edit { try $0.known(gone).uid }

    device.faults.inject(.unsent(.connection), .first(3))
    let (new, fine) = try await device.edit { [run] context in
      try context.known(kept).note = "moved"
      try context.delete(context.known(gone))
      // The server takes the spaces away.
      let reader = try context.reader("\(run)-3", " Cleo ")
      let fine = try context.make(Fine.self) { fine in
        (fine.amount, fine.reason, fine.reader) = (5, run, reader)
      }
      return (reader.entityID, fine.entityID)
    }
    #expect(try await device.outbox.send().text == "4 left, offline")
    #expect(device.log.take().isEmpty)

    #expect(try await device.outbox.send().text == "4 sent")
    #expect(device.log.take().texts.sorted() == ["DELETE 204", "PATCH 200", "POST 201", "POST 201"])
    #expect(try await device.pending.isEmpty)
    let (reader, name) = try await device.edit { (try $0.known(new).uid, try $0.known(new).name) }
    #expect(name == "Cleo")
    let fines = try await server.get("fines/", query: ["reason": run])["results"]?.list ?? []
    #expect(fines.map { $0["reader"]?.int } == [reader])
    #expect(try await device.edit { try $0.known(fine).uid } == fines.first?["id"]?.int)
    #expect(try await server.readers(run, 1).map { $0["note"]?.string } == ["moved"])
    #expect(try await #require(throws: RequestError.self) { try await server.get("readers/\(uid)/") }.status == 404)
  }

  @Test func `errors of fields refuse a change, hold up nothing else, and end with an edit`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    let id = try await device.edit { [run] context in
      _ = try context.reader("\(run)-1", "Bo")
      return try context.reader("\(run)-2", String(repeating: "a", count: 41)).entityID
    }
    #expect(try await device.outbox.send().text == "1 sent, 1 refused, 1 left")
    let item = try #require(try await device.outbox.items().first)
    #expect(item.state == .refused)
    #expect(item.action == .create)
    #expect(item.status == 400)
    #expect(item.object == id.untyped)
    #expect(
      try item.model(as: [String: [String]].self) == ["name": ["Ensure this field has no more than 40 characters."]])
    // By itself it is not sent again.
    #expect(try await device.sendLater().sent == 0)
    _ = device.log.take()
    try await device.edit { try $0.known(id).name = "Ada" }
    #expect(try await device.outbox.send().text == "1 sent")
    #expect(device.log.take().texts == ["POST 201"])
    #expect(try await device.outbox.items().isEmpty)

    // An update is refused in the same way, and a value that the server takes ends it.
    try await device.edit { try $0.known(id).name = "" }
    #expect(try await device.outbox.send().refused == 1)
    #expect(try await device.outbox.items().map(\.action) == [.update])
    try await device.edit { try $0.known(id).name = "Ada" }
    #expect(try await device.outbox.send().left == 0)
    #expect(device.log.take().texts == ["PATCH 400", "PATCH 200"])
    #expect(try await device.outbox.items().isEmpty)
    #expect(try await device.pending.isEmpty)
  }

  @Test func `a value that another device has taken is refused, and another value goes`() async throws {
    let first = try OutboxLibrary.device()
    let second = try OutboxLibrary.device()
    defer {
      first.remove()
      second.remove()
    }
    try await first.edit { [run] in _ = try $0.reader("\(run)-1", "Ada") }
    let (id, fine) = try await second.edit { [run] context in
      let reader = try context.reader("\(run)-1", "Bo")
      let fine = try context.make(Fine.self) { ($0.amount, $0.reason, $0.reader) = (3, run, reader) }
      return (reader.entityID, fine.entityID)
    }
    #expect(try await first.outbox.send().text == "1 sent")
    // The fine goes without its reader, which follows.
    #expect(try await second.outbox.send().text == "1 sent, 1 refused, 2 left")
    let item = try #require(try await second.outbox.items().first)
    #expect(item.status == 400)
    #expect(try item.model(as: [String: [String]].self) == ["card": ["reader with this card already exists."]])
    try await second.edit { [run] in try $0.known(id).card = "\(run)-2" }
    #expect(try await second.outbox.send().text == "2 sent")
    #expect(try await second.pending.isEmpty)
    #expect(try await server.readers(run, 1).map { $0["name"]?.string } == ["Ada"])
    let (uid, number) = try await second.edit { (try $0.known(id).uid, try $0.known(fine).uid) }
    #expect(try await server.get("fines/\(number)/")["reader"]?.int == uid)
  }

  @Test func `a lost answer to a create is found by the card, and nothing is doubled`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), into: .post, "/api/readers/", .number(1))
    let id = try await device.edit { [run] in try $0.reader("\(run)-1", " Ada ").entityID }
    #expect(try await device.outbox.send().sent == 0)
    #expect(device.log.take().texts == ["POST 201"])
    // The server is asked half a minute later at the earliest.
    #expect(try await device.outbox.send().left == 1)
    #expect(device.log.take().isEmpty)
    try await device.edit { try $0.known(id).note = "later" }
    #expect(try await device.sendLater().left == 0)
    let lines = device.log.take()
    #expect(lines.texts == ["GET 200", "PATCH 200"])
    #expect(lines.first?.url.hasSuffix("readers/?card=\(run)-1") == true)
    #expect(lines.last?.body == ["note": "later"])
    #expect(try await device.pending.isEmpty)
    let reader = try #require(try await server.readers(run, 1).first)
    #expect(try await server.readers(run, 1).count == 1)
    #expect(reader["note"]?.string == "later")
    #expect(try await device.edit { try $0.known(id).uid } == reader["id"]?.int)
    #expect(try await device.edit { try $0.count(Reader.all) } == 1)
    #expect(try await device.edit { try $0.known(id).name } == "Ada")
  }

  @Test func `a create that the look-up does not find is sent again`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), into: .post, "/api/readers/", .number(1))
    // The question is lost, too.
    device.faults.inject(.lost(.connection), into: .get, "/api/readers/", .number(1))
    let id = try await device.edit { [run] in try $0.reader("\(run)-1", "Ada").entityID }
    try await device.outbox.send()
    let lost = try #require(try await server.readers(run, 1).first?["id"]?.int)
    try await server.send(.delete, "readers/\(lost)/")
    #expect(try await device.sendLater().left == 1)
    #expect(try await device.sendLater().left == 0)
    #expect(device.log.take().texts == ["POST 201", "GET 200", "GET 200", "POST 201"])
    #expect(try await server.readers(run, 1).map { $0["id"]?.int } == [try await device.edit { try $0.known(id).uid }])
    #expect(try await device.pending.isEmpty)
  }

  @Test func `a value that was edited after a lost create is asked for as it was sent`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), into: .post, "/api/readers/", .number(1))
    let id = try await device.edit { [run] in try $0.reader("\(run)-1", "Ada").entityID }
    try await device.outbox.send()
    try await device.edit { [run] in try $0.known(id).card = "\(run)-2" }
    #expect(try await device.sendLater().left == 0)
    #expect(device.log.take().texts == ["POST 201", "GET 200", "PATCH 200"])
    #expect(try await server.readers(run, 1).isEmpty)
    #expect(try await server.readers(run, 2).count == 1)
    #expect(try await device.pending.isEmpty)
  }

  @Test func `a page that is taken for no list answers no question`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), into: .post, "/api/readers/", .number(1))
    let id = try await device.edit { [run] context in
      try context.make(Guest.self) { ($0.card, $0.name) = ("\(run)-1", "Ada") }.entityID
    }
    try await device.outbox.send()
    try await device.sendLater()
    #expect(device.log.take().texts == ["POST 201", "GET 200"])
    let item = try #require(try await device.outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason != nil)
    #expect(try await device.sendLater().left == 1)
    #expect(device.log.take().isEmpty)
    let uid = try #require(try await server.readers(run, 1).first?["id"]?.int)
    try await device.outbox.confirm(item, .happened(uid: uid))
    #expect(try await device.outbox.send().left == 0)
    #expect(try await device.pending.isEmpty)
    #expect(try await device.edit { try $0.known(id).uid } == uid)
    #expect(try await server.readers(run, 1).count == 1)
  }

  @Test func `a create with a key is sent again after a lost answer and a restart, and nothing is doubled`()
    async throws
  {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), into: .post, "/api/fines/", .number(1))
    let id = try await device.edit { [run] context in
      try context.make(Fine.self) { ($0.amount, $0.reason) = (5, run) }.entityID
    }
    try await device.outbox.send()
    let first = try #require(device.log.take().first)
    await device.outbox.stop()

    let later = try device.again()
    later.faults.inject(.broken(after: 3), into: .post, "/api/fines/", .number(1))
    try await later.edit { try $0.known(id).amount = 7 }
    try await later.sendLater()
    #expect(try await later.sendLater().left == 0)
    let lines = later.log.take()
    #expect(lines.texts == ["POST 201", "POST 201", "PATCH 200"])
    for line in lines.prefix(2) {
      #expect(line.headers["Idempotency-Key"] == first.headers["Idempotency-Key"])
      #expect(line.body == first.body)
    }
    #expect(first.headers["Idempotency-Key"] != nil)
    let fines = try await server.get("fines/", query: ["reason": run])["results"]?.list ?? []
    #expect(fines.map { $0["amount"]?.int } == [7])
    #expect(try await later.edit { try $0.known(id).uid } == fines.first?["id"]?.int)
    #expect(try await later.pending.isEmpty)
  }

  @Test func `lost answers to updates and deletions end as if they had come`() async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    let (edited, gone) = try await device.edit { [run] context in
      (try context.reader("\(run)-1", "Ada").entityID, try context.reader("\(run)-2", "Bo").entityID)
    }
    try await device.outbox.send()
    _ = device.log.take()
    device.faults.inject(.lost(.timeout), into: .patch, "/api/readers/#", .number(1))
    device.faults.inject(.lost(.timeout), into: .delete, "/api/readers/#", .number(1))
    try await device.edit { context in
      try context.known(edited).name = "Eve"
      try context.delete(context.known(gone))
    }
    try await device.outbox.send()
    #expect(device.log.take().texts.sorted() == ["DELETE 204", "PATCH 200"])
    #expect(try await device.sendLater().left == 0)
    #expect(device.log.take().texts.sorted() == ["DELETE 404", "PATCH 200"])
    #expect(try await device.pending.isEmpty)
    #expect(try await server.readers(run, 1).map { $0["name"]?.string } == ["Eve"])
  }

  @Test(arguments: 1...3) func `a rough connection loses nothing and doubles nothing`(seed: Int) async throws {
    let device = try OutboxLibrary.device()
    defer { device.remove() }
    device.faults.inject(.lost(.timeout), .every(5)).inject(.unsent(.connection), .every(7))
      .inject(.broken(after: 10), .every(11))
    var numbers = SeededNumbers(seed)
    var readers: [(id: EntityID<Reader>, card: String)] = []
    for round in 0..<6 {
      let chosen = readers.randomElement(using: &numbers)
      let removed = round == 4 ? readers.indices.randomElement(using: &numbers).map { readers.remove(at: $0) } : nil
      let made = try await device.edit { [run] context in
        if let chosen, chosen.id != removed?.id { try context.known(chosen.id).name += "+" }
        if let removed { try context.delete(context.known(removed.id)) }
        return try (0..<3).map { number in
          let card = "\(run)-\(round)\(number)"
          let reader = try context.reader(card, "Ada")
          _ = try context.make(Fine.self) { ($0.amount, $0.reason, $0.reader) = (number + 1, card, reader) }
          return (id: reader.entityID, card: card)
        }
      }
      readers += made
      try await device.sendLater()
    }
    let all = try await device.sendAll()
    let plan = try await device.outbox.plan()
    #expect(all, "\(plan)")
    #expect(try await device.pending.isEmpty)
    let here = try await device.edit { context in
      try context.fetch(Reader.all).map { "\($0.uid) \($0.card) \($0.name)" }.sorted()
    }
    #expect(here.count == readers.count)
    var there: [String] = []
    for (_, card) in readers {
      let found = try await server.get("readers/", query: ["card": card])["results"]?.list ?? []
      there += found.map { "\($0["id"]?.int ?? 0) \($0["card"]?.string ?? "") \($0["name"]?.string ?? "")" }
      let fines = try await server.get("fines/", query: ["reason": card])["results"]?.list ?? []
      #expect(fines.count == 1, "\(card)")
      #expect(fines.first?["reader"]?.int == found.first?["id"]?.int)
    }
    #expect(here == there.sorted())
  }

  // MARK: Accounts

  @Test func `the one object of a view that knows no such parameter is not taken for the lost one`() async throws {
    let token = try await OutboxLibrary.account("user-\(run)")()
    let device = try OutboxLibrary.device { try $0.setHeaders(["Authorization": "Token \(token)"]) }
    defer { device.remove() }
    try await device.edit { _ = try $0.make(Wish.self) { $0.text = "a" } }
    #expect(try await device.outbox.send().text == "1 sent")
    device.faults.inject(.lost(.timeout), into: .post, "/api/wishes/", .number(1))
    try await device.edit { _ = try $0.make(Wish.self) { $0.text = "b" } }
    try await device.outbox.send()
    // Somebody takes the new one away, so that the view has one wish: another one.
    let wishes = try await device { try JSONValue(parsing: try await Client.current.send(OutboxLibrary.wishes()).body) }
    let lost = try #require(wishes["results"]?.list.first { $0["text"]?.string == "b" }?["id"]?.int)
    try await device { _ = try await Client.current.send(Client.current.request(.delete, "wishes/\(lost)/")) }
    #expect(try await device.sendLater().left == 1)
    let item = try #require(try await device.outbox.items().first)
    #expect(item.state == .unknown)
    #expect(try await device.edit { try $0.fetch(Wish.all).map(\.text).sorted() } == ["a", "b"])
    try await device.outbox.confirm(item, .didNotHappen)
    #expect(try await device.outbox.send().text == "1 sent")
    #expect(try await device.pending.isEmpty)
  }

  @MainActor @Test func `a token that ended pauses the outbox, and with a new one everything goes`() async throws {
    let token = try await OutboxLibrary.account("user-\(run)")
    let first = try await token()
    let current = Mutex(first)
    let device = try OutboxLibrary.device { request in
      try request.setHeaders(["Authorization": "Token \(current.withLock(\.self))"])
    }
    defer { device.remove() }
    let id = try await device.edit { try $0.make(Wish.self) { $0.text = "a" }.entityID }
    device.outbox.start()
    try await device.everythingSent()
    // Signed out, as by the person on another device.
    try await device { _ = try await Client.current.send(Client.current.request(.post, "logout/")) }
    _ = device.log.take()

    try await device.edit { try $0.known(id).text = "b" }
    await device.wait { $0.pause == .unauthorized }
    try await device.edit { _ = try $0.make(Wish.self) { $0.text = "c" } }
    await device.wait { $0.count == 2 }
    #expect(device.log.take().texts == ["PATCH 401"])
    #expect(LiveOutbox(device.outbox).refused.isEmpty)
    let second = try await token()
    #expect(second != first)
    current.withLock { $0 = second }
    device.outbox.start()
    try await device.everythingSent()
    #expect(device.log.take().texts.sorted() == ["PATCH 200", "POST 201"])
    #expect(try await device.pending.isEmpty)
    let wishes = try await device { try JSONValue(parsing: try await Client.current.send(OutboxLibrary.wishes()).body) }
    #expect(wishes["results"]?.list.compactMap { $0["text"]?.string } == ["b", "c"])
    await device.outbox.stop()
    for ending in ["", "-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: device.file.path + ending))) ?? Data()
      for token in [first, second] { #expect(bytes.range(of: Data(token.utf8)) == nil) }
    }
  }
}

/// The service, where `scripts/integration` has started it.
private enum OutboxLibrary {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_DJANGO"]

  static var bystander: Bystander {
    get throws { Bystander(client: try Client(adapter: CurlAdapter(), baseURL: #require(url))) }
  }

  static func wishes() throws -> URLRequest { try Client.current.request(.get, "wishes/") }

  /// Makes an account.
  ///
  /// - Returns: Signs in.
  static func account(_ name: String) async throws -> @Sendable () async throws -> String {
    let server = try bystander
    let account: JSONValue = ["username": JSONValue(name), "password": "secret"]
    try await server.send(.post, "accounts/", account)
    return {
      let answer = try await server.send(.post, "login/", account)
      return try #require(try JSONValue(parsing: answer.body)["token"]?.string)
    }
  }

  static func device(
    _ modify: (@Sendable (inout URLRequest) throws -> Void)? = nil
  ) throws -> OutboxDevice {
    try OutboxDevice([Reader.self, Guest.self, Fine.self, Wish.self]) { adapter, store in
      let adapter: any RequestAdapter =
        if let modify { adapter.modifying { try modify(&$0) } } else { adapter }
      return try Client(adapter: adapter, store: store, baseURL: #require(url))
    }
  }
}

extension Bystander {
  /// The readers with a card of a test.
  fileprivate func readers(_ run: String, _ number: Int) async throws -> [JSONValue] {
    try await get("readers/", query: ["card": "\(run)-\(number)"])["results"]?.list ?? []
  }
}

extension EntityContext {
  fileprivate func reader(_ card: String, _ name: String) throws -> Reader {
    try make(Reader.self) { ($0.card, $0.name) = (card, name) }
  }
}

/// The server can be asked for a reader by the card.
@Entity private final class Reader: OutboxEntity {
  @UID @Key("id") var uid: Int
  var card: String
  var name: String
  var note: String?

  static var basePath: String { "readers/" }
  static var envelope: Envelope? { Envelope(list: "results") }
  static var outbox: OutboxRules<Reader> { [.rest, .lookingUp(by: \.card)] }
}

/// A reader again, without the envelope that lists have.
@Entity private final class Guest: OutboxEntity {
  @UID @Key("id") var uid: Int
  var card: String
  var name: String

  static var basePath: String { "readers/" }
  static var outbox: OutboxRules<Guest> { [.rest, .lookingUp(by: \.card)] }
}

/// The server knows a request by its key.
@Entity private final class Fine: OutboxEntity {
  @UID @Key("id") var uid: Int
  var amount: Int
  var reason: String
  var reader: Reader?

  static var basePath: String { "fines/" }
  static var outbox: OutboxRules<Fine> { [.rest, .idempotencyKey()] }
}

/// Belongs to an account.
@Entity private final class Wish: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String

  static var basePath: String { "wishes/" }
  static var envelope: Envelope? { Envelope(list: "results") }
  static var outbox: OutboxRules<Wish> { [.rest, .lookingUp(by: \.text)] }
}
