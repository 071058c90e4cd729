import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Parts of responses to requests: of objects, of documents, of pages, of requests under way together.
@Suite(.reading) struct PartRequestTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func uids() async throws -> [Int] {
    try await store.read { try $0.fetch(Remark.all).map(\.uid).sorted() }
  }

  private func readers() async throws -> [Int] {
    try await store.read { try $0.fetch(Reader.all).map(\.uid).sorted() }
  }

  @Test(.client(entities: readingEntities, headers: ["X-Session": "s"]))
  func `a document is requested from the base URL`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/sync", query: ["since": 5], .json(["readers": [["id": 1]], "remarks": [["id": 2, "reader": 1]]]))
    stub.on(.post, "/batch", .json(["readers": [["id": 1, "name": "Al"]]]))
    let parts: [ResponsePart] = [.list(Remark.self, at: "remarks"), .list(Reader.self, at: "readers")]
    let response = try await EntityDocument.get("sync", query: ["since": 5], options: .parts(parts))
    #expect(response.counts.inserted == 2)
    #expect(response.counts.rowsWritten >= 2)
    #expect(response.ids.isEmpty)
    let posted = try await EntityDocument.post("batch", options: .parts(parts)) {
      try $0.setJSON(["ids": [1]] as JSONValue)
    }
    #expect(posted.counts.updated == 1)
    #expect(posted.counts(of: Reader.self).updated == 1)
    #expect(stub.requests.allSatisfy { $0.headers["X-Session"] == "s" })
    #expect(try EntityDocument.request(.get, "sync").url?.absoluteString == "https://api.example.com/sync")
    stub.on(.get, "/nothing", .status(204))
    #expect(try await EntityDocument.get("nothing", options: .parts(parts)).counts.rowsWritten == 0)
  }

  @Test func `bytes at hand are taken in too`() async throws {
    let data = Data(#"{"readers": [{"id": 1}], "remarks": [{"id": 2, "reader": 1}]}"#.utf8)
    let other = try EntityStore(.inMemory, entities: readingEntities)
    let response = try await Reader.upsert(
      from: data, in: other, options: [.envelope("readers"), .parts([.list(Remark.self, at: "remarks")])])
    #expect(response.ids.count == 1)
    #expect(response.ids(of: Remark.self).count == 1)
    #expect(try await other.read { try $0.fetch(Remark.self, uid: 2)?.reader.uid } == 1)
    #expect(try await readers() == [])
  }

  @Test @MainActor func `the answer to a POST has parts`() async throws {
    try StubAdapter.current.on(
      .post, "/readers", .json(["reader": ["id": 9], "remarks": [["id": 3, "reader": 9]]], status: 201))
    let reader = try store.main.insert(Reader.self)
    reader.name = "Al"
    let response = try await reader.post(options: [.envelope("reader"), .parts([.list(Remark.self, at: "remarks")])]) {
      try $0.setJSON(reader.jsonObject(for: \.name))
    }
    #expect(reader.uid == 9)
    #expect(reader.remarks.map(\.uid) == [3])
    #expect(!reader.hasChanges)
    #expect(try response.objects(of: Remark.self).first?.reader === reader)
  }

  @Test @MainActor func `parts are taken in although the object is gone`() async throws {
    let gate = StubGate()
    try await Reader.upsert(from: [["id": 1]])
    let reader = try #require(try store.main.fetch(Reader.self, uid: 1))
    try StubAdapter.current.on(
      .get, "/readers/1", .json(["reader": ["id": 1], "topics": [["id": "x"]]]).waiting(for: gate))
    let getting = Task {
      try await reader.get(options: [.envelope("reader"), .parts([.list(Topic.self, at: "topics")])])
    }
    await gate.arrival()
    try store.main.delete(reader)
    try await store.main.save()
    gate.open()
    let response = try await getting.value
    #expect(response.ids.isEmpty)
    #expect(response.counts(of: Topic.self).inserted == 1)
    #expect(try await readers() == [])
  }

  // MARK: Deleting

  @Test func `a list deletes objects that the document lacks`() async throws {
    try await Reader.upsert(from: [["id": 1], ["id": 2], ["id": 3]])
    try await Remark.upsert(from: [["id": 5, "reader": 1], ["id": 6, "reader": 1], ["id": 7, "reader": 1]])
    let parts: [ResponsePart] = [
      .list(Reader.self, at: "readers"),
      .list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.where { $0.uid < 7 })),
    ]
    for body in [["readers": [["id": 1]]], ["readers": [["id": 1]], "remarks": nil]] as [JSONValue] {
      #expect(try await EntityDocument.upsert(from: body, options: .parts(parts)).counts.deleted == 0)
    }
    let response = try await EntityDocument.upsert(
      from: ["readers": [["id": 1]], "remarks": [["id": 6]]], options: .parts(parts))
    #expect(response.counts.deleted == 1)
    #expect(response.counts(of: Remark.self).deleted == 1)
    #expect(try await uids() == [6, 7])
    #expect(try await readers() == [1, 2, 3])
  }

  @Test func `an object elsewhere in the document is not missing`() async throws {
    try await Reader.upsert(from: [["id": 1], ["id": 2]])
    try await EntityDocument.upsert(
      from: ["readers": [], "remarks": [["id": 5, "reader": 2]]],
      options: .parts([
        .list(Reader.self, at: "readers", missing: .deleteMissing(in: Reader.all)), .list(Remark.self, at: "remarks"),
      ]))
    #expect(try await readers() == [2])
  }

  @Test func `all objects that the response lacks are deleted together`() async throws {
    try await Remark.upsert(from: [["id": 5, "reader": ["id": 1]], ["id": 6, "reader": ["id": 2]]])
    let parts: [ResponsePart] = [
      .list(Reader.self, at: "readers", missing: .deleteMissing(in: Reader.all)),
      .list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all)),
    ]
    let stub = try StubAdapter.current
    // The reader could not go without the remark that needs it.
    stub.on(.get, "/sync", .json(["readers": [["id": 1]], "remarks": [["id": 5, "reader": 1]]]))
    let response = try await EntityDocument.get("sync", options: .parts(parts))
    #expect(response.counts.deleted == 2)
    #expect(response.counts(of: Reader.self).deleted == 1)
    #expect(try await readers() == [1])
    #expect(try await uids() == [5])
    stub.on(.get, "/sync", .json(["readers": [], "remarks": []]))
    #expect(try await EntityDocument.get("sync", options: .parts(parts)).counts.deleted == 2)
    #expect(try await readers() == [])
    #expect(try await uids() == [])
  }

  @Test func `a part of a body deletes nothing`() async throws {
    try await Remark.upsert(from: [["id": 5, "reader": ["id": 1]]])
    try StubAdapter.current.on(.get, "/sync", .json(["remarks": []], status: 206))
    let parts: [ResponsePart] = [.list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all))]
    let errors = [
      try await requestError { try await EntityDocument.get("sync", options: .parts(parts)) },
      try await requestError {
        try await EntityDocument.upsert(
          from: HTTPResponse(status: 206, body: Data(#"{"remarks": []}"#.utf8)), options: .parts(parts))
      },
    ]
    for error in errors {
      #expect(error.kind == .upsert)
      #expect(error.message.contains("is a part of one"))
    }
    #expect(try await uids() == [5])
    try await EntityDocument.get("sync", options: .parts([.list(Remark.self, at: "remarks")]))
  }

  // MARK: Pages

  private func pages(_ second: JSONValue) throws -> EntityPages<Reader> {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/readers",
      .json(["data": [["id": 1]], "remarks": [["id": 5, "reader": 1], ["id": 6, "reader": 1]], "next": "/readers/2"]))
    stub.on(.get, "/readers/2", .json(second))
    return Reader.pages(
      by: .body("next"),
      options: [
        .envelope("data"), .parts([.list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all))]),
      ])
  }

  @Test func `the last page deletes objects that no page had`() async throws {
    try await Remark.upsert(from: [["id": 4, "reader": ["id": 9]]])
    let pages = try pages([
      "data": [["id": 2]], "remarks": [["id": 6, "reader": 2], ["id": 7, "reader": 2]], "next": nil,
    ])
    let all = try await pages.all()
    #expect(all.ids.count == 2)
    #expect(all.ids(of: Remark.self).count == 3)
    #expect(all.counts(of: Remark.self).inserted == 3)
    #expect(all.counts(of: Remark.self).updated == 1)
    #expect(all.counts(of: Remark.self).deleted == 1)
    #expect(try await uids() == [5, 6, 7])
    #expect(try await readers() == [1, 2, 9])
  }

  @Test func `a page without the list deletes nothing`() async throws {
    try await Remark.upsert(from: [["id": 4, "reader": ["id": 9]]])
    let first = try pages(["data": [["id": 2]], "next": nil])
    var error = try await requestError { try await first.all() }
    #expect(error.kind == .pagination)
    #expect(error.description.contains("Page 2 has no list under 'remarks'"))
    #expect(try await uids() == [4, 5, 6])
    let stub = try StubAdapter.current
    stub.on(.get, "/readers", .json(["data": [["id": 1]], "next": "/readers/2"]))
    stub.on(.get, "/readers/2", .json(["data": [["id": 2]], "remarks": [["id": 6, "reader": 2]]]))
    let pages = Reader.pages(
      by: .body("next"),
      options: [
        .envelope("data"), .parts([.list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all))]),
      ])
    error = try await requestError { try await pages.all() }
    #expect(error.kind == .pagination)
    #expect(error.description.contains("Page 1 has no list under 'remarks'"))
    #expect(try await uids() == [4, 5, 6])
    #expect(try await readers() == [1, 2, 9])
  }

  // MARK: Order

  @Test func `an older document overwrites nothing of a newer document`() async throws {
    let gate = StubGate()
    let parts: [ResponsePart] = [.list(Topic.self, at: "topics"), .list(Reader.self, at: "readers")]
    let stub = try StubAdapter.current
    stub.on(
      .get, "/sync",
      .json(["topics": [["id": "x", "title": "old"]], "readers": [["id": 1, "name": "old"], ["id": 2]]])
        .waiting(for: gate))
    stub.on(.get, "/new", .json(["topics": [["id": "x", "title": "new"]]]))
    stub.on(.delete, "/readers/2", .status(204))
    try await Reader.upsert(from: [["id": 2]])
    let getting = Task { try await EntityDocument.get("sync", options: .parts(parts)) }
    await gate.arrival()
    try await EntityDocument.get("new", options: .parts(parts))
    try await Reader.delete("2")
    gate.open()
    _ = try await getting.value
    #expect(try await store.read { try $0.fetch(Topic.self, uid: "x")?.title } == "new")
    #expect(try await store.read { try $0.fetch(Reader.self, uid: 1)?.name } == "old")
    #expect(try await readers() == [1])
  }

  @Test func `progress counts the objects of all parts`() async throws {
    let many = JSONValue((1...600).map { ["id": JSONValue($0)] as JSONValue })
    try StubAdapter.current.on(.get, "/sync", .json(["readers": many, "topics": [["id": "x"]]]))
    let seen = Recorder<Double>()
    try await EntityDocument.get(
      "sync", options: .parts([.list(Topic.self, at: "topics"), .list(Reader.self, at: "readers")]),
      progress: { seen.add($0.fraction) })
    #expect(seen.all == seen.all.sorted())
    #expect(seen.all.last == 1)
    #expect(try await readers().count == 600)
  }
}
