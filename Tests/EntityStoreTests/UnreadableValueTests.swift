import EntityMacros
import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Values of a JSON property that its type does not decode.
@MainActor
struct UnreadableValueTests {
  private struct Shelf {
    let store: EntityStore
    let folder: TemporaryFolder
    let kinds: Kinds
  }

  /// A store with one object whose `tags`, `setup` and `maybeTags` another program has written.
  private func shelf() async throws -> Shelf {
    let test = try TestStore(.file, [Kinds.self])
    let main = test.store.main
    let kinds = try main.insert(Kinds.self)
    kinds.uid = 1
    kinds.tags = ["a"]
    try await main.save()
    let raw = try RawConnection(test.folder.file.path, vfs: nil)
    try raw.run(
      "UPDATE Kinds SET tags = '[{\"name\":\"a\"}]', maybeTags = '{}', setup = '{\"old\":1}', _edited = NULL")
    let other = try EntityStore(.file(test.folder.file), entities: [Kinds.self])
    let object = try #require(try other.main.fetch(Kinds.all).first)
    return Shelf(store: other, folder: test.folder, kinds: object)
  }

  private func text(_ shelf: Shelf, _ column: String) throws -> String? {
    try shelf.store.main.fetch(sql: "SELECT \(raw: column) FROM Kinds", as: String?.self).first ?? nil
  }

  @Test func theyAreReportedByTheObjectTheCheckAndThePlan() async throws {
    let shelf = try await shelf()
    #expect(shelf.kinds.tags == [])
    #expect(
      shelf.kinds.isUnreadable(\.tags) && shelf.kinds.isUnreadable(\.maybeTags) && shelf.kinds.isUnreadable(\.setup))
    #expect(!shelf.kinds.isUnreadable(\.counts) && !shelf.kinds.isUnreadable(\.url))
    let problems = try await shelf.store.check(.full)
    #expect(problems.map(\.kind) == [.unreadable, .unreadable, .unreadable])
    #expect(problems.allSatisfy { $0.object != nil })
    #expect(try await shelf.store.check(.quick) == [])
    let plan = try EntityStore.migrationPlan(for: .file(shelf.folder.file), entities: [Kinds.self])
    #expect(plan.unreadable.map(\.property).sorted() == ["maybeTags", "setup", "tags"])
    #expect("\(plan)".contains("'Kinds.tags' can't be read in 1 row"))
  }

  @Test func otherPropertiesAreSavedBesideThem() async throws {
    let shelf = try await shelf()
    #expect(shelf.kinds.tags == [])
    shelf.kinds.counts = ["x": 1]
    try await shelf.store.main.save()
    #expect(try text(shelf, "tags") == #"[{"name":"a"}]"#)
    shelf.kinds.tags = ["b"]
    try await shelf.store.main.save()
    #expect(try text(shelf, "tags") == #"["b"]"#)
    #expect(!shelf.kinds.isUnreadable(\.tags))
  }
}
