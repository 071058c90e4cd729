import EntityClient
import TestSupport
import Testing
import HTTPFoundation

/// Random lists in random pieces: what the store has in the end is what it has of the same list as a whole.
@Suite(.untilItHangs)
struct RandomizedStreamTests {
  @Test func `a streamed list ends as the same list taken as a whole`() async {
    await Seeds.each(60, sanitized: 10, "streams") { seed, steps in
      var random = SeededRandom(seed)
      let (whole, streamed) = (try Self.store(), try Self.store())
      for _ in 0..<3 {
        let list = Self.list(&random)
        let options: ResponseOptions<Rider> = [
          .envelope("data.riders"), random.chance(2) ? .skipping : .failing,
          random.chance(3) ? .deleteMissing(in: Rider.all) : .missing(.keep),
        ]
        let isAtomic = random.chance(3)
        let size = 1 + random.below(40)
        let adapter = Pieces(Data(list.text.utf8), brokenAt: nil, &random)
        steps += "\(isAtomic ? "atomic" : "groups of \(size)"): \(list.text.prefix(4_000))\n"
        let expected = await Self.outcome(adapter) { try await Rider.get(in: whole, options: options).counts }
        let found = await Self.outcome(adapter) {
          let streaming = isAtomic ? Streaming.atomically : .groups(of: size)
          return try await Rider.get(streaming: streaming, in: streamed, options: options).counts
        }
        switch (expected, found) {
        case (.success(let expected), .success(let found)):
          if isAtomic { try Self.require(expected == found, "\(expected), and streamed \(found)") }
          try Self.require(expected.deleted == found.deleted, "\(found.deleted) deleted")
          try Self.require(expected.refused == found.refused, "\(found.refused) refused")
          try await Self.require(Self.rows(whole) == Self.rows(streamed), "other rows")
        case (.failure(let expected), .failure(let found)):
          let places = [expected, found].map { ($0.underlying as? MappingError)?.position }
          try Self.require(places[0] == places[1], "positions \(places)")
          guard !isAtomic else { continue }
          let committed = found.committed?.elements ?? 0
          try Self.require(committed == places[1].map { $0 / size * size }, "\(committed) are committed")
          // From here on the stores differ.
          return
        default: try Self.require(false, "\(expected), and streamed \(found)")
        }
      }
    }
  }

  /// The body ends somewhere, also in the middle of an element or of a character.
  @Test func `a list that breaks off keeps whole groups`() async {
    await Seeds.each(60, sanitized: 10, "breaks") { seed, steps in
      var random = SeededRandom(seed)
      let store = try Self.store()
      let text = Data("[\((0..<60).map { #"{"id": \#($0), "name": "ä\#($0)"}"# }.joined(separator: " , "))]".utf8)
      let end = random.below(text.count)
      let size = 1 + random.below(20)
      steps += "\(end) of \(text.count) bytes, groups of \(size)"
      let adapter = Pieces(text, brokenAt: end, &random)
      let outcome = await Self.outcome(adapter) {
        try await Rider.get(streaming: .groups(of: size), in: store).counts
      }
      guard case .failure(let error) = outcome else { throw Failure(description: "It ended well.") }
      try Self.require(error.kind == .transport, "\(error.kind)")
      let whole = String(decoding: text.prefix(end), as: UTF8.self).filter { $0 == "}" }.count
      let count = try await store.read { try $0.count(Rider.all) }
      try Self.require(count == error.committed?.elements ?? 0, "\(count) are there, \(error)")
      // The pieces before the fault were handed out, but for those of the same piece.
      try Self.require(count % size == 0 && count <= whole, "\(count) are there, and \(whole) came")
    }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Failure(description: message()) }
  }

  private static func store() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Rider.self, Line.self])
  }

  private static func rows(_ store: EntityStore) async throws -> [String] {
    try await store.read { context in
      let riders = try context.fetch(Rider.all.sorted { $0.uid }).map {
        "\($0.uid) \($0.name) \($0.line?.uid ?? -1) \($0.rank ?? -1)"
      }
      return riders + (try context.fetch(Line.all.sorted { $0.uid }).map { "\($0.uid) \($0.title ?? "-")" })
    }
  }

  private static func outcome(
    _ adapter: Pieces, _ get: @Sendable () async throws -> EntityCounts
  ) async -> Result<EntityCounts, RequestError> {
    do {
      let client = try Client(adapter: adapter, baseURL: "https://example.com/")
      return .success(try await Client.withClient(client) { try await get() })
    } catch let error as RequestError {
      return .failure(error)
    } catch {
      return .failure(RequestError(.transport, "\(error)", underlying: error))
    }
  }

  /// Objects that come again, nest others, or can't be read.
  private static func list(_ random: inout SeededRandom) -> (text: String, count: Int) {
    let count = random.below(120)
    let elements = (0..<count).map { _ -> String in
      let id = random.below(150)
      var fields = [#""id": \#(id)"#, #""name": "\#(random.chance(20) ? "\\u00e9" : "n")\#(random.below(9))""#]
      if random.chance(4) { fields.append(#""line": {"id": \#(random.below(9)), "title": "t\#(random.below(3))"}"#) }
      if random.chance(4) { fields.append(#""line": \#(random.chance(2) ? "null" : "\(random.below(9))")"#) }
      if random.chance(150) { fields[1] = #""name": null"# }
      if random.chance(10) { fields.append(#""text": "\#(String(repeating: "x", count: random.below(3_000)))""#) }
      return "{\(fields.joined(separator: ", "))}"
    }
    let blank = random.chance(3) ? "\n \t" : ""
    let text =
      #"\#(blank){"meta": [1, {"riders": 2}], "data": {"n": \#(count), "riders": \#(blank)["#
      + elements.joined(separator: ",\(blank)")
      + #"]\#(blank), "end": "\#(String(repeating: "y", count: random.below(99)))"}}"#
    return (text, count)
  }

  /// Gives the same body in the same pieces each time, or the beginning of it.
  private struct Pieces: RequestAdapter {
    let body: Data
    let cuts: [Int]
    let isBroken: Bool

    init(_ body: Data, brokenAt end: Int?, _ random: inout SeededRandom) {
      self.body = end.map { body.prefix($0) } ?? body
      isBroken = end != nil
      let count = self.body.count
      cuts = (0..<random.below(30)).map { _ in random.below(count) }.sorted() + [count]
    }

    @concurrent func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse {
      HTTPResponse(status: 200, url: request.url, body: self.body)
    }

    @concurrent func stream(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> StreamedHTTPResponse {
      let place = Log<Int>()
      return StreamedHTTPResponse(status: 200, headers: [:], url: request.url) {
        let number = place.all.count
        place.add(number)
        guard number < cuts.count else {
          if isBroken { throw TransportError(.connection, "It broke off.", mayHaveBeenProcessed: true) }
          return nil
        }
        return self.body[(number == 0 ? 0 : cuts[number - 1])..<cuts[number]]
      }
    }
  }
}
