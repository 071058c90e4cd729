import EntityClient
import EntityTesting
import TestSupport
import Testing
import HTTPFoundation

/// JSON of any shape, sets and days, from responses and back into requests.
@Suite(.client(entities: [Freight.self, HandFreight.self], baseURL: "https://api.example.com/"))
@MainActor struct FreeJSONResponseTests {
  private static let body = #"""
    {"id": 1, "extra": { "n": 9223372036854775808, "m": [1.50, 1e400, null, "\u00e9"], "a": {"z": 1, "b": {}} },
     "info": [null], "object": {"k": 1, "k": 2}, "array": [[]], "tags": ["b", "é", "a"],
     "day": "2024-02-29", "first_day": "0001-01-01"}
    """#
  /// The same with keys, elements of sets and whitespace in another order.
  private static let other = #"""
    {"extra":{"a":{"b":{},"z":1},"m":[1.50,1e400,null,"é"],"n":9223372036854775808},"first_day":"0001-01-01",
     "array":[[]],"tags":["a","b","é"],"object":{"k":2},"id":1,"info":[null],"day":"2024-02-29"}
    """#
  private static let sent = #"""
    {"array":[[]],"day":"2024-02-29","extra":{"a":{"b":{},"z":1},"m":[1.50,1e400,null,"é"],"n":9223372036854775808},"first_day":"0001-01-01","info":[null],"object":{"k":2},"tags":["a","b","é"]}
    """#

  private var store: EntityStore { get throws { try Client.current.store } }

  private func receive<E: AnyFreight>(_ type: E.Type, _ body: String) async throws -> EntityResponse<E> {
    try await E.upsert(from: JSONValue(parsing: Data(body.utf8)))
  }

  // MARK: There and back

  @Test func `a response comes and goes as it is`() async throws {
    try await comesAndGoes(Freight.self)
    try await comesAndGoes(HandFreight.self)
  }

  private func comesAndGoes<E: AnyFreight>(_ type: E.Type) async throws {
    let freight = try #require(try await receive(type, Self.body).object)
    #expect(freight.extra?["n"]?.uint64 == 9_223_372_036_854_775_808)
    #expect(freight.extra?["m"]?.array?.compactMap(\.lexeme) == ["1.50", "1e400"])
    #expect(freight.info == [nil])
    #expect(freight.object == ["k": 2])
    #expect(freight.array == [[]])
    #expect(freight.tags == ["a", "b", "é"])
    #expect(freight.day == Date(timeIntervalSince1970: 1_709_164_800))
    #expect(freight.firstDay == Date(timeIntervalSince1970: -62_135_596_800))
    // An equal response writes nothing.
    for body in [Self.body, Self.other] {
      let again = try await receive(type, body)
      #expect(again.counts.unchanged == 1)
      #expect(again.counts.rowsWritten == 0)
    }
    // A number that is written in another way is another text.
    let changed = try await receive(type, #"{"id": 1, "extra": 1.5}"#)
    #expect(changed.counts.updated == 1)
    #expect(try await receive(type, #"{"id": 1, "extra": 1.50}"#).counts.updated == 1)
    _ = try await receive(type, Self.body)
    #expect(
      try String(decoding: freight.jsonObject(for: E.keyPaths).data(format: .compact), as: UTF8.self) == Self.sent)
  }

  @Test func `an edit is sent and acknowledged`() async throws {
    try await sends(Freight.self)
    try await sends(HandFreight.self)
  }

  private func sends<E: AnyFreight>(_ type: E.Type) async throws {
    let freight = try #require(try await receive(type, Self.body).object)
    let edit = try JSONValue(parsing: Data(#"{"y": [1e400, null], "x": 1.0}"#.utf8))
    freight.extra = edit
    freight.tags = ["z", "y"]
    freight.day = freight.day?.addingTimeInterval(86_400)
    try await store.main.save()
    let kept = try await receive(type, Self.body)
    #expect(kept.skipped.of(freight.entityID).first?.properties.sorted() == ["day", "extra", "tags"])
    let body = #"{"day":"2024-03-01","extra":{"x":1.0,"y":[1e400,null]},"tags":["y","z"]}"#
    try StubAdapter.current.on(.put, "/freights/1", .status(204))
    try await freight.sending(.put, E.edited).send()
    #expect(try StubAdapter.current.requests.last?.body == Data(body.utf8))
    #expect(try await store.pending.count() == 0)
    // By a body made by hand too.
    freight.extra = ["k": nil]
    try await store.main.save()
    try await freight.put { try $0.setJSON(["extra": ["k": nil]] as JSONValue) }
    #expect(try await store.pending.count() == 0)
    #expect(freight.extra == ["k": nil])
    try store.main.rollback()
  }

  // MARK: Null, and what is refused

  @Test func `null is nil or refused`() async throws {
    try await null(Freight.self)
    try await null(HandFreight.self)
  }

  private func null<E: AnyFreight>(_ type: E.Type) async throws {
    let freight = try #require(try await receive(type, Self.body).object)
    _ = try await receive(type, #"{"id": 1, "extra": null, "day": null}"#)
    #expect(freight.extra == nil)
    #expect(freight.day == nil)
    #expect(try freight.jsonObject(for: E.keyPaths).value["extra"] == .null)
    for (field, key) in [
      (#""info": null"#, "info"), (#""object": null"#, "object"), (#""array": null"#, "array"),
      (#""tags": null"#, "tags"),
      (#""first_day": null"#, "first_day"), (#""object": []"#, "object"), (#""object": 1"#, "object"),
      (#""array": {}"#, "array"), (#""tags": [1]"#, "tags"), (#""day": "2024-02-29T00:00:00Z""#, "day"),
      (#""day": "2024-02-30""#, "day"), (#""day": 20240229"#, "day"), (#""day": {}"#, "day"),
      (#""first_day": "10000-01-01""#, "first_day"),
    ] {
      let error = try await requestError { try await receive(type, #"{"id": 1, \#(field)}"#) }
      #expect((error.underlying as? MappingError)?.key == key, Comment(rawValue: field))
    }
    #expect(freight.info == [nil])
    #expect(freight.object == ["k": 2])
  }

  @Test func `a day that has no text is not sent`() async throws {
    let freight = try #require(try await receive(Freight.self, Self.body).object)
    freight.day = Date(timeIntervalSince1970: 253_402_300_800)
    let error = #expect(throws: RequestError.self) { try freight.jsonObject(for: \.day) }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("the years 0 to 9999") == true)
    freight.day = Date(timeIntervalSince1970: 1_709_164_800 + 86_399)
    #expect(try freight.jsonObject(for: \.day) == ["day": "2024-02-29"])
  }

  /// A value that the app made may nest deeper than a body.
  @Test func `nesting past the limit of a row is refused`() async throws {
    func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { value, _ in [value] } }
    #expect(try await Freight.upsert(from: ["id": 1, "extra": nested(512)]).counts.inserted == 1)
    let body: JSONValue = ["id": 1, "extra": nested(513)]
    let error = try await requestError { try await Freight.upsert(from: body) }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.property == "extra")
    #expect(mapping.reason == "at most 512 nested arrays and objects were expected")
    let hand = try await requestError { try await HandFreight.upsert(from: body) }
    #expect((hand.underlying as? MappingError)?.reason == mapping.reason)
  }

  @Test func `a JSON object is sent as it is written`() throws {
    var request = URLRequest(url: try #require(URL(string: "https://example.com")))
    let object = try JSONObject(parsing: Data(#"{"b": 1.50, "a": [ ]}"#.utf8))
    try request.setJSON(object)
    #expect(request.httpBody == Data(#"{"b": 1.50, "a": [ ]}"#.utf8))
    try request.setJSON(try #require(object["a"]?.array))
    #expect(request.httpBody == Data("[ ]".utf8))
    struct Body: Encodable { var extra: JSONValue }
    try request.setJSON(Body(extra: object.value))
    #expect(request.httpBody == Data(#"{"extra":{"a":[],"b":1.50}}"#.utf8))
  }

  @Test func `random responses write once`() async throws {
    await Seeds.each(15, sanitized: 2, "freights") { seed, _ in
      var random = SeededRandom(seed)
      for _ in 0..<10 {
        let value = try JSONValue(parsing: Data(RandomJSON.text(&random).utf8))
        let body = JSONObject(["id": 1, "extra": value]).value
        _ = try await Freight.upsert(from: body)
        let again = try await Freight.upsert(
          from: ["id": 1, "extra": JSONValue(parsing: value.data(format: .pretty))])
        try #require(again.counts.rowsWritten == 0)
        let freight = try #require(try again.object)
        try #require(freight.extra ?? .null == value)
        try #require(try freight.jsonObject(for: \.extra)["extra"]?.sortedText == value.sortedText)
      }
    }
  }
}
