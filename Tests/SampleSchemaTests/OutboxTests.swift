import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The requests that an outbox sends of objects that were made and edited offline.
@Suite(.api()) @MainActor struct OutboxTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var context: EntityContext { get throws { try Client.current.store.main } }

  /// A new user, and a comment of theirs on a post that the server has.
  private func write() async throws -> Comment {
    let post = try #require(try await Post.upsert(from: fixture("post")).object)
    let ada = try context.insert(User.self)
    (ada.firstName, ada.email) = ("Ada", "ada@example.com")
    let comment = try context.insert(Comment.self)
    (comment.text, comment.post, comment.author) = ("Well said.", post, ada)
    try await context.save()
    return comment
  }

  @Test func `a comment is created under its post, after its author`() async throws {
    let comment = try await write()
    let path = "/posts/\(comment.post.uid)/comments"
    try stub.on(.post, "/users", .json(["id": 10, "first": "Ada", "email": "ada@example.com"], status: 201))
    try stub.on(
      .post, path,
      .json(["id": 5, "text": "Well said.", "post": JSONValue(comment.post.uid), "author_id": 10], status: 201))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests(.post, path).first?.json == ["text": "Well said.", "author_id": 10])
    #expect(comment.uid == 5)
    #expect(comment.sendState == .sent)
  }

  @Test func `a comment goes without an author whom the server refuses`() async throws {
    let comment = try await write()
    let path = "/posts/\(comment.post.uid)/comments"
    try stub.on(.post, "/users", .status(400))
    try stub.on(.post, path, .json(["id": 5, "text": "Well said."], status: 201))
    let outbox = try Outbox(Client.current, clock: VirtualClock())
    try await outbox.send()
    #expect(try stub.requests(.post, path).map(\.json) == [["text": "Well said."]])
    #expect(comment.author?.firstName == "Ada")
  }

  @Test func `the server is asked for a user whose create had no answer`() async throws {
    let comment = try await write()
    try stub.on(.post, "/users", .failure(.timeout, mayHaveBeenProcessed: true))
    try stub.on(.get, "/users", query: ["email": "ada@example.com"], .json([["id": 10, "email": "ada@example.com"]]))
    try stub.on(.post, "/posts/\(comment.post.uid)/comments", .json(["id": 5], status: 201))
    let clock = VirtualClock()
    let outbox = try Outbox(Client.current, clock: clock)
    try await outbox.send()
    clock.advance(by: .seconds(31))
    #expect(try await outbox.send().left == 0)
    #expect(try stub.requests(.post, "/users").count == 1)
    #expect(try context.fetch(User.where { $0.firstName == "Ada" }).map(\.uid) == [10])
  }
}
