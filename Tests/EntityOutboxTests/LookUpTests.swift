import EntityClient
import EntityTesting
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

/// Additions to its weight are merged.
@Entity final class Sack: OutboxEntity {
  @UID @Key("id") var uid: Int
  var code: String
  var weight: Int = 0

  static var basePath: String { "sacks" }
  static var outbox: OutboxRules<Sack> {
    [
      .rest, .lookingUp(by: \.code),
      .merging(.byColumn(.merge(\Sack.Columns.weight) { base, mine, theirs in theirs + (mine - base) }, others: .mine)),
    ]
  }
}

/// The question that follows a lost answer to a create.
@Suite(.client(entities: [Parcel.self, Sack.self, Voucher.self])) struct LookUpTests {
  private let clock = VirtualClock()
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var store: EntityStore { get throws { try Client.current.store } }

  private func outbox() throws -> Outbox { try Outbox(Client.current, time: OutboxTime(clock)) }

  /// A parcel, and a first try of its create without an answer.
  private func lose(_ outbox: Outbox) async throws -> EntityID<Parcel> {
    let id = try await store.background { try $0.make(Parcel.self) { $0.code = "X1" }.entityID }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    return id
  }

  @Test func `the value that was sent is asked for, whatever edit followed`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/parcels", query: ["code": "X1"], .json([["id": 7, "code": "X1"]]))
    try stub.on(.patch, "/parcels/7", .json(["id": 7, "code": "X2"]))
    let id = try await lose(outbox)
    try await store.background { try $0.known(id).code = "X2" }
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests.map(\.method) == [.post, .get, .patch])
    #expect(try stub.requests.last?.json == ["code": "X2"])
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `a change of others meanwhile is merged with an edit of a value that the create did not have`()
    async throws
  {
    let outbox = try outbox()
    try stub.on(.post, "/sacks", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/sacks", query: ["code": "X1"], .json([["id": 7, "code": "X1", "weight": 7]]))
    try stub.on(.patch, "/sacks/7", .json(["id": 7, "code": "X1", "weight": 12]))
    let id = try await store.background { try $0.make(Sack.self) { $0.code = "X1" }.entityID }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    try await store.background { try $0.known(id).weight = 5 }
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests.last?.json == ["weight": 12])
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.known(id).weight } == 12)
  }

  @Test func `an object that was deleted here meanwhile is asked for, and deleted there`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/parcels", query: ["code": "X1"], .json([["id": 7, "code": "X1"]]))
    try stub.on(.delete, "/parcels/7", .status(204))
    let id = try await lose(outbox)
    try await store.background { try $0.delete($0.known(id)) }
    while try await outbox.send().sent > 0 {}
    #expect(try stub.requests.map(\.method) == [.post, .get, .delete])
    #expect(try await outbox.plan().lines.isEmpty)
    #expect(try await outbox.items().isEmpty)
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.count(Parcel.all) } == 0)
  }

  @Test func `an object that was deleted here, and that the server does not have, is not created again`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/parcels", query: ["code": "X1"], .json([]))
    let id = try await lose(outbox)
    try await store.background { try $0.delete($0.known(id)) }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests.map(\.method) == [.post, .get])
    #expect(try await outbox.plan().lines.isEmpty)
    #expect(try await outbox.items().isEmpty)
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `observers of the client hear of the question, and of the object that it found`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true), .json(["id": 8, "code": "X1"]))
    try stub.on(.get, "/parcels", .json([]), .json([["id": 7, "code": "X1"]]))
    let reports = Mutex<[ExchangeReport]>([])
    let observation = try Client.current.observe { report in reports.withLock { $0.append(report) } }
    _ = try await lose(outbox)
    #expect(try await outbox.send().left == 0)
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    _ = try await lose(outbox)
    #expect(try await outbox.send().left == 0)
    observation.end()
    let heard = reports.withLock(\.self)
    #expect(heard.map(\.method) == ["POST", "GET", "POST", "POST", "GET"])
    #expect(heard.map(\.objects) == [0, 0, 1, 0, 1])
    #expect(heard[1].status == 200 && heard[1].generations.isEmpty)
    #expect(heard[4].entity == "Parcel" && heard[4].generations.count == 1)
  }

  @Test func `the answer may be a page, in the envelope of lists`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/vouchers", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/vouchers", .json(["count": 1, "results": [["id": 7, "text": "a", "code": "V1"]]]))
    let id = try await store.background { try $0.make(Voucher.self) { ($0.text, $0.code) = ("a", "V1") }.entityID }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    #expect(try await outbox.send() == OutboxPass(sent: 1))
    #expect(try await store.read { try $0.known(id).uid } == 7)
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an object with another value is not the one`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    // The server does not know the parameter, and answers with all that it has.
    try stub.on(.get, "/parcels", .json([["id": 3, "code": "other"]]))
    let id = try await lose(outbox)
    #expect(try await outbox.send().left == 1)
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("answered with another one") == true)
    #expect(try await outbox.plan().description.contains("for the reason that the item has; confirm or drop it"))
    #expect(try await store.read { try $0.known(id).code } == "X1")
    clock.advance(by: .seconds(3_600))
    try await outbox.send()
    #expect(try stub.requests.count == 2)
    try await outbox.confirm(item, .happened(uid: 4))
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.known(id).uid } == 4)
  }

  @Test(arguments: ["[", #"{"count": 1, "found": []}"#])
  func `an answer that is nonsense holds the create, and nothing else`(body: String) async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/parcels", .text(body, contentType: "application/json"))
    try stub.on(.post, "/vouchers", .json(["id": 1, "text": "a"], status: 201))
    let id = try await lose(outbox)
    #expect(try await outbox.send().pause == nil)
    try await store.background { _ = try $0.make(Voucher.self) { $0.text = "a" } }
    clock.advance(by: .seconds(3_600))
    #expect(try await outbox.send() == OutboxPass(sent: 1, left: 1))
    #expect(try stub.requests.map(\.method) == [.post, .get, .post])
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.object == id.untyped)
    #expect(item.reason != nil)
  }

  @Test func `an answer to a create that names no uid holds the create`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/vouchers", .json(["text": "a"], status: 201), .status(204))
    try await store.background { context in
      for _ in 0..<2 { _ = try context.make(Voucher.self) { $0.text = "a" } }
    }
    #expect(try await outbox.send().left == 2)
    clock.advance(by: .seconds(3_600))
    #expect(try await outbox.send().left == 2)
    let items = try await outbox.items()
    #expect(items.map(\.state) == [.unknown, .unknown])
    #expect(items.allSatisfy { $0.reason?.contains("names no uid") == true })
    #expect(try stub.requests.count == 2)
    for (item, uid) in zip(items, [1, 2]) { try await outbox.confirm(item, .happened(uid: uid)) }
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.fetch(Voucher.all).map(\.uid).sorted() } == [1, 2])
  }

  @Test(arguments: ["x1", " X1 "]) func `a server may change the case and the spaces`(code: String) async throws {
    let outbox = try outbox()
    try stub.on(.post, "/parcels", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/parcels", .json([["id": 3, "code": JSONValue(code)]]))
    let id = try await lose(outbox)
    #expect(try await outbox.send().left == 0)
    #expect(try await store.read { try $0.known(id).code } == code)
  }

  @Test func `a value that the server was not sent can't be asked for, and the create is not sent again`()
    async throws
  {
    let outbox = try outbox()
    try stub.on(.post, "/vouchers", .failure(.timeout, mayHaveBeenProcessed: true))
    let id = try await store.background { try $0.make(Voucher.self) { $0.text = "a" }.entityID }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    try await store.background { try $0.known(id).code = "V1" }
    for _ in 0..<2 { #expect(try await outbox.send().left > 0) }
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("did not carry") == true)
    #expect(try stub.requests.map(\.method) == [.post])
  }

  @Test func `an object without the value can't be asked for, and the create is not sent again`() async throws {
    let outbox = try outbox()
    try stub.on(.post, "/vouchers", .failure(.timeout, mayHaveBeenProcessed: true))
    let id = try await store.background { try $0.make(Voucher.self) { ($0.text, $0.code) = ("a", nil) }.entityID }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    for _ in 0..<2 { #expect(try await outbox.send().left == 1) }
    let item = try #require(try await outbox.items().first)
    #expect(item.state == .unknown)
    #expect(item.reason?.contains("Voucher.code") == true)
    try await store.background { try $0.known(id).text = "b" }
    try await outbox.send()
    #expect(try stub.requests.map(\.method) == [.post])
  }
}

/// Its code may be missing.
@Entity final class Voucher: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var code: String?

  static var basePath: String { "vouchers" }
  static var envelope: Envelope? { Envelope(list: "results") }
  static var outbox: OutboxRules<Voucher> { [.rest, .lookingUp(by: \.code)] }
}
