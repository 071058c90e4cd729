import EntityClient
import EntityTesting
import TestSchema
import Testing

/// The answer to a request on an object is about it in whatever shape it comes, and about the new objects that the request
/// nested.
@Suite(
  .client(
    entities: Orchard.world + [HandSale.self, HandTender.self],
    baseURL: "https://api.example.com/"))
@MainActor struct SentChildrenTests {
  private let main: EntityContext

  init() throws { main = try Client.current.store.main }

  private func pending() async throws -> [String] {
    try await Client.current.store.pending.changes().map { "\($0)" }
  }

  private func orchard(_ names: String?...) throws -> Orchard {
    let orchard = try main.insert(Orchard.self)
    orchard.name = "11"
    for name in names {
      let tree = try main.insert(OrchardTree.self)
      tree.name = name
      tree.orchard = orchard
    }
    return orchard
  }

  private func trees(_ orchard: Orchard) -> [String] {
    orchard.trees.map { "\($0.uid) \($0.name ?? "-")" }.sorted()
  }

  // MARK: The shape of the answer

  @Test(
    arguments: [
      (["id": 9, "name": "11"], nil), ([["id": 9, "name": "11"]], nil),
      (["data": ["orchards": [["id": 9, "name": "11"]]]], "data.orchards"),
      (["data": ["id": 9, "name": "11"]], "data"),
    ] as [(JSONValue, String?)])
  func `a response in any shape is about the posted object`(_ body: JSONValue, _ envelope: String?) async throws {
    try StubAdapter.current.on(.post, "/orchards", .json(body, status: 201))
    let orchard = try orchard()
    let response = try await orchard.post(options: envelope.map { [.envelope(Envelope($0))] } ?? []) {
      try $0.setJSON(orchard.jsonObject(for: \.name))
    }
    #expect(orchard.uid == 9)
    #expect(response.ids == [orchard.entityID])
    #expect(try main.count(Orchard.all) == 1)
    #expect(try await pending() == [])
  }

