import EntityClient
import EntityTesting
import Testing

/// The samples of the article on tolerant responses.
@Suite(.cargos) struct TolerantSampleTests {
  @Test func badObjectsAreSkipped() async throws {
    let list: JSONValue = [["id": 1, "label": "a", "weight": 1], ["id": 2, "label": "b", "weight": "heavy"]]
    try StubAdapter.current.on(.get, "/cargos", .json(list))
    // [{"id": 1, "label": "a", "weight": 1}, {"id": 2, "label": "b", "weight": "heavy"}]
    let response = try await Cargo.get(options: .skipping)
    #expect(response.ids.count == 1)
    #expect(response.counts.refused == 1)
    for error in response.refused { print(error) }  // 'Cargo.weight' can't be read from 'weight' of object 1: …
  }
}
