import EntityClient
import EntityTesting
import Foundation
import Testing

/// A service with dots in keys, and nested objects beside them.
@Entity private final class DottedLamp: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key(#"lamp\.enabled"#) var isEnabled: Bool?
  @Key(#"@odata\.etag"#) var etag: String?
  @Key(#"state.lamp\.color"#) var color: String?
  @Key("place.city") var city: String?
  var note: String?

  static var basePath: String { "lamps" }
  static var requestKeys: [PartialKeyPath<DottedLamp>: String] { [\.note: #"note\.text"#] }
}

/// The same by hand.
@Entity private final class HandDottedLamp: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key(#"lamp\.enabled"#) var isEnabled: Bool?
  @Key("place.city") var city: String?

  static var basePath: String { "handlamps" }

  func update(with response: ResponseObject) throws {
    try response.assign(#"lamp\.enabled"#, to: &isEnabled)
    try response.assign("place.city", to: &city)
  }
}

/// Its uid is under a key with a dot.
@Entity private final class DottedMeter: RemoteEntity {
  @UID @Key(#"meter\.id"#) var uid: Int
  var reading: Int?

  static var basePath: String { "meters" }
}

/// A dot in a key leads into an object, in responses and in requests, unless a backslash stands before it.
@Suite(.client(entities: [DottedLamp.self, HandDottedLamp.self, DottedMeter.self])) @MainActor struct DottedKeyTests {
  private let stub: StubAdapter

  init() throws { stub = try StubAdapter.current }

  private func lamp() async throws -> DottedLamp {
    let body: JSONValue = [
      "id": 1, "lamp.enabled": true, "@odata.etag": "W/1", "state": ["lamp.color": "red"], "place": ["city": "Oslo"],
    ]
    return try #require(try await DottedLamp.upsert(from: body).object)
  }

  @Test func `both forms of a dotted key are read`() async throws {
    let lamp = try await lamp()
    #expect(lamp.isEnabled == true)
    #expect(lamp.etag == "W/1")
    #expect(lamp.color == "red")
    #expect(lamp.city == "Oslo")
  }

  @Test func `a request has dotted keys as the response has them`() async throws {
    let lamp = try await lamp()
    lamp.isEnabled = false
    lamp.color = "blue"
    lamp.city = "Bergen"
    lamp.note = "n"
    stub.on(.put, "/lamps/1", .status(204))
    try await lamp.put(\.isEnabled, \.etag, \.color, \.city, \.note)
    #expect(
      stub.requests.last?.json == [
        "@odata.etag": "W/1", "lamp.enabled": false, "note.text": "n", "place": ["city": "Bergen"],
        "state": ["lamp.color": "blue"],
      ])
    #expect(lamp.pendingColumns.isEmpty)
    #expect(
      try lamp.jsonObject { [#"a\.b"#: $0.city, "a.c": $0.color] } == ["a": ["c": "blue"], "a.b": "Bergen"])
    #expect(try lamp.jsonObject(depth: 0)["id"] == 1)
    #expect(try lamp.jsonObject(depth: 0).keys.contains("lamp.enabled"))
  }

  @Test func `another form of a dotted key acknowledges nothing`() async throws {
    let lamp = try await lamp()
    lamp.isEnabled = false
    lamp.city = "Bergen"
    stub.on(.put, "/lamps/1", .status(204))
    try await lamp.put { try $0.setJSON(["lamp": ["enabled": false], "place.city": "Bergen"] as JSONValue) }
    #expect(lamp.pendingColumns.names == ["isEnabled", "city"])
    try await lamp.put { try $0.setJSON(["lamp.enabled": false, "place": ["city": "Bergen"]] as JSONValue) }
    #expect(lamp.pendingColumns.isEmpty)
  }

  @Test func `forms have the dotted keys as JSON has them`() async throws {
    let lamp = try await lamp()
    lamp.isEnabled = false
    lamp.city = "Bergen"
    stub.on(.put, "/lamps/1", .status(204))
    try await lamp.put { try $0.setForm(lamp.jsonObject(for: \.isEnabled, \.city)) }
    #expect(
      stub.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
        == "lamp.enabled=false&place%5Bcity%5D=Bergen")
    #expect(lamp.pendingColumns.isEmpty)
  }

  /// A request would have the value in another place than the server reads it.
  @Test func `a key with a dot that the response means in another way is an error`() async throws {
    for (key, type) in [("place.city", "DottedLamp"), ("place.city", "HandDottedLamp")] {
      let body: JSONValue = ["id": 2, "place.city": "Rome"]
      let error = await #expect(throws: (any Error).self) {
        if type == "DottedLamp" {
          _ = try await DottedLamp.upsert(from: body)
        } else {
          _ = try await HandDottedLamp.upsert(from: body)
        }
      }
      let text = "\(error.map { "\($0)" } ?? "")"
      #expect(text.contains(key))
      #expect(text.contains(#"#"place\.city"#))
    }
    // The nested value that is there counts.
    let lamp = try await DottedLamp.upsert(from: ["id": 2, "place.city": "Rome", "place": ["city": "Bern"]]).object
    #expect(lamp?.city == "Bern")
  }

  @Test func `an update by hand reads both forms of a dotted key`() async throws {
    let body: JSONValue = ["id": 1, "lamp.enabled": true, "place": ["city": "Oslo"]]
    let lamp = try #require(try await HandDottedLamp.upsert(from: body).object)
    #expect(lamp.isEnabled == true)
    #expect(lamp.city == "Oslo")
    lamp.isEnabled = false
    stub.on(.patch, "/handlamps/1", .status(204))
    try await lamp.patchPending()
    #expect(stub.requests.last?.json == ["lamp.enabled": false])
    #expect(lamp.pendingColumns.isEmpty)
  }

  @Test func `a uid may have a dot in its key`() async throws {
    let meter = try #require(try await DottedMeter.upsert(from: ["meter.id": 4, "reading": 9]).object)
    #expect(meter.uid == 4)
    #expect(try meter.jsonObject(for: \.uid) == ["meter.id": 4])
  }

  @Test func `a key path of JSON may have a backslash too`() throws {
    let object: JSONObject = ["a.b": 1, "a": ["b": 2, "c.d": 3]]
    #expect(object["a.b"] == 1)
    #expect(object[#"a\.b"#] == 1)
    #expect(object[#"a.c\.d"#] == 3)
    #expect(object[#"a\.c"#] == nil)
    #expect(JSONObject(["a": ["b": 2]])[#"a\.b"#] == nil)
  }
}
