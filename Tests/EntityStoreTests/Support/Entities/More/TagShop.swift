import TestSchema

@testable import EntityStore

/// Three saved articles of one writer, and four tags.
struct TagShop {
  let test: TestStore
  let main: EntityContext
  let writer: Writer
  let articles: [Article]
  let tags: [Tag]

  @MainActor
  init(_ place: Place) throws {
    let test = try TestStore(place, TestStore.blog)
    let main = test.store.main
    let writer = try main.insert(Writer.self)
    writer.uid = 1
    articles = try (1...3).map { uid in
      let article = try main.insert(Article.self)
      article.uid = uid
      article.author = writer
      return article
    }
    tags = try ["a", "b", "c", "d"].map { uid in
      let tag = try main.insert(Tag.self)
      tag.uid = uid
      return tag
    }
    (self.test, self.main, self.writer) = (test, main, writer)
    try main.save()
  }

  func saved(_ uid: Int) async throws -> [String] {
    try await test.store.read { try $0.fetch(Article.self, uid: uid)?.tags.map(\.uid).sorted() ?? [] }
  }

  func edited(_ entity: String = "Article") throws -> [String] {
    try main.connection.rows("SELECT _edited FROM main.\"\(entity)\" ORDER BY _pk") { row in
      (row.text(0) ?? "").split(separator: ",").filter { $0 != EditMarks.new }.joined(separator: ",")
    }
  }

  /// Another context gives a tag without uid the uid of another one.
  func absorb(_ loser: String, _ title: String) async throws {
    try await test.store.background { context in
      let tag = try context.insert(Tag.self)
      tag.name = title
      try context.save()
      tag.uid = loser
    }
  }

  func acknowledge(_ sent: SentEdits) async throws {
    _ = try await test.store.core.unit { try sent.acknowledge(on: $0) }
  }
}
