import EntityClient
import EntityTesting
import Testing

/// The answer to a request on an object is about it in whatever shape it comes, and about the new objects that the request
/// nested.
@Suite(
  .client(
    entities: [Sale.self, Tender.self, Coupon.self, Buyer.self, HandSale.self, HandTender.self],
    baseURL: "https://api.example.com/"))
@MainActor struct SentChildrenTests {
  private let main: EntityContext

  init() throws { main = try Client.current.store.main }

  private func pending() async throws -> [String] {
    try await Client.current.store.pending.changes().map { "\($0)" }
  }

  private func sale(_ amounts: String?...) throws -> Sale {
    let sale = try main.insert(Sale.self)
    sale.total = "11"
    for amount in amounts {
      let tender = try main.insert(Tender.self)
      tender.amount = amount
      tender.sale = sale
    }
    return sale
  }

  private func tenders(_ sale: Sale) -> [String] {
    sale.tenders.map { "\($0.uid) \($0.amount ?? "-")" }.sorted()
  }

  // MARK: The shape of the answer

  @Test(
    arguments: [
      (["id": 9, "total": "11"], nil), ([["id": 9, "total": "11"]], nil),
      (["data": ["sales": [["id": 9, "total": "11"]]]], "data.sales"), (["data": ["id": 9, "total": "11"]], "data"),
    ] as [(JSONValue, String?)])
  func `a response in any shape is about the posted object`(_ body: JSONValue, _ envelope: String?) async throws {
    try StubAdapter.current.on(.post, "/sales", .json(body, status: 201))
    let sale = try sale()
    let response = try await sale.post(options: envelope.map { [.envelope(Envelope($0))] } ?? []) {
      try $0.setJSON(sale.jsonObject(for: \.total))
    }
    #expect(sale.uid == 9)
    #expect(response.ids == [sale.entityID])
    #expect(try main.count(Sale.all) == 1)
    #expect(try await pending() == [])
  }

