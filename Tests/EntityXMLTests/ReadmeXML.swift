import EntityClient
import EntityTesting
import EntityXML
import Foundation
import Testing

// The sample of the article *Reading XML*, as it stands there.

/// <shelves><shelf id="1"><title>Poems</title><books><book>…</book></books></shelf></shelves>
@Entity final class Bookcase {
  @UID @Key("@id") var uid: Int
  var title: String?
  @Relationship(inverse: \Paperback.bookcase) @Key("books.book") var books: [Paperback]
}

/// <book><isbn>978-3</isbn><pages>120</pages></book>
@Entity final class Paperback {
  @UID @Key("isbn") var isbn: String
  var pages: Int?
  var bookcase: Bookcase?
}

extension Bookcase: RemoteEntity {
  static var basePath: String { "shelves" }
  static var envelope: Envelope? { Envelope(list: "shelves.shelf", item: "shelf") }
}

func bookcases(_ adapter: some RequestAdapter, _ store: EntityStore) async throws -> [EntityID<Bookcase>] {
  let client = try Client(
    adapter: adapter, store: store, baseURL: "https://api.example.com/", headers: ["Accept": "application/xml"],
    formats: [XMLFormat()])
  return try await Client.withClient(client) { try await Bookcase.get().ids }
}

struct ReadmeXML {
  @Test func `the sample of the article runs`() async throws {
    let stub = StubAdapter()
    let text =
      "<shelves><shelf id='1'><title>Poems</title><books><book><isbn>978-3</isbn></book></books></shelf></shelves>"
    stub.on(.get, "/shelves", .text(text, contentType: "application/xml"))
    let store = try EntityStore(.inMemory, entities: [Bookcase.self, Paperback.self])
    let ids = try await bookcases(stub, store)
    #expect(stub.requests.first?.headers["Accept"] == "application/xml")
    let books = try await store.read { try $0.objects(ids).flatMap(\.books).map(\.isbn) }
    #expect(books == ["978-3"])
  }
}
