import EntityClient
import Testing

/// Links by id, before and after the rows that they name; embedded children synced twice.
@Suite struct LinkOrderTests {
  @Test func `an id links the row that comes later`() async throws {
    let store = try library()
    // In the same response, in the next one, and to one that was there before.
    let outcome = try await store.receive(
      Chapter.self,
      [
        ["id": 1, "book": 7], ["id": 2, "book": ["id": 7, "title": "T", "author": "x"]], ["id": 3, "book": "7"],
        ["id": 4, "book": 8],
      ])
    #expect(outcome.counts.inserted == 4)
    let books = try await store.read { try $0.fetch(Book.self).map { "\($0.uid) \($0.chapters.map(\.uid))" } }
    #expect(books == ["7 [1, 2, 3]"])
    #expect(try await store.read { try $0.count(Author.all) } == 0)
    _ = try await store.receive(Author.self, ["uid": "x", "name": "X", "mentor": "y"])
    #expect(try await store.read { try $0.fetch(Book.self, uid: 7)?.author?.name } == "by hand: X")
    let next = try await store.receive(Book.self, [["id": 8, "title": "Later"], ["id": 9, "author": "x"]])
    #expect(next.counts.inserted == 2)
    #expect(try await store.read { try $0.fetch(Chapter.self, uid: 4)?.book?.title } == "Later")
    #expect(try await store.read { try $0.fetch(Book.self, uid: 9)?.author?.name } == "by hand: X")
    _ = try await store.receive(Author.self, [["uid": "z", "mentor": "w"], ["uid": "w", "name": "W"], ["uid": "y"]])
    let mentors = try await store.read { context in
      try ["x", "z"].map { try context.fetch(Author.self, uid: $0)?.mentor?.name ?? "-" }
    }
    #expect(mentors == ["-", "by hand: W"])
    let again = try await store.receive(
      Chapter.self, [["id": 1, "book": 7], ["id": 4, "book": ["id": 8, "title": "Later"]]])
    #expect(again.counts.rowsWritten == 0)
    #expect(again.counts.unchanged == 2)
  }

  @Test @MainActor func `an id links the row that comes later in the main context`() async throws {
    let store = try library()
    let first = try store.main.upsert(Chapter.self, from: ["id": 1, "book": 7])
    #expect(first.book?.isPlaceholder == true)
    let book = try store.main.upsert(Book.self, from: ["id": 7, "title": "T"])
    #expect(first.book === book)
    #expect(book.chapters.map(\.uid) == [1])
    try await store.main.save()
    let second = try store.main.upsert(Chapter.self, from: ["id": 2, "book": "7"])
    #expect(second.book === book)
    try await store.main.save()
    #expect(try await store.read { try $0.count(Book.all) } == 1)
  }

  @Test func `an object synced twice has one embedded child`() async throws {
    let store = try library()
    let book: JSONValue = ["id": 42, "title": "T", "cover": ["color": "red"], "author": ["uid": "x"]]
    let author: JSONValue = ["uid": "x", "portrait": ["color": "blue"]]
    #expect(try await store.receive(Book.self, book).counts.rowsWritten == 3)
    #expect(try await store.receive(Author.self, author).counts.rowsWritten == 2)
    let ids = try await Self.covers(store)
    #expect(ids.count == 2)
    let second = try await store.receive(Book.self, [book, book])
    #expect(second.counts.rowsWritten == 0)
    #expect(second.counts.unchanged == 1)
    #expect(try await store.receive(Author.self, [author, author]).counts.rowsWritten == 0)
    #expect(try await !Self.onMain(store, try #require(book.object), try #require(author.object)))
    #expect(try await Self.covers(store) == ids)
    _ = try await store.receive(Book.self, ["id": 42, "cover": ["color": "green"]])
    _ = try await store.receive(Author.self, ["uid": "x", "portrait": ["color": "green"]])
    #expect(try await Self.covers(store) == ids)
    #expect(try await store.read { try $0.fetch(Cover.self).map(\.color) } == ["green", "green"])
    _ = try await store.receive(Book.self, ["id": 42, "cover": nil])
    _ = try await store.receive(Author.self, ["uid": "x", "portrait": nil])
    #expect(try await Self.covers(store).isEmpty)
  }

  private static func covers(_ store: EntityStore) async throws -> [EntityID<Cover>] {
    try await store.read { try $0.fetch(Cover.self).map(\.entityID) }
  }

  @MainActor private static func onMain(
    _ store: EntityStore, _ book: JSONObject, _ author: JSONObject
  ) throws -> Bool {
    _ = try store.main.upsert(Book.self, from: book)
    _ = try store.main.upsert(Author.self, from: author)
    return store.main.hasChanges
  }
}
