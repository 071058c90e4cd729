import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// A project's pagination is asked for the total, and whether pages are compared, as those of the library are.
@Suite(.sample) struct OwnPaginationTests {
  private struct Steps: Pagination {
    var comparesPages = true

    func next(after page: ReceivedPage) -> NextPage? {
      page.number < 3 ? .query(["step": page.number + 1]) : nil
    }

    func total(of page: ReceivedPage) -> Int? { page.response.headers["X-All"].flatMap { Int($0) } }
  }

  @Test func `a total that changes deletes nothing`() async throws {
    try await User.upsert(from: [["id": 1], ["id": 9]])
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1]], headers: ["X-All": "3"]))
    stub.on(.get, "/users", query: ["step": 2], .json([["id": 2]], headers: ["X-All": "2"]))
    stub.on(.get, "/users", query: ["step": 3], .json([["id": 3]], headers: ["X-All": "2"]))
    let walk = User.pages(by: Steps(), options: .deleteMissing(in: User.all))
    let error = try await requestError { try await walk.all() }
    #expect(error.kind == .pagination)
    #expect(error.description.contains("went from 3 to 2"))
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 4)
  }

  @Test(arguments: [true, false]) func `pages with the same objects are an error only where pages are compared`(
    _ comparesPages: Bool
  ) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1]]))
    stub.on(.get, "/users", query: ["step": 2], .json([["id": 1]]))
    stub.on(.get, "/users", query: ["step": 3], .json([["id": 1]]))
    let walk = User.pages(by: Steps(comparesPages: comparesPages))
    if comparesPages {
      #expect(try await requestError { try await walk.all() }.kind == .pagination)
    } else {
      #expect(try await walk.all().pages == 3)
    }
  }
}
