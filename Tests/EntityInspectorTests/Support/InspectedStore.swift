import EntityInspector
import EntityStore
import Foundation
import TestSchema

/// A store in a folder of its own, an inspector of its file, and a browser that has opened the inspector's URL.
final class InspectedStore {
  let folder: URL
  let store: EntityStore
  let inspector: Inspector
  let browser: RawBrowser

  var file: URL { folder.appending(path: "store.sqlite") }

  /// Has two writers and three articles that the server knows, and these local changes: the title of the article 11 is
  /// edited, the writer "Cy" is new, the article 12 is deleted.
  init(history: StoreOptions.History? = .keepingAll) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "inspector-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "store.sqlite")
    var options = StoreOptions()
    (options.history, options.author) = (history, "test")
    store = try EntityStore(.file(file), entities: Writer.world, options: options)
    try await Self.fill(store)
    inspector = try Inspector.start(file: file)
    browser = try RawBrowser(inspector.url)
  }

  deinit {
    inspector.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func fill(_ store: EntityStore) async throws {
    try await store.background { context in
      let tag = try context.upsert(Tag.self, uid: "swift")
      for (uid, name) in [(1, "Ada"), (2, "Bo <b>")] {
        let writer = try context.upsert(Writer.self, uid: uid)
        (writer.name, writer.age) = (name, 30 + uid)
      }
      for uid in 10...12 {
        let article = try context.upsert(Article.self, uid: uid)
        (article.title, article.length) = ("Title \(uid)", uid * 100)
        article.author = try context.upsert(Writer.self, uid: uid % 2 + 1)
        article.tags = [tag]
      }
    }
    try await store.pending.acknowledgeAll()
    try await store.background { context in
      let article = try context.upsert(Article.self, uid: 11)
      article.title = "Changed here"
      try context.insert(Writer.self).name = "Cy"
      try context.delete(Article.self, uid: 12)
    }
  }
}
