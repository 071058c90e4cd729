import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: Salesforce

@Entity final class Opportunity: RemoteEntity {
  @UID @Key("Id") var uid: String
  @Key("Name") var name: String?
  @Key("Amount") var amount: Int?
  @Key("SystemModstamp") var stamp: Date?

  static var basePath: String { "sobjects/Opportunity/" }
  static var envelope: Envelope? { Envelope(list: "records") }
  static var otherUIDKeys: [String] { ["id"] }
  static var versionAttribute: PartialKeyPath<Opportunity>? { \.stamp }
}

@Entity final class Lead: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "leads" }
}

@Suite(.client(entities: [Opportunity.self, Lead.self])) struct DeletedPartTests {
  private func names() async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(Opportunity.self).sorted { $0.uid < $1.uid }.map {
        "\($0.uid) \($0.name ?? "-")"
      }
    }
  }

  private func get(_ body: String, _ options: ResponseOptions<Opportunity> = []) async throws
    -> EntityResponse<Opportunity>
  {
    try StubAdapter.current.on(.get, "/sobjects/Opportunity/", .text(body))
    return try await Opportunity.get(options: options)
  }

  private static let list = #"""
    {"totalSize": 3, "done": true, "records": [
      {"attributes": {"type": "Opportunity", "url": "/x/006A"}, "Id": "006A", "Name": "a"},
      {"attributes": {"type": "Opportunity", "url": "/x/006B"}, "Id": "006B", "Name": "b"},
      {"attributes": {"type": "Opportunity", "url": "/x/006C"}, "Id": "006C", "Name": "c"}]}
    """#

  @MainActor @Test func `an answer to POST may have the uid under another key than lists`() async throws {
    let stub = try StubAdapter.current
    stub.on(.post, "/sobjects/Opportunity/", .json(["id": "006D", "success": true, "errors": []], status: 201))
    let opportunity = try Client.current.store.main.insert(Opportunity.self)
    opportunity.name = "d"
    try await opportunity.post(\.name)
    #expect(opportunity.uid == "006D")
    #expect(!opportunity.hasChanges)
    #expect(try Client.current.store.main.count(Opportunity.all) == 1)
    // Its own key counts where an object has both.
    _ = try await get(#"{"records": [{"Id": "006D", "id": "other", "Name": "d"}]}"#)
    #expect(try await names() == ["006D d"])
  }

  @Test func `ids beside the changes delete their objects, and again nothing`() async throws {
    #expect(try await get(Self.list).counts.inserted == 3)
    #expect(try await get(Self.list).counts.rowsWritten == 0)
    let changes = #"{"records": [{"Id": "006A", "Name": "a 2"}], "deleted": ["006B", "006X"]}"#
    let response = try await get(changes, .deleted(at: "deleted"))
    #expect(response.counts.deleted == 1)
    #expect(response.counts.updated == 1)
    #expect(try await names() == ["006A a 2", "006C c"])
    let again = try await get(changes, .deleted(at: "deleted"))
    #expect(again.counts.rowsWritten == 0)
    #expect(again.counts.deleted == 0)
    #expect(try await get(#"{"records": []}"#, .deleted(at: "deleted")).counts.deleted == 0)
    #expect(try await get(#"{"records": [], "deleted": null}"#, .deleted(at: "deleted")).counts.deleted == 0)
  }

  @Test func `deleted objects may be objects with their uid, maps and parts`() async throws {
    _ = try await get(Self.list)
    // As the answer of Salesforce's resource of deleted records.
    let body = #"""
      {"deletedRecords": [{"deletedDate": "2026-05-01T10:00:00.000+0000", "id": "006A"}],
       "latestDateCovered": "2026-05-01T11:00:00.000+0000"}
      """#
    try StubAdapter.current.on(.get, "/sobjects/Opportunity/deleted/", .text(body))
    let document = try await EntityDocument.get(
      "sobjects/Opportunity/deleted/", query: ["start": "2026-11-01T00:00:00Z", "end": "2026-11-30T00:00:00Z"],
      options: .parts([.deleted(Opportunity.self, at: "deletedRecords")]))
    #expect(document.counts.deleted == 1)
    #expect(try await get(#"{"records": [], "gone": {"006B": true}}"#, .deleted(at: "gone{}")).counts.deleted == 1)
    #expect(try await names() == ["006C c"])
    _ = try await Lead.upsert(from: [["id": 1, "name": "x"], ["id": 2]])
    let both: ResponseOptions<Opportunity> = [.parts([.deleted(Lead.self, at: "leads")]), .deleted(at: "deleted")]
    let response = try await get(#"{"records": [], "leads": [1], "deleted": ["006C"]}"#, both)
    #expect(response.counts.deleted == 2)
    #expect(try await Client.current.store.read { try $0.count(Lead.all) } == 1)
  }

  @MainActor @Test func `unsent work, newer answers and newer versions stay, and the response tells`() async throws {
    let store = try Client.current.store
    _ = try await get(
      #"{"records": [{"Id": "006A", "Name": "a", "SystemModstamp": "2026-05-02T00:00:00Z"}, {"Id": "006B", "Name": "b"}]}"#
    )
    let edited = try #require(try store.main.fetch(Opportunity.where { $0.uid == "006B" }).first)
    edited.name = "mine"
    try await store.main.save()
    let response = try await get(
      #"{"records": [], "deleted": [{"Id": "006A", "SystemModstamp": "2026-05-01T00:00:00Z"}, "006B"]}"#,
      .deleted(at: "deleted"))
    #expect(try await names() == ["006A a", "006B mine"])
    #expect(response.counts.deleted == 0)
    #expect(!response.skipped.isEmpty)
    // A later word of the version deletes.
    let later = #"{"records": [], "deleted": [{"Id": "006A", "SystemModstamp": "2026-05-03T00:00:00Z"}]}"#
    #expect(try await get(later, .deleted(at: "deleted")).counts.deleted == 1)
  }

  @MainActor @Test func `a deletion that was made here ends when the server tells it`() async throws {
    let store = try Client.current.store
    _ = try await get(Self.list)
    let object = try #require(try store.main.fetch(Opportunity.where { $0.uid == "006B" }).first)
    try store.main.delete(object)
    try await store.main.save()
    #expect(try await store.pending.count() == 1)
    _ = try await get(#"{"records": [], "deleted": ["006B"]}"#, .deleted(at: "deleted"))
    #expect(try await store.pending.count() == 0)
  }

  @Test func `an id that can't be read is an error with its place, or is skipped`() async throws {
    _ = try await get(Self.list)
    let bad = #"{"records": [{"Id": "006A", "Name": "new"}], "deleted": ["006B", true, {"name": "x"}, null]}"#
    let error = try await requestError { try await get(bad, .deleted(at: "deleted")) }
    #expect(error.description.contains("Object 1 of 'deleted'"), "\(error)")
    #expect(try await names() == ["006A a", "006B b", "006C c"])
    let response = try await get(bad, [.deleted(at: "deleted"), .skipping])
    #expect(response.refused.map(\.position) == [1, 2, 3])
    #expect(response.refused.allSatisfy { $0.part == "deleted" })
    #expect(try await names() == ["006A new", "006C c"])
    let form = try await requestError {
      try await get(#"{"records": [], "deleted": {"a": 1}}"#, .deleted(at: "deleted"))
    }
    #expect(form.kind == .envelope)
  }

  @Test func `pages delete the ids that they name`() async throws {
    _ = try await get(Self.list)
    try StubAdapter.current.on(
      .get, "/sobjects/Opportunity/",
      .text(#"{"records": [], "deleted": ["006A"], "next": "https://api.example.com/sobjects/Opportunity/?p=2"}"#),
      .text(#"{"records": [{"Id": "006D", "Name": "d"}], "deleted": ["006B"], "next": null}"#))
    let all = try await Opportunity.pages(by: .body("next"), options: .deleted(at: "deleted")).all()
    #expect(all.counts.deleted == 2)
    #expect(try await names() == ["006C c", "006D d"])
  }
}
