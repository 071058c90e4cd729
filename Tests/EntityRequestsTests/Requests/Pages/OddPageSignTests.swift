import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// A sign of the next page that is odd is read, or it is an error. It is no end: the rows of the other pages would seem to be
/// missing.
@Suite(.sample) struct OddPageSignTests {
  private static func said(
    _ pagination: some Pagination, _ body: JSONValue?, _ headers: HTTPHeaders = [:], count: Int = 2, number: Int = 2,
    status: Int = 200
  ) -> String {
    do {
      let url = URL(string: "https://h/users?page=\(number)")!
      let page = ReceivedPage(
        url: url, response: HTTPResponse(status: status, headers: headers, url: url), body: body,
        objects: JSONArray((0..<count).map { ["id": JSONValue($0)] as JSONValue }), number: number,
        objectsBefore: (number - 1) * 2, deletesMissing: true)
      switch try pagination.next(after: page) {
      case nil: return "end"
      case .url(let url): return url
      case .query(let query): return query.encoded
      case .body, .range: return "another request"
      case .unconfirmedEnd: return "unconfirmed"
      }
    } catch {
      return (error as? RequestError)?.kind == .pagination ? "error" : "\(error)"
    }
  }

  @Test(
    arguments: [
      (["links": ["next": "/b"]], "/b"), (["links": ["next": ["href": "/b"]]], "/b"), (["links.next": "/b"], "/b"),
      (["links": ["next": nil]], "end"), (["links": ["next": ""]], "end"), (["links": ["next": false]], "end"),
      (["links": ["next": ["href": nil]]], "end"), (["links": nil], "end"), (["links": [:]], "end"),
      // An object without keys, as PHP writes it.
      (["links": []], "end"), ([:], "end"), (["links": ["prev": "/a"]], "end"),
      (["links": ["next": 2]], "error"), (["links": ["next": true]], "error"), (["links": ["next": []]], "error"),
      (["links": ["next": [:]]], "error"), (["links": ["next": ["url": "/b"]]], "error"),
      (["links": "/b"], "error"), (["links": 7], "error"), (["links": [["rel": "next", "href": "/b"]]], "error"),
      (["links": ["Next": "/b"]], "error"), (["_links": ["next": "/b"]], "error"), ([], "error"), ("x", "error"),
    ] as [(JSONValue, String)])
  func `an odd link in the body is read or is an error`(_ body: JSONValue, _ expected: String) {
    #expect(Self.said(BodyPagination.body("links.next", mayBeAbsent: true), body) == expected)
    // A walk that deletes does not begin with a page that has a previous one.
    if body["links.prev"] == nil {
      #expect(Self.said(BodyPagination.body("links.next", mayBeAbsent: true), body, number: 1) == expected)
    }
    // On a later page the absence is an end all the same.
    #expect(Self.said(BodyPagination.body("links.next"), body) == expected)
  }

  @Test(
    arguments: [
      (["next_cursor": "b"], "cursor=b"), (["next_cursor": 7], "cursor=7"), (["next_cursor": 0], "cursor=0"),
      (["next_cursor": nil], "end"), (["next_cursor": ""], "end"), (["next_cursor": false], "end"), ([:], "end"),
      (["next_cursor": true], "error"), (["next_cursor": ["b"]], "error"), (["next_cursor": ["value": "b"]], "error"),
      (["nextCursor": "b"], "error"), (["NEXT-CURSOR": nil], "error"), ([["next_cursor": "b"]], "error"),
    ] as [(JSONValue, String)])
  func `an odd cursor is read or is an error`(_ body: JSONValue, _ expected: String) {
    #expect(Self.said(CursorPagination.cursor("next_cursor", mayBeAbsent: true), body) == expected)
    #expect(Self.said(CursorPagination.cursor("next_cursor"), body) == expected)
  }

  @Test(
    arguments: [
      (["more": true], 2, "after=1"), (["more": false], 2, "end"), (["more": false], 0, "end"),
      (["more": true], 0, "error"),
      (["more": nil], 2, "error"), (["more": "true"], 2, "error"), (["more": 1], 2, "error"), ([:], 2, "error"),
      (["More": true], 2, "error"), ([], 2, "error"),
    ] as [(JSONValue, Int, String)])
  func `an odd sign that there is more is read or is an error`(_ body: JSONValue, _ count: Int, _ expected: String) {
    let pagination: CursorPagination = .cursor(ofLast: "id", parameter: "after", more: "more")
    #expect(Self.said(pagination, body, count: count) == expected)
  }

  @Test func `a last object without a cursor is an error`() {
    #expect(Self.said(CursorPagination.cursor(ofLast: "key", parameter: "after"), [:]) == "error")
    #expect(Self.said(CursorPagination.cursor(ofLast: "id", parameter: "after"), [:], count: 0) == "end")
    #expect(Self.said(CursorPagination.cursor(ofLast: "id", parameter: "after"), nil, count: 0, status: 304) == "error")
  }

  @Test(
    arguments: [
      (["Next-Page": "/b"], "/b"), (["Next-Page": " /b\t"], "/b"), (["next-page": "/b"], "/b"),
      (["Next-Page": " "], "end"),
      (["Next-Page": "/b", "next-page": "/b"], "/b"), (["Next-Page": "/b", "next-page": "/c"], "error"),
      (["Next-Page": "", "next-page": "/c"], "error"), ([:], "end"),
    ] as [(HTTPHeaders, String)])
  func `an odd header is read or is an error`(_ headers: HTTPHeaders, _ expected: String) {
    #expect(Self.said(HeaderPagination.header("Next-Page"), [], headers) == expected)
  }

  @Test(
    arguments: [
      (4, "end"), ("4", "end"), (4.0, "end"), (5, "page=3"),
      // More came than there are: it is the number of something else.
      (2, "unconfirmed"), (0, "unconfirmed"),
      (-1, "error"), (4.5, "error"), ("many", "error"), (nil, "error"), (true, "error"), ([4], "error"),
    ] as [(JSONValue, String)])
  func `an odd total is read or is an error`(_ total: JSONValue, _ expected: String) {
    #expect(Self.said(NumberPagination.numbers(total: .body("total")), ["total": total]) == expected)
    let offset = expected == "page=3" ? "page=4" : expected
    #expect(Self.said(NumberPagination.offsets("page", total: .body("total")), ["total": total]) == offset)
    guard let text = total.string ?? total.lexeme, expected != "end" || text == "4" else { return }
    #expect(Self.said(NumberPagination.numbers(total: .header("X-All")), [], ["X-All": " \(text)"]) == expected)
  }

  @Test func `rows of other pages stay where a sign is odd`() async throws {
    try await User.upsert(from: [["id": 1], ["id": 2], ["id": 3]])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(["results": [["id": 1]], "count": 0, "nextCursor": "b"]))
    let ways: [any Pagination] = [
      .cursor("next_cursor", mayBeAbsent: true), .body("next_cursor", mayBeAbsent: true),
      .numbers(total: .body("count")),
    ]
    for way in ways {
      func walk(_ way: some Pagination) -> EntityPages<User> {
        User.pages(by: way, options: [.envelope("results"), .deleteMissing(in: User.all)])
      }
      #expect(try await requestError { try await walk(way).all() }.kind == .pagination)
      #expect(try await Client.current.store.read { try $0.count(User.all) } == 3)
    }
  }
}
