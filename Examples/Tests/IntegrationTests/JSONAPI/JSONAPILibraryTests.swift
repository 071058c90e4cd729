import Adapters
import EntityClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of JSON:API, made by djangorestframework-jsonapi. Each test has a store and objects of its own.
@MainActor @Suite(.enabled(if: Shelf.url != nil, "scripts/integration starts the service"))
struct JSONAPILibraryTests {
  @Test func `an object is created, read, updated and deleted`() async throws {
    try await Shelf.client { main in
      let author = try await Shelf.author(in: main)
      let book = try await Shelf.book("Notes", by: author, in: main)
      #expect(!book.uid.isEmpty)
      #expect(!book.hasChanges)
      #expect(try #require(book.createdAt).timeIntervalSinceNow > -3_600)
      book.title = "Sketch"
      try await book.patch {
        try $0.setJSON(
          ["data": ["type": "Book", "id": book.uid, "attributes": book.jsonObject { ["title": $0.title] }.value]])
      }
      #expect(!book.hasChanges)
      try await Shelf.client { _ in
        let same = try #require(try await ShelfBook.get("\(book.uid)/").object)
        #expect(same.title == "Sketch")
        #expect(same.author?.uid == author.uid)
        #expect(same.createdAt == book.createdAt)
      }
      // 204, without a body.
      try await book.delete()
      #expect(book.isDeleted)
      try await author.delete()
    }
  }

  @Test func `refusals have their errors`() async throws {
    try await Shelf.client { main in
      let missing = try await #require(throws: RequestError.self) { try await ShelfBook.get("0/") }
      #expect(missing.status == 404)
      #expect(missing.model(as: Faults.self)?.errors.map(\.code) == ["not_found"])
      let book = try main.insert(ShelfBook.self)
      let error = try await #require(throws: RequestError.self) {
        try await book.post {
          try $0.setJSON(["data": ["type": "Book", "attributes": ["title": ""]]] as JSONValue)
        }
      }
      #expect(error.status == 400)
      #expect(error.model(as: Faults.self)?.errors.first?.source?.pointer == "/data/attributes/title")
    }
  }

  @Test func `a list is walked with the objects that it includes`() async throws {
    try await Shelf.client { main in
      let author = try await Shelf.author(in: main)
      let (uid, name) = (author.uid, author.name)
      for number in 1...12 { _ = try await Shelf.book("Volume \(number)", by: author, in: main) }
      try await Shelf.client { _ in
        let included: ResponsePart = .list(typedBy: "type", ["Author": ShelfAuthor.self], at: "included")
        func walk() async throws -> EntityPages<ShelfBook>.Summary {
          try await ShelfBook.pages(
            query: ["filter[author]": uid, "include": "author", "page[size]": 5], by: .body("links.next"),
            options: [.parts([included]), .deleteMissing(in: ShelfBook.all)]
          ).all()
        }
        let all = try await walk()
        #expect(all.pages == 3)
        #expect(all.counts.inserted == 12)
        let first = try #require(try Client.current.store.main.objects(all.ids).first)
        #expect(first.author?.name == name)
        #expect(first.author?.isPlaceholder == false)
        try await Client.current.send(Client.current.request(.delete, "books/\(first.uid)/"))
        let again = try await walk()
        #expect(again.counts.deleted == 1)
        #expect(again.counts.unchanged == 11)
      }
      try await author.delete()
    }
  }
}

private struct Faults: Decodable, Sendable {
  struct Fault: Decodable, Sendable {
    struct Source: Decodable, Sendable { let pointer: String }
    let code: String
    let source: Source?
  }
  let errors: [Fault]
}

/// The service, where `scripts/integration` has started it.
private enum Shelf {
  static let url = ProcessInfo.processInfo.environment["ENTITYCLIENT_JSONAPI"]

  /// Runs `body` with a client of the service and an empty store.
  @MainActor static func client<R>(_ body: @MainActor (EntityContext) async throws -> R) async throws -> R {
    let store = try EntityStore(.inMemory, entities: [ShelfAuthor.self, ShelfBook.self])
    let client = try Client(
      adapter: CurlAdapter(), store: store, baseURL: #require(url), headers: .jsonAPI, envelope: "data",
      errorModel: ErrorModel(Faults.self))
    return try await Client.withClient(client) { try await body(store.main) }
  }

  @MainActor static func author(in context: EntityContext) async throws -> ShelfAuthor {
    let author = try context.insert(ShelfAuthor.self)
    author.name = "Ada \(UUID())"
    try await author.post {
      let attributes = try author.jsonObject { ["name": $0.name] }
      try $0.setJSON(["data": ["type": "Author", "attributes": attributes.value]] as JSONValue)
    }
    return author
  }

  @MainActor static func book(_ title: String, by author: ShelfAuthor, in context: EntityContext) async throws
    -> ShelfBook
  {
    let book = try context.insert(ShelfBook.self)
    book.title = title
    book.author = author
    // The keys of the properties nest: {"attributes": {"title": …}, "relationships": {"author": {"data": {"id": …}}}}
    try await book.post {
      let fields = try book.jsonObject(for: \.title)
      let linkage: JSONValue = ["author": ["data": ["type": "Author", "id": JSONValue(author.uid)]]]
      try $0.setJSON(
        ["data": ["type": "Book", "attributes": fields["attributes"] ?? [:], "relationships": linkage]] as JSONValue)
    }
    return book
  }
}

@Entity private final class ShelfAuthor: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("attributes.name") var name: String
  static var basePath: String { "authors/" }
}

@Entity private final class ShelfBook: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("attributes.title") var title: String
  @Key("attributes.created_at") var createdAt: Date?
  @Key("relationships.author.data.id") var author: ShelfAuthor?
  static var basePath: String { "books/" }
}
