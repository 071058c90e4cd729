import Foundation
import TestSchema
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
  private func shelf(_ more: String = "") async throws -> Shelf {
    let test = try TestStore(.file, [Kinds.self])
    let main = test.store.main
    let kinds = try main.insert(Kinds.self)
    kinds.uid = 1
    kinds.tags = ["a"]
    try await main.save()
    let raw = try RawConnection(test.folder.file.path, vfs: nil)
    try raw.run(
      "UPDATE Kinds SET tags = '[{\"name\":\"a\"}]', maybeTags = '{}', setup = '{\"old\":1}', _edited = NULL\(more)")
    let other = try EntityStore(.file(test.folder.file), entities: [Kinds.self])
    let object = try #require(try other.main.fetch(Kinds.all).first)
    return Shelf(store: other, folder: test.folder, kinds: object)
  }

  private func text(_ shelf: Shelf, _ column: String) throws -> String? {
    try shelf.store.main.fetch(sql: "SELECT \(raw: column) FROM Kinds", as: String?.self).first ?? nil
  }

  @Test func `unreadable values are reported by the object, the check and the plan`() async throws {
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

  @Test func `other properties are saved beside an unreadable value`() async throws {
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

  /// A change in place would be one of the default.
  @Test func `a change in place of an unreadable value is refused, and the save says so`() async throws {
    let shelf = try await shelf()
    let main = shelf.store.main
    shelf.kinds.tags.append("b")
    shelf.kinds.setup.isDark.toggle()
    shelf.kinds.maybeTags?.removeAll()
    #expect(shelf.kinds.tags == [] && !shelf.kinds.hasChanges)
    let error = await #expect(throws: StoreError.self) { try await main.save() }
    #expect(error?.kind == .invalidValue && error?.message.contains("'Kinds.tags' was changed in place") == true)
    #expect(error?.objects == [shelf.kinds.entityID.untyped])
    try await main.save()
    #expect(try text(shelf, "tags") == #"[{"name":"a"}]"#)
    #expect(try text(shelf, "setup") == #"{"old":1}"#)
    #expect(shelf.kinds.isUnreadable(\.tags))
  }

  @Test func `a change in place that changes nothing is no mistake`() async throws {
    let shelf = try await shelf()
    shelf.kinds.tags.removeAll { $0 == "a" }
    shelf.kinds.counts["x"] = 1
    try await shelf.store.main.save()
    #expect(try text(shelf, "tags") == #"[{"name":"a"}]"#)
    #expect(shelf.kinds.counts == ["x": 1])
  }

  @Test func `a value that was set as a whole can be changed in place from then on`() async throws {
    let shelf = try await shelf()
    shelf.kinds.tags = ["b"]
    shelf.kinds.tags.append("c")
    shelf.kinds[keyPath: \.setup] = Setup(isDark: false)
    try await shelf.store.main.save()
    #expect(try text(shelf, "tags") == #"["b","c"]"#)
    #expect(shelf.kinds.setup == Setup(isDark: false))
  }

  @Test func `a raw value that no case has is not changed in place`() async throws {
    let shelf = try await shelf(", rank = 'king'")
    func demote(_ rank: inout Rank) { rank = .chief }
    #expect(shelf.kinds.isUnreadable(\.rank))
    demote(&shelf.kinds.rank)
    await #expect(throws: StoreError.self) { try await shelf.store.main.save() }
    #expect(try text(shelf, "rank") == "king")
    shelf.kinds.rank = .chief
    try await shelf.store.main.save()
    #expect(try text(shelf, "rank") == "chief")
  }
}
