import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// JSON whose lists of one are their element, as they are in XML.
private struct OneIsOneFormat: ResponseFormat {
  let name = "one"
  let isTyped = false

  func reads(_ contentType: ContentType) -> Bool { contentType.mediaType == "text/one" }

  func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
    try JSONValue(parsing: body, limits: limits)
  }
}

@Entity final class Placard: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var size: Int
  var rank: Int?

  static var basePath: String { "placards" }
  static var envelope: Envelope? { Envelope(list: "placards.placard", item: "placard") }
  static var origins: [ValueOrigin<Placard>] { [.position(\.rank)] }
}

/// Lists of one in a format that does not tell them from their element.
@Suite struct UntypedListTests {
  private func get(_ body: String, _ options: ResponseOptions<Placard> = []) async throws -> (
    EntityResponse<Placard>, [String]
  ) {
    let store = try EntityStore(.inMemory, entities: [Placard.self], busyTimeout: .seconds(60))
    let stub = StubAdapter()
    stub.on(
      .get, "/placards",
      .respond { HTTPResponse(status: 200, headers: ["Content-Type": "text/one"], url: $0.url, body: Data(body.utf8)) })
    let client = try Client(
      adapter: stub, store: store, baseURL: "https://api.example.com/", formats: [OneIsOneFormat()])
    let response = try await Client.withClient(client) { try await Placard.get(options: options) }
    let lines = try await store.read { context in
      try context.fetch(Placard.self).map { "\($0.uid) \($0.text ?? "-") \($0.rank.map { "\($0)" } ?? "-")" }
    }
    return (response, lines)
  }

  @Test func `under the envelope of lists, one element is a list of one`() async throws {
    #expect(try await get(#"{"placards": {"placard": {"id": "1", "text": "a"}}}"#).1 == ["1 a 0"])
    let (response, lines) = try await get(#"{"placards": {"placard": {"id": "1", "size": "?"}}}"#, .skipping)
    #expect(lines == [])
    #expect(response.refused.map(\.position) == [0])
    #expect(try await get(#"{"placards": ""}"#).1 == [])
    // The element of a single object has one.
    #expect(try await get(#"{"placard": {"id": "1", "text": "a"}}"#).1 == ["1 a -"])
    await #expect(throws: RequestError.self) { try await get(#"{"placard": {"id": "1", "size": "?"}}"#, .skipping) }
  }

  /// One key path for both says nothing, unless the request wants a list.
  @Test func `under one envelope for both, an element is an object`() async throws {
    let body = #"{"placards": {"placard": {"id": "1", "text": "a"}}}"#
    #expect(try await get(body, .envelope("placards.placard")).1 == ["1 a -"])
    let list: ResponseOptions<Placard> = [.envelope("placards.placard"), .deleteMissing(in: Placard.all)]
    #expect(try await get(body, list).1 == ["1 a 0"])
  }
}
