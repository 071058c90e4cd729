import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// From a fixture into a store in memory: the objects that the mapping makes of the API's JSON.
@Suite(.api()) struct FixtureTests {
  @Test @MainActor func `a user has all that the response says`() async throws {
    let users = try await User.upsert(from: fixture("users")).objects
    let ada = try #require(users.first)
    #expect(ada.uid == 1)
    #expect(ada.firstName == "Ada")
    #expect(ada.lastName == "Lovelace")
    #expect(ada.age == 36)
    #expect(ada.active)
    #expect(ada.email == "ada@example.com")
    #expect(ada.score == 12.5)
    #expect(ada.bio == "Likes engines.")
    #expect(ada.createdAt == Date(timeIntervalSince1970: 1_709_294_400))
    #expect(ada.avatarURL == nil)
    #expect(ada.address?.city == "London")
    #expect(ada.address?.state == nil)
    #expect(ada.address?.zip == "SW1Y")
    #expect(users.last?.score == nil)
    #expect(users.last?.avatarURL == URL(string: "https://example.com/2.png"))
  }

  @Test @MainActor func `a post has the links that the response says`() async throws {
    let test = try await MappingTest(Post.self, fixture("post"))
    test.expect(\.title, "On engines")
    test.expect(\.state, .published)
    test.expectLink(\.author, uid: 1)
    test.expectLinks(\.tags, uids: [2])
    test.expectNothingElse()
    try await test.expectNothingNewAgain()
  }

  @Test func `the same response again writes nothing`() async throws {
    #expect(try await User.upsert(from: fixture("users")).counts.inserted == 2)
    let again = try await User.upsert(from: fixture("users"))
    #expect(again.counts.unchanged == 2)
    #expect(again.counts.rowsWritten == 0)
    let addresses = try await Client.current.store.read { try $0.count(Address.all) }
    #expect(addresses == 2)
  }

  @Test func `an address that moves is the same address`() async throws {
    try await User.upsert(from: fixture("users"))
    let moved: JSONValue = [["id": 1, "address": ["id": 1, "city": "Marylebone"]]]
    let counts = try await User.upsert(from: moved).counts
    #expect(counts.rowsWritten == 1)
    let (city, street, count) = try await Client.current.store.read { context in
      let address = try context.fetch(User.self, uid: 1)?.address
      return (address?.city, address?.street, try context.count(Address.all))
    }
    #expect(city == "Marylebone")
    #expect(street == "12 St James's Square")
    #expect(count == 2)
  }

  @Test @MainActor func `a feed has objects of four entities`() async throws {
    try StubAdapter.current.on(.get, "/feed", .fixture("feed"))
    let feed = try await Post.feed()
    let posts = try feed.objects
    #expect(posts.map(\.title) == ["On engines", "On compilers"])
    #expect(posts[0].author?.firstName == "Ada")
    #expect(posts[0].state == .published)
    #expect(posts[1].publishedAt == nil)
    #expect(Set(posts[0].tags.map(\.name)) == ["looms", "machines"])
    #expect(posts[0].comments.map(\.text) == ["Splendid."])
    #expect(posts[0].comments.first?.author?.firstName == "Grace")
    let comments = try feed.objects(of: Comment.self)
    #expect(comments.map(\.post.uid) == [7, 8])
    #expect(comments[1].author == nil)
    #expect(try feed.objects(of: Tag.self).last?.posts.count == 2)
    #expect(feed.counts.inserted == 2)
    #expect(feed.counts(of: User.self).inserted + feed.counts(of: Tag.self).inserted == 4)
    #expect(try await Post.feed().counts.rowsWritten == 0)
  }

  /// The order in the document is of no account.
  @Test func `comments may come before their posts`() async throws {
    let comments: [ResponsePart] = [.list(Comment.self, at: "comments")]
    try await EntityDocument.upsert(from: fixture("feed"), options: .parts(comments))
    let store = try Client.current.store
    #expect(try await store.read { try $0.count(Comment.all) } == 2)
    // The post is known by its id alone, and no query finds it.
    #expect(try await store.read { try $0.count(Post.all) } == 0)
    try await EntityDocument.upsert(from: fixture("feed"), options: .parts(comments + [.list(Post.self, at: "posts")]))
    #expect(try await store.read { try $0.fetch(Comment.self, uid: 70)?.post.title } == "On engines")
  }

  @Test func `an error names the fault of a response`() async throws {
    let response: JSONValue = [
      "posts": [], "comments": [["id": 1, "text": "Hm", "post": 7], ["id": 2, "text": ["Hm"], "post": 7]],
    ]
    let error = await #expect(throws: RequestError.self) {
      try await Post.upsert(
        from: response, options: [.envelope("posts"), .parts([.list(Comment.self, at: "comments")])])
    }
    #expect(error?.description.contains("'Comment.text' can't be read from 'text' of object 1 of 'comments'") == true)
    #expect(try await Client.current.store.read { try $0.count(Comment.all) } == 0)
  }
}
