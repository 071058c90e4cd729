import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Walks through pages.
@Suite(.sample) struct PagesTests {
  private func users(_ ids: ClosedRange<Int>) -> JSONValue {
    JSONValue(ids.map { ["id": JSONValue($0), "email": "e"] as JSONValue })
  }

  private func link(_ url: String) -> HTTPHeaders { ["Link": "<\(url)>; rel=\"next\""] }

  private func uids() async throws -> [Int] {
    try await Client.current.store.read { try $0.fetch(User.all).map(\.uid).sorted() }
  }

  /// Three pages of two users.
  private func threePages() throws -> StubAdapter {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...2), headers: link("/users/p2?a=1")))
    stub.on(.get, "/users/p2", .json(users(3...4), headers: link("https://api.example.com:443/users/p3#x")))
    stub.on(.get, "/users/p3", .json(users(5...6)))
    return stub
  }

  @Test func `each page is committed as a response of its own`() async throws {
    let stub = try threePages()
    var seen: [[Int]] = []
    for try await page in User.pages(query: ["sort": "id"], by: .link) {
      #expect(page.counts.inserted == 2)
      #expect((page.next == nil) == (seen.count == 2))
      seen.append(try await uids())
      #expect(stub.requests.count == seen.count)
    }
    #expect(seen == [[1, 2], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6]])
    #expect(
      stub.requests.map(\.url.absoluteString) == [
        "https://api.example.com/users?sort=id", "https://api.example.com/users/p2?a=1",
        "https://api.example.com:443/users/p3",
      ])
  }

  @Test @MainActor func `the objects of a page are there on the main actor`() async throws {
    _ = try threePages()
    var emails = 0
    for try await page in User.pages(by: .link) { emails += try page.objects.filter { $0.email == "e" }.count }
    #expect(emails == 6)
  }

  @Test func `a walk collects every id`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", query: ["page": 1, "per_page": 2], .json(users(1...2)))
    stub.on(.get, "/users", query: ["page": 2, "per_page": 2], .json(users(2...3)))
    stub.on(.get, "/users", query: ["page": 3, "per_page": 2], .json(users(4...4)))
    let all = try await User.pages(by: .numbers(size: 2)).all()
    #expect(all.ids.count == 4)
    #expect(all.pages == 3)
    #expect(all.next == nil)
    #expect(all.counts.inserted == 4)
    #expect(all.counts.unchanged == 1)
    let again = try await User.pages(by: .numbers(size: 2)).all()
    #expect(again.ids == all.ids)
    #expect(again.counts.rowsWritten == 0)
  }

  /// Nobody needs the result of a walk that is made for the store alone: this compiles without a warning.
  @Test func `the result of a walk may be ignored`() async throws {
    _ = try threePages()
    try await User.pages(by: .link).all()
    #expect(try await uids() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a result is a line however many objects it has`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...300), headers: link("/users?secret=hidden")))
    stub.on(.get, "/users", query: ["secret": "hidden"], .json(users(301...303)))
    let response = try await User.get(query: ["token": "hidden"])
    let few = response.ids.prefix(5).map { "\($0)".filter(\.isNumber) }.joined(separator: ", ")
    #expect(
      "\(response)"
        == "User: status 200 from https://api.example.com/users?token=…, 300 inserted, 300 rows written, "
        + "ids [\(few), … and 295 more]")
    let first = try await User.pages(by: .link, limit: 1).all()
    #expect(
      "\(first)"
        == "User: 1 page, 300 unchanged, ids [\(few), … and 295 more], next https://api.example.com/users?secret=…")
    #expect(String(reflecting: first) == "\(first)")
    let rest = try await User.pages(by: .link, from: first.next).all()
    let three = rest.ids.map { "\($0)".filter(\.isNumber) }.joined(separator: ", ")
    #expect("\(rest)" == "User: 1 page, 3 inserted, 3 rows written, ids [\(three)]")
    let nothing = try await User.upsert(from: [])
    #expect("\(nothing.counts)" == "no objects")
  }

  @Test func `bodies with envelopes and cursors are walked`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", query: ["q": "a b"], .json(["data": users(1...2), "meta": ["next": "c&1"]]))
    stub.on(
      .get, "/users", query: ["q": "a b", "cursor": "c&1"], .json(["data": users(3...3), "meta": ["next": nil]]))
    let all = try await User.pages(query: ["q": "a b"], by: .cursor("meta.next"), options: .envelope("data")).all()
    #expect(all.ids.count == 3)
  }

  @Test func `a project's own pagination is a few lines`() async throws {
    struct Sequel: Pagination {
      func next(after page: ReceivedPage) -> NextPage? { page.number < 3 ? .url("part\(page.number + 1)") : nil }
    }
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...1)))
    // Relative to the page, as RFC 3986 §5 has it.
    stub.on(.get, "/part2", .json(users(2...2))).on(.get, "/part3", .json([]))
    #expect(try await User.pages(by: Sequel()).all().pages == 3)
  }

  @Test func `a walk stops and goes on`() async throws {
    let stub = try threePages()
    let first = try await User.pages(by: .link, limit: 2).all()
    #expect(first.pages == 2)
    #expect(stub.requests.count == 2)
    let kept = try JSONEncoder().encode(try #require(first.next))
    let token = try JSONDecoder().decode(PageToken.self, from: kept)
    let rest = try await User.pages(by: .link, from: token).all()
    #expect(rest.pages == 1)
    #expect(rest.next == nil)
    #expect(stub.requests.count == 3)
    #expect(try await uids() == [1, 2, 3, 4, 5, 6])
    #expect(try await User.pages(by: .link, limit: 0).all().pages == 0)
  }

  @Test func `the failure of a page names it and keeps the others`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...2), headers: link("/users/p2")))
    stub.on(.get, "/users/p2", .json(["id": 3], headers: link("/users/p3")))
    stub.on(.get, "/users/p3", .status(503))
    var iterator = User.pages(by: .link).makeAsyncIterator()
    #expect(try await iterator.next()?.ids.count == 2)
    #expect(try await iterator.next()?.ids.count == 1)
    let error = try await requestError { try await iterator.next() }
    #expect(error.kind == .status)
    #expect(error.page == 3)
    #expect(error.description.contains("page 3"))
    #expect(try await iterator.next()?.ids == nil)
    #expect(try await uids() == [1, 2, 3])
  }

  private static let astray: [String] = [
    "https://evil.example/users", "http://api.example.com/users", "https://api.example.com:444/users",
    "//evil.example/users", "https://api.example.com@evil.example/", "ftp://api.example.com/users", "https://",
  ]

  @Test(.sample(headers: ["Authorization": "secret"]), arguments: astray)
  func `a next page elsewhere is not requested`(_ url: String) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...2), headers: link(url)))
    var iterator = User.pages(by: .link).makeAsyncIterator()
    let page = try #require(try await iterator.next())
    #expect(page.ids.count == 2)
    #expect(page.next == nil)
    let error = try await requestError { try await iterator.next() }
    #expect(error.kind == .pagination)
    #expect(error.page == 2)
    #expect(stub.requests.count == 1)
  }

  @Test(.sample(headers: ["Authorization": "secret"])) func `another origin can be allowed`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...2), headers: link("https://cdn.example/p2")))
    stub.on(.get, "/p2", .json(users(3...3)))
    let cdn = try #require(URL(string: "https://cdn.example"))
    #expect(try await User.pages(by: .link, allowing: [cdn]).all().pages == 2)
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["secret", nil])
    let token = PageToken(url: try #require(URL(string: "https://cdn.example/p2")))
    let error = try await requestError { try await User.pages(by: .link, from: token).all() }
    #expect(error.kind == .pagination)
    #expect(error.page == 1)
  }

  @Test func `a circle of pages is found`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users(1...2), headers: link("/users/p2")))
    stub.on(.get, "/users/p2", .json(users(3...3), headers: link("/users")))
    let error = try await requestError { try await User.pages(by: .link).all() }
    #expect(error.kind == .pagination)
    #expect(error.page == 3)
    #expect(stub.requests.count == 2)
    #expect(try await uids() == [1, 2, 3])
  }

  @Test func `a walk is cancelled within a page and between pages`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users", .json(users(1...2), headers: link("/users/p2")))
    stub.on(.get, "/users/p2", .json(users(3...3)).waiting(for: gate))
    let within = Task { try await User.pages(by: .link).all() }
    await gate.arrival()
    within.cancel()
    await #expect(throws: CancellationError.self) { try await within.value }
    #expect(try await uids() == [1, 2])
    let between = Task {
      var iterator = User.pages(by: .link).makeAsyncIterator()
      _ = try await iterator.next()
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await iterator.next()
    }
    await #expect(throws: CancellationError.self) { try await between.value }
    #expect(stub.requests.count == 3)
  }

  @Test func `each request is modified and each page reports its progress`() async throws {
    let stub = try threePages()
    let progress = Recorder<PageProgress>()
    let walk = User.pages(by: .link, modify: { try $0.setHeaders(["X-A": "1"]) }, progress: { progress.add($0) })
    _ = try await walk.all()
    #expect(stub.requests.allSatisfy { $0.headers["X-A"] == "1" })
    #expect(Set(progress.all.map(\.page)) == [1, 2, 3])
    #expect(progress.all.filter { $0.request.fraction == 1 }.map(\.page) == [1, 2, 3])
  }

  @Test func `without a client the first page fails`() async throws {
    let pages = await Task.detached { User.pages(by: .link) }.value
    #expect(try await requestError { try await pages.all() }.kind == .notInstalled)
  }

  // MARK: Missing objects

  @Test func `objects that no page has are deleted with the last page`() async throws {
    try await User.upsert(from: users(1...9))
    _ = try threePages()
    var left: [Int] = []
    for try await page in User.pages(by: .link, options: .deleteMissing(in: User.all)) {
      left.append(try await uids().count)
      #expect(page.counts.deleted == (page.next == nil ? 3 : 0))
    }
    #expect(left == [9, 9, 6])
    #expect(try await uids() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `nothing is deleted by a walk that is not complete`() async throws {
    try await User.upsert(from: users(1...9))
    let stub = try threePages()
    let missing = MissingObjects.deleteMissing(in: User.all)
    _ = try await User.pages(by: .link, limit: 2, options: .missing(missing)).all()
    let token = PageToken(url: try #require(URL(string: "https://api.example.com/users/p3")))
    let error = try await requestError {
      try await User.pages(by: .link, from: token, options: .missing(missing)).all()
    }
    #expect(error.kind == .invalidRequest)
    stub.on(.get, "/users/p2", .status(500))
    _ = try? await User.pages(by: .link, options: .missing(missing)).all()
    #expect(try await uids() == Array(1...9))
  }

  /// Two objects to a page, for any page number.
  private func cappedPages(of count: Int, total: String?) throws -> StubAdapter {
    let stub = try StubAdapter.current
    let headers: HTTPHeaders = total.map { ["X-Total-Count": $0] } ?? [:]
    for page in 1...(count / 2 + 2) {
      let (first, last) = (page * 2 - 1, min(page * 2, count))
      let objects = first > last ? [] : users(first...last)
      stub.on(.get, "/users", query: ["page": page, "per_page": 100], .json(objects, headers: headers))
    }
    return stub
  }

  @Test func `a server that gives less than it is asked for is walked to its end`() async throws {
    try await User.upsert(from: users(1...9))
    let missing = MissingObjects.deleteMissing(in: User.all)
    let stub = try cappedPages(of: 7, total: "7")
    let header = PageTotal.header("X-Total-Count")
    let counted = try await User.pages(by: .numbers(size: 100, total: header), options: .missing(missing)).all()
    #expect(counted.pages == 4)
    #expect(counted.counts.deleted == 2)
    #expect(try await uids() == Array(1...7))
    try await User.upsert(from: users(1...9))
    let before = stub.requests.count
    let uncounted = try await User.pages(by: .numbers(size: 100), options: .missing(missing)).all()
    #expect(uncounted.counts.deleted == 2)
    #expect(stub.requests.count == before + 5)
    #expect(try await uids() == Array(1...7))
  }

  @Test func `nothing is deleted where the total was not reached`() async throws {
    try await User.upsert(from: users(1...9))
    _ = try cappedPages(of: 4, total: "9")
    let numbers = NumberPagination.numbers(size: 100, total: .header("X-Total-Count"))
    #expect(try await User.pages(by: numbers).all().pages == 3)
    let walk = User.pages(by: numbers, limit: 3, options: .deleteMissing(in: User.all))
    let error = try await requestError { try await walk.all() }
    #expect(error.kind == .pagination)
    #expect(error.page == 4)
    #expect(error.description.contains("4 of 9"))
    #expect(try await uids() == Array(1...9))
    #expect(!(try Client.current.store.core.requests.hasStamps))
  }

  @Test func `nothing is deleted by a walk whose query begins in the middle`() async throws {
    try await User.upsert(from: users(1...9))
    let stub = try cappedPages(of: 9, total: nil)
    let missing = MissingObjects.deleteMissing(in: User.all)
    let walk = User.pages(query: ["page": 2], by: .numbers(size: 100), options: .missing(missing))
    #expect(try await requestError { try await walk.all() }.kind == .invalidRequest)
    #expect(stub.requests.isEmpty)
    #expect(try await uids() == Array(1...9))
  }

  @Test func `a wrong key path deletes nothing`() async throws {
    try await User.upsert(from: users(1...9))
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(["data": users(1...2), "meta": ["next": "a"], "more": true]))
    for pagination: any Pagination in [
      BodyPagination.body("meta.nxt"), CursorPagination.cursor("meta.nxt"),
      CursorPagination.cursor(ofLast: "uid", parameter: "after", more: "more"),
      CursorPagination.cursor(ofLast: "id", parameter: "after", more: "has_more"),
      NumberPagination.numbers(total: .body("meta.total")),
    ] {
      func walk(_ pagination: some Pagination) async throws {
        _ = try await User.pages(by: pagination, options: [.envelope("data"), .deleteMissing(in: User.all)]).all()
      }
      #expect(try await requestError { try await walk(pagination) }.kind == .pagination)
    }
    #expect(try await uids() == Array(1...9))
  }

  /// It would go on for ever, or reach the total with one page.
  @Test func `a server that ignores the page number is found`() async throws {
    try await User.upsert(from: users(1...9))
    let stub = try StubAdapter.current
    // The text around the objects may change, and so may their values.
    for page in 1...9 {
      let user: JSONValue = ["id": 1, "email": JSONValue("at \(page)")]
      stub.on(
        .get, "/users", query: ["page": page],
        .json(["data": [user, ["id": 2]], "page": JSONValue(page), "total": 6]))
    }
    for pagination in [NumberPagination.numbers(), .numbers(total: .body("total"))] {
      let before = stub.requests.count
      let walk = User.pages(by: pagination, options: [.envelope("data"), .deleteMissing(in: User.all)])
      #expect(try await requestError { try await walk.all() }.kind == .pagination)
      #expect(stub.requests.count == before + 2)
    }
    #expect(try await uids() == Array(1...9))
  }

  @Test func `an object that comes in meanwhile is not missing`() async throws {
    _ = try threePages()
    let stub = try StubAdapter.current
    stub.on(.post, "/users", .json(["id": 20, "email": "e"]))
    stub.on(.get, "/users/21", .json(["id": 21, "email": "e"]))
    try await User.upsert(from: users(8...9))
    var iterator = User.pages(by: .link, options: .deleteMissing(in: User.all)).makeAsyncIterator()
    _ = try await iterator.next()
    try await User.post { try $0.setJSON(["email": "e"]) }
    try await User.get("21")
    _ = try await iterator.next()
    #expect(try await iterator.next()?.counts.deleted == 2)
    #expect(try await uids() == [1, 2, 3, 4, 5, 6, 20, 21])
    // Such a walk counts as a request, and must be over now: no marks are left.
    #expect(try await iterator.next()?.ids == nil)
    #expect(!(try Client.current.store.core.requests.hasStamps))
  }
}
