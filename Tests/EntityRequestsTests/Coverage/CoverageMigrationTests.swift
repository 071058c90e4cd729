import EntityClient
import Foundation
import Testing

private enum First {
  @Entity final class Canoe: RemoteEntity {
    @UID var id: Int
    var name: String?
    var length: Int = 0
    static var basePath: String { "canoes" }
  }
}

private enum Second {
  @Entity final class Canoe: RemoteEntity {
    @UID var id: Int
    var name: String?
    var length: Int = 0
    static var tracksCoverage: Bool { true }
    static var basePath: String { "canoes" }
  }
}

private enum Third {
  @Entity final class Canoe: RemoteEntity {
    @UID var id: Int
    @Renamed(from: "name") var title: String?
    var length: Int = 0
    var color: String?
    @Relationship(inverse: \Paddle.canoe) var paddles: [Paddle]
    static var tracksCoverage: Bool { true }
    static var basePath: String { "canoes" }
  }

  @Entity final class Paddle: RemoteEntity {
    @UID var id: Int
    var canoe: Canoe?
    static var basePath: String { "paddles" }
  }
}

private enum Fourth {
  @Entity(removed: "color") final class Canoe: RemoteEntity {
    @UID var id: Int
    var title: String?
    var length: Int = 0
    @Relationship(inverse: \Paddle.canoe) var paddles: [Paddle]
    static var tracksCoverage: Bool { true }
    static var basePath: String { "canoes" }
  }

  @Entity final class Paddle: RemoteEntity {
    @UID var id: Int
    var canoe: Canoe?
    static var basePath: String { "paddles" }
  }
}

/// The knowledge of what was loaded, when the schema changes.
@Suite struct CoverageMigrationTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("canoes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func open(_ entities: [any ManagedEntity.Type]) throws -> EntityStore {
    try EntityStore(.file(folder.appendingPathComponent("s")), entities: entities)
  }

  private func names<E: RemoteEntity>(_ store: EntityStore, _ type: E.Type) async throws -> [[String]] {
    try await store.read { try $0.fetch(E.all).map(\.loaded.missingNames) }
  }

  /// A file of the first version: a row with values, one without, and one that was made here.
  private func begin() async throws {
    let store = try open([First.Canoe.self])
    _ = try await store.receive(First.Canoe.self, [["id": 1, "name": "A", "length": 5], ["id": 2]])
    try await store.background { _ = try $0.insert(First.Canoe.self) }
    #expect(try await names(store, First.Canoe.self) == [[], [], []])
    try await store.close()
  }

  @Test func `switched on, it knows what the values say`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await begin()
    let store = try open([Second.Canoe.self])
    #expect(try await names(store, Second.Canoe.self) == [[], ["name", "length"], []])
    _ = try await store.receive(Second.Canoe.self, [["id": 2, "name": nil]])
    #expect(try await names(store, Second.Canoe.self) == [[], ["length"], []])
    #expect(try await store.check(.full).isEmpty)
    try await store.close()
    // Switched off, and on again.
    let off = try open([First.Canoe.self])
    #expect(try await names(off, First.Canoe.self) == [[], [], []])
    try await off.close()
    #expect(try await names(open([Second.Canoe.self]), Second.Canoe.self) == [[], ["name", "length"], []])
  }

  @Test func `a new property is missing in rows of before, and a renamed one keeps its place`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await begin()
    try await open([Second.Canoe.self]).close()
    let store = try open([Third.Canoe.self, Third.Paddle.self])
    #expect(
      try await names(store, Third.Canoe.self) == [["color", "paddles"], ["title", "length", "color", "paddles"], []])
    _ = try await store.receive(Third.Canoe.self, [["id": 1, "color": "red", "paddles": []], ["id": 3]])
    try await store.close()
    let again = try open([Third.Canoe.self, Third.Paddle.self])
    #expect(
      try await names(again, Third.Canoe.self) == [
        [], ["title", "length", "color", "paddles"], [], ["title", "length", "color", "paddles"],
      ])
    try await again.close()
    // Set aside, and back with the values that the file kept.
    let fourth = try open([Fourth.Canoe.self, Fourth.Paddle.self])
    #expect(try await names(fourth, Fourth.Canoe.self)[1] == ["title", "length", "paddles"])
    _ = try await fourth.receive(Fourth.Canoe.self, [["id": 4, "title": "D", "length": 1, "paddles": []]])
    #expect(try await names(fourth, Fourth.Canoe.self).last == [])
    try await fourth.close()
    let back = try open([Third.Canoe.self, Third.Paddle.self])
    let all = try await names(back, Third.Canoe.self)
    #expect(all.first == [] && all.last == ["color"] && all[1].contains("color"))
    #expect(try await back.check(.full).isEmpty)
  }

  @Test func `an archive of before is read as a file of before`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await begin()
    let archive = folder.appendingPathComponent("a")
    try await open([First.Canoe.self]).archive(to: archive)
    let second = try EntityStore(.inMemory, entities: [Second.Canoe.self])
    try await second.restore(from: archive)
    #expect(try await names(second, Second.Canoe.self) == [[], ["name", "length"], []])
    let next = folder.appendingPathComponent("b")
    try await second.archive(to: next)
    let third = try EntityStore(.inMemory, entities: [Third.Canoe.self, Third.Paddle.self])
    try await third.restore(from: next)
    #expect(try await names(third, Third.Canoe.self) == [["color"], ["title", "length", "color"], []])
    let first = try EntityStore(.inMemory, entities: [First.Canoe.self])
    try await first.restore(from: next)
    #expect(try await names(first, First.Canoe.self) == [[], [], []])
  }
}
