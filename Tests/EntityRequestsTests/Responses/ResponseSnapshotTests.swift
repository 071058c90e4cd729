import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@Suite(.sample) struct ResponseSnapshotTests {
  @Test func `snapshots are in the order of the response`() async throws {
    try StubAdapter.current.on(
      .get, "/users",
      .json([
        ["id": 3, "email": "c@x", "address": ["id": 9, "city": "Oslo"]], ["id": 1, "email": "a@x"],
        ["id": 2, "email": nil], ["id": 1],
      ]))
    let response = try await User.get()
    let users = try await response.snapshots()
    #expect(users.map(\.uid) == [3, 1, 2])
    #expect(users.map(\.email) == ["c@x", "a@x", nil])
    #expect(users.map(\.entityID) == response.ids)
    let city = try await Client.current.store.read { try $0.snapshots([users[0].address].compactMap { $0 }) }.first?
      .city
    #expect(city == "Oslo")
  }

  @Test func `snapshots have the present values`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1, "email": "a@x"], ["id": 2]]))
    let response = try await User.get()
    let before = try await response.snapshots()
    try await Client.current.store.background { context in
      try context.fetch(User.self, uid: 1)?.email = "b@x"
      try context.delete(User.self, uid: 2)
    }
    #expect(try await response.snapshots().map(\.email) == ["b@x"])
    #expect(before.map(\.email) == ["a@x", nil])
  }

  @Test func `the parts have snapshots of their own`() async throws {
    try StubAdapter.current.on(
      .get, "/users", .json(["data": [["id": 1]], "posts": [["id": 7, "title": "T", "author": 1]]]))
    let response = try await User.get(options: [.envelope("data"), .parts([.list(Post.self, at: "posts")])])
    let posts = try await response.snapshots(of: Post.self)
    #expect(posts.map(\.title) == ["T"])
    #expect(posts.map(\.author) == response.ids)
    #expect(try await response.snapshots(of: Comment.self).isEmpty)
  }

  @Test func `a response that wrote nothing has no snapshots`() async throws {
    try StubAdapter.current.on(.head, "/users", .status(200))
    #expect(try await User.head().snapshots().isEmpty)
  }
}
