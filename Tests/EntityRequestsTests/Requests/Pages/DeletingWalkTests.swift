import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Walks that delete the rows that no page had: which ends and beginnings count.
@Suite(.sample) struct DeletingWalkTests {
  private let missing = MissingObjects.deleteMissing(in: User.all)

  private func users(_ ids: [Int]) -> JSONValue {
    JSONValue(ids.map { ["id": JSONValue($0), "email": "e"] as JSONValue })
  }

  private func uids() async throws -> [Int] {
    try await Client.current.store.read { try $0.fetch(User.all).map(\.uid).sorted() }
  }

  private func has(_ ids: [Int]) async throws { try await User.upsert(from: users(ids)) }

  /// A server that filters after it has paged.
  @Test func `a short page in the middle is no end`() async throws {
    try await has([1, 2, 3, 4, 5, 6])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", query: ["page": 1], .json(users([1, 2])))
    stub.on(.get, "/users", query: ["page": 2], .json(users([3])))
    stub.on(.get, "/users", query: ["page": 3], .json(users([4, 5])))
    stub.on(.get, "/users", query: ["page": 4], .json([]))
    let all = try await User.pages(by: .numbers(size: 2), options: .missing(missing)).all()
    #expect(all.pages == 4)
    #expect(all.counts.deleted == 1)
    #expect(try await uids() == [1, 2, 3, 4, 5])
    #expect(try await User.pages(by: .numbers(size: 2)).all().pages == 2)
  }

  /// 1 is deleted on the server between the pages, so 3 moves to the page that was there already.
  @Test(arguments: [["4", "3", "3"], ["4", "5", "4"], ["4", "3", "4"]])
  func `a walk whose total changes is not complete`(_ totals: [String]) async throws {
    try await has([1, 2, 3, 4])
    let stub = try StubAdapter.current
    for (number, ids) in [[1], [2], [4, 5]].enumerated() {
      stub.on(
        .get, "/users", query: ["page": number + 1], .json(users(ids), headers: ["X-Total": totals[number]]))
    }
    let numbers = NumberPagination.numbers(size: 2, total: .header("X-Total"))
    let walk = User.pages(by: numbers, options: .missing(missing))
    let error = try await requestError { try await walk.all() }
    #expect(error.kind == .pagination)
    #expect(error.page == 4)
    let reason = totals[2] == "3" ? "The pages had 4 objects, and the total is 3" : "went from 4 to \(totals[1])"
    #expect(error.description.contains(reason))
    #expect(try await uids() == [1, 2, 3, 4, 5])
    #expect(try await User.pages(by: numbers).all().pages == 3)
  }

  // MARK: Beginnings

