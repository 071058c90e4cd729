import Adapters
import EntityClient
import Testing
import HTTPFoundation

@Entity final class Rider: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var line: Line?
  var rank: Int?

  static var basePath: String { "riders" }
  static var origins: [ValueOrigin<Rider>] { [.position(\.rank)] }
}

@Entity final class Line: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?

  static var basePath: String { "lines" }
}

/// Its objects are updated by hand.
@Entity final class Depot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var place: Int?
  var hasRoot: Bool?

  static var basePath: String { "depots" }

  nonisolated func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    place = response.context.position
    hasRoot = response.context.root != nil
  }
}

@Entity final class Region: RemoteEntity {
  @UID @Key("id") var uid: Int
  var zone: String?

  static var basePath: String { "regions" }
  static var origins: [ValueOrigin<Region>] { [.root("zone", \.zone)] }
}

/// The values beside the objects of a streamed list, and around them.
@Suite(.untilItHangs)
struct StreamedPartTests {
  private let store: EntityStore

  init() throws { store = try EntityStore(.inMemory, entities: [Rider.self, Line.self, Depot.self, Region.self]) }

  private func client(
    _ text: String, headers: HTTPHeaders = [:], formats: [any ResponseFormat] = [],
    _ adapter: (any RequestAdapter)? = nil
  ) throws -> Client {
    try Client(
      adapter: adapter ?? Whole(text: text, headers: headers), store: store, baseURL: "https://example.com/",
      formats: formats)
  }

  /// An adapter that does not stream.
  private struct Whole: RequestAdapter {
    let text: String
    let headers: HTTPHeaders

    @concurrent func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse {
      HTTPResponse(status: 200, headers: headers, url: request.url, body: Data(text.utf8))
    }
  }

  private static func riders(_ count: Int) -> String {
    (0..<count).map { #"{"id": \#($0), "name": "r\#($0)", "line": \#($0 % 7)}"# }.joined(separator: ",")
  }

  /// Lines 0 to 6 are named by riders of the groups, 5 and 6 by none of the last group, and 7 by nobody.
  @Test(arguments: [false, true])
  func `a part is taken in with the last group and deletes the objects that no group has`(_ isAtomic: Bool) async throws
  {
    let streaming = isAtomic ? Streaming.atomically : .groups(of: 10)
    _ = try await Line.upsert(from: Data(#"[{"id": 5}, {"id": 6}, {"id": 7}, {"id": 8}]"#.utf8), in: store)
    let client = try client(
      #"{"lines": [{"id": 1, "title": "one"}, {"id": 8}], "riders": [\#(Self.riders(31))]}"#)
    let response = try await Client.withClient(client) {
      try await Rider.get(
        streaming: streaming,
        options: [.envelope("riders"), .parts([.list(Line.self, at: "lines", missing: .deleteMissing(in: Line.all))])])
    }
    #expect(response.counts.inserted == 31)
    #expect(response.committed.groups == (isAtomic ? 1 : 4))
    #expect(response.counts(of: Line.self).deleted == 1)
    let lines = try await store.read { try $0.fetch(Line.all.sorted { $0.uid }).map(\.uid) }
    #expect(lines == [1, 5, 6, 8])
    // The position is that in the whole list.
    let ranks = try await store.read { try $0.fetch(Rider.all.sorted { $0.uid }).map(\.rank) }
    #expect(ranks == Array(0..<31))
  }

  @Test func `a part that contains the streamed list is refused`() async throws {
    let client = try client(#"{"data": {"riders": [\#(Self.riders(3))], "id": 1}}"#)
    await Client.withClient(client) {
      for keyPath in ["data", "data.riders", ""] {
        let error = await #expect(throws: RequestError.self) {
          try await Rider.get(
            streaming: .groups(of: 1),
            options: [.envelope("data.riders"), .parts([.object(Line.self, at: keyPath)])])
        }
        #expect(error?.kind == .envelope)
      }
    }
    #expect(try await store.read { try $0.count(Rider.all) } == 0)
  }

  @Test func `objects that update by hand are streamed`() async throws {
    let text = (0..<50).map { #"{"id": \#($0), "name": "d\#($0)"}"# }.joined(separator: ",")
    let client = try client("[\(text)]")
    for streaming in [Streaming.groups(of: 7), .atomically] {
      let response = try await Client.withClient(client) { try await Depot.get(streaming: streaming) }
      #expect(response.committed.elements == 50)
    }
    let depots = try await store.read { context in
      try context.fetch(Depot.all.sorted { $0.uid }).map { ($0.place, $0.hasRoot) }
    }
    #expect(depots.map(\.0) == Array(0..<50))
    #expect(depots.allSatisfy { $0.1 == false })
  }

  @Test func `a property that is filled from the whole body is an error`() async throws {
    let client = try client(#"{"zone": "a", "regions": [{"id": 1}]}"#)
    try await Client.withClient(client) {
      let error = await #expect(throws: RequestError.self) {
        try await Region.get(streaming: .groups(), options: .envelope("regions"))
      }
      #expect((error?.underlying as? MappingError)?.property == "zone")
      _ = try await Region.get(options: .envelope("regions"))
    }
  }

  /// A line for each object: `1=a`.
  private struct LinesFormat: ResponseFormat {
    let name = "lines"
    func reads(_ contentType: ContentType) -> Bool { contentType.mediaType == "text/lines" }
    func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
      JSONValue(
        String(decoding: body, as: UTF8.self).split(separator: "\n").map { line in
          let parts = line.split(separator: "=")
          return ["id": JSONValue(Int(parts[0]) ?? 0), "name": JSONValue(String(parts[1]))]
        })
    }
  }

  @Test func `a body of another format is taken as a whole`() async throws {
    let client = try client("1=a\n2=b", headers: ["Content-Type": "text/lines"], formats: [LinesFormat()])
    let response = try await Client.withClient(client) { try await Rider.get(streaming: .groups(of: 1)) }
    #expect(response.counts.inserted == 2)
    #expect(response.committed.groups == 1)
  }

  @Test func `progress is of the transfer and ends once`() async throws {
    let fractions = Log<Double>()
    let server = try TestServer.giving("[" + Stops.json(0..<2_000) + "]")
    let place = try StopPlace(server)
    defer { place.end() }
    try await Client.withClient(place.client) {
      _ = try await Stop.get(streaming: .groups(of: 100), progress: { fractions.add($0.fraction) })
    }
    #expect(fractions.all == fractions.all.sorted())
    #expect(fractions.all.filter { $0 == 1 }.count == 1)
    #expect(fractions.all.last == 1)
  }
}
