import EntityClient
import Foundation
import Testing

/// Where each pagination says that the next page is.
@Suite struct PaginationTests {
  private func page(
    _ url: String = "https://h/users?page=1", headers: HTTPHeaders = [:], answered: String? = nil,
    body: ResponseValue? = nil, count: Int = 0, objects: ResponseArray? = nil
  ) throws -> ReceivedPage {
    let url = try #require(URL(string: url))
    let response = HTTPResponse(status: 200, headers: headers, url: answered.flatMap { URL(string: $0) })
    let objects = objects ?? ResponseArray((0..<count).map { ["id": ResponseValue($0)] as ResponseValue })
    return ReceivedPage(url: url, response: response, body: body, objects: objects)
  }

  private func url(_ next: NextPage?) -> String? { if case .url(let url) = next { url } else { nil } }

  private func query(_ next: NextPage?) -> [String]? {
    if case .query(let query) = next { query.pairs.map { "\($0.name)=\($0.value)" } } else { nil }
  }

  private static let links: [(String, String?)] = [
    (#"<https://h/users?page=2>; rel="next", <https://h/users?page=9>; rel="last""#, "https://h/users?page=2"),
    (#"<a>; rel="prev" , <?page=2>;rel=next"#, "?page=2"),
    (#"<a>; title="b, <c>; rel=\"next\""; rel="last", <d>;REL="Prev NEXT x""#, "d"),
    (#"<a,b;c>; foo ; bar=1; rel = "next""#, "a,b;c"),
    (#"<a>; rel="last"; rel="next""#, nil),
    (
      ##"<a>; anchor="https://other/"; rel=next, <b>; anchor="#s"; rel=next, <c>; anchor="/users?page=1"; rel=next"##,
      "c"
    ),
    (#"<a>; rev="next", <b>; rel="next-archive", <c>"#, nil),
    (#"garbage, <a>; rel="next"#, "a"),
    (#"<a; rel="next""#, nil),
    (",, ,", nil), ("", nil), (#"<>; rel="next""#, ""),
  ]

  @Test(arguments: links) func linksAreReadAsRFC8288Says(_ header: String, _ expected: String?) throws {
    let pagination: LinkPagination = .link
    #expect(try url(pagination.next(after: page(headers: ["Link": header]))) == expected)
  }

  /// Whatever a server sends, reading it ends, and what follows a well-formed link is not taken for it.
  @Test func anyTextIsReadToItsEnd() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var state = seed
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let tokens = ["<", ">", ";", ",", "=", "\"", "\\", " ", "\t", "rel", "next", "a", "é", "anchor", "rel=\"next\""]
    let pagination: LinkPagination = .link
    for _ in 0..<5_000 {
      let text = (0..<random(12)).map { _ in tokens[random(tokens.count)] }.joined()
      _ = try pagination.next(after: page(headers: ["Link": text]))
      let found = try url(pagination.next(after: page(headers: ["Link": "<first>; rel=next, " + text])))
      #expect(found == "first", "seed \(seed): \(text)")
    }
  }

  @Test func severalLinkFieldsAreOneList() throws {
    var headers: HTTPHeaders = ["Link": "<a>; rel=prev"]
    headers.add("<b>; rel=next", to: "link")
    let pagination: LinkPagination = .link
    #expect(try url(pagination.next(after: page(headers: headers))) == "b")
  }

  @Test func aHeaderHasTheURL() throws {
    let pagination: HeaderPagination = .header("Next-Page")
    #expect(
      try url(pagination.next(after: page(headers: ["next-page": " https://h/x?_token=1 "]))) == "https://h/x?_token=1")
    #expect(try url(pagination.next(after: page(headers: ["Next-Page": ""]))) == nil)
    #expect(try url(pagination.next(after: page())) == nil)
  }

  @Test func theBodyHasTheURL() async throws {
    let pagination: BodyPagination = .body("links.next")
    #expect(try url(pagination.next(after: page(body: ["links": ["next": "/p/2"]]))) == "/p/2")
    #expect(try url(pagination.next(after: page(body: ["links": ["next": ["href": "/p/3"]]]))) == "/p/3")
    for body: ResponseValue in [
      [:], ["links": nil], ["links": ["next": nil]], ["links": ["next": false]], ["links": ["next": ""]],
      ["links": ["next": ["href": nil]]], [1],
    ] {
      #expect(try url(pagination.next(after: page(body: body))) == nil)
    }
    #expect(
      try await requestError { try pagination.next(after: page(body: ["links": ["next": 5]])) }.kind == .pagination)
  }

  @Test func numbersCount() async throws {
    let plain: NumberPagination = .numbers()
    #expect(try query(plain.next(after: page("https://h/u", count: 3))) == ["page=2"])
    #expect(try query(plain.next(after: page("https://h/u?page=7", count: 3))) == ["page=8"])
    #expect(try query(plain.next(after: page("https://h/u?page=7"))) == nil)
    let sized: NumberPagination = .numbers("p", from: 0, size: 3, "n")
    #expect(sized.firstQuery.pairs.map { "\($0.name)=\($0.value)" } == ["p=0", "n=3"])
    #expect(try query(sized.next(after: page("https://h/u?p=0&n=3", count: 3))) == ["p=1"])
    #expect(try query(sized.next(after: page("https://h/u?p=0&n=3", count: 2))) == nil)
    // The caller's own size counts.
    #expect(try query(sized.next(after: page("https://h/u?p=0&n=2", count: 2))) == ["p=1"])
    let total: NumberPagination = .numbers(size: 3, total: .header("X-Total-Count"))
    #expect(
      try query(total.next(after: page("https://h/u?page=2", headers: ["X-Total-Count": "7"], count: 3))) == ["page=3"])
    #expect(try query(total.next(after: page("https://h/u?page=2", headers: ["X-Total-Count": "6"], count: 3))) == nil)
    let error = try await requestError { try plain.next(after: page("https://h/u?page=x", count: 1)) }
    #expect(error.kind == .pagination)
    #expect(
      try await requestError { try plain.next(after: page("https://h/u?page=\(Int.max)", count: 1)) }.kind
        == .pagination)
  }

  @Test func offsetsCountObjects() throws {
    let offsets: NumberPagination = .offsets(size: 3, total: .body("meta.total"))
    #expect(
      try query(offsets.next(after: page("https://h/u?offset=6", body: ["meta": ["total": 10]], count: 3))) == [
        "offset=9"
      ])
    #expect(
      try query(offsets.next(after: page("https://h/u?offset=9", body: ["meta": ["total": 10]], count: 1))) == nil)
    #expect(try query(offsets.next(after: page("https://h/u?offset=9", count: 2))) == nil)
  }

  @Test func cursorsGoIntoTheQuery() async throws {
    let cursor: CursorPagination = .cursor("meta.next", parameter: "after")
    #expect(try query(cursor.next(after: page(body: ["meta": ["next": "a=b"]]))) == ["after=a=b"])
    #expect(
      try query(cursor.next(after: page(body: ["meta": ["next": 9_007_199_254_740_993]]))) == ["after=9007199254740993"]
    )
    for body: ResponseValue in [[:], ["meta": ["next": nil]], ["meta": ["next": ""]], ["meta": ["next": false]]] {
      #expect(try query(cursor.next(after: page(body: body))) == nil)
    }
    #expect(try await requestError { try cursor.next(after: page(body: ["meta": ["next": []]])) }.kind == .pagination)
    let last: CursorPagination = .cursor(ofLast: "id", parameter: "starting_after", more: "has_more")
    #expect(try query(last.next(after: page(body: ["has_more": true], count: 5))) == ["starting_after=4"])
    #expect(try query(last.next(after: page(body: ["has_more": false], count: 5))) == nil)
    #expect(try query(last.next(after: page(body: ["has_more": true]))) == nil)
  }
}
