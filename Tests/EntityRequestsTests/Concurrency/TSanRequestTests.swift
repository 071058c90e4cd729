import EntityClient
import Observation
import Synchronization
import Testing
import HTTPFoundation

/// Requests, background units, reads and the main context at once: for the thread sanitizer, and for the sums at the end.
@Suite struct TSanRequestTests {
  @Test func `ten thousand operations at once`() async throws {
    let store = try library()
    let client = try Client(adapter: RandomBooks(), store: store, baseURL: "https://library.example.com")
    let done = Counter()
    try await Client.withClient(client) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<4 {
          group.addTask {
            for step in 0..<700 {
              let response = try await Book.get(query: ["from": worker * 1_000 + step])
              // An object that a unit deleted, and that the server has, stays away.
              #expect(response.ids.count + response.skipped.total(.deletedHere) == 5)
              done.add()
            }
          }
          group.addTask {
            for step in 0..<900 {
              try await store.background { context in
                let book = try context.fetch(Book.self, uid: step % 40) ?? context.insert(Book.self)
                book.title = "unit \(worker) \(step)"
                if step % 50 == 7 { try context.delete(book) }
              }
              done.add()
            }
          }
          group.addTask {
            for _ in 0..<600 {
              let sums = try await store.read { context in
                let books = try context.fetch(Book.self)
                return (books.count, try context.count(Book.all))
              }
              #expect(sums.0 == sums.1)
              done.add()
            }
          }
        }
        group.addTask { try await editMain(store, done) }
        try await group.waitForAll()
      }
    }
    #expect(done.value >= 10_000)
    let uids = try await store.read { try $0.fetch(Book.where { $0.uid > 0 }).map(\.uid) }
    #expect(Set(uids).count == uids.count)
  }
}

@MainActor private func editMain(_ store: EntityStore, _ done: Counter) async throws {
  for step in 0..<1_500 {
    for book in try store.main.fetch(Book.where { $0.pages > step % 7 }.limited(to: 3)) {
      withObservationTracking({ _ = book.title }, onChange: {})
      book.pages = step % 11
    }
    if step % 3 == 0 { try await save(store) } else { try store.mergeMain() }
    done.add()
  }
}

/// Saves the main context; an object that was edited here and deleted by a unit is rolled back.
@MainActor private func save(_ store: EntityStore) async throws {
  do {
    try await store.main.save()
  } catch {
    guard let error = error as? StoreError, error.kind == .objectDeleted else { throw error }
    store.main.rollback()
  }
}

/// Answers with five books whose values follow from the query.
private struct RandomBooks: RequestAdapter {
  func send(_ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?) async throws -> HTTPResponse {
    let from = Int(request.url?.query?.split(separator: "=").last ?? "") ?? 0
    let books = (0..<5).map { #"{"id": \#((from * 7 + $0) % 40 + 1), "title": "\#(from)", "pages": \#(from % 13)}"# }
    return HTTPResponse(status: 200, url: request.url, body: Data("[\(books.joined(separator: ","))]".utf8))
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func add() { count.withLock { $0 += 1 } }
}
