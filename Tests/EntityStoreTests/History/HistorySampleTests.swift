import EntityStore
import Foundation
import Synchronization
import Testing

/// The code of the article does what the article says.
struct HistorySampleTests {
  @Test func `an index follows the store`() async throws {
    let folder = try TemporaryFolder()
    let widget = try openStore(folder.file)
    let index = BookmarkIndex()
    try await rebuild(index, from: widget)
    var options = StoreOptions()
    options.author = "app"
    let app = try EntityStore(.file(folder.file), entities: [Bookmark.self], busyTimeout: .ample, options: options)
    let id = try await app.background { context in
      for uid in 1...3 {
        let bookmark = try context.insert(Bookmark.self)
        bookmark.uid = uid
        bookmark.title = "title \(uid)"
      }
      return try context.fetch(Bookmark.self, uid: 1)?.entityID
    }
    try await update(index, from: widget)
    #expect(await index.titles == ["1": "title 1", "2": "title 2", "3": "title 3"])
    try await app.background { context in
      try id.flatMap { try context.object($0) }.map { try context.delete($0) }
      try context.fetch(Bookmark.self, uid: 2)?.title = "other"
    }
    try await update(index, from: widget)
    #expect(await index.titles == ["2": "other", "3": "title 3"])
    #expect(await index.rebuilds == 1)

    try await app.background { try $0.insert(Bookmark.self).uid = 4 }
    try await app.history.prune(upTo: try await app.history.token())
    try await update(index, from: widget)
    #expect(await index.rebuilds == 2)
    #expect(await index.titles == ["2": "other", "3": "title 3", "4": ""])
    let isOver = Mutex(false)
    let following = Task {
      defer { isOver.withLock { $0 = true } }
      try await follow(index, in: widget)
    }
    let token = await index.token
    try await app.background { try $0.fetch(Bookmark.self, uid: 4)?.isRead = true }
    while await index.token == token, !isOver.withLock({ $0 }) { await Task.yield() }
    following.cancel()
    try await following.value
    #expect(await index.token != token)
  }
}
