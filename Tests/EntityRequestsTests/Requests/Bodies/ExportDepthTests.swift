import EntityClient
import EntityTesting
import Foundation
import Testing

/// Exports of objects with those that they are related to.
@Suite(.client(entities: RopeKnot.graph)) @MainActor struct ExportDepthTests {
  private var main: EntityContext { get throws { try Client.current.store.main } }

  /// Knots 1 and 2 in a ring, with strands of knot 1, a mark and a seal.
  private func ring() throws -> RopeKnot {
    let main = try main
    let one = try main.insert(RopeKnot.self)
    one.uid = 1
    one.title = "one"
    let two = try main.insert(RopeKnot.self)
    two.uid = 2
    one.next = two
    two.next = one
    one.strands = try [7, 5].map { uid in
      let strand = try main.insert(Strand.self)
      strand.uid = uid
      return strand
    }
    let mark = try main.insert(Mark.self)
    mark.uid = "m"
    one.marks = [mark]
    two.marks = [mark]
    let seal = try main.insert(Seal.self)
    seal.text = "wax"
    seal.maker = two
    one.seal = seal
    return one
  }

  @Test func `related objects are uids at depth zero`() throws {
    let one = try ring()
    #expect(
      try one.jsonObject(depth: 0, nils: .leftOut) == [
        "id": 1, "title": "one", "meta": ["tags": []], "next": 2, "strands": [7, 5], "friends": [], "marks": ["m"],
        "seal": ["text": "wax", "maker": 2], "beads": [],
      ])
  }

  @Test func `each level nests objects and cycles end in uids`() throws {
    let one = try ring()
    let two: JSONValue = [
      "id": 2, "meta": ["tags": []], "next": 1, "strands": [], "friends": [], "marks": ["m"], "beads": [],
    ]
    let json = try one.jsonObject(depth: 1, nils: .leftOut)
    #expect(json["next"] == two)
    // Without the way back, to which the nesting is equal.
    #expect(json["strands"] == [["id": 7, "length": 0.0], ["id": 5, "length": 0.0]])
    #expect(json["marks"] == [["id": "m"]])
    // Nested, the ring has no list of the knots before it but those that it is reached by.
    #expect(
      json["previous"] == [["id": 2, "meta": ["tags": []], "strands": [], "friends": [], "marks": ["m"], "beads": []]])
    #expect(json["seal"] == ["text": "wax", "maker": two])
    let deep = try one.jsonObject(depth: 3, nils: .leftOut)
    #expect(deep["next.next"] == 1)
    #expect(deep["next.marks"] == [["id": "m"]])
    #expect(deep["marks"] == [["id": "m"]])
    // An end, however deep.
    #expect(try one.jsonObject(depth: 64, nils: .leftOut) == one.jsonObject(depth: 10, nils: .leftOut))
  }

  @Test func `values that are not there are null or left out`() throws {
    let knot = try main.insert(RopeKnot.self)
    #expect(
      try knot.jsonObject(depth: 0) == [
        "title": nil, "price": nil, "day": nil, "meta": ["tags": []], "extra": nil, "next": nil, "strands": [],
        "friends": [], "marks": [], "seal": nil, "beads": [],
      ])
    #expect(try knot.jsonObject(for: \.title, \.price, \.tags, nils: .leftOut) == ["meta": ["tags": []]])
    #expect(try knot.jsonObject(for: [\.title, \.next], nils: .leftOut) == [:])
    knot.uid = 3
    #expect(try knot.jsonObject(depth: 0)["id"] == 3)
  }

  @Test func `a placeholder is exported as its uid`() async throws {
    let strand = try #require(try await Strand.upsert(from: ["id": 7, "knot": 1]).object)
    #expect(strand.knot.isPlaceholder)
    #expect(try strand.jsonObject(depth: 2) == ["id": 7, "length": 0.0, "knot": 1, "frays": []])
    #expect(try strand.knot.jsonObject(depth: 1) == ["id": 1])
  }

  @Test func `an object that the server does not know is refused as a uid and nested elsewhere`() throws {
    let one = try ring()
    try #require(one.next).next = try main.insert(RopeKnot.self)
    #expect(try one.jsonObject(depth: 0)["next"] == 2)
    #expect { try one.jsonObject(depth: 1) } throws: { ($0 as? RequestError)?.kind == .missingUID }
    let new = try #require(try one.jsonObject(depth: 2)["next.next"]?.object)
    #expect(new["id"] == nil)
    #expect(new["marks"] == [])
    let strand = try main.insert(Strand.self)
    strand.uid = 9
    #expect { try strand.jsonObject(depth: 0) } throws: { ($0 as? RequestError)?.kind == .missingUID }
  }

  @Test(arguments: [-1, 65, .max, .min]) func `a depth that exports do not have is refused`(_ depth: Int) throws {
    let one = try ring()
    #expect { try one.jsonObject(depth: depth) } throws: { ($0 as? RequestError)?.kind == .invalidRequest }
    let main = try main
    #expect { try main.jsonArray(of: RopeKnot.all, depth: depth) } throws: {
      ($0 as? RequestError)?.kind == .invalidRequest
    }
  }

  @Test func `an object of no context is exported too`() throws {
    let knot = RopeKnot()
    knot.uid = 1
    let next = RopeKnot()
    next.uid = 2
    knot.next = next
    next.next = knot
    #expect(try knot.jsonObject(depth: 2, nils: .leftOut)["next"]?["next"] == 1)
  }

  @Test func `an array has the objects of a query in its order`() async throws {
    _ = try ring()
    try await main.save()
    let store = try Client.current.store
    let array = try await store.read {
      try $0.jsonArray(of: RopeKnot.all.sorted(by: \.uid, .descending), depth: 1, nils: .leftOut)
    }
    #expect(array.map { $0["id"]?.int } == [2, 1])
    #expect(array.map { $0["next"]?["id"]?.int } == [1, 2])
    #expect(array[1]?.object == (try main.fetch(RopeKnot.self, uid: 1)?.jsonObject(depth: 1, nils: .leftOut)))
    #expect(try await store.read { try $0.jsonArray(of: RopeKnot.where { $0.uid == 9 }) }.isEmpty)
  }

  @Test func `an exported graph is the same in another store`() async throws {
    let one = try ring()
    let copy = try knots()
    let response = try await RopeKnot.upsert(from: one.jsonObject(depth: 2).value, in: copy)
    #expect(response.ids.count == 1)
    let wanted = try main.knots()
    #expect(try await copy.read { try $0.knots() } == wanted)
  }
}