  @Test(arguments: ["prev", "previous"])
  func `a page that has a previous page is not taken for the first`(_ relation: String) async throws {
    try await has([1, 2, 3, 4])
    let stub = try StubAdapter.current
    stub.on(
      .get, "/users", query: ["page": 2],
      .json(users([3, 4]), headers: ["Link": "</users?page=1>; rel=\"\(relation)\""]))
    let walk = User.pages(query: ["page": 2], by: .link, options: .missing(missing))
    #expect(try await requestError { try await walk.all() }.kind == .pagination)
    stub.on(
      .get, "/users", query: ["page": 2],
      .json(["data": users([3, 4]), "links": JSONObject(["next": nil, relation: "/users?page=1"]).value]))
    let body = User.pages(query: ["page": 2], by: .body("links.next"), options: [.envelope("data"), .missing(missing)])
    #expect(try await requestError { try await body.all() }.kind == .pagination)
    #expect(try await uids() == [1, 2, 3, 4])
    #expect(
      try await User.pages(query: ["page": 2], by: .body("links.next"), options: .envelope("data")).all().pages == 1)
  }

  @Test func `later pages have previous ones`() async throws {
    try await has([1, 2, 3])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(["data": users([1]), "next": "/users/2", "previous": nil]))
    stub.on(.get, "/users/2", .json(["data": users([2]), "next": nil, "previous": "/users"]))
    _ = try await User.pages(by: .body("next"), options: [.envelope("data"), .missing(missing)]).all()
    #expect(try await uids() == [1, 2])
  }

  @Test func `a project's own pagination begins with its first query`() async throws {
    struct Counted: Pagination {
      var firstQuery: QueryParameters { ["p": 1] }
      func next(after page: ReceivedPage) -> NextPage? { nil }
    }
    try await has([1, 2])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users([2])))
    let middle = User.pages(query: ["p": 2], by: Counted(), options: .missing(missing))
    #expect(try await requestError { try await middle.all() }.kind == .invalidRequest)
    #expect(try await uids() == [1, 2])
    _ = try await User.pages(query: ["p": 1, "a": "b"], by: Counted(), options: .missing(missing)).all()
    #expect(try await uids() == [2])
  }

  // MARK: Last pages without a list

  @Test(arguments: [204, 205]) func `a last page may have no content`(_ status: Int) async throws {
    try await has([1, 2, 3, 4])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", query: ["page": 1], .json(users([1, 2])))
    stub.on(.get, "/users", query: ["page": 2], .status(status))
    let all = try await User.pages(by: .numbers(), options: .missing(missing)).all()
    #expect(all.pages == 2)
    #expect(all.counts.deleted == 2)
    #expect(try await uids() == [1, 2])
  }

  @Test func `a last page that says nothing deletes nothing`() async throws {
    struct Two: Pagination {
      func next(after page: ReceivedPage) -> NextPage? { page.number == 1 ? .url("/users/2") : nil }
    }
    try await has([1, 2])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json(users([1])))
    let answers: [StubAnswer] = [
      .status(304), .json(users([1]), status: 206), .data(Data(), contentType: "application/json"),
    ]
    for answer in answers {
      stub.on(.get, "/users/2", answer)
      let error = try await requestError { try await User.pages(by: Two(), options: .missing(missing)).all() }
      #expect(error.kind == .pagination)
      #expect(error.description.contains("nothing was deleted"))
      #expect(try await User.pages(by: Two()).all().pages == 2)
    }
    // As with a list in one piece: by itself it says nothing.
    stub.on(.get, "/users", .status(204))
    #expect(
      try await requestError { try await User.pages(by: .link, options: .missing(missing)).all() }.kind == .pagination)
    #expect(try await uids() == [1, 2])
  }

  /// The objects of the other pages are taken all the same.
  @Test func `a page in the middle that says nothing fails the walk at its end`() async throws {
    try await has([1, 9])
    let stub = try StubAdapter.current
    let next: HTTPHeaders = ["Link": "</users/3>; rel=\"next\""]
    stub.on(.get, "/users", .json(users([1]), headers: ["Link": "</users/2>; rel=\"next\""]))
    stub.on(.get, "/users/3", .json(users([3])))
    let answers: [(StubAnswer, String)] = [
      (.status(304, headers: next), "Page 2 has no body"), (.status(204, headers: next), "Page 2 has no body"),
      (.json(users([2]), status: 206, headers: next), "Page 2 is a part"),
      (.json(["id": 2], headers: next), "Page 2 has no list of objects"),
    ]
    for (answer, reason) in answers {
      stub.on(.get, "/users/2", answer)
      var pages = 0
      let error = try await requestError {
        for try await page in User.pages(by: .link, options: .missing(missing)) {
          pages += 1
          #expect(page.counts.deleted == 0)
        }
      }
      #expect(error.kind == .pagination)
      #expect(error.page == 4)
      #expect(pages == 3)
      #expect(error.description.contains(reason))
      #expect(error.description.contains("nothing was deleted"))
      #expect(!(try Client.current.store.core.requests.hasStamps))
      #expect(try await User.pages(by: .link).all().pages == 3)
    }
    #expect(try await uids() == [1, 2, 3, 9])
  }

  @Test func `a page that was not modified is no end`() async throws {
    try StubAdapter.current.on(.get, "/users", .status(304))
    #expect(try await requestError { try await User.pages(by: .link).all() }.kind == .pagination)
    #expect(try await requestError { try await User.pages(by: .header("Next-Page")).all() }.kind == .pagination)
  }
}
