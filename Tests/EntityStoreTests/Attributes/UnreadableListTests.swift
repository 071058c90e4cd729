import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Lists whose rows can't be read.
@MainActor struct UnreadableListTests {
  @Test func `a deletion notifies observers of lists that cannot be read`() throws {
    let shop = try TagShop(.file)
    let article = shop.articles[0]
    article.tags = [shop.tags[0]]
    try shop.main.saveAtOnce()
    let raw = try RawConnection(shop.test.folder.file.path, vfs: nil)
    try raw.run(#"ALTER TABLE "Article,tags" RENAME TO gone"#)
    // The commit of another program tells observers, too: they begin after it.
    _ = try shop.main.fetch(Tag.all)
    let tags = Watcher { _ = article.tags }
    #expect(!tags.fired)
    // A getter can't throw, so the next call does.
    #expect(errorKind { _ = try shop.main.fetch(Tag.all) } == .schemaMismatch)
    #expect(!tags.fired)
    try shop.main.delete(shop.tags[0])
    #expect(tags.fired)
    try raw.run(#"ALTER TABLE gone RENAME TO "Article,tags""#)
    #expect(errorKind { _ = try shop.main.fetch(Tag.all) } == .schemaMismatch)
    #expect(article.tags == [])
  }
}
