import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of Ruby on Rails, whose serializers wrap objects in root keys. Each test has a store and objects of its own.
@MainActor @Suite(.enabled(if: Press.url != nil, "scripts/integration starts the service"))
struct PressTests {
  @Test func `an object is created, read, updated and deleted`() async throws {
    try await Press.client { main in
      let author = try await Press.author(in: main)
      let article = try main.insert(Article.self)
      article.title = "Notes"
      article.price = Decimal(string: "12.50")
      article.author = author
      try await article.post(\.title, \.price, \.author)
      #expect(article.uid > 0)
      #expect(!article.hasChanges)
      article.title = "Sketch"
      try await article.patch(\.title)
      #expect(!article.hasChanges)
      try await Press.client { _ in
        let same = try #require(try await Article.get("\(article.uid)").object)
        #expect(same.title == "Sketch")
        #expect(same.price == article.price)
        #expect(same.author?.name == author.name)
        #expect(same.createdAt == article.createdAt)
      }
      // 204, without a body.
      try await article.delete()
      #expect(article.isDeleted)
      #expect(
        try await #require(throws: RequestError.self) { try await Article.get("\(article.uid)") }.status == 404)
      try await author.delete()
    }
  }

  @Test func `a refusal says which property it is about`() async throws {
    try await Press.client { main in
      let author = try await Press.author(in: main)
      let other = try main.insert(Writer.self)
      other.name = author.name
      let error = try await #require(throws: RequestError.self) { try await other.post(\.name) }
      #expect(error.status == 422)
      #expect(error.model(as: Invalid.self)?.errors["name"] == ["has already been taken"])
      #expect(other.name == author.name)
      // The edit stays, and the next try may send another value.
      other.name = "Bo \(UUID())"
      try await other.post(\.name)
      #expect(other.uid != author.uid)
      try await other.delete()
      try await author.delete()
    }
  }

  @Test func `a list is walked by numbers and says how many there are`() async throws {
    try await Press.client { main in
      let author = try await Press.author(in: main)
      let uid = author.uid
      for number in 1...25 {
        let article = try main.insert(Article.self)
        article.title = "Volume \(number)"
        article.author = author
        try await article.post(\.title, \.author)
      }
      try await Press.client { _ in
        func walk() async throws -> EntityPages<Article>.Summary {
          try await Article.pages(
            query: ["author_id": uid], by: .numbers(total: .body("meta.total_count")),
            options: .deleteMissing(in: Article.all)
          ).all()
        }
        let all = try await walk()
        #expect(all.pages == 3)
        #expect(all.counts.inserted == 25)
        let list = try await Article.get(query: ["author_id": uid])
        #expect(list.ids.count == 10)
        #expect(try list.meta(Int.self, at: "meta.total_pages") == 3)
        try await Client.current.send(Client.current.request(.delete, "articles/\(#require(list.objects.first).uid)"))
        let again = try await walk()
        #expect(again.counts.deleted == 1)
        #expect(again.counts.unchanged == 24)
      }
      try await author.delete()
    }
  }
}

/// The service, where `scripts/integration` has started it.
private enum Press {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_RAILS"]

  /// Runs `body` with a client of the service and an empty store.
  @MainActor static func client<R>(_ body: @MainActor (EntityContext) async throws -> R) async throws -> R {
    let store = try EntityStore(.inMemory, entities: [Writer.self, Article.self])
    let client = try Client(
      adapter: CurlAdapter(), store: store, baseURL: #require(url), errorModel: ErrorModel(Invalid.self))
    return try await Client.withClient(client) { try await body(store.main) }
  }

  @MainActor static func author(in context: EntityContext) async throws -> Writer {
    let author = try context.insert(Writer.self)
    author.name = "Ada \(UUID())"
    try await author.post(\.name)
    return author
  }
}

private struct Invalid: Decodable, Sendable { let errors: [String: [String]] }

@Entity private final class Writer: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String

  static var basePath: String { "authors" }
  static var envelope: Envelope? { Envelope(list: "authors", item: "author") }
  static var requestRootKey: String? { "author" }
}

@Entity private final class Article: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var price: Decimal?
  var author: Writer?
  var createdAt: Date?

  static var basePath: String { "articles" }
  static var envelope: Envelope? { Envelope(list: "articles", item: "article") }
  static var requestRootKey: String? { "article" }
  // It gives the author, and takes the author's id.
  static var requestKeys: [PartialKeyPath<Article>: String] { [\.author: "author_id"] }
}
