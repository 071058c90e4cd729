import EntityClient
import EntityTesting
import Testing

/// The version of an object beside its keys, and in the lists of others.
@Suite(.client(entities: [Ledger.self, LedgerLine.self, HandLedgerLine.self, StampedLedger.self]))
struct VersionContextTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  /// A version that a header has is compared as one of a key.
  @Test func `a version in a header is compared`() async throws {
    try StubAdapter.current.on(
      .get, "/stampedledgers",
      .json([["id": 1, "title": "new"]], headers: ["X-Revision": "5"]),
      .json([["id": 1, "title": "old"]], headers: ["X-Revision": "4"]),
      // The context wins over the key.
      .json([["id": 1, "title": "old", "revision": 9]], headers: ["X-Revision": "4"]),
      .json([["id": 1, "title": "newer"]], headers: ["X-Revision": "6"]),
      .json([["id": 1, "title": "old", "revision": 5]]))
    func get() async throws -> (String?, [SkippedChange.Reason]) {
      let response = try await StampedLedger.get()
      return (
        try await store.read { try $0.fetch(StampedLedger.self, uid: 1)?.title }, response.skipped.map(\.reason)
      )
    }
    #expect(try await get() == ("new", []))
    #expect(try await get() == ("new", [.olderVersion]))
    #expect(try await get() == ("new", [.olderVersion]))
    #expect(try await get() == ("newer", []))
    // Without the header the key has the version.
    #expect(try await get() == ("newer", [.olderVersion]))
  }

  /// The list of its parent has the object, whatever version of it the list has.
  @Test func `an object of an older version is in the list that has it`() async throws {
    _ = try await LedgerLine.upsert(
      from: [["id": 1, "text": "new", "revision": 5], ["id": 2, "revision": 5]], in: store)
    _ = try await HandLedgerLine.upsert(
      from: [["id": 1, "text": "new", "revision": 5], ["id": 2, "revision": 5]], in: store)
    let older: JSONValue = [["id": 1, "text": "old", "revision": 4], ["id": 3, "revision": 1]]
    for _ in 0..<2 {
      let response = try await Ledger.upsert(from: ["id": 1, "lines": older, "hand_lines": older], in: store)
      #expect(Set(response.skipped.map(\.reason)) == [.olderVersion])
      let lines = try await store.read { context in
        let ledger = try #require(try context.fetch(Ledger.self, uid: 1))
        return [
          ledger.lines.sorted { $0.uid < $1.uid }.map { "\($0.uid) \($0.text ?? "-") \($0.revision)" },
          ledger.handLines.sorted { $0.uid < $1.uid }.map { "\($0.uid) \($0.text ?? "-") \($0.revision)" },
        ]
      }
      #expect(lines == [["1 new 5", "3 - 1"], ["1 new 5", "3 - 1"]])
    }
    // And it leaves the list with the list's word alone.
    _ = try await Ledger.upsert(from: ["id": 1, "lines": [], "hand_lines": []], in: store)
    let left = try await store.read { context in
      let ledger = try #require(try context.fetch(Ledger.self, uid: 1))
      return ledger.lines.count + ledger.handLines.count
    }
    #expect(left == 0)
  }

  // MARK: Objects that are not inserted

  @Test func `an object that was deleted here is not unknown`() async throws {
    _ = try await LedgerLine.upsert(from: [["id": 1, "revision": 1]], in: store)
    try await store.background { context in
      try context.delete(try #require(try context.fetch(LedgerLine.self, uid: 1)))
    }
    let response = try await LedgerLine.upsert(
      from: [["id": 1, "revision": 1], ["id": 2, "revision": 1]], in: store, options: .upserting(.updateOnly))
    #expect(response.skipped.map { "\($0.uid ?? "-") \($0.reason)" }.sorted() == ["1 deletedHere", "2 unknown"])
    #expect(response.ids.isEmpty)
  }

  // MARK: Batches

  /// Finding out whether the store has an object writes nothing.
  @Test(arguments: [UpsertMode.insertOnly, .updateOnly])
  func `objects updated by hand are written in batches in each mode`(_ mode: UpsertMode) async throws {
    let store = try EntityStore(.inMemory, entities: [BatchedPiece.self], busyTimeout: .seconds(60))
    let list = JSONValue((1...300).map { ["id": JSONValue($0), "name": "n"] as JSONValue })
    if mode == .updateOnly {
      _ = try await BatchedPiece.upsert(
        from: JSONValue((1...300).map { ["id": JSONValue($0)] as JSONValue }), in: store)
    }
    let waiting = Waiting()
    let counts = try await BatchedPiece.$waiting.withValue(waiting) {
      try await BatchedPiece.upsert(from: list, in: store, options: .upserting(mode)).counts
    }
    #expect(mode == .insertOnly ? counts.inserted == 300 : counts.updated == 300)
    #expect(waiting.most > 100)
    // One that comes twice is found where it waits.
    let twice = try await BatchedPiece.upsert(
      from: [["id": 1000, "name": "a"], ["id": 1000, "name": "b"]], in: store, options: .upserting(mode))
    #expect(twice.ids.count == (mode == .insertOnly ? 1 : 0))
    let name = try await store.read { try $0.fetch(BatchedPiece.self, uid: 1000)?.name }
    #expect(name == (mode == .insertOnly ? "a" : nil))
  }
}

@Entity final class BatchedPiece: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "batchedpieces" }

  @TaskLocal static var waiting: Waiting?

  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    guard let waiting = Self.waiting, let context = entityContext else { return }
    waiting.note(context.changes.inserted.count + context.changes.changed.count)
  }
}

@Entity final class Ledger: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \LedgerLine.ledger) var lines: [LedgerLine]
  @Relationship(inverse: \HandLedgerLine.ledger) var handLines: [HandLedgerLine]

  static var basePath: String { "ledgers" }
}

@Entity final class LedgerLine: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var revision: Int
  var ledger: Ledger?

  static var basePath: String { "ledgerlines" }
  static var versionAttribute: PartialKeyPath<LedgerLine>? { \.revision }
}

@Entity final class HandLedgerLine: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var revision: Int
  var ledger: Ledger?

  static var basePath: String { "handledgerlines" }
  static var versionAttribute: PartialKeyPath<HandLedgerLine>? { \.revision }

  func update(with response: ResponseObject) throws {
    try response.assign("text", to: &text)
    try response.assign("revision", to: &revision)
  }
}

@Entity final class StampedLedger: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var revision: Int?

  static var basePath: String { "stampedledgers" }
  static var versionAttribute: PartialKeyPath<StampedLedger>? { \.revision }
  static var origins: [ValueOrigin<StampedLedger>] { [.header("X-Revision", \.revision)] }
}
