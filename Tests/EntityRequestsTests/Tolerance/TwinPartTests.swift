import EntityClient
import EntityTesting
import Testing

// Two entities that a server mixes in one object.

@Entity final class TwinLabel: RemoteEntity {
  static var basePath: String { "twinlabels" }
  @UID @Key("id") var uid: Int
  var text: String
}

@Entity final class TwinCount: RemoteEntity {
  static var basePath: String { "twincounts" }
  @UID @Key("id") var uid: Int
  var size: Int
}

/// Two parts of a response at one key path.
@Suite(.client(entities: [TwinLabel.self, TwinCount.self])) struct TwinPartTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func receive(_ options: ResponseOptions<EntityDocument>, at path: String) async throws
    -> EntityResponse<EntityDocument>
  {
    let list: JSONValue = [
      ["id": 1, "text": "a", "size": "x"], ["id": 2, "text": [], "size": 2], ["id": 3, "text": "c", "size": 3],
    ]
    return try await EntityDocument.upsert(
      from: path.isEmpty ? list : ["all": list], in: store,
      options: [.parts([.list(TwinLabel.self, at: path), .list(TwinCount.self, at: path)]), options])
  }

  @Test(arguments: ["all", ""]) func `an object that one part skips is taken in by the other part`(_ path: String)
    async throws
  {
    let response = try await receive(.skipping, at: path)
    #expect(response.counts.refused == 2)
    #expect(response.refused.map(\.entity) == ["TwinLabel", "TwinCount"])
    #expect(response.refused.map(\.position) == [1, 0])
    let uids = try await store.read { context in
      [try context.fetch(TwinLabel.self).map(\.uid), try context.fetch(TwinCount.self).map(\.uid)]
    }
    #expect(uids == [[1, 3], [2, 3]])
  }

  @Test(arguments: ["all", ""]) func `the values that are kept are the values of their part`(_ path: String)
    async throws
  {
    let response = try await receive([.skipping, .keepingValues], at: path)
    #expect(response.refused.map { "\($0.entity) \($0.position ?? -1)" } == ["TwinLabel 1", "TwinCount 0"])
    #expect(response.ids(of: TwinLabel.self).count == 3)
    #expect(response.ids(of: TwinCount.self).count == 3)
  }
}
