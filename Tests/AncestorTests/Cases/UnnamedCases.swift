import EntityClient
import EntityTesting
import Testing

/// Objects without id, and objects that can't be read: NCCCoreDataClient's case 45, and Overcoat's bad elements.
@Suite(.notes) @MainActor struct UnnamedCases {
  private var store: EntityStore { get throws { try Client.current.store } }

  @Test func `Case 45: two objects with empty ids are two objects more, where the request says so`() async throws {
    try await Contact.upsert(from: contacts(0...5))
    let unnamed: [JSONValue] = [
      ["id": "", "display_name": "Ada"], ["id": "", "display_name": "Grace"],
    ]
    let body = JSONArray(unnamed + (0...5).map(contact)).value
    _ = try await requestError { try await Contact.upsert(from: body) }
    let response = try await Contact.upsert(from: body, options: .withoutUID(.insert))
    #expect(try response.objects.map(\.displayName).prefix(3) == ["Ada", "Grace", "Contact 0"])
    #expect(response.counts.inserted == 2)
    #expect(try await store.objectCount() == 8)
  }

  @Test func `O6†: bad elements of a list are passed over where the request says so, and told with their places`()
    async throws
  {
    let body: JSONValue = [["id": 1], ["id": 2, "display_name": ["no", "text"]], ["id": 3]]
    let response = try await Contact.upsert(from: body, options: .skipping)
    #expect(try await store.contactUIDs() == [1, 3])
    #expect(response.refused.map(\.position) == [1])
    #expect(response.refused.first?.property == "displayName")
  }
}