  @Test func `an answer with two objects for a new child is an error, and nothing is written`() async throws {
    try StubAdapter.current.on(.post, "/sales", .json([["id": 8], ["id": 9]], status: 201))
    let sale = try sale()
    try await main.save()
    let error = await #expect(throws: RequestError.self) {
      try await sale.post { try $0.setJSON(sale.jsonObject(for: \.total)) }
    }
    #expect(error?.wasAccepted == true)
    #expect("\(try #require(error))".contains("2 objects"))
    #expect(!sale.hasUID)
    #expect(try main.count(Sale.all) == 1)
    #expect(try await pending().count == 1)
  }

  @Test func `a list that answers a PUT finds its objects by their uids`() async throws {
    let sale = try #require(try await Sale.upsert(from: ["id": 9, "total": "1"]).object)
    sale.total = "2"
    try StubAdapter.current.on(.put, "/sales/9", .json([["id": 9, "total": "2"], ["id": 10, "total": "3"]]))
    try await sale.put(\.total)
    #expect(try main.fetch(Sale.all.sorted(by: \.uid)).map(\.total) == ["2", "3"])
    #expect(try await pending() == [])
  }

  // MARK: New objects in the body

  @Test func `an object is sent with its new children`() throws {
    let sale = try sale("5", "6")
    let json = try sale.jsonObject(depth: 1, nils: .leftOut)
    #expect(
      json["tenders"] == [["amount": "5"], ["amount": "6"]] || json["tenders"] == [["amount": "6"], ["amount": "5"]])
    #expect(throws: RequestError.self) { try sale.tenders[0].jsonObject(depth: 0) }
  }

  @Test(arguments: [false, true]) func `new children get the uids of the answer`(_ saves: Bool) async throws {
    let sale = try sale("5", "6")
    if saves { try await main.save() }
    let tenders = sale.tenders
    try StubAdapter.current.on(
      .post, "/sales",
      .json(["id": 9, "tenders": [["id": 139, "amount": "6"], ["id": 138, "amount": "5"]]], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    #expect(self.tenders(sale) == ["138 5", "139 6"])
    #expect(Set(tenders.map(ObjectIdentifier.init)) == Set(sale.tenders.map(ObjectIdentifier.init)))
    #expect(try main.count(Tender.all) == 2)
    #expect(!main.hasChanges)
    #expect(try await pending() == [])
  }

  @Test func `equal children and normalized ones are told apart by their order`() async throws {
    let sale = try sale()
    for code in ["a", "a", "b "] {
      let coupon = try main.insert(Coupon.self)
      coupon.code = code
      sale.coupons.append(coupon)
    }
    let coupons = sale.coupons
    try StubAdapter.current.on(
      .post, "/sales",
      .json(
        ["id": 9, "coupons": [["id": 1, "code": "A"], ["id": 2, "code": "A"], ["id": 3, "code": "B"]]], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    #expect(coupons.map(\.uid) == [1, 2, 3])
    #expect(sale.coupons.map(\.code) == ["A", "A", "B"])
    #expect(try main.count(Coupon.all) == 3)
    #expect(try await pending() == [])
  }

  @Test func `an answer that names the children by uids alone gives them their uids too`() async throws {
    let sale = try sale("5")
    try StubAdapter.current.on(.post, "/sales", .json(["id": 9, "tenders": [138]], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    #expect(tenders(sale) == ["138 5"])
    #expect(try await pending() == [])
  }

  @Test func `known children stay themselves among new children`() async throws {
    let sale = try #require(
      try await Sale.upsert(from: ["id": 9, "tenders": [["id": 1, "amount": "1"], ["id": 2, "amount": "2"]]]).object)
    let tender = try main.insert(Tender.self)
    tender.amount = "3"
    tender.sale = sale
    try StubAdapter.current.on(
      .put, "/sales/9",
      .json([
        "id": 9, "tenders": [["id": 7, "amount": "3"], ["id": 1, "amount": "1"], ["id": 2, "amount": "2"]],
      ]))
    try await sale.put { try $0.setJSON(sale.jsonObject(depth: 1)) }
    #expect(tenders(sale) == ["1 1", "2 2", "7 3"])
    #expect(tender.uid == 7)
    #expect(try main.count(Tender.all) == 3)
    #expect(try await pending() == [])
  }

  @Test func `children of children and targets of links get their uids`() async throws {
    let sale = try sale("5")
    let buyer = try main.insert(Buyer.self)
    buyer.name = "Ada"
    sale.tenders[0].payer = buyer
    let owner = try main.insert(Buyer.self)
    owner.name = "Grace"
    sale.buyer = owner
    try StubAdapter.current.on(
      .post, "/sales",
      .json(
        [
          "id": 9, "buyer": ["id": 2, "name": "Grace"],
          "tenders": [["id": 138, "amount": "5", "payer": ["id": 1, "name": "Ada"]]],
        ], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 2)) }
    #expect(buyer.uid == 1)
    #expect(owner.uid == 2)
    #expect(sale.buyer === owner)
    #expect(sale.tenders.first?.payer === buyer)
    #expect(try main.count(Buyer.all) == 2)
    #expect(!main.hasChanges)
    #expect(try await pending() == [])
  }

  @Test func `another number of new children is an error, and nothing is doubled`() async throws {
    let sale = try sale("5", "6")
    try await main.save()
    try StubAdapter.current.on(
      .post, "/sales", .json(["id": 9, "tenders": [["id": 138, "amount": "5"]]], status: 201))
    let error = await #expect(throws: RequestError.self) {
      try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    }
    #expect("\(try #require(error))".contains("2 new objects were sent, and the answer has 1"))
    #expect(error?.wasAccepted == true)
    #expect(try main.count(Tender.all) == 2)
    #expect(try await pending().count == 3)
  }

  @Test func `an answer without the list leaves the children pending`() async throws {
    let sale = try sale("5")
    try StubAdapter.current.on(.post, "/sales", .json(["id": 9], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    try await main.save()
    #expect(sale.uid == 9)
    #expect(try await pending().map { $0.prefix(6) } == ["Tender"])
    #expect(sale.tenders.first?.sale === sale)
  }

  @Test func `an update by hand gives new children their uids and doubles none`() async throws {
    let sale = try main.insert(HandSale.self)
    let tender = try main.insert(HandTender.self)
    tender.amount = "5"
    tender.sale = sale
    try await main.save()
    try StubAdapter.current.on(
      .post, "/hand", .json(["id": 9, "tenders": [["id": 138, "amount": "5"]]], status: 201))
    try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }
    #expect(tender.uid == 138)
    #expect(try main.count(HandTender.all) == 1)
    #expect(try await pending() == [])
  }

  @Test func `an update by hand under another key is an error and doubles none`() async throws {
    let sale = try main.insert(HandSale.self)
    let tender = try main.insert(HandTender.self)
    tender.amount = "5"
    tender.sale = sale
    try await main.save()
    try StubAdapter.current.on(
      .post, "/hand", .json(["id": 9, "items": [["id": 138, "amount": "5"]]], status: 201))
    await #expect(throws: RequestError.self) { try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) } }
    #expect(try main.count(HandTender.all) == 1)
    #expect(try await pending().count == 2)
  }

  // MARK: Edits meanwhile

  @Test func `an edit of a child while the POST is under way stays an edit`() async throws {
    let sale = try sale("5")
    try await main.save()
    let gate = StubGate()
    try StubAdapter.current.on(
      .post, "/sales",
      StubAnswer.json(["id": 9, "tenders": [["id": 138, "amount": "5"]]], status: 201).waiting(for: gate))
    let post = Task { @MainActor in _ = try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) } }
    await gate.arrival()
    sale.tenders[0].amount = "7"
    try await main.save()
    gate.open()
    try await post.value
    #expect(tenders(sale) == ["138 7"])
    #expect(try await pending() == ["Tender 138: amount was edited from \"5\" to \"7\""])
  }

  @Test func `a child that is deleted while the POST is under way is deleted on the server later`() async throws {
    let sale = try sale("5")
    try await main.save()
    let gate = StubGate()
    try StubAdapter.current.on(
      .post, "/sales",
      StubAnswer.json(["id": 9, "tenders": [["id": 138, "amount": "5"]]], status: 201).waiting(for: gate))
    let post = Task { @MainActor in _ = try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) } }
    await gate.arrival()
    try main.delete(sale.tenders[0])
    try await main.save()
    gate.open()
    try await post.value
    #expect(sale.uid == 9)
    #expect(try main.count(Tender.all) == 0)
    #expect(try await pending() == ["Tender 138: it was deleted here"])
  }

  @Test func `a failed POST leaves all changes pending`() async throws {
    let sale = try sale("5")
    try await main.save()
    try StubAdapter.current.on(.post, "/sales", .status(500))
    await #expect(throws: RequestError.self) { try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) } }
    #expect(try await pending().count == 2)
    #expect(!sale.tenders[0].isSending)
  }
}

