import Adapters
import EntityClient
import EntityTesting
import Foundation
import Kinto
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A card of a board that several devices edit. Its uid is made on a device.
@Entity final class Card: KintoRecord, OutboxEntity {
  @UID @Key("id") var uid: String
  var text: String
  var note: String?
  var likes: Int = 0
  var lastModified: Int
  @Relationship(inverse: \Remark.card, onDelete: .cascade) var remarks: [Remark]

  static var collection: String { "cards" }
  static var editable: [PartialKeyPath<Card>] { [\.text, \.note, \.likes] }
  static var requestRootKey: String? { "data" }
  static var outbox: OutboxRules<Card> {
    [
      .creating(.put), .ifMatch(.attribute(\.lastModified)),
      .merging(
        .byColumn(
          .merge(\Card.Columns.likes) { base, mine, theirs in theirs + (mine - base) },
          .column(\Card.Columns.note, .theirs))),
    ]
  }

  var values: String { "\(uid) \(text) \(note ?? "-") \(likes) \(lastModified)" }
}

/// A remark on a card. Its version is the header `ETag`.
@Entity final class Remark: KintoRecord, OutboxEntity {
  @UID @Key("id") var uid: String
  var text: String
  var card: Card
  var lastModified: Int

  static var collection: String { "remarks" }
  static var editable: [PartialKeyPath<Remark>] { [\.text, \.card] }
  static var requestRootKey: String? { "data" }
  static var outbox: OutboxRules<Remark> { [.creating(.put), .ifMatch(.etag), .partsFirst] }

  var values: String { "\(uid) \(text) \(card.uid) \(lastModified)" }
}

/// A slip of paper. Changes of slips go together, by the rules for Kinto.
@Entity final class Slip: KintoRecord, OutboxEntity {
  @UID @Key("id") var uid: String
  var text: String
  var lastModified: Int

  static var collection: String { "slips" }
  static var editable: [PartialKeyPath<Slip>] { [\.text] }
  static var outbox: OutboxRules<Slip> { .kinto }

  var values: String { "\(uid) \(text) \(lastModified)" }
}

/// The devices of one account, which share a bucket of the server.
struct Board {
  let devices: [OutboxDevice]

  /// - Parameter count: The number of devices.
  init(devices count: Int = 2) async throws {
    let bucket = "b" + UUID().uuidString
    devices = try (0..<count).map { _ in try Self.device(bucket) }
    let root = try #require(Peer.root)
    let server = try KintoServer(root, bucket: bucket, user: bucket, password: "secret", store: devices[0].store)
    try await server.setUp()
    for collection in [Card.collection, Remark.collection, Slip.collection] {
      var request = try server.client.request(.put, "collections/\(collection)")
      try request.setJSON([:] as JSONValue)
      try await server.client.send(request)
    }
  }

  private static func device(_ bucket: String) throws -> OutboxDevice {
    try OutboxDevice([Card.self, Remark.self, Slip.self]) { adapter, store in
      try KintoServer(
        #require(Peer.root), bucket: bucket, user: bucket, password: "secret", store: store, adapter: adapter
      ).client
    }
  }

  func remove() { for device in devices { device.remove() } }
}

extension OutboxDevice {
  /// Gets what was changed and deleted on the server.
  func pull() async throws {
    try await self {
      _ = try await Card.changes(since: 0).all()
      _ = try await Remark.changes(since: 0).all()
      _ = try await Slip.changes(since: 0).all()
    }
  }

  /// Gets them by a connection that breaks off.
  func pulledAll() async throws -> Bool {
    for _ in 0..<10 {
      do {
        try await pull()
        return true
      } catch is RequestError {}
    }
    return false
  }

  /// Makes a card with a uid.
  func card(_ text: String, uid: String = UUID().uuidString) async throws -> EntityID<Card> {
    try await edit { try $0.make(Card.self) { ($0.uid, $0.text) = (uid, text) }.entityID }
  }

  func text(_ uid: String) async throws -> String { try await edit { try $0.card(uid).text } }
  func note(_ uid: String) async throws -> String? { try await edit { try $0.card(uid).note } }

  /// The records that the device has.
  var records: [String] {
    get async throws {
      try await edit { context in
        try context.fetch(Card.all).map(\.values).sorted() + context.fetch(Remark.all).map(\.values).sorted()
          + context.fetch(Slip.all).map(\.values).sorted()
      }
    }
  }

  /// The records that the server has.
  var serverRecords: [String] {
    get async throws {
      var records: [String] = []
      for (collection, keys) in [
        ("cards", ["text", "note", "likes"]), ("remarks", ["text", "card"]), ("slips", ["text"]),
      ] {
        let request = try direct.request(.get, "collections/\(collection)/records")
        let body = try JSONValue(parsing: try await direct.send(request).body)
        records += (body["data"]?.list ?? []).map { record in
          (["id"] + keys + ["last_modified"]).map { key in
            let value = record[key]
            return value?.string ?? value?.lexeme ?? (key == "likes" ? "0" : "-")
          }.joined(separator: " ")
        }.sorted()
      }
      return records
    }
  }
}

/// Runs a test with two devices.
func withBoard(_ body: (OutboxDevice, OutboxDevice) async throws -> Void) async throws {
  let board = try await Board()
  defer { board.remove() }
  try await body(board.devices[0], board.devices[1])
}

extension EntityContext {
  func card(_ uid: String) throws -> Card { try #require(try fetch(Card.where { $0.uid == uid }).first) }
}
