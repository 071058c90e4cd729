import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of Django's REST framework, whose URLs all end with a slash. Each test has a store and objects of its own.
@MainActor @Suite(.enabled(if: Library.url != nil, "scripts/integration starts the service"))
struct LibraryTests {
  @Test func `an object is created, read, updated and deleted`() async throws {
    try await Library.client { main in
      let author = try await Library.author(in: main)
      let book = try main.insert(Book.self)
      book.title = "Notes"
      book.author = author
      book.price = Decimal(string: "12.50")
      try await book.post { try $0.setJSON(book.jsonObject(for: \.title, \.price, \.author)) }
      #expect(book.uid > 0)
      #expect(!book.hasChanges)
      #expect(try #require(book.createdAt).timeIntervalSinceNow > -3_600)

      book.title = "Sketch"
      try await book.put { try $0.setJSON(book.jsonObject(for: \.title, \.price, \.author)) }
      book.price = nil
      try await book.patch { try $0.setJSON(book.jsonObject(for: \.price)) }
      #expect(!book.hasChanges)
      try await Library.client { other in
        let same = try #require(try await Book.get("\(book.uid)/").object)
        #expect(same.title == "Sketch")
        #expect(same.price == nil)
        #expect(same.author?.uid == author.uid)
        try await same.author?.get()
        #expect(same.author?.name == author.name)
        #expect(same.createdAt == book.createdAt)
      }

      #expect(try await book.delete().counts.deleted == 1)
      #expect(book.isDeleted)
      #expect(try await #require(throws: RequestError.self) { try await Book.get("\(book.uid)/") }.status == 404)
      // On the type too.
      #expect(try await Author.delete("\(author.uid)/").counts.deleted == 1)
    }
  }

  @Test func `a list is walked by the next URL in its bodies`() async throws {
    try await Library.client { main in
      let author = try await Library.author(in: main)
      let uid = author.uid
      for number in 1...25 {
        try await Book.post { try $0.setForm(["title": "Volume \(number)", "author": uid]) }
      }
      try await Library.client { _ in
        func walk() async throws -> EntityPages<Book>.Summary {
          try await Book.pages(
            query: ["author": uid], by: .body("next"), options: [.envelope("results"), .deleteMissing(in: Book.all)]
          ).all()
        }
        let all = try await walk()
        #expect(all.pages == 3)
        #expect(all.counts.inserted == 25)
        let first = try #require(try Client.current.store.main.objects(all.ids).first)
        try await Client.current.send(Client.current.request(.delete, "books/\(first.uid)/"))
        let again = try await walk()
        #expect(again.pages == 3)
        #expect(again.counts.deleted == 1)
        #expect(again.counts.unchanged == 24)
        #expect(first.isDeleted)
      }
      try await author.delete()
    }
  }

  /// As APPEND_SLASH answers. A redirect is not followed yet.
  @Test func `the error for a URL without the slash names the right URL`() async throws {
    try await Library.client { _ in
      let base = try #require(Library.url)
      let list = try await #require(throws: RequestError.self) { try await Volume.get(query: ["author": 1]) }
      #expect(list.status == 301)
      #expect(list.description.contains("Its Location is '\(base)books/?author=…'. Only the slash at the end differs"))
      let author = try await Library.author(in: Client.current.store.main)
      let volume = try #require(try await Volume.upsert(from: [["id": 1]]).object)
      #expect(try volume.request(.get).url?.absoluteString == "\(base)books/1")
      try await author.delete()
    }
  }

  /// The setting that such an entity needs for its objects' URLs, where its base path has no slash.
  @Test func `a client's setting adds the slash`() async throws {
    try await Library.client(trailingSlash: .always) { main in
      let author = try await Library.author(in: main)
      let made = try await Book.post { try $0.setJSON(["title": "One"]) }
      let uid = try #require(try made.object).uid
      let volume = try #require(try await Volume.upsert(from: [["id": JSONValue(uid)]]).object)
      try await volume.get()
      #expect(volume.title == "One")
      try await volume.delete()
      try await author.delete()
    }
  }
}

/// The service, where `scripts/integration` has started it.
private enum Library {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_DJANGO"]

  /// Runs `body` with a client of the service and an empty store.
  @MainActor static func client<R>(
    trailingSlash: TrailingSlash = .asWritten, _ body: @MainActor (EntityContext) async throws -> R
  ) async throws -> R {
    let store = try EntityStore(.inMemory, entities: [Author.self, Book.self, Volume.self])
    let client = try Client(
      adapter: CurlAdapter(), store: store, baseURL: #require(url), trailingSlash: trailingSlash)
    return try await Client.withClient(client) { try await body(store.main) }
  }

  @MainActor static func author(in context: EntityContext) async throws -> Author {
    let author = try context.insert(Author.self)
    author.name = "Ada \(UUID())"
    try await author.post { try $0.setJSON(author.jsonObject(for: \.name)) }
    return author
  }
}

@Entity private final class Author: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  static var basePath: String { "authors/" }
}

@Entity private final class Book: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var price: Decimal?
  var author: Author?
  var createdAt: Date?
  static var basePath: String { "books/" }
}

/// A book, written without the slash.
@Entity private final class Volume: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  static var basePath: String { "books" }
}
