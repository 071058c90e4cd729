import EntityClient
import EntityTesting
import Testing

/// The loop that the article about local edits shows.
@Suite @MainActor struct PendingLoopTests {
  private func sendPending(of store: EntityStore) async throws {
    for change in try await store.pending.changes(of: Book.self) {
      guard let id = change.id(as: Book.self) else { continue }
      switch change.kind {
      case .insert: try await store.main.object(id)?.postPending()
      case .edit: try await store.main.object(id)?.patchPending()
      case .deletion:
        if let uid = change.uid { try await Book.delete(String(pathSegment: uid)) }
      }
    }
  }

  @Test func `a loop over the pending changes sends all of them`() async throws {
    let stub = StubAdapter()
    stub.on(.post, "/books", .json(["id": 3], status: 201)).on(.patch, "/books/1", .status(204))
    stub.on(.delete, "/books/2", .status(204))
    let store = try library()
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      try await Book.upsert(from: [["id": 1, "title": "a"], ["id": 2, "title": "b"]])
      let books = try store.main.fetch(Book.all)
      for book in books {
        if book.uid == 1 { book.title = "new" } else { try store.main.delete(book) }
      }
      let made = try store.main.insert(Book.self)
      made.title = "made"
      try await store.main.save()
      #expect(try await store.pending.changes().count == 3)
      try await sendPending(of: store)
      #expect(try await store.pending.changes().isEmpty)
      #expect(made.uid == 3)
    }
    #expect(Set(stub.requests.map(\.description)).count == 3)
  }
}
