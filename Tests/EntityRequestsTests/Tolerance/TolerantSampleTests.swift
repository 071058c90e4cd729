import EntityClient
import EntityTesting
import Testing

/// The samples of the article on tolerant responses.
@Suite(.cargos) struct TolerantSampleTests {
  @Test func `bad objects are skipped`() async throws {
    let list: JSONValue = [["id": 1, "label": "a", "weight": 1], ["id": 2, "label": "b", "weight": "heavy"]]
    try StubAdapter.current.on(.get, "/cargos", .json(list))
    // [{"id": 1, "label": "a", "weight": 1}, {"id": 2, "label": "b", "weight": "heavy"}]
    let response = try await Cargo.get(options: .skipping)
    #expect(response.ids.count == 1)
    #expect(response.counts.refused == 1)
    for error in response.refused { print(error) }  // 'Cargo.weight' can't be read from 'weight' of object 1: …
  }

  @Test func `bad values are kept out of the store`() async throws {
    try StubAdapter.current.on(.get, "/cargos", .json([["id": 1, "label": "a", "weight": "heavy"]]))
    // [{"id": 1, "label": "a", "weight": "heavy"}]
    let response = try await Cargo.get(options: [.skipping, .keepingValues])
    #expect(response.ids.count == 1)
    #expect(response.refused.first?.property == "weight")
  }

  @Test func `an upsert mode says which objects are taken in`() async throws {
    try StubAdapter.current.on(.get, "/cargos", .json([["id": 1, "label": "a"]]))
    let response = try await Cargo.get(options: .upserting(.updateOnly))
    print(response.skipped)  // Cargo 1: the store does not have it, and the request was to insert none
    #expect(response.skipped.first?.reason == .unknown)
  }
}