/// Requests with the fields that a caller names.
@Suite(.client(entities: RopeKnot.graph)) @MainActor struct ExportFieldTests {
  private func knot() throws -> RopeKnot {
    let main = try Client.current.store.main
    let knot = try main.insert(RopeKnot.self)
    knot.uid = 1
    knot.title = "one"
    knot.day = Date(timeIntervalSince1970: 86_400)
    let next = try main.insert(RopeKnot.self)
    next.uid = 2
    next.day = Date(timeIntervalSince1970: 0)
    knot.next = next
    let strand = try main.insert(Strand.self)
    strand.uid = 5
    strand.knot = next
    let seal = try main.insert(Seal.self)
    seal.text = "wax"
    knot.seal = seal
    return knot
  }

  @Test func `fields have keys of the caller's own`() throws {
    let knot = try knot()
    let json = try knot.jsonObject {
      ["name": $0.title, "date": $0.day, "next": $0.next, "seal": $0.seal, "marks": $0.marks, "number": $0.uid]
    }
    #expect(
      json == [
        "name": "one", "date": "1970-01-02", "next": 2, "marks": [], "number": 1,
        "seal": ["text": "wax", "maker": nil, "bead": nil],
      ])
  }

  @Test func `a key path leads through relationships and transformers`() throws {
    let knot = try knot()
    let json = try knot.jsonObject {
      ["next.day": $0.next.day, "next.strands": $0.next.strands, "text": $0.seal.text, "far": $0.next.next.title]
    }
    #expect(json == ["next": ["day": "1970-01-01", "strands": [5]], "text": "wax", "far": nil])
    let strand = try #require(knot.next?.strands.first)
    #expect(
      try strand.jsonObject { ["day": $0.knot.day, "first": $0.knot.next.uid] } == ["day": "1970-01-01", "first": nil])
    #expect(
      try knot.jsonObject(nils: .leftOut) { ["far": $0.next.next.title, "seal": $0.seal] } == ["seal": ["text": "wax"]])
  }

  @Test func `keys that meet are refused`() throws {
    let knot = try knot()
    for fields: @MainActor (ExportFields<RopeKnot>) -> KeyValuePairs<String, any ExportField> in [
      { ["a": $0.title, "a": $0.day] }, { ["a": $0.title, "a.b": $0.day] }, { ["list": $0.previous] },
    ] {
      #expect { try knot.jsonObject(fields) } throws: { ($0 as? RequestError)?.kind == .invalidRequest }
    }
    #expect(try knot.jsonObject { ["a": $0.title, "a": $0.title] } == ["a": "one"])
  }

  /// The way in which NCC's users send: `{requestKey: modelKeyPath}`, nils left out.
  @Test func `a body of fields acknowledges the fields that have their own keys`() async throws {
    let knot = try #require(try await RopeKnot.upsert(from: ["id": 1]).object)
    try StubAdapter.current.on(.post, "/knots/1/edit", .status(204))
    knot.title = "edited"
    knot.price = 2
    try await knot.post("1/edit") { request in
      try request.setJSON(knot.jsonObject(nils: .leftOut) { ["title": $0.title, "cost": $0.price, "next": $0.next] })
    }
    #expect(try StubAdapter.current.requests.first?.body == Data(#"{"cost":2,"title":"edited"}"#.utf8))
    #expect(knot.hasChanges)
    try #require(knot.entityContext).rollback()
    #expect(knot.title == "edited")
    #expect(knot.price == nil)
  }
}
