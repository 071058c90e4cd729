import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class Bulletin: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "bulletins" }
  static var objectPath: String? { "bulletins?id={uid}" }
  static var envelope: Envelope? {
    Envelope(list: "items[].value").emptyIfAbsent(in: Discriminator("kind", "list", "page"))
  }
}

/// Its service writes no empty lists, and marks nothing, as those do that write protocol buffers as JSON.
@Entity final class Circular: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "leaflets" }
  static var envelope: Envelope? { Envelope(list: "items").emptyIfAbsent() }
}

/// Lists that a server leaves out when they are empty.
@Suite(.client(entities: [Bulletin.self, Circular.self])) @MainActor struct EmptyListTests {
  private static let full = #"{"kind": "list", "items": [{"value": {"id": 1}}, {"value": {"id": 2}}]}"#
  nonisolated static let empty = [
    #"{"kind": "list", "id": 9}"#, #"{"kind": "page", "total": 0, "items": []}"#, #"{"kind": "list", "items": null}"#,
  ]
  nonisolated static let doubtful = [
    #"{"kind": "error", "id": 9}"#, #"{"id": 9, "message": "no"}"#, #"{}"#, #"{"kind": null}"#,
    #"{"kind": "list", "items": {"value": []}}"#, #"{"kind": "list", "items": 0}"#,
  ]

  private func count() throws -> Int { try Client.current.store.main.count(Bulletin.all) }

  private func answer(_ text: String) throws { try StubAdapter.current.on(.get, "/bulletins", .text(text)) }

  /// The ways to ask for all bulletins and to delete the others.
  private static func sync(_ way: Int) async throws -> EntityCounts {
    switch way {
    case 0: try await Bulletin.get(options: .deleteMissing(in: Bulletin.all)).counts
    case 1:
      try await Bulletin.pages(by: .body("next", mayBeAbsent: true), options: .deleteMissing(in: Bulletin.all)).all()
        .counts
    case 2: try await Bulletin.get(streaming: .groups(of: 1), options: .deleteMissing(in: Bulletin.all)).counts
    default: try await Bulletin.get(streaming: .atomically, options: .deleteMissing(in: Bulletin.all)).counts
    }
  }

  @Test(arguments: empty, 0..<4) func `a list that is absent deletes all`(_ body: String, _ way: Int) async throws {
    try answer(Self.full)
    #expect(try await Self.sync(way).inserted == 2)
    try answer(body)
    #expect(try await Self.sync(way).deleted == 2)
    #expect(try count() == 0)
    #expect(try await Self.sync(way).rowsWritten == 0)
  }

  @Test(arguments: doubtful, 0..<4)
  func `a body without the mark is an error, and deletes nothing`(_ body: String, _ way: Int) async throws {
    try answer(Self.full)
    _ = try await Self.sync(way)
    try answer(body)
    #expect(try await requestError { try await Self.sync(way) }.kind == .envelope)
    #expect(try count() == 2)
  }

  @Test(arguments: empty) func `a list that is absent has no objects, by each way to read it`(_ body: String)
    async throws
  {
    try answer(body)
    let response = try await Bulletin.get()
    #expect(response.ids.isEmpty && response.unrecognized.isEmpty)
    #expect(try await Bulletin.upsert(from: Data(body.utf8)).ids.isEmpty)
    try StubAdapter.current.on(.get, "/bulletins?id=5", .text(body))
    #expect(try await requestError { try await Bulletin.get(uid: 5) }.status == 404)
    #expect(try count() == 0)
  }

  @Test func `a list that the store keeps is emptied`() async throws {
    let feed = try LiveResource(StoredCollection<Bulletin>(pages: .body("next", mayBeAbsent: true)))
    try answer(Self.full)
    try await feed.load()
    #expect(feed.objects.map(\.uid) == [1, 2] && feed.isComplete)
    try answer(Self.empty[0])
    try await feed.load()
    #expect(feed.objects.isEmpty && feed.isComplete)
    try answer(Self.doubtful[0])
    await #expect(throws: RequestError.self) { try await feed.load() }
  }

  @Test func `without a mark each object without the list is an empty one where a list is asked for`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/leaflets", .text(#"{"items": [{"id": 1}]}"#))
    let walk = Circular.pages(by: .body("next", mayBeAbsent: true), options: .deleteMissing(in: Circular.all))
    #expect(try await walk.all().counts.inserted == 1)
    stub.on(.get, "/leaflets", .text(#"{"total": ""}"#))
    #expect(try await walk.all().counts.deleted == 1)
    stub.on(.get, "/leaflets", .text("{}"))
    #expect(try await Circular.get().ids.isEmpty)
    stub.on(.get, "/leaflets/3", .text(#"{"id": 3}"#))
    #expect(try await Circular.get("3").ids.count == 1)
    #expect(try await Circular.get(uid: 3).counts.unchanged == 1)
  }
}