  @Test func `an answer with two objects for a new child is an error, and nothing is written`() async throws {
    try StubAdapter.current.on(.post, "/orchards", .json([["id": 8], ["id": 9]], status: 201))
    let orchard = try orchard()
    try await main.save()
    let error = await #expect(throws: RequestError.self) {
      try await orchard.post { try $0.setJSON(orchard.jsonObject(for: \.name)) }
    }
    #expect(error?.wasAccepted == true)
    #expect("\(try #require(error))".contains("2 objects"))
    #expect(!orchard.hasUID)
    #expect(try main.count(Orchard.all) == 1)
    #expect(try await pending().count == 1)
  }

  @Test func `a list that answers a PUT finds its objects by their uids`() async throws {
    let orchard = try #require(try await Orchard.upsert(from: ["id": 9, "name": "1"]).object)
    orchard.name = "2"
    try StubAdapter.current.on(.put, "/orchards/9", .json([["id": 9, "name": "2"], ["id": 10, "name": "3"]]))
    try await orchard.put(\.name)
    #expect(try main.fetch(Orchard.all.sorted(by: \.uid)).map(\.name) == ["2", "3"])
    #expect(try await pending() == [])
  }

  // MARK: New objects in the body

  @Test func `an object is sent with its new children`() throws {
    let orchard = try orchard("5", "6")
    let json = try orchard.jsonObject(depth: 1, nils: .leftOut)
    #expect(
      json["trees"] == [["name": "5"], ["name": "6"]] || json["trees"] == [["name": "6"], ["name": "5"]])
    #expect(throws: RequestError.self) { try orchard.trees[0].jsonObject(depth: 0) }
  }

  @Test(arguments: [false, true]) func `new children get the uids of the answer`(_ saves: Bool) async throws {
    let orchard = try orchard("5", "6")
    if saves { try await main.save() }
    let trees = orchard.trees
    try StubAdapter.current.on(
      .post, "/orchards",
      .json(["id": 9, "trees": [["id": 139, "name": "6"], ["id": 138, "name": "5"]]], status: 201))
    try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    #expect(self.trees(orchard) == ["138 5", "139 6"])
    #expect(Set(trees.map(ObjectIdentifier.init)) == Set(orchard.trees.map(ObjectIdentifier.init)))
    #expect(try main.count(OrchardTree.all) == 2)
    #expect(!main.hasChanges)
    #expect(try await pending() == [])
  }

  @Test func `equal children and normalized ones are told apart by their order`() async throws {
    let orchard = try orchard()
    for code in ["a", "a", "b "] {
      let mark = try main.insert(OrchardTag.self)
      mark.name = code
      orchard.marks.append(mark)
    }
    let marks = orchard.marks
    try StubAdapter.current.on(
      .post, "/orchards",
      .json(
        ["id": 9, "marks": [["id": 1, "name": "A"], ["id": 2, "name": "A"], ["id": 3, "name": "B"]]], status: 201))
    try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    #expect(marks.map(\.uid) == [1, 2, 3])
    #expect(orchard.marks.map(\.name) == ["A", "A", "B"])
    #expect(try main.count(OrchardTag.all) == 3)
    #expect(try await pending() == [])
  }

  @Test func `an answer that names the children by uids alone gives them their uids too`() async throws {
    let orchard = try orchard("5")
    try StubAdapter.current.on(.post, "/orchards", .json(["id": 9, "trees": [138]], status: 201))
    try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    #expect(trees(orchard) == ["138 5"])
    #expect(try await pending() == [])
  }

  @Test func `known children stay themselves among new children`() async throws {
    let orchard = try #require(
      try await Orchard.upsert(from: ["id": 9, "trees": [["id": 1, "name": "1"], ["id": 2, "name": "2"]]]).object)
    let tree = try main.insert(OrchardTree.self)
    tree.name = "3"
    tree.orchard = orchard
    try StubAdapter.current.on(
      .put, "/orchards/9",
      .json([
        "id": 9, "trees": [["id": 7, "name": "3"], ["id": 1, "name": "1"], ["id": 2, "name": "2"]],
      ]))
    try await orchard.put { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    #expect(trees(orchard) == ["1 1", "2 2", "7 3"])
    #expect(tree.uid == 7)
    #expect(try main.count(OrchardTree.all) == 3)
    #expect(try await pending() == [])
  }

  @Test func `children of children and targets of links get their uids`() async throws {
    let orchard = try orchard("5")
    let buyer = try main.insert(Gardener.self)
    buyer.name = "Ada"
    orchard.trees[0].gardener = buyer
    let owner = try main.insert(Gardener.self)
    owner.name = "Grace"
    orchard.gardener = owner
    try StubAdapter.current.on(
      .post, "/orchards",
      .json(
        [
          "id": 9, "gardener": ["id": 2, "name": "Grace"],
          "trees": [["id": 138, "name": "5", "gardener": ["id": 1, "name": "Ada"]]],
        ], status: 201))
    try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 2)) }
    #expect(buyer.uid == 1)
    #expect(owner.uid == 2)
    #expect(orchard.gardener === owner)
    #expect(orchard.trees.first?.gardener === buyer)
    #expect(try main.count(Gardener.all) == 2)
    #expect(!main.hasChanges)
    #expect(try await pending() == [])
  }

  @Test func `another number of new children is an error, and nothing is doubled`() async throws {
    let orchard = try orchard("5", "6")
    try await main.save()
    try StubAdapter.current.on(
      .post, "/orchards", .json(["id": 9, "trees": [["id": 138, "name": "5"]]], status: 201))
    let error = await #expect(throws: RequestError.self) {
      try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    }
    #expect("\(try #require(error))".contains("2 new objects were sent, and the answer has 1"))
    #expect(error?.wasAccepted == true)
    #expect(try main.count(OrchardTree.all) == 2)
    #expect(try await pending().count == 3)
  }

  @Test func `an answer without the list leaves the children pending`() async throws {
    let orchard = try orchard("5")
    try StubAdapter.current.on(.post, "/orchards", .json(["id": 9], status: 201))
    try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) }
    try await main.save()
    #expect(orchard.uid == 9)
    #expect(try await pending().map { $0.prefix(11) } == ["OrchardTree"])
    #expect(orchard.trees.first?.orchard === orchard)
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
    let orchard = try orchard("5")
    try await main.save()
    let gate = StubGate()
    try StubAdapter.current.on(
      .post, "/orchards",
      StubAnswer.json(["id": 9, "trees": [["id": 138, "name": "5"]]], status: 201).waiting(for: gate))
    let post = Task { @MainActor in _ = try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) } }
    await gate.arrival()
    orchard.trees[0].name = "7"
    try await main.save()
    gate.open()
    try await post.value
    #expect(trees(orchard) == ["138 7"])
    #expect(try await pending() == ["OrchardTree 138: name was edited from \"5\" to \"7\""])
  }

  @Test func `a child that is deleted while the POST is under way is deleted on the server later`() async throws {
    let orchard = try orchard("5")
    try await main.save()
    let gate = StubGate()
    try StubAdapter.current.on(
      .post, "/orchards",
      StubAnswer.json(["id": 9, "trees": [["id": 138, "name": "5"]]], status: 201).waiting(for: gate))
    let post = Task { @MainActor in _ = try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) } }
    await gate.arrival()
    try main.delete(orchard.trees[0])
    try await main.save()
    gate.open()
    try await post.value
    #expect(orchard.uid == 9)
    #expect(try main.count(OrchardTree.all) == 0)
    #expect(try await pending() == ["OrchardTree 138: it was deleted here"])
  }

  @Test func `a failed POST leaves all changes pending`() async throws {
    let orchard = try orchard("5")
    try await main.save()
    try StubAdapter.current.on(.post, "/orchards", .status(500))
    await #expect(throws: RequestError.self) { try await orchard.post { try $0.setJSON(orchard.jsonObject(depth: 1)) } }
    #expect(try await pending().count == 2)
    #expect(!orchard.trees[0].isSending)
  }
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
