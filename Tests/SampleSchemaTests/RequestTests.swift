import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The requests that the helpers send, and the results of their answers.
@Suite(.api()) @MainActor struct RequestTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  private func user() async throws -> User {
    try #require(try await User.upsert(from: fixture("users")).object)
  }

  private func post() async throws -> Post {
    try #require(try await Post.upsert(from: fixture("post")).object)
  }

  @Test func `a search encodes its text`() async throws {
    try stub.on(.get, "/users", query: ["q": "a&b ü", "page": 1, "per_page": 5], .fixture("users"))
    #expect(try await User.search("a&b ü", limit: 5).objects.map(\.uid) == [1, 2])
  }

  @Test func `every page is fetched and missing users are deleted`() async throws {
    try await User.upsert(from: [["id": 9]])
    let next = "</users?page=2&per_page=2>; rel=\"next\""
    try stub.on(.get, "/users", query: ["page": 1], .json([["id": 1], ["id": 2]], headers: ["Link": next]))
    try stub.on(.get, "/users", query: ["page": 2], .json([["id": 3]]))
    let all = try await User.everyone(perPage: 2).all()
    #expect(all.pages == 2)
    #expect(all.ids.count == 3)
    #expect(all.counts.deleted == 1)
  }

  @Test func `a new user gets the server's id`() async throws {
    try stub.on(.post, "/users", .json(["id": 10, "first": "Alan", "age": 41], status: 201))
    let alan = try Client.current.store.main.insert(User.self)
    alan.firstName = "Alan"
    alan.age = 41
    try await alan.create()
    #expect(alan.uid == 10)
    #expect(!alan.hasChanges)
    #expect(try stub.requests.first?.json?["first"]?.string == "Alan")
  }

  @Test func `a profile is a form`() async throws {
    let ada = try await user()
    ada.bio = "Poetical & scientific"
    try stub.on(.patch, "/users/1", .status(204))
    try await ada.saveProfile()
    let request = try #require(try stub.requests.first)
    #expect(String(decoding: request.body, as: UTF8.self).contains("bio=Poetical+%26+scientific"))
    #expect(!ada.hasChanges)
  }

  @Test func `an avatar is a PNG and the answer says where it is`() async throws {
    let ada = try await user()
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR…".utf8)
    try stub.on(.put, "/users/1/avatar", .json(["avatar_url": "https://example.com/1.png"]))
    try await ada.setAvatar(png: png)
    #expect(try stub.requests.first?.headers["Content-Type"] == "image/png")
    #expect(try stub.requests.first?.body == png)
    #expect(ada.avatarURL?.absoluteString == "https://example.com/1.png")
    await #expect(throws: RequestError.self) { try await ada.setAvatar(png: Data("GIF89a".utf8)) }
    #expect(try stub.requests.count == 1)
  }

  @Test(.client(entities: sampleEntities, baseURL: "https://example.com/v1/"))
  func `all requests stay below the base URL`() async throws {
    let ada = try await user()
    let post = try await post()
    let comments: JSONValue = [["id": 5, "text": "Hm", "post": 7, "author_id": 1]]
    try stub.on(.get, "/v1/feed", .json(["posts": [["id": 7]], "users": [], "comments": [], "tags": []]))
    try stub.on(.get, "/v1/posts/7/comments", .json(comments))
    try stub.on(.post, "/v1/posts/7/comments", .json(["id": 6, "text": "Ho", "post": 7], status: 201))
    try stub.on(.get, "/v1/users/1/comments", .json(comments))
    #expect(try await Post.feed().ids == [post.entityID])
    #expect(try await Post.feedPages().all().ids == [post.entityID])
    _ = try await Comment.comments(on: post)
    try await post.comment("Ho")
    #expect(try await ada.comments().ids.count == 1)
    #expect(try stub.requests.count == 5)
  }

  // MARK: Local edits

  @Test func `an edit survives the next sync`() async throws {
    let ada = try await user()
    ada.email = "lovelace@example.com"
    try await ada.entityContext?.save()
    try await User.upsert(from: fixture("users"))
    #expect(ada.email == "lovelace@example.com")
  }

  @Test func `the answer to a PATCH acknowledges it`() async throws {
    let post = try await post()
    post.title = "Engines"
    try stub.on(.patch, "/posts/7", .json(["id": 7, "state": "published", "published_at": "2024-06-01T00:00:00Z"]))
    try await post.publish()
    #expect(post.publishedAt != nil)
    #expect(post.state == .published)
    // The title was not sent, and is an edit still; the state is the server's again.
    try await Post.upsert(from: [["id": 7, "title": "On engines", "state": "archived"]])
    #expect(post.title == "Engines")
    #expect(post.state == .archived)
  }

  @Test func `a publication that fails is sent again`() async throws {
    let post = try await Post.upsert(from: [["id": 8, "title": "T", "state": "draft"]]).object
    try stub.on(.patch, "/posts/8", .status(503), .json(["id": 8, "state": "published"]))
    await #expect(throws: RequestError.self) { try await post?.publish() }
    try await Post.upsert(from: [["id": 8, "state": "draft"]])
    #expect(post?.state == .published)
    #expect(post?.hasChanges == true)
    try await post?.publish()
    #expect(post?.hasChanges == false)
  }

  @Test func `tags are sent as their ids`() async throws {
    let post = try await post()
    try await Tag.upsert(from: [["id": 1, "name": "looms"]])
    post.tags = try Client.current.store.main.fetch(Tag.where { $0.uid == 1 })
    try stub.on(.patch, "/posts/7", .json(["id": 7, "tags": [1]]))
    try await post.saveTags()
    #expect(try stub.requests.first?.json == ["tags": [1]])
    #expect(!post.hasChanges)
    #expect(post.tags.map(\.name) == ["looms"])
  }

  @Test func `a comment is under its post`() async throws {
    let post = try await post()
    let answer: JSONValue = ["id": 72, "text": "Fine.", "post": 7, "author_id": 1, "author_first": "Ada"]
    try stub.on(.post, "/posts/7/comments", .json(answer, status: 201))
    let id = try #require(try await post.comment("Fine."))
    #expect(try stub.requests.first?.json == ["text": "Fine."])
    #expect(post.comments.map(\.entityID) == [id])
    #expect(post.comments.first?.author?.firstName == "Ada")
    try stub.on(.get, "/posts/7/comments", .json([answer]))
    #expect(try await Comment.comments(on: post).counts.rowsWritten == 0)
  }

  @Test func `lists of others are asked for by their owner`() async throws {
    let ada = try await user()
    try stub.on(
      .get, "/users/1/comments", query: ["page": 2], .json([["id": 5, "text": "Hm", "post": 7, "author_id": 1]]))
    #expect(try await ada.comments(page: 2).objects.map(\.uid) == ada.comments.map(\.uid))
    try stub.on(.get, "/tags", query: ["sort": "-post_count", "limit": 1], .json([["id": 2, "name": "machines"]]))
    let tag = try #require(try await Tag.popular(limit: 1).object)
    try stub.on(.get, "/posts", query: ["tag": 2, "page": 1], .json([["id": 7, "title": "T", "tags": [2]]]))
    #expect(try await tag.taggedPosts().objects.map(\.uid) == tag.posts.map(\.uid))
    try stub.on(.put, "/addresses/1", .status(204))
    ada.address?.city = "Marylebone"
    try await ada.address?.save()
    #expect(try stub.requests.last?.json?["city"]?.string == "Marylebone")
  }

  // MARK: Errors

  @Test func `a not found error names the request`() async throws {
    try stub.on(.get, "/users/99", .json(["error": ["code": "not_found"]], status: 404))
    let error = await #expect(throws: RequestError.self) { try await User.user(uid: 99) }
    #expect(error?.status == 404)
    #expect(error?.body?["error.code"]?.string == "not_found")
    #expect(
      error?.description
        == "GET https://api.example.com/users/99 (status 404): The server refused the request: not found.")
  }

  @Test func `without a session nothing is written`() async throws {
    try stub.on(.get, "/feed", .fixture("unauthorized", status: 401))
    let error = await #expect(throws: RequestError.self) { try await Post.feed() }
    #expect(error?.status == 401)
    #expect(error?.description.contains("not authenticated") == true)
    #expect(error?.body?["error.message"]?.string == "A valid bearer token is required.")
    #expect(try Client.current.store.main.count(Post.all) == 0)
  }
}
