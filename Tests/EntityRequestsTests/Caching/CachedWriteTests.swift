import EntityClient
import EntityTesting
import Foundation
import Testing

/// Answers that are known, where others change what they are about.
@Suite(.client(entities: readingEntities, routes: [.entity(Reader.self, at: "readers"), .json(at: "readers/#/seen")]))
struct CachedWriteTests {
  private static let fresh: ResponseOptions<Reader> = .cache(.cacheFirst(maxAge: .seconds(36_000)))
  private static let document: [ResponsePart] = [.list(Reader.self, at: "readers")]

  private func requests(_ path: String, _ method: HTTPMethod = .get) throws -> Int {
    try StubAdapter.current.requests.filter { $0.method == method && $0.url.path() == path }.count
  }

  @Test func `an age below zero is never fresh`() async throws {
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1]]))
    for age in [Duration.seconds(-5), .zero] {
      try await Reader.get(options: .cache(.cacheFirst(maxAge: age)))
      try await Reader.get(options: .cache(.staleWhileRevalidate(maxAge: age)))
    }
    #expect(try requests("/readers") >= 2)
  }

  @Test(arguments: [StubAnswer.status(201), .status(204), .json(["id": 9], status: 201), .text("<html>")])
  func `a write by a route ends the answers of its entity`(_ answer: StubAnswer) async throws {
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1]])).on(.post, "/readers", answer)
    try await Reader.get(options: Self.fresh)
    try await Reader.get(options: Self.fresh)
    #expect(try requests("/readers") == 1)
    _ = try? await Client.current.post("readers")
    try await Reader.get(options: Self.fresh)
    #expect(try requests("/readers") == 2)
  }

  @Test func `a write ends the answers whose parts have the entity`() async throws {
    try StubAdapter.current.on(.get, "/start", .json(["readers": [["id": 1]]])).on(.post, "/readers", .status(204))
      .on(.post, "/topics", .status(204))
    let options: ResponseOptions<EntityDocument> = [
      .parts(Self.document), .cache(.cacheFirst(maxAge: .seconds(36_000))),
    ]
    try await EntityDocument.get("start", options: options)
    try await Topic.post { _ in }
    #expect(try await EntityDocument.get("start", options: options).ids(of: Reader.self).count == 1)
    #expect(try requests("/start") == 1, "another entity was written")
    try await Reader.post { _ in }
    try await EntityDocument.get("start", options: options)
    #expect(try requests("/start") == 2)
  }

  @Test func `a request after a write waits for no answer from before the write`() async throws {
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1]]).waiting(for: gate), .json([["id": 1], ["id": 2]]))
      .on(.post, "/readers", .status(204))
    async let before = Reader.get(options: .cache(.networkOnly)).ids.count
    await gate.arrival()
    try await Reader.post { _ in }
    #expect(try await Reader.get(options: .cache(.networkOnly)).ids.count == 2)
    gate.open()
    #expect(try await before == 1)
  }

  @Test func `a response that overwrites edits is asked for whole`() async throws {
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1]], headers: ["ETag": "\"a\""]))
    try await Reader.get(options: .cache(.networkOnly))
    try await Reader.get(options: [.cache(.networkOnly), .localEdits(.overwrite)])
    #expect(try StubAdapter.current.requests.last?.headers["If-None-Match"] == nil)
    try await Reader.get(options: .cache(.networkOnly))
    #expect(try StubAdapter.current.requests.last?.headers["If-None-Match"] == "\"a\"")
  }

  @Test func `an empty answer takes the place of the one before`() async throws {
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1]]), .status(204))
    #expect(try await Reader.get(options: .cache(.networkOnly)).ids.count == 1)
    #expect(try await Reader.get(options: .cache(.networkOnly)).ids.isEmpty)
    let known = try? await Reader.get(options: .cache(.cacheOnly)).ids.count
    #expect(known ?? 0 == 0)
  }

  @Test func `a response that only updates does not count as a known answer`() async throws {
    try StubAdapter.current.on(.get, "/readers", .json([["id": 1, "name": "a"]], headers: ["ETag": "\"a\""]))
    let options: ResponseOptions<Reader> = [.upserting(.updateOnly), .cache(.networkOnly)]
    #expect(try await Reader.get(options: options).ids.isEmpty)
    try await Reader.upsert(from: ["id": 1])
    #expect(try await Reader.get(options: options).ids.count == 1)
    #expect(try StubAdapter.current.requests.last?.headers["If-None-Match"] == nil)
  }

  @Test func `the order of several entities is known`() async throws {
    try StubAdapter.current.on(
      .get, "/feed",
      .json(["all": [["t": "r", "id": 1], ["t": "t", "id": "x"], ["t": "r", "id": 2]]], headers: ["ETag": "\"a\""]),
      .status(304))
    let part = ResponsePart.list(typedBy: "t", ["r": Reader.self, "t": Topic.self], at: "all")
    let options: ResponseOptions<EntityDocument> = [.parts([part]), .cache(.networkOnly)]
    let items = try await EntityDocument.get("feed", options: options).items
    #expect(items.count == 3)
    let again = try await EntityDocument.get("feed", options: options)
    #expect(again.status == 304)
    #expect(again.items == items)
    let known = try await EntityDocument.get("feed", options: [.parts([part]), .cache(.cacheOnly)])
    #expect(known.items == items)
  }
}
