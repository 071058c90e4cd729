import EntityClient
import EntityTesting
import Foundation
import Testing
import HTTPFoundation

@Entity final class SilkItem: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "items" }
}

/// Pages by ranges, by fields of a body, backward, and at other origins.
@Suite(.client(entities: [SilkItem.self])) struct RangeAndBodyPageTests {
  private func items(_ ids: Range<Int>) -> JSONValue { JSONValue(ids.map { ["id": JSONValue($0)] as JSONValue }) }

  private func uids() async throws -> [Int] {
    try await Client.current.store.read { try $0.fetch(SilkItem.all).map(\.uid).sorted() }
  }

  /// A server that heeds `Range`, and gives at most `cap` objects.
  private func serveRanges(_ count: Int, cap: Int = 1000, total: Bool = true) throws {
    try StubAdapter.current.on(
      .get, "/items",
      .respond { request in
        let range = request.headers["Range"] ?? "0-"
        let ends = range.split(separator: "-").compactMap { Int($0) }
        let last = min(count, ends[1] + 1, ends[0] + cap)
        let ids = ends[0] < last ? ends[0]..<last : 0..<0
        let place = ids.isEmpty ? "*" : "\(ids.lowerBound)-\(ids.upperBound - 1)"
        let body = JSONValue(ids.map { ["id": JSONValue($0)] as JSONValue })
        return HTTPResponse(
          status: total && ids.count < count ? 206 : 200,
          headers: ["Content-Range": "\(place)/\(total ? "\(count)" : "*")", "Content-Type": "application/json"],
          url: request.url, body: body.rawBytes)
      })
  }

  // MARK: Ranges

  @Test(arguments: [(10, 4, 4), (8, 4, 4), (1, 4, 4), (0, 4, 4), (10, 4, 3)], [true, false])
  func `ranges lead to all objects, and the others are deleted`(_ shape: (Int, Int, Int), _ total: Bool) async throws {
    let (count, size, cap) = shape
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    try serveRanges(count, cap: cap, total: total)
    let walk = SilkItem.pages(by: .ranges(size: size), options: .deleteMissing(in: SilkItem.all))
    let all = try await walk.all()
    #expect(all.ids.count == count)
    #expect(try await uids() == Array(0..<count))
    #expect(try await walk.all().counts.rowsWritten == 0)
    let first = try #require(try StubAdapter.current.requests.first)
    #expect(first.headers["Range"] == "0-3")
    #expect(first.headers["Range-Unit"] == "items")
  }

  @Test(arguments: ["0-1/9", "2-3/9", "4-9/9", "x", "*/9"])
  func `a range that is another one deletes nothing`(_ second: String) async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    try StubAdapter.current.on(
      .get, "/items", .json(items(0..<4), status: 206, headers: ["Content-Range": "0-3/9"]),
      .json(items(4..<8), status: 206, headers: ["Content-Range": second]))
    let error = try await requestError {
      try await SilkItem.pages(by: .ranges(size: 4), options: .deleteMissing(in: SilkItem.all)).all()
    }
    #expect(error.kind == .pagination)
    #expect(try await uids().contains(99))
  }

  @Test(arguments: [nil, "*/8", "items */8"], [true, false])
  func `without a total, a refusal behind the objects is the end`(_ range: String?, _ isText: Bool) async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    var fields: HTTPHeaders = [:]
    if let range { fields = ["Content-Range": range] }
    try StubAdapter.current.on(
      .get, "/items", .json(items(0..<4), status: 206, headers: ["Content-Range": "0-3/*"]),
      .json(items(4..<8), status: 206, headers: ["Content-Range": "4-7/*"]),
      // The body is that of a refusal.
      isText
        ? .data(Data("<p>no".utf8), status: 416, contentType: "text/html", headers: fields)
        : .json(["error": "out of range"], status: 416, headers: fields))
    let all = try await SilkItem.pages(by: .ranges(size: 4), options: .deleteMissing(in: SilkItem.all)).all()
    #expect(all.ids.count == 8)
    #expect(all.counts.deleted == 1)
    #expect(try await uids() == Array(0..<8))
  }

  @Test func `a refusal with another total deletes nothing, and ends a walk that deletes nothing`() async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    func serve() throws {
      try StubAdapter.current.on(
        .get, "/items", .json(items(0..<4), status: 206, headers: ["Content-Range": "0-3/*"]),
        .status(416, headers: ["Content-Range": "*/3"]))
    }
    try serve()
    let error = try await requestError {
      try await SilkItem.pages(by: .ranges(size: 4), options: .deleteMissing(in: SilkItem.all)).all()
    }
    #expect(error.kind == .pagination)
    #expect(error.message.contains("the total is 3"), "\(error)")
    #expect(try await uids().contains(99))
    try serve()
    #expect(try await SilkItem.pages(by: .ranges(size: 4)).all().ids.count == 4)
  }

  @Test func `a refusal of the first range is an error`() async throws {
    try StubAdapter.current.on(.get, "/items", .status(416))
    let error = try await requestError { try await SilkItem.pages(by: .ranges(size: 4)).all() }
    #expect(error.status == 416)
  }

  @Test func `a refusal of the first range with the total 0 is an empty collection`() async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    try StubAdapter.current.on(
      .get, "/items",
      .data(Data("<p>no".utf8), status: 416, contentType: "text/html", headers: ["Content-Range": "*/0"]))
    let all = try await SilkItem.pages(by: .ranges(size: 4), options: .deleteMissing(in: SilkItem.all)).all()
    #expect(all.counts.deleted == 1)
    #expect(try await uids().isEmpty)
    try StubAdapter.current.on(.get, "/items", .status(416, headers: ["Content-Range": "*/3"]))
    #expect(try await requestError { try await SilkItem.pages(by: .ranges(size: 4)).all() }.status == 416)
  }

  @Test func `a server that ignores ranges sends all`() async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    try StubAdapter.current.on(.get, "/items", .json(items(0..<9)))
    let walk = SilkItem.pages(by: .ranges(size: 4, unit: "items"), options: .deleteMissing(in: SilkItem.all))
    #expect(try await walk.all().ids.count == 9)
    #expect(try await uids() == Array(0..<9))
    #expect(try StubAdapter.current.requests.map { $0.headers["Range"] } == ["items=0-3"])
  }

  @Test func `a walk goes on from the token of a range`() async throws {
    try serveRanges(10)
    let token = try #require(try await SilkItem.pages(by: .ranges(size: 4), limit: 1).all().next)
    let kept = try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode(token))
    #expect(kept == token)
    #expect(try await SilkItem.pages(by: .ranges(size: 4), from: kept).all().ids.count == 6)
    let error = try await requestError {
      try await SilkItem.pages(by: .ranges(size: 4), from: kept, options: .deleteMissing(in: SilkItem.all)).all()
    }
    #expect(error.kind == .invalidRequest)
  }

  // MARK: Bodies

  @Test func `offsets, numbers and cursors stand in the body`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .post, "/items/search", .json(["hits": items(0..<2), "total": 3]), .json(["hits": items(2..<3), "total": 3]))
    let offsets = SilkItem.pages(
      posting: ["filter": ["a": 1], "page": ["size": 2]], to: "search",
      by: .offsets("page.offset", size: 100, "page.size", total: .body("total")).inBody,
      options: [.envelope("hits"), .deleteMissing(in: SilkItem.all)])
    #expect(try await offsets.all().ids.count == 3)
    #expect(
      stub.requests.map(\.json) == [
        ["filter": ["a": 1], "page": ["size": 2, "offset": 0]],
        ["filter": ["a": 1], "page": ["size": 2, "offset": 2]],
      ])
    stub.on(
      .post, "/items/search", .json(["hits": items(0..<2), "next": "c1"]), .json(["hits": items(2..<3), "next": nil]))
    let cursors = SilkItem.pages(
      posting: [:], to: "search", by: .cursor("next", parameter: "after").inBody, options: .envelope("hits"))
    #expect(try await cursors.all().pages == 2)
    #expect(stub.requests.suffix(2).map(\.json) == [[:], ["after": "c1"]])
    stub.on(.post, "/items/search", .json(items(0..<2)), .json(items(2..<3)), .json([]))
    let numbers = SilkItem.pages(posting: ["q": "x"], to: "search", by: .numbers("p", from: 0).inBody)
    #expect(try await numbers.all().ids.count == 3)
    #expect(stub.requests.suffix(3).map { $0.json?["p"] } == [0, 1, 2])
  }

  @Test func `a walk by POST goes on from its token, and is a read`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/items", .json([["id": 50]], headers: ["ETag": "\"1\""]))
    let cached = ResponseOptions<SilkItem>.cache(.cacheFirst(maxAge: .seconds(1000)))
    try await SilkItem.get(options: cached)
    stub.on(.post, "/items/search", .json(["hits": items(0..<2), "next": "c1"]), .json(["hits": items(2..<3)]))
    let by = CursorPagination.cursor("next", parameter: "after").inBody
    let first = try await SilkItem.pages(
      posting: ["q": "x"], to: "search", by: by, limit: 1, options: .envelope("hits")
    ).all()
    let token = try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode(try #require(first.next)))
    #expect(!"\(token)".contains("c1"))
    let rest = try await SilkItem.pages(
      posting: ["q": "x"], to: "search", by: by, from: token, options: .envelope("hits")
    ).all()
    #expect(rest.ids.count == 1)
    #expect(stub.requests.last?.json == ["q": "x", "after": "c1"])
    try await SilkItem.get(options: cached)
    #expect(stub.requests(.get, "/items").count == 1, "the cached response has not ended")
  }

  @Test func `a server that ignores the place in the body is found out`() async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    let stub = try StubAdapter.current
    stub.on(.post, "/items", .json(items(0..<2)))
    let numbers = SilkItem.pages(
      posting: [:], by: .numbers("p").inBody, options: .deleteMissing(in: SilkItem.all))
    #expect(try await requestError { try await numbers.all() }.message.contains("does not heed"))
    stub.on(.post, "/items", .json(["hits": items(0..<2), "next": "same"]))
    let cursors = SilkItem.pages(
      posting: [:], by: .cursor("next", parameter: "after").inBody,
      options: [.envelope("hits"), .deleteMissing(in: SilkItem.all)])
    #expect(try await requestError { try await cursors.all() }.message.contains("in a circle"))
    #expect(try await uids() == [0, 1, 99])
  }

  @Test func `a place in a body needs a body that takes it`() async throws {
    let inBody = NumberPagination.numbers("a.p").inBody
    #expect(try await requestError { try await SilkItem.pages(by: inBody).all() }.kind == .invalidRequest)
    let error = try await requestError { try await SilkItem.pages(posting: ["a": 1], by: inBody).all() }
    #expect(error.message.contains("in place of an object"))
    // A walk that begins in the middle deletes nothing.
    let middle = SilkItem.pages(
      posting: ["a": ["p": 3]], by: inBody, options: .deleteMissing(in: SilkItem.all))
    #expect(try await requestError { try await middle.all() }.kind == .invalidRequest)
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  // MARK: Backward

  @Test func `links, bodies and cursors lead backward`() async throws {
    let stub = try StubAdapter.current
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    let deleting = ResponseOptions<SilkItem>.deleteMissing(in: SilkItem.all)
    stub.on(.get, "/items?page=2", .json(items(2..<4), headers: ["Link": "</items?page=1>; rel=\"previous\""]))
    stub.on(.get, "/items?page=1", .json(items(0..<2), headers: ["Link": "</items?page=2>; rel=\"next\""]))
    let walk = SilkItem.pages(query: ["page": 2], by: .links("prev"), options: deleting)
    #expect(try await walk.all().ids.count == 4)
    #expect(try await uids() == [0, 1, 2, 3])
    // The first page of the walk has one after it.
    let middle = SilkItem.pages(query: ["page": 1], by: .links("prev"), options: deleting)
    #expect(try await requestError { try await middle.all() }.message.contains("has a previous one"))
    stub.on(.get, "/items?page=1", .json(["previous": nil, "next": "/items?page=2", "hits": items(0..<1)]))
    let body = SilkItem.pages(query: ["page": 1], by: .body("previous"), options: [.envelope("hits"), deleting])
    #expect(try await requestError { try await body.all() }.message.contains("has a previous one"))
    stub.on(
      .get, "/items", .json(["more": true, "hits": items(2..<4)]), .json(["more": false, "hits": items(0..<2)]))
    let first = SilkItem.pages(
      by: .cursor(ofFirst: "id", parameter: "before", more: "more"), options: .envelope("hits"))
    #expect(try await first.all().ids.count == 4)
    #expect(stub.requests.last?.query.map(\.value) == ["2"])
  }

  @Test func `a backward walk that can't tell older objects deletes nothing`() async throws {
    let stub = try StubAdapter.current
    let options: ResponseOptions<SilkItem> = [.envelope("hits"), .deleteMissing(in: SilkItem.all)]
    let last = CursorPagination.cursor(ofLast: "id", parameter: "after", more: "more", places: ["before"])
    for query in [[:], ["before": "3"]] as [QueryParameters] {
      let first = CursorPagination.cursor(ofFirst: "id", parameter: "before", more: "more")
      let cursor = SilkItem.pages(query: query, by: first, options: options)
      #expect(try await requestError { try await cursor.all() }.kind == .invalidRequest)
      let links = SilkItem.pages(query: query, by: .links("prev", places: ["before"]), options: options)
      #expect(try await requestError { try await links.all() }.kind == .invalidRequest)
    }
    let other = SilkItem.pages(query: ["before": "3"], by: last, options: options)
    #expect(try await requestError { try await other.all() }.kind == .invalidRequest)
    #expect(stub.requests.isEmpty)
    stub.on(.get, "/items", .json(["more": false, "hits": items(0..<2)]))
    #expect(try await SilkItem.pages(by: last, options: options).all().ids.count == 2)
  }

  // MARK: Origins

  @Test(arguments: [
    ("http://api.example.com/items?page=2", "https://api.example.com/items?page=2"),
    ("http://api.example.com:80/items?page=2", "https://api.example.com/items?page=2"),
    ("http://API.example.com/items?page=2", "https://API.example.com/items?page=2"),
    ("http://api.example.com:8080/items?page=2", nil), ("http://other.example.com/items?page=2", nil),
    ("https://other.example.com/items?page=2", nil),
  ])
  func `http at the collection's host is https`(_ next: String, _ sent: String?) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/items", .json(["next": JSONValue(next), "hits": items(0..<1)]))
    stub.on(.get, "/items?page=2", .json(["next": nil, "hits": items(1..<2)]))
    let walk = SilkItem.pages(by: .body("next"), options: .envelope("hits"))
    guard let sent else {
      #expect(try await requestError { try await walk.all() }.message.contains("another origin"))
      return
    }
    #expect(try await walk.all().ids.count == 2)
    #expect(stub.requests.last?.url.absoluteString == sent)
  }

  @Test func `TLS is never given up, also where other origins are allowed`() async throws {
    let stub = try StubAdapter.current
    let anywhere: ResponseOptions<SilkItem> = [.envelope("hits"), .allowing(.otherOrigins)]
    stub.on(.get, "/items", .json(["next": "http://other.example.com/items", "hits": items(0..<1)]))
    let error = try await requestError { try await SilkItem.pages(by: .body("next"), options: anywhere).all() }
    #expect(error.message.contains("without TLS"))
    let client = try Client(
      adapter: stub, store: Client.current.store, baseURL: "http://api.example.com/", headers: ["Authorization": "s"])
    try await Client.withClient(client) {
      stub.on(.get, "/items", .json(["next": "https://other.example.com/items", "hits": items(0..<1)]))
      stub.on(.get, "https://other.example.com/items", .json(["next": nil, "hits": items(1..<2)]))
      let all = try await SilkItem.pages(by: .body("next"), options: anywhere).all()
      #expect(all.ids.count == 2)
    }
    #expect(stub.requests.suffix(2).map { $0.headers["Authorization"] } == ["s", nil], "credentials stay at home")
    let far = try #require(URL(string: "https://other.example.com/items"))
    #expect(
      try await SilkItem.pages(by: .body("next"), from: PageToken(url: far), options: anywhere).all().ids.count == 1)
  }

  // MARK: Signs in the body

  @Test func `pages are counted by a header`() async throws {
    let stub = try StubAdapter.current
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    for page in 1...2 {
      stub.on(.get, "/items?page=\(page)", .json(items(page..<(page + 1)), headers: ["X-Pages": "2"]))
    }
    let numbers = NumberPagination.numbers(pages: .header("X-Pages"))
    let all = try await SilkItem.pages(by: numbers, options: .deleteMissing(in: SilkItem.all)).all()
    #expect(all.pages == 2)
    #expect(try await uids() == [1, 2])
    stub.on(.get, "/items?page=1", .json([], headers: ["X-Pages": "2"]))
    let walk = SilkItem.pages(by: numbers, options: .deleteMissing(in: SilkItem.all))
    #expect(try await requestError { try await walk.all() }.message.contains("before the last one"))
    #expect(try await uids() == [1, 2])
  }

  @Test(
    arguments: [
      (#"{"link": [{"relation": "self", "url": "x"}]}"#, nil),
      (#"{"link": [{"relation": "next"}]}"#, "has no URL"), (#"{"link": [{"url": "x"}]}"#, "link[0]"),
      (#"{"link": {}}"#, "a list of links"), (#"{"links": []}"#, "nothing under 'link'"),
      (#"{"link": [{"relation": "previous", "url": "x"}]}"#, "has a previous one"),
    ] as [(String, String?)])
  func `a list of links says where the next page is`(_ body: String, _ fault: String?) async throws {
    try await SilkItem.upsert(from: Data(#"[{"id": 99}]"#.utf8))
    let json = try JSONValue(parsing: Data(body.utf8)).object.map { Array($0) } ?? []
    let answer = JSONObject(fields: json.map { ($0.key, $0.value) } + [("hits", items(0..<1))]).value
    try StubAdapter.current.on(.get, "/items", .json(answer))
    let walk = SilkItem.pages(
      by: .listedLinks("link", relation: "relation", url: "url"),
      options: [.envelope("hits"), .deleteMissing(in: SilkItem.all)])
    guard let fault else {
      try await walk.all()
      #expect(try await uids() == [0])
      return
    }
    let message = try await requestError { try await walk.all() }.message
    #expect(message.contains(fault), "\(message)")
    #expect(try await uids() == [0, 99])
  }
}
