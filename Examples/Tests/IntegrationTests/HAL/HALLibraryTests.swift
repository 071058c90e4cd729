import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of HAL, written with halogen. Each test has a store and objects of its own.
@MainActor @Suite(.enabled(if: Stack.url != nil, "scripts/integration starts the service"))
struct HALLibraryTests {
  /// The service answers a POST with the header `Location`, and without a body.
  @Test func `a new object is named by its location`() async throws {
    try await Stack.client { main in
      let author = try await Stack.author(in: main)
      #expect(author.uid > 0)
      #expect(!author.hasChanges)
      let book = try await Stack.book("Notes", by: author, in: main)
      #expect(!book.hasChanges)
      try await book.get()
      #expect(book.link == "/hal/books/\(book.uid)")
      #expect(book.title == "Notes")
      try await Stack.client { _ in
        let same = try #require(try await StackBook.get("\(book.uid)").object)
        #expect(same.author?.uid == author.uid)
        #expect(same.author?.name == author.name)
        #expect(same.createdAt == book.createdAt)
      }
      try await author.delete()
      #expect(try await #require(throws: RequestError.self) { try await StackBook.get("\(book.uid)") }.status == 404)
    }
  }

  @Test func `a list is walked by its links`() async throws {
    try await Stack.client { main in
      let author = try await Stack.author(in: main)
      for number in 1...25 { _ = try await Stack.book("Volume \(number)", by: author, in: main) }
      try await Stack.client { _ in
        let pages = StackBook.pages(
          query: ["author": author.uid], by: .body("_links.next", mayBeAbsent: true),
          options: .deleteMissing(in: StackBook.all))
        let all = try await pages.all()
        #expect(all.pages == 3)
        #expect(all.counts.inserted == 25)
        let list = try await StackBook.get(query: ["author": author.uid])
        #expect(try list.meta(Int.self, at: "total") == 25)
        #expect(list.counts.unchanged == 10)
        #expect(try list.objects.first?.author?.name == author.name)
        #expect(try await pages.all().counts.rowsWritten == 0)
      }
      try await author.delete()
    }
  }
}

/// The service, where `scripts/integration` has started it.
private enum Stack {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_HAL"]

  /// Runs `body` with a client of the service and an empty store.
  @MainActor static func client<R>(_ body: @MainActor (EntityContext) async throws -> R) async throws -> R {
    let store = try EntityStore(.inMemory, entities: [StackAuthor.self, StackBook.self])
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: #require(url))
    return try await Client.withClient(client) { try await body(store.main) }
  }

  @MainActor static func author(in context: EntityContext) async throws -> StackAuthor {
    let author = try context.insert(StackAuthor.self)
    author.name = "Ada \(UUID())"
    try await author.post(\.name)
    return author
  }

  @MainActor static func book(_ title: String, by author: StackAuthor, in context: EntityContext) async throws
    -> StackBook
  {
    let book = try context.insert(StackBook.self)
    book.title = title
    book.author = author
    try await book.post(\.title, \.author)
    return book
  }
}

@Entity private final class StackAuthor: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  static var basePath: String { "authors" }
}

@Entity private final class StackBook: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var createdAt: Date?
  @Key("_links.self.href") var link: String?
  @Key("_embedded.author") var author: StackAuthor?
  static var basePath: String { "books" }
  static var envelope: Envelope? { Envelope(list: "_embedded.books") }
  // It gives the author under "_embedded", and takes the author's id.
  static var requestKeys: [PartialKeyPath<StackBook>: String] { [\.author: "author"] }
}
