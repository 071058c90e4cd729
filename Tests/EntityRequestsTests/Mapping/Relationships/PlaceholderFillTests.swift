import EntityClient
import Testing

/// A placeholder that becomes an object in the main context, with nothing but the uid that it had.
@Suite struct PlaceholderFillTests {
  private func store() async throws -> EntityStore {
    let store = try library()
    _ = try await store.receive(Chapter.self, ["id": 1, "book": 7])
    return store
  }

  @Test @MainActor func `a filled placeholder is saved`() async throws {
    let store = try await store()
    let book = try store.main.upsert(Book.self, from: ["id": 7])
    #expect(store.main.hasChanges)
    #expect(book.hasChanges)
    #expect(!book.isPlaceholder)
    #expect(try store.main.count(Book.all) == 1)
    try await store.main.save()
    #expect(!store.main.hasChanges)
    #expect(!book.isPlaceholder)
    #expect(try await store.read { try $0.count(Book.all) } == 1)
    #expect(try await store.receive(Book.self, ["id": 7]).counts.rowsWritten == 0)
  }

  @Test @MainActor func `a rollback makes a filled object a placeholder again`() async throws {
    let store = try await store()
    let book = try store.main.upsert(Book.self, from: ["id": 7, "title": "T"])
    store.main.rollback()
    #expect(!store.main.hasChanges)
    #expect(book.isPlaceholder)
    #expect(book.title == nil)
    #expect(try store.main.count(Book.all) == 0)
  }

  @Test @MainActor func `a filled placeholder stays filled when its row is read again`() async throws {
    let store = try await store()
    let book = try store.main.upsert(Book.self, from: ["id": 7])
    try await store.background { try $0.fetch(Chapter.self, uid: 1)?.title = "One" }
    let id = book.entityID
    try await store.background { try $0.object(id)?.pages = 3 }
    try store.mergeMain()
    #expect(book.pages == 3)
    #expect(!book.isPlaceholder)
    try await store.main.save()
    #expect(try await store.read { try $0.count(Book.all) } == 1)
  }

  @Test @MainActor func `a placeholder that is filled and deleted is deleted`() async throws {
    let store = try await store()
    let book = try store.main.upsert(Book.self, from: ["id": 7])
    try store.main.delete(book)
    try await store.main.save()
    #expect(book.isDeleted)
    #expect(!store.main.hasChanges)
    #expect(try await store.read { try $0.fetch(Chapter.self, uid: 1)?.book == nil })
  }
}
