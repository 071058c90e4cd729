import EntityClient
import Foundation
import Testing

/// Where each pagination says that the next page is.
@Suite struct PaginationTests {
  private func page(
    _ url: String = "https://h/users?page=1", headers: HTTPHeaders = [:], answered: String? = nil,
    body: JSONValue? = nil, count: Int = 0, objects: JSONArray? = nil, number: Int = 1, before: Int? = 0,
    status: Int = 200
  ) throws -> ReceivedPage {
    let url = try #require(URL(string: url))
    let response = HTTPResponse(status: status, headers: headers, url: answered.flatMap { URL(string: $0) })
    let objects = objects ?? JSONArray((0..<count).map { ["id": JSONValue($0)] as JSONValue })
    return ReceivedPage(
      url: url, response: response, body: body, objects: objects, number: number, objectsBefore: before)
  }

  private func url(_ next: NextPage?) -> String? { if case .url(let url) = next { url } else { nil } }

  private func query(_ next: NextPage?) -> [String]? {
    if case .query(let query) = next { query.pairs.map { "\($0.name)=\($0.value)" } } else { nil }
  }

  /// Whether the walk ends, and nothing says that all objects were there.
  private func isUnconfirmed(_ next: NextPage?) -> Bool { if case .unconfirmedEnd = next { true } else { false } }

  private func fails(_ next: () throws -> NextPage?) async throws -> Bool {
    try await requestError { try next() }.kind == .pagination
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
    ("<a>; rel='next'", "a"), ("<a>; rel='next", "a"), ("<a>; rel='last', <b>; rel = 'prev next'", "b"),
    ("<a>; title=it's; rel=next", "a"),
    (",, ,", nil), ("", nil), (#"<>; rel="next""#, ""), (#"<a>; rel="last";"#, nil),
  ]

  @Test(arguments: links) func `links are read as RFC 8288 says`(_ header: String, _ expected: String?) throws {
    let pagination: LinkPagination = .link
    #expect(try url(pagination.next(after: page(headers: ["Link": header]))) == expected)
  }

  @Test(arguments: [
    #"<a; rel="next""#, "garbage", #"<a>; rel="last", b; rel="next""#, #"<a> rel="next""#,
    #"<a>; rel="last, <b>; rel=next"#, "<a", "<a>; rel=“next”", #"<a>; rel="'next'""#, "<a>; rel=next'",
  ])
  func `a link that cannot be read is not the end of the pages`(_ header: String) async throws {
    let pagination: LinkPagination = .link
    #expect(try await fails { try pagination.next(after: page(headers: ["Link": header])) })
  }

  /// Reading ends with any text that a server sends, and text behind a well-formed link is not taken for a part of it.
  @Test func `any text is read to its end`() throws {
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
      _ = try? pagination.next(after: page(headers: ["Link": text]))
      let found = try url(pagination.next(after: page(headers: ["Link": "<first>; rel=next, " + text])))
      #expect(found == "first", "seed \(seed): \(text)")
    }
  }

  @Test func `several link fields are one list`() throws {
    var headers: HTTPHeaders = ["Link": "<a>; rel=prev"]
    headers.add("<b>; rel=next", to: "link")
    let pagination: LinkPagination = .link
    #expect(try url(pagination.next(after: page(headers: headers))) == "b")
  }

