import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import EntityRequests

/// Properties whose keys are paths into nested objects.
@Suite struct NestedKeyTests {
  private func value(_ json: String) throws -> JSONValue { try JSONValue(parsing: Data(json.utf8)) }

  @Test(arguments: [
    (#"{"id": 1, "place": {"city": "Rome"}}"#, "Rome 7 N"), (#"{"id": 1, "place": {"city": null}}"#, "- 7 N"),
    (#"{"id": 1, "place": {}}"#, "Oslo 7 N"), (#"{"id": 1}"#, "Oslo 7 N"), (#"{"id": 1, "place": 5}"#, "Oslo 7 N"),
    (#"{"id": 1, "place": {"zip": {"code": 8}}}"#, "Oslo 8 N"),
    (#"{"id": 1, "place": {"zip": {"area": null}}}"#, "Oslo 7 -"),
    (#"{"id": 1, "place.city": "Bern", "place": {"city": "Rome"}}"#, "Rome 7 N"),
    (#"{"id": 1, "place": {"city": "Rome", "city": "Bern"}}"#, "Bern 7 N"),
  ]) func `nested keys are found`(_ json: String, _ expected: String) async throws {
    let ways = try GoodsWays()
    try await ways.upsert(try value(GoodsWays.json))
    let row = try await ways.upsert(try value(json)).rows[0]
    #expect("\(row[3].split(separator: " ")[3]) \(row[4])" == expected)
  }

  /// A request would have the value in another place.
  @Test(arguments: [
    (#"{"id": 1, "place.city": "Rome"}"#, "city"), (#"{"id": 1, "place": {"zip.code": 9}}"#, "zip"),
    (#"{"id": 1, "place.zip": {"code": 9, "area": "S"}, "place": {"city": "Rome"}}"#, "zip"),
  ]) func `a dot in a key that leads nowhere is an error`(_ json: String, _ property: String) async throws {
    let ways = try GoodsWays()
    try await ways.upsert(try value(GoodsWays.json))
    let error = try await ways.error(try value(json))
    #expect(error.property == property)
    #expect(error.reason.contains("has a dot in it"))
  }

  @Test func `a null parent is null for its keys`() async throws {
    let ways = try GoodsWays()
    try await ways.upsert(try value(GoodsWays.json))
    for json in [#"{"id": 1, "place": null}"#, #"{"id": 1, "place": {"zip": null}}"#] {
      let error = try await ways.error(try value(json))
      #expect(error.property == "zip")
      #expect(error.reason == "the property is not optional, and there is null")
    }
    let store = try EntityStore(.inMemory, entities: [Specimen.self])
    _ = try await store.receive(Specimen.self, ["id": "a", "place": ["city": "Oslo", "street": "Gate"]])
    _ = try await store.receive(Specimen.self, ["id": "a", "place": nil])
    try await store.read { context in
      let specimen = try #require(try context.fetch(Specimen.self).first)
      #expect(specimen.city == nil)
      #expect(specimen.street == nil)
    }
  }
}
