import EntityClient
import EntityTesting
import Foundation
import Testing

/// Pages of documents: the objects that count for a walk.
@Suite(.reading) struct PartPageTests {
  private func remarks() async throws -> [Int] {
    try await Client.current.store.read { try $0.fetch(Remark.all).map(\.uid).sorted() }
  }

  @Test func `a walk ends when all lists are empty`() async throws {
    try await Remark.upsert(from: [["id": 1, "reader": ["id": 1]], ["id": 2, "reader": 1], ["id": 9, "reader": 1]])
    let stub = try StubAdapter.current
    stub.on(.get, "/sync", query: ["page": 1], .json(["topics": [["id": "x"]], "remarks": [["id": 1, "reader": 1]]]))
    stub.on(.get, "/sync", query: ["page": 2], .json(["topics": [], "remarks": [["id": 2, "reader": 1]]]))
    stub.on(.get, "/sync", query: ["page": 3], .json(["remarks": [["id": 3, "reader": 1]]]))
    stub.on(.get, "/sync", query: ["page": 4], .json(["topics": [], "remarks": []]))
    let topics: ResponsePart = .list(Topic.self, at: "topics")
    let all = try await EntityDocument.pages(
      "sync", by: .numbers(),
      options: .parts([topics, .list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all))])
    ).all()
    #expect(all.pages == 4)
    #expect(all.counts.deleted == 1)
    #expect(try await remarks() == [1, 2, 3])
  }

  @Test func `a last page of a document may have no content`() async throws {
    try await Remark.upsert(from: [["id": 1, "reader": ["id": 1]], ["id": 2, "reader": 1]])
    let stub = try StubAdapter.current
    stub.on(.get, "/sync", query: ["page": 1], .json(["remarks": [["id": 1, "reader": 1]]]))
    stub.on(.get, "/sync", query: ["page": 2], .status(204))
    let parts: [ResponsePart] = [.list(Remark.self, at: "remarks", missing: .deleteMissing(in: Remark.all))]
    _ = try await EntityDocument.pages("sync", by: .numbers(), options: .parts(parts)).all()
    #expect(try await remarks() == [1])
  }

  @Test func `the parent may stand on each page`() async throws {
    let stub = try StubAdapter.current
    for number in 1...4 {
      let remarks = number > 3 ? [] : [["id": JSONValue(number), "reader": 1] as JSONValue]
      stub.on(
        .get, "/readers/1", query: ["page": number],
        .json([
          "reader": ["id": 1], "remarks": JSONValue(remarks),
          "next": number < 3 ? JSONValue("/readers/1?page=\(number + 1)") : nil,
        ]))
    }
    let parts: [ResponsePart] = [.list(Remark.self, at: "remarks")]
    let links = Reader.pages("1", query: ["page": 1], by: .body("next"), options: [.envelope("reader"), .parts(parts)])
    #expect(try await links.all().pages == 3)
    let numbers = Reader.pages("1", by: .numbers(), options: [.envelope("reader"), .parts(parts)])
    #expect(try await numbers.all().pages == 4)
    let document = EntityDocument.pages(
      "readers/1", by: .numbers(), options: .parts([.object(Reader.self, at: "reader")] + parts))
    #expect(try await document.all().pages == 4)
    #expect(try await remarks() == [1, 2, 3])
  }

  @Test func `objects that a parent's pages lack are deleted`() async throws {
    try await Remark.upsert(from: [["id": 1, "reader": ["id": 1]], ["id": 8, "reader": 1]])
    try await Remark.upsert(from: ["id": 9, "reader": ["id": 2]])
    let stub = try StubAdapter.current
    stub.on(.get, "/readers/1", query: ["page": 1], .json(["id": 1, "sent": [["id": 1, "reader": 1]]]))
    stub.on(.get, "/readers/1", query: ["page": 2], .json(["id": 1, "sent": [["id": 2, "reader": 1]]]))
    stub.on(.get, "/readers/1", query: ["page": 3], .json(["id": 1, "sent": []]))
    let all = try await Reader.pages(
      "1", by: .numbers(),
      options: .parts([
        .list(Remark.self, at: "sent", missing: .deleteMissing(in: Remark.where { $0.reader.uid == 1 }))
      ])
    ).all()
    #expect(all.pages == 3)
    #expect(all.ids.count == 1)
    #expect(all.counts(of: Remark.self).deleted == 1)
    #expect(try await remarks() == [1, 2, 9])
  }

  /// A feed of changes may have the same object twice; a cursor that was not heeded comes back and is known then.
  @Test func `cursors may lead to the same objects`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/readers", .json(["data": [["id": 1]], "next": "a"]))
    stub.on(.get, "/readers", query: ["cursor": "a"], .json(["data": [["id": 1]], "next": nil]))
    #expect(try await Reader.pages(by: .cursor("next"), options: .envelope("data")).all().pages == 2)
    stub.on(.get, "/readers", query: ["cursor": "a"], .json(["data": [["id": 1]], "next": "a"]))
    let error = try await requestError { try await Reader.pages(by: .cursor("next"), options: .envelope("data")).all() }
    #expect(error.kind == .pagination)
  }

  @Test func `a document whose parts ignore the page number is found`() async throws {
    try StubAdapter.current.on(
      .get, "/sync", .json(["topics": [["id": "x"]], "remarks": [["id": 1, "reader": ["id": 1]]]]))
    let parts: [ResponsePart] = [.list(Topic.self, at: "topics"), .list(Remark.self, at: "remarks")]
    let walk = EntityDocument.pages("sync", by: .numbers(), options: .parts(parts))
    #expect(try await requestError { try await walk.all() }.kind == .pagination)
    #expect(try StubAdapter.current.requests.count == 2)
  }

  @Test func `a document with none of its parts is an error`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/sync", .json(["error": "maintenance"]))
    let parts: [ResponsePart] = [.list(Reader.self, at: "data.reader"), .object(Topic.self, at: "topic")]
    let error = try await requestError { try await EntityDocument.get("sync", options: .parts(parts)) }
    #expect(error.kind == .envelope)
    #expect(error.description.contains("'data.reader', 'topic'"))
    stub.on(.get, "/sync", .json(["topic": nil]))
    #expect(try await EntityDocument.get("sync", options: .parts(parts)).counts == EntityCounts())
  }
}