  @Test func `a header has the URL of the next page`() throws {
    let pagination: HeaderPagination = .header("Next-Page")
    #expect(
      try url(pagination.next(after: page(headers: ["next-page": " https://h/x?_token=1 "]))) == "https://h/x?_token=1")
    #expect(try url(pagination.next(after: page(headers: ["Next-Page": ""]))) == nil)
    #expect(try url(pagination.next(after: page())) == nil)
  }

  @Test func `the body has the URL`() async throws {
    let pagination: BodyPagination = .body("links.next")
    #expect(try url(pagination.next(after: page(body: ["links": ["next": "/p/2"]]))) == "/p/2")
    #expect(try url(pagination.next(after: page(body: ["links": ["next": ["href": "/p/3"]]]))) == "/p/3")
    for body: JSONValue in [
      ["links": ["next": nil]], ["links": ["next": false]], ["links": ["next": ""]], ["links": ["next": ["href": nil]]],
    ] {
      #expect(try pagination.next(after: page(body: body)) == nil)
    }
    for body: JSONValue in [
      ["links": ["next": 5]], ["links": ["next": true]], ["links": ["next": []]], ["links": ["next": [:]]], [1],
    ] {
      #expect(try await fails { try pagination.next(after: page(body: body, number: 2, before: 1)) })
    }
  }

  /// A wrong key path looks like a single page, unless a page before had it.
  @Test func `an absent key is the last page where that is certain`() async throws {
    let absences: [JSONValue] = [[:], ["links": nil], ["links": ["self": "/"]]]
    let strict: [any Pagination] = [.body("links.next"), .cursor("links.next")]
    let lenient: [any Pagination] = [.body("links.next", mayBeAbsent: true), .cursor("links.next", mayBeAbsent: true)]
    for body in absences {
      for pagination in strict {
        let error = try await requestError { try pagination.next(after: page(body: body)) }
        #expect(error.kind == .pagination)
        #expect(error.description.contains("mayBeAbsent: true"))
        #expect(try pagination.next(after: page(body: body, number: 2, before: 5)) == nil)
        #expect(try pagination.next(after: page(body: body, before: nil)) == nil, "resumed")
      }
      for pagination in lenient { #expect(try pagination.next(after: page(body: body)) == nil) }
    }
    for pagination in strict + lenient {
      #expect(try await fails { try pagination.next(after: page(body: [1])) })
      #expect(try await fails { try pagination.next(after: page(number: 2, before: 5, status: 304)) })
      #expect(try pagination.next(after: page(status: 204)) == nil)
    }
  }

  @Test func `numbers count`() async throws {
    let plain: NumberPagination = .numbers()
    #expect(try query(plain.next(after: page("https://h/u", count: 3))) == ["page=2"])
    #expect(try query(plain.next(after: page("https://h/u?page=7", count: 3, number: 7, before: 18))) == ["page=8"])
    #expect(try plain.next(after: page("https://h/u?page=7", number: 7, before: 18)) == nil)
    #expect(try await fails { try plain.next(after: page("https://h/u?page=7", status: 304)) })
    for number in ["x", "", "99999999999999999999", "\(Int.max)"] {
      #expect(try await fails { try plain.next(after: page("https://h/u?page=\(number)", count: 1)) })
    }
  }

  /// A short page is the last where the pages before were as long as was asked for: the server may give less.
  @Test func `a short page is the end after full ones`() throws {
    let sized: NumberPagination = .numbers("p", from: 0, size: 3, "n")
    #expect(sized.firstQuery.pairs.map { "\($0.name)=\($0.value)" } == ["p=0", "n=3"])
    #expect(try query(sized.next(after: page("https://h/u?p=0&n=3", count: 3))) == ["p=1"])
    #expect(try query(sized.next(after: page("https://h/u?p=0&n=3", count: 2))) == ["p=1"])
    #expect(try sized.next(after: page("https://h/u?p=1&n=3", count: 2, number: 2, before: 3)) == nil)
    #expect(try query(sized.next(after: page("https://h/u?p=1&n=3", count: 2, number: 2, before: 2))) == ["p=2"])
    #expect(try query(sized.next(after: page("https://h/u?p=1&n=3", count: 2, before: nil))) == ["p=2"])
    #expect(try sized.next(after: page("https://h/u?p=2&n=3", number: 3, before: 4)) == nil)
    // The caller's own size counts.
    #expect(try query(sized.next(after: page("https://h/u?p=1&n=2", count: 2, number: 2, before: 2))) == ["p=2"])
    #expect(try sized.next(after: page("https://h/u?p=1&n=2", count: 1, number: 2, before: 2)) == nil)
  }

  @Test func `received objects count towards a total`() async throws {
    let total: NumberPagination = .numbers(size: 3, total: .header("X-Total-Count"))
    func next(_ number: Int, _ count: Int, before: Int?, of all: String?, status: Int = 200) throws -> NextPage? {
      try total.next(
        after: page(
          "https://h/u?page=\(number)&per_page=3", headers: all.map { ["X-Total-Count": $0] } ?? [:], count: count,
          number: before == nil ? 1 : number, before: before, status: status))
    }
    #expect(try query(next(2, 3, before: 3, of: "7")) == ["page=3"])
    #expect(try next(2, 3, before: 3, of: " 6 ") == nil)
    // The server gives two where it is asked for three.
    #expect(try query(next(3, 2, before: 4, of: "9")) == ["page=4"])
    #expect(try isUnconfirmed(next(4, 0, before: 6, of: "7")))
    #expect(try next(1, 0, before: 0, of: "0") == nil)
    // From the middle: rather one page too many.
    #expect(try query(next(3, 2, before: nil, of: "8")) == ["page=4"])
    #expect(try next(4, 2, before: nil, of: "8") == nil)
    for all in [nil, "", "x", "-1", "7.5", "99999999999999999999"] as [String?] {
      #expect(try await fails { try next(1, 3, before: 0, of: all) })
    }
    #expect(try await fails { try next(1, 0, before: 0, of: "5", status: 304) })
    #expect(try await fails { try next(.max, 3, before: nil, of: "5") })
  }

  @Test func `no number of a caller or a server overflows`() throws {
    for total in [nil, .body("n")] as [PageTotal?] {
      for first in [1, .max, .min] {
        let paginations = [
          NumberPagination.numbers(from: first, size: .max, total: total), .offsets("page", size: .max, total: total),
          .numbers(from: first, size: .min, total: total),
        ]
        for current in [1, .max, .max - 1, .min, .max / 2] {
          for before in [nil, 0, Int.max / 2] {
            for pagination in paginations {
              _ = try? pagination.next(
                after: page(
                  "https://h/u?page=\(current)&per_page=\(Int.max)", body: ["n": JSONValue(Int.max)], count: 3,
                  number: .max, before: before))
            }
          }
        }
      }
    }
  }

  @Test func `offsets count objects`() throws {
    let offsets: NumberPagination = .offsets(size: 3, total: .body("meta.total"))
    let body: JSONValue = ["meta": ["total": 10]]
    #expect(
      try query(offsets.next(after: page("https://h/u?offset=6", body: body, count: 3, number: 3, before: 6)))
        == ["offset=9"])
    #expect(try offsets.next(after: page("https://h/u?offset=9", body: body, count: 1, number: 4, before: 9)) == nil)
    #expect(try offsets.next(after: page("https://h/u?offset=9", body: body, count: 1, before: nil)) == nil)
    let plain: NumberPagination = .offsets(size: 3)
    // Where the server gives two, nothing is passed over.
    #expect(try query(plain.next(after: page("https://h/u?offset=0&limit=3", count: 2))) == ["offset=2"])
    #expect(try plain.next(after: page("https://h/u?offset=3&limit=3", count: 2, number: 2, before: 3)) == nil)
  }

  @Test func `cursors go into the query`() async throws {
    let cursor: CursorPagination = .cursor("meta.next", parameter: "after")
    #expect(try query(cursor.next(after: page(body: ["meta": ["next": "a=b"]]))) == ["after=a=b"])
    #expect(
      try query(cursor.next(after: page(body: ["meta": ["next": 9_007_199_254_740_993]]))) == ["after=9007199254740993"]
    )
    for body: JSONValue in [["meta": ["next": nil]], ["meta": ["next": ""]], ["meta": ["next": false]]] {
      #expect(try cursor.next(after: page(body: body)) == nil)
    }
    for body: JSONValue in [["meta": ["next": []]], ["meta": ["next": true]], ["meta": ["next": [:]]]] {
      #expect(try await fails { try cursor.next(after: page(body: body)) })
    }
    let deep: CursorPagination = .cursor("next", first: "*")
    #expect(deep.firstQuery.pairs.map(\.value) == ["*"])
  }

  @Test func `a cursor of the last object is there while there is more`() async throws {
    let last: CursorPagination = .cursor(ofLast: "id", parameter: "starting_after", more: "has_more")
    #expect(try query(last.next(after: page(body: ["has_more": true], count: 5))) == ["starting_after=4"])
    #expect(try last.next(after: page(body: ["has_more": false], count: 5)) == nil)
    for body: JSONValue in [[:], ["has_more": nil], ["has_more": "true"], ["has_more": 1], [1]] {
      for number in 1...2 {
        #expect(
          try await fails { try last.next(after: page(body: body, count: 5, number: number, before: number - 1)) })
      }
    }
    #expect(try await fails { try last.next(after: page(body: ["has_more": true])) })
    let plain: CursorPagination = .cursor(ofLast: "id", parameter: "after")
    #expect(try plain.next(after: page(body: [])) == nil)
    #expect(try await fails { try plain.next(after: page(status: 304)) })
    for object: JSONValue in [[:], ["id": nil], ["id": ""], ["id": false], ["id": []], 5] {
      for pagination in [plain, last] {
        #expect(try await fails { try pagination.next(after: page(body: ["has_more": true], objects: [object])) })
      }
    }
  }

  @Test func `a pagination knows its first page`() throws {
    func isFirst(_ pagination: some Pagination, _ query: String) throws -> Bool {
      pagination.isFirst(try #require(URL(string: "https://h/u?" + query)))
    }
    for query in ["", "a=b", "page=1", "page=1&per_page=5"] { #expect(try isFirst(NumberPagination.numbers(), query)) }
    for query in ["page=2", "page=", "page=0", "page=x"] { #expect(try !isFirst(NumberPagination.numbers(), query)) }
    #expect(try isFirst(NumberPagination.offsets(), "offset=0"))
    #expect(try !isFirst(NumberPagination.offsets(), "offset=5"))
    #expect(try isFirst(CursorPagination.cursor("n"), "cursor="))
    #expect(try !isFirst(CursorPagination.cursor("n"), "cursor=a"))
    #expect(try isFirst(CursorPagination.cursor("n", first: "*"), "cursor=*"))
    #expect(try isFirst(LinkPagination.link, "page=2"))
    struct Own: Pagination {
      var firstQuery: QueryParameters { ["p": 0, "tag": ["a", "b c"]] }
      func next(after page: ReceivedPage) -> NextPage? { nil }
    }
    #expect(try isFirst(Own(), "p=0&tag=a&tag=b+c&x=1"))
    for query in ["", "p=1&tag=b%20c", "p=0&tag=a"] { #expect(try !isFirst(Own(), query)) }
  }
}
