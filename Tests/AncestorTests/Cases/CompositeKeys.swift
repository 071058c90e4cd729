import EntityClient
import EntityTesting
import Testing

/// Objects that several keys tell from each other, as Overcoat's serialisers for managed objects had them.
@Entity final class ChirpMention: RemoteEntity {
  @UID @Key("chirp_id") var chirp: Int
  @UID var name: String
  var position: Int?

  static var basePath: String { "mentions" }
}

@Suite(.client(entities: [ChirpMention.self])) @MainActor struct CompositeKeyCases {
  @Test func `O12: several keys tell objects from each other`() async throws {
    for position in 1...2 {
      try await ChirpMention.upsert(
        from: [
          ["chirp_id": 1, "name": "a:b", "position": JSONValue(position)], ["chirp_id": 1, "name": "a"],
          ["chirp_id": 2, "name": "a"],
        ])
    }
    let main = try Client.current.store.main
    #expect(try main.count(ChirpMention.all) == 3)
    #expect(try main.fetch(ChirpMention.self, uid: ["chirp": 1, "name": "a:b"])?.position == 2)
    try StubAdapter.current.on(.delete, "/mentions/1/{name}", .data(.init(), status: 204))
    try await main.fetch(ChirpMention.self, uid: [1, "a:b"])?.delete()
    #expect(try main.fetch(ChirpMention.self, uid: [1, "a:b"]) == nil)
  }
}
