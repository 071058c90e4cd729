import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Lazy values that can't be read while rows are written.
@MainActor struct LazyFailureTests {
  @Test func `a takeover that cannot read a value fails and the row stays`() async throws {
    let rows = try UIDRows(.file, Studio.entities)
    let columns = Portrait.columns
    let (uid, title, picture) = (columns.uid.index, columns.title.index, columns.picture.index)
    _ = try await rows.respond(
      Portrait.self, [uid: .integer(5), title: .text("list"), picture: .blob(Studio.picture(5))])
    let raw = try RawConnection(rows.test.folder.file.path, vfs: nil)
    try raw.run("ALTER TABLE Portrait RENAME COLUMN picture TO gone")
    // A row that is not there yet takes the uid over.
    let values: [Int: StoredValue] = [
      uid: .integer(5), title: .text("answer"), columns.price.index: .integer(1), columns.story.index: .text("s"),
      columns.layers.index: .text("[]"),
    ]
    await #expect(throws: StoreError.self) { _ = try await rows.respond(Portrait.self, pk: 1_000_000, values) }
    try raw.run("ALTER TABLE Portrait RENAME COLUMN gone TO picture")
    #expect(try rows.main.fetch(Portrait.all).map(\.title) == ["list"])
    #expect(try rows.main.fetch(Portrait.all.select { $0.picture }) == [Studio.picture(5)])
  }

  @Test func `a value that cannot be compared is no conflict`() async throws {
    let studio = try Studio(.file)
    let id = try await studio.fill()[0]
    let main = studio.store.main
    let portrait = try #require(try main.object(id))
    #expect(portrait.picture == Studio.picture(1))
    portrait.picture = Studio.picture(2)
    let raw = try RawConnection(studio.folder.file.path, vfs: nil)
    try raw.run("ALTER TABLE Portrait RENAME COLUMN picture TO gone")
    #expect(errorKind { try main.save(conflicts: .fail) } == .schemaMismatch)
    try raw.run("ALTER TABLE Portrait RENAME COLUMN gone TO picture")
    try main.saveAtOnce()
    #expect(try await studio.picture(of: id) == Studio.picture(2))
  }
}
