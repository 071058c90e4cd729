import EntityClient
import Foundation
import Testing

/// Relationships of entities that the macro writes. The folders beside this one have the same files in modules of other
/// isolation.
@MainActor struct RelationshipTests {
  private static let json = Data(
    #"""
    [
      {"id": 1, "name": "Ada", "age": 36, "address": {"city": "Oslo", "country": {"code": "no"}}, "following": [2], "posts": [
        {"id": 1, "title": "Alpha", "labels": [{"name": "a"}, {"name": "b"}], "drafts": [{"text": "Al"}, {"text": "Alp"}]},
        {"id": 2, "title": "Beta", "labels": ["a"], "reviewer": {"id": 2}, "cover": {"link": "https://example.com/b"}}
      ]},
      {"id": 2, "name": "Bob", "age": 20, "address": {"city": "Oslo"}, "followers": [1, 3], "posts": [{"id": 3, "title": "Ape"}]},
      {"id": 3, "name": "Cid", "age": 50}
    ]
    """#.utf8)

  private static let entities: [any ManagedEntity.Type] = [
    User.self, Address.self, Country.self, Post.self, Tag.self, Draft.self, Cover.self, Outline.Section.self,
  ]

  /// Runs a test on a store in memory and on one in a file.
  private func inEachStore(_ test: @MainActor (EntityStore, EntityContext) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "relationships-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for location in [StoreLocation.inMemory, .file(folder.appending(path: "store.sqlite"))] {
      let store = try EntityStore(location, entities: Self.entities)
      try await test(store, store.main)
    }
  }

  /// With the three users of the response.
  private func inEachBlog(
    _ test: @MainActor (EntityStore, EntityContext, User, User, User) async throws -> Void
  ) async throws {
    try await inEachStore { store, main in
      try await User.upsert(from: Self.json, in: store)
      let users = try main.fetch(User.all.sorted(by: \.uid))
      try #require(users.count == 3)
      try await test(store, main, users[0], users[1], users[2])
    }
  }

  private func error(_ work: () async throws -> Void) async -> StoreError? {
    do {
      try await work()
    } catch let error as StoreError {
      return error
    } catch {
      Issue.record(error)
    }
    return nil
  }

  @Test func `a response fills both sides`() async throws {
    try await inEachBlog { store, main, ada, bob, cid in
      let posts = try main.fetch(Post.all.sorted(by: \.uid))
      #expect(ada.posts.count == 2)
      #expect(bob.posts.count == 1)
      #expect(cid.posts.isEmpty)
      #expect(posts.map { $0.author } == [ada, ada, bob])
      #expect(posts.map { $0.reviewer } == [nil, bob, nil])
      #expect(bob.reviews == [posts[1]])
      let tags = try ["a", "b"].map { try #require(try main.fetch(Tag.self, uid: $0)) }
      #expect(posts[0].tags == tags)
      #expect(try main.fetch(Post.where { $0.matches("be") }) == [posts[1]])
      #expect(posts[1].tags == [tags[0]])
      #expect(posts[2].tags.isEmpty)
      #expect(tags.map { $0.posts.count } == [2, 1])
      #expect(ada.following == [bob])
      #expect(bob.followers.count == 2)
      #expect(cid.following == [bob])
      #expect(ada.followers.isEmpty)
      #expect(posts.map { $0.drafts.count } == [2, 0, 0])
      #expect(posts.map { $0.cover == nil } == [true, false, true])
      #expect(ada.address?.country?.addresses.count == 1)
      #expect(bob.address?.country == nil)

      let again = try await User.upsert(
        from: Data(#"[{"id": 1, "name": "Ada"}, {"id": 3, "age": 50}]"#.utf8), in: store)
      #expect(again.counts.inserted == 0)
      #expect(again.counts.updated == 0)
      try await Post.upsert(from: Data(#"{"id": 1, "author": 2, "labels": ["b", "c"]}"#.utf8), in: store)
      #expect(posts[0].author === bob)
      #expect(bob.posts.count == 2)
      #expect(ada.posts == [posts[1]])
      #expect(tags[0].posts == [posts[1]])
      #expect(posts[0].tags.map(\.uid).sorted() == ["b", "c"])
    }
  }

  @Test func `a required link is there when it is saved`() async throws {
    try await inEachStore { store, main in
      let post = try main.insert(Post.self)
      #expect(post.author.isDeleted)
      #expect(post.author.name == "")
      let found = await error { try await main.save() }
      #expect(found?.kind == .invalidObject)
      #expect(found?.problems.map(\.property) == ["author"])
      let user = try main.insert(User.self)
      post.author = user
      #expect(user.posts == [post])
      try await main.save()
      let id = post.entityID
      let name = try await store.background { context in
        let post = try #require(try context.object(id))
        post.author.name = "Ada"
        return post.author.posts.first?.author.name
      }
      #expect(name == "Ada")
      #expect(user.name == "Ada")
      await #expect(throws: (any Error).self) {
        try await Post.upsert(from: Data(#"{"id": 9, "title": "Nobody's"}"#.utf8), in: store)
      }
      #expect(try main.fetch(Post.self, uid: 9) == nil)
    }
  }

  @Test func `a list is the same from both sides`() async throws {
    try await inEachBlog { store, main, ada, bob, cid in
      let post = try #require(try main.fetch(Post.self, uid: 3))
      let tags = try main.fetch(Tag.all)
      post.tags = tags
      #expect(post.hasChanges)
      #expect(tags.allSatisfy { $0.posts.contains(post) })
      tags[0].posts.removeAll { $0 === post }
      #expect(post.tags == [tags[1]])
      try await main.save()
      let (id, tag) = (post.entityID, tags[1].entityID)
      let seen = try await store.read { context in
        (try context.object(id)?.tags.map(\.uid), try context.object(tag)?.posts.count)
      }
      #expect(seen.0 == [tags[1].uid])
      #expect(seen.1 == tags[1].posts.count)
      try await store.background { try $0.object(tag)?.posts = [] }
      #expect(post.tags.isEmpty)

      cid.followers.append(ada)
      ada.following.removeAll { $0 === bob }
      bob.following = [bob]
      #expect(ada.following == [cid])
      #expect(bob.followers == [bob, cid])
      main.rollback()
      #expect(ada.following == [bob])
      #expect(bob.followers.count == 2)
      #expect(cid.followers.isEmpty)
    }
  }

  @Test func `deletions follow the rules`() async throws {
    try await inEachBlog { store, main, ada, bob, cid in
      // The country denies, the user's posts and their drafts and covers go with it, tags and readers stay.
      let country = try #require(ada.address?.country)
      try main.delete(country)
      #expect(await error { try await main.save() }?.kind == .deleteDenied)
      main.rollback()
      try main.delete(ada)
      try await main.save()
      #expect(try main.count(User.all) == 2)
      #expect(try main.count(Post.all) == 1)
      #expect(try main.count(Tag.all) == 2)
      #expect(try main.count(Draft.all) == 0)
      #expect(try main.count(Cover.all) == 0)
      #expect(bob.followers == [cid])
      #expect(bob.reviews.isEmpty)
      #expect(try main.fetch(Tag.all).allSatisfy { $0.posts.isEmpty })
      try main.delete(country)
      try await main.save()
      #expect(try main.count(Country.all) == 0)
    }
  }

  @Test func `a tree consists of objects of one entity`() async throws {
    try await inEachStore { store, main in
      let json = #"{"id": 1, "children": [{"id": 2, "children": [{"id": 3}]}, {"id": 4, "parent": {"id": 1}}]}"#
      try await Outline.Section.upsert(from: Data(json.utf8), in: store)
      let root = try #require(try main.fetch(Outline.Section.self, uid: 1))
      #expect(root.parent == nil)
      #expect(root.children.map(\.uid).sorted() == [2, 4])
      let leaf = try #require(try main.fetch(Outline.Section.self, uid: 3))
      #expect(leaf.parent?.parent === root)
      root.children.append(leaf)
      #expect(leaf.parent === root)
      #expect(try main.fetch(Outline.Section.where { $0.parent == root && $0.children.isEmpty }).count == 3)
      try main.delete(root)
      try await main.save()
      #expect(try main.count(Outline.Section.all) == 0)
    }
  }

  @Test func `predicates go across relationships`() async throws {
    try await inEachBlog { store, main, ada, bob, cid in
      func names(_ query: EntityQuery<User>) throws -> [String] { try main.fetch(query.sorted(by: \.name)).map(\.name) }
      let query = User.where { $0.age > 21 && $0.address.city == "Oslo" && $0.posts.any { $0.title.hasPrefix("A") } }
      #expect(try names(query) == ["Ada"])
      bob.age = 22
      #expect(try names(query) == ["Ada", "Bob"])
      let saved = try await store.read { try $0.fetch(query).map(\.name) }
      #expect(saved == ["Ada"])
      #expect(try names(User.where { $0.address.country.uid == "no" || $0.following.isEmpty }) == ["Ada", "Bob"])
      #expect(try names(User.where { $0.posts.any { $0.tags.any { $0.uid == "b" } } }) == ["Ada"])
      #expect(try names(User.where { $0.followers.contains(ada) || $0.followers.count == 0 }) == ["Ada", "Bob", "Cid"])
      #expect(try main.count(Post.where { $0.author.address.city == "Oslo" && $0.reviewer.age < 30 }) == 1)
      // Ada is 36, Bob reviews the second of her posts.
      #expect(try main.count(Post.where { $0.author.age > $0.reviewer.age && $0.author.address.city == "Oslo" }) == 1)
      #expect(try main.count(Post.where { $0.reviewer.age < $0.author.age && $0.reviewer.age <= $0.author.age }) == 1)
      #expect(try main.count(Post.where { $0.reviewer.age >= $0.author.age || $0.author.age < $0.reviewer.age }) == 0)
      #expect(try main.count(Post.where { $0.reviewer.name != $0.author.name }) == 3)
      #expect(try main.count(Post.where { $0.reviewer.age > $0.author.age || $0.author.age <= $0.reviewer.age }) == 0)
      #expect(
        try main.count(Post.where { $0.reviewer.name == $0.author.name || $0.author.age >= $0.reviewer.age }) == 1)
      #expect(try main.count(Tag.where { $0.posts.all { $0.author == ada } }) == 2)
    }
  }

  /// With an initializer of the user's.
  @Test func `objects are made first and inserted later`() async throws {
    try await inEachStore { store, main in
      let post = Post()
      post.title = "Alpha"
      let user = User(name: "Ada", posts: [post])
      user.uid = 1
      user.address = Address()
      user.address?.city = "Oslo"
      #expect(post.author == user)
      try main.insert(post)
      try await main.save()
      #expect(try main.fetch(User.all) == [user])
      let read = try await store.background { context in
        let made = User(name: "Bob")
        made.uid = 2
        made.following = try context.fetch(User.all)
        try context.insert(made)
        return try context.fetch(User.all).map { "\($0.name) \($0.posts.map(\.title)) \($0.address?.city ?? "-")" }
      }
      #expect(read == [#"Ada ["Alpha"] Oslo"#, "Bob [] -"])
      #expect(user.followers.map(\.name) == ["Bob"])
    }
  }
}