@Entity private final class Sale: RemoteEntity {
  @UID @Key("id") var uid: Int
  var total: String?
  var buyer: Buyer?
  @Relationship(inverse: \Tender.sale, onDelete: .cascade) var tenders: [Tender]
  @Relationship(ordered: true) var coupons: [Coupon]

  static var basePath: String { "sales" }
}

@Entity private final class Tender: RemoteEntity {
  @UID @Key("id") var uid: Int
  var amount: String?
  var sale: Sale?
  var payer: Buyer?

  static var basePath: String { "tenders" }
}

@Entity private final class Coupon: RemoteEntity {
  @UID @Key("id") var uid: Int
  var code: String?

  static var basePath: String { "coupons" }
}

@Entity private final class Buyer: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "buyers" }
}

/// Updated by hand.
@Entity private final class HandSale: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \HandTender.sale) var tenders: [HandTender]

  static var basePath: String { "hand" }

  func update(with response: ResponseObject) throws {
    if response.contains("tenders") { try response.assign("tenders", to: &tenders) }
    if response.contains("items") { try response.assign("items", to: &tenders) }
  }
}

@Entity private final class HandTender: RemoteEntity {
  @UID @Key("id") var uid: Int
  var amount: String?
  var sale: HandSale?

  static var basePath: String { "hand-tenders" }

  func update(with response: ResponseObject) throws { try response.assign("amount", to: &amount) }
}
