import EntityClient
import EntityTesting
import Foundation
import Testing

@Entity final class DepotParcel: RemoteEntity {
  @UID @Key("id") var uid: Int
  var receiver: String?
  @Transformed(by: Transformers.UnixMilliseconds.self) var sentAt: Date?  // 1777636800000
  @Transformed(by: Transformers.AsText<Transformers.UnixSeconds>.self) var paidAt: Date?  // "1777636800"
  var labels: [DepotLabel]  // ["fragile", "cold"]

  static var basePath: String { "parcels" }
  static var envelope: Envelope? { Envelope(list: "parcels", item: "parcel") }
  static var verdict: ResponseVerdict? { .flag("ok") }  // {"ok": false, "error": "not_authed"}, with status 200
  static var namedInRequests: Set<PartialKeyPath<DepotParcel>> { [\.labels] }

  // The next page is at another host. The headers of the client don't go there.
  static func walk() -> EntityPages<DepotParcel> {
    pages(by: .body("next"), options: [.allowing(.otherOrigins), .deleteMissing(in: DepotParcel.all)])
  }
}

@Entity final class DepotLabel: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var name: String

  static var basePath: String { "labels" }
  static var nameAttribute: PartialKeyPath<DepotLabel>? { \.name }
}

/// A service that has all peculiarities at once.
@Suite(.client(entities: [DepotParcel.self, DepotLabel.self], baseURL: "https://depot.example.com/")) @MainActor
struct PeculiarServiceTests {
  /// An answer in Latin-1.
  private func latin(_ text: String) -> StubAnswer {
    .data(text.data(using: .isoLatin1) ?? Data(), contentType: "application/json; charset=iso-8859-1")
  }

  @Test func `parcels are walked, read, edited and deleted`() async throws {
    let stub = try StubAdapter.current
    try await DepotLabel.upsert(
      from: [["id": 1, "name": "fragile"], ["id": 2, "name": "cold"]], options: .envelope(.wholeBody))
    stub.on(
      .get, "/parcels",
      latin(
        #"""
        {"ok": true, "next": "https://pages.example.com/parcels?page=2", "parcels": [
          {"id": 7, "receiver": "Grün", "sent_at": 1777636800000, "paid_at": "1777636800", "labels": ["fragile"]}]}
        """#))
    stub.on(
      .get, "https://pages.example.com/parcels?page=2", latin(#"{"ok": true, "next": null, "parcels": [{"id": 8}]}"#))
    #expect(try await DepotParcel.walk().all().ids.count == 2)
    #expect(try await DepotParcel.walk().all().counts.rowsWritten == 0)
    stub.on(
      .get, "/parcels/7", latin(#"{"ok": true, "parcel": {"id": 7, "receiver": "Grünberg", "labels": ["fragile"]}}"#))
    let parcel = try #require(try await DepotParcel.get(uid: 7).object)
    let day = Date(timeIntervalSince1970: 1_777_636_800)
    #expect(parcel.receiver == "Grünberg" && parcel.sentAt == day && parcel.paidAt == day)
    #expect(parcel.labels.map(\.name) == ["fragile"])
    parcel.labels = try Client.current.store.main.fetch(DepotLabel.where { $0.name == "cold" })
    parcel.sentAt = day + 1
    stub.on(.patch, "/parcels/7", latin(#"{"ok": false, "error": "not_authed"}"#))
    #expect(try await requestError { try await parcel.patch(\.labels, \.sentAt, \.paidAt) }.kind == .status)
    #expect(parcel.hasChanges)
    let taken = #"{"id": 7, "labels": [{"id": 2, "name": "cold"}], "sent_at": 1777636801000, "paid_at": "1777636800"}"#
    stub.on(.patch, "/parcels/7", latin(#"{"ok": true, "parcel": \#(taken)}"#))
    try await parcel.patch(\.labels, \.sentAt, \.paidAt)
    #expect(
      stub.requests.last?.json == ["labels": ["cold"], "sent_at": 1_777_636_801_000, "paid_at": "1777636800"])
    #expect(!parcel.hasChanges)
    stub.on(.delete, "/parcels/7", latin(#"{"ok": false, "error": "locked"}"#), latin(#"{"ok": true}"#))
    #expect(try await requestError { try await parcel.delete() }.kind == .status)
    #expect(!parcel.isDeleted)
    try await parcel.delete()
    #expect(parcel.isDeleted)
  }
}
