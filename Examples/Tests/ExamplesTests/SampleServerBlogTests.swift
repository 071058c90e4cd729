import Adapters
import EntityClient
import Foundation
import SampleSchema
import SampleServer
import Testing

/// Posts, comments and tags, over Foundation's client.
@Suite("Sample server: the blog") struct SampleServerBlogTests {
  @Test func `posts come by pages, by tag, and one by one`() async throws {
    try await withServer { _, client in
      let first = try await client.send("GET", "posts")
      #expect(first.ids == Array(1...10))
      #expect(first.headers["x-total-count"] == "50")
      #expect(first.headers["link"]?.contains("<\(client.url)posts?page=2&per_page=10>; rel=\"next\"") == true)
      #expect(try await client.send("GET", "posts?page=9").ids == [])
      #expect(try await client.send("GET", "posts?page=1&per_page=\(Int.max)").ids.count == 50)
      #expect(try await client.send("GET", "posts?page=2&per_page=\(Int.max)").ids == [])
      let tagged = try await client.send("GET", "posts?tag=2&per_page=100").array
      #expect(!tagged.isEmpty)
      #expect(tagged.allSatisfy { ($0["tags"] as? [Int])?.contains(2) == true })
      let post = try await client.send("GET", "posts/7").object
      #expect(post["author"] as? Int == 4)
      #expect(post["state"] as? String == "published")
      #expect(try await client.send("DELETE", "posts/7").headers["allow"] == "GET, HEAD, PATCH")
    }
  }

  @Test func `a patch changes a post, and its tags`() async throws {
    try await withServer { _, client in
      let answer = try await client.send("PATCH", "posts/5", body: #"{"state": "published", "tags": [3], "id": 9}"#)
      #expect(answer.status == 200)
      #expect(answer.object["id"] as? Int == 5)
      #expect(answer.object["published_at"] is String)
      #expect(answer.object["tags"] as? [Int] == [3])
      #expect(try await client.send("GET", "posts/5").body == answer.body)
      #expect(try await client.send("GET", "posts?tag=3&per_page=100").ids.contains(5))
    }
  }

  @Test func `a comment is under its post and its author`() async throws {
    try await withServer { _, client in
      let answer = try await client.send("POST", "posts/3/comments", body: #"{"text": "Zoë \"Z\"", "author_id": 2}"#)
      #expect(answer.status == 201)
      #expect(answer.object["text"] as? String == "Zoë \"Z\"")
      let id = try #require(answer.object["id"] as? Int)
      #expect(try await client.send("GET", "posts/3/comments").ids == [id])
      #expect(try await client.send("GET", "users/2/comments?per_page=100").ids.contains(id))
      _ = try await client.send("DELETE", "users/2")
      let orphan = try #require(try await client.send("GET", "posts/3/comments").array.first)
      #expect(orphan["author_id"] is NSNull)
      #expect(orphan["author_first"] is NSNull)
      #expect(try await client.send("POST", "posts/3/comments", body: "{}").errorCode == "invalid_body")
    }
  }

  @Test func `tags count their posts`() async throws {
    try await withServer { _, client in
      let tags = try await client.send("GET", "tags?sort=-post_count&limit=3").array
      let counts = tags.compactMap { $0["post_count"] as? Int }
      #expect(tags.count == 3)
      #expect(counts == counts.sorted(by: >))
      let id = try #require(tags.first?["id"] as? Int)
      #expect(try await client.send("GET", "posts?tag=\(id)&per_page=100").ids.count == counts.first)
    }
  }

  @Test func `a feed has all that its posts refer to`() async throws {
    try await withServer { _, client in
      let feed = try await client.send("GET", "feed?page=2&per_page=7").object
      func list(_ key: String) -> [[String: Any]] { feed[key] as? [[String: Any]] ?? [] }
      #expect(list("posts").compactMap { $0["id"] as? Int } == Array(8...14))
      let users = Set(list("users").compactMap { $0["id"] as? Int })
      let tags = Set(list("tags").compactMap { $0["id"] as? Int })
      #expect(!list("comments").isEmpty)
      #expect(list("comments").allSatisfy { users.contains($0["author_id"] as? Int ?? 0) })
      #expect(list("posts").allSatisfy { users.contains($0["author"] as? Int ?? 0) })
      #expect(list("posts").allSatisfy { tags.isSuperset(of: $0["tags"] as? [Int] ?? [0]) })
    }
  }

  @Test func `a search finds names and addresses, and an avatar has a URL`() async throws {
    try await withServer(users: 60) { _, client in
      let name = try #require(try await client.send("GET", "users/3").object["last"] as? String)
      let query = name.lowercased().addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      #expect(try await client.send("GET", "users?q=\(query)&per_page=60").ids.contains(3))
      #expect(try await client.send("GET", "users?q=nobody").ids == [])
      #expect(try await client.send("PUT", "users/3/avatar", body: "GIF", type: "image/gif").status == 415)
    }
  }
}

/// The blog's entities over libcurl and a real server, with the helpers of the sample schema.
@Suite struct BlogTests {
  @Test @MainActor func `the helpers work against the server`() async throws {
    let server = SampleServer(userCount: 40)
    let client = try Client(
      adapter: CurlAdapter(), store: EntityStore(.inMemory, entities: sampleEntities), baseURL: await server.start())
    try await Client.withClient(client) {
      let walk = try await Post.feedPages(perPage: 30).all()
      #expect(walk.pages == 3)
      #expect(walk.ids.count == 80)
      #expect(walk.counts.inserted == 80)
      #expect(walk.ids(of: SampleSchema.Tag.self).count == 12)
      #expect(try await Post.feedPages(perPage: 30).all().counts.rowsWritten == 0)
      let store = try client.store
      #expect(try store.main.fetch(Post.all).allSatisfy { !$0.tags.contains(where: \.isPlaceholder) })

      let tag = try #require(try await SampleSchema.Tag.popular(limit: 1).object)
      #expect(tag.posts.count == tag.postCount)
      #expect(try await tag.taggedPosts().counts.rowsWritten == 0)

      let draft = try #require(try store.main.fetch(Post.where { $0.state == .draft }).first)
      try await draft.publish()
      #expect(draft.publishedAt != nil)
      #expect(!draft.hasChanges)
      draft.tags = [tag]
      try await draft.saveTags()
      #expect(try await draft.get().counts.rowsWritten == 0)
      let comment = try #require(try await draft.comment("At last."))
      #expect(draft.comments.contains { $0.entityID == comment })

      let author = try #require(draft.author)
      #expect(try await author.comments().counts.rowsWritten == 0)
      author.bio = "Writes."
      try await author.saveProfile()
      let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR…".utf8)
      try await author.setAvatar(png: png)
      #expect(author.avatarURL?.lastPathComponent == "avatar.png")
      #expect(try await author.get().counts.rowsWritten == 0)
      #expect(try await User.search(author.email ?? "").objects.contains { $0 === author })
    }
    await server.stop()
  }
}
