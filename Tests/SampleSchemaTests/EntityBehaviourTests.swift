import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

enum Shelf {
  @Entity final class Book: RemoteEntity {
    @UID @Key("id") var uid: Int
    var title: String = "untitled"
    @Key("facts.pages") var pageCount: Int?
    var `default`: Bool = true
    var subtitle: String!
    @Unique var isbn: String?
    var author: Author?
    @Transient var isOpen: Bool = false
    private var turned = 0
    var label: String { "\(title) (\(turned))" }

    static var basePath: String { "books" }
    func turn() { turned += 1 }
  }

  @Entity final class Author: RemoteEntity {
    @UID @Key("id") var uid: String
    var name: String
    var motto: String = """
      The first.

        The "last".
      """
    @Relationship(inverse: \Book.author, onDelete: .cascade) var books: [Book]

    static var basePath: String { "authors" }
  }

  /// An entity that SampleSchema has by hand.
  @Entity final class Address: RemoteEntity {
    @UID @Key("id") var uid: Int
    var street: String?
    var city: String?
    var state: String?
    var zip: String?

    static var basePath: String { "addresses" }
  }
}

/// Entities that the macro writes, at work.
@Suite struct EntityBehaviourTests {
  private static let json = Data(
    #"""
    [{"id": "a", "name": "Le Guin", "books": [
      {"id": 1, "title": "The Dispossessed", "facts": {"pages": 387}, "default": false, "subtitle": "An Ambiguous Utopia"},
      {"id": 2}
    ]}]
    """#.utf8)

  /// Runs a test on a store in memory and on one in a file.
  @MainActor private func inEachStore(_ test: @MainActor (EntityStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "entity-macros-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for location in [StoreLocation.inMemory, .file(folder.appending(path: "store.sqlite"))] {
      try await test(EntityStore(location, entities: [Shelf.Book.self, Shelf.Author.self]))
    }
  }

  @Test @MainActor func `a response fills the properties of an entity`() async throws {
    try await inEachStore { store in
      let response = try await Shelf.Author.upsert(from: Self.json, in: store)
      let author = try #require(try store.main.objects(response.ids).first)
      #expect(author.name == "Le Guin")
      #expect(author.motto == "The first.\n\n  The \"last\".")
      let books = author.books.sorted { $0.uid < $1.uid }
      #expect(books.map(\.title) == ["The Dispossessed", "untitled"])
      #expect(books.map(\.pageCount) == [387, nil])
      #expect(books.map(\.default) == [false, true])
      #expect(books.first?.subtitle == "An Ambiguous Utopia")
      #expect(books.allSatisfy { $0.author === author })
      #expect(try store.main.fetch(Shelf.Book.where { $0.pageCount > 300 && $0.default == false }).count == 1)

      let second = try await Shelf.Author.upsert(from: Self.json, in: store)
      #expect(second.counts.inserted == 0)
      #expect(second.counts.updated == 0)
    }
  }

  @Test @MainActor func `edits of columns are saved and others are not`() async throws {
    try await inEachStore { store in
      let book = try store.main.insert(Shelf.Book.self)
      #expect(book.title == "untitled")
      #expect(book.default)
      #expect(!book.isOpen)
      book.isOpen = true
      book.turn()
      #expect(book.label == "untitled (1)")
      try await store.main.save()
      #expect(!book.hasChanges)
      book.isOpen = false
      #expect(!book.hasChanges)
      book.title = "Malafrena"
      #expect(book.hasChanges)
      try await store.main.save()
      let id = book.entityID
      let (title, isOpen) = try await store.read { context in
        let book = try context.object(id)
        return (book?.title, book?.isOpen)
      }
      #expect(title == "Malafrena")
      #expect(isOpen == false)
    }
  }

  @Test func `an entity by hand and an entity by the macro behave alike`() async throws {
    let store = try EntityStore(.inMemory, entities: [Address.self, Shelf.Book.self, Shelf.Author.self])
    let twin = try EntityStore(.inMemory, entities: [Shelf.Address.self])
    let bodies = [
      #"[{"id": 1, "street": "Main", "city": "Oslo"}, {"id": 2, "zip": "X"}, {"street": "no uid"}]"#,
      #"[{"id": 1, "street": null, "city": "Oslo"}, {"id": 3, "state": "CA", "zip": 1}]"#,
    ]
    for body in bodies {
      let byHand = try? await Address.upsert(from: Data(body.utf8), in: store).counts
      let byMacro = try? await Shelf.Address.upsert(from: Data(body.utf8), in: twin).counts
      #expect(byHand == byMacro)
    }
    let byHand = try await store.read { context in
      try context.fetch(Address.where { $0.city != "Bergen" }.sorted(by: \.uid)).map {
        [String($0.uid), $0.street, $0.city, $0.state, $0.zip]
      }
    }
    let byMacro = try await twin.read { context in
      try context.fetch(Shelf.Address.where { $0.city != "Bergen" }.sorted(by: \.uid)).map {
        [String($0.uid), $0.street, $0.city, $0.state, $0.zip]
      }
    }
    #expect(byHand == byMacro)
    #expect(!byHand.isEmpty)
  }
}
