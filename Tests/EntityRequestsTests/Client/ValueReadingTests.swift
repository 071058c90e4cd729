import EntityClient
import EntityTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// How bodies become values, where values stand in them, and what errors say.
@Suite(.client(headers: ["Authorization": "Bearer hidden"])) struct ValueReadingTests {
  private func get<V: Decodable & Sendable>(
    _ answer: StubAnswer, _ type: V.Type, _ options: ValueOptions = [], envelope: Envelope? = nil,
    decoder: JSONValueDecoder = JSONValueDecoder()
  ) async throws -> V {
    let stub = StubAdapter().on(.get, "/a", answer)
    let client = try Client(
      adapter: stub, baseURL: "https://api.example.com/", envelope: envelope, decoder: decoder)
    return try await client.get("a", as: type, options: options).value
  }

  private func error<V: Decodable & Sendable>(
    _ answer: StubAnswer, _ type: V.Type, _ options: ValueOptions = [], envelope: Envelope? = nil
  ) async throws -> RequestError {
    let error = try await requestError { try await get(answer, type, options, envelope: envelope) }
    #expect(error.method == .get)
    #expect(error.url?.path() == "/a")
    #expect(error.response?.status == 200)
    #expect(!error.description.contains("hidden"), "\(error)")
    return error
  }

  // MARK: Envelopes

  @Test func `the request's envelope comes before the client's`() async throws {
    let body: JSONValue = ["data": ["name": "Ada"], "model": ["name": "Alan"], "name": "Grace"]
    #expect(try await get(.json(body), Person.self, envelope: "data").name == "Ada")
    #expect(try await get(.json(body), Person.self, .envelope("model"), envelope: "data").name == "Alan")
    #expect(
      try await get(.json(body), Person.self, [.envelope("model"), .envelope("")], envelope: "data").name == "Grace")
    #expect(try await get(.json(["a": ["b": body]]), Person.self, .envelope("a.b.data")).name == "Ada")
    #expect(try await error(.json([["name": "hidden"]]), [Person].self, envelope: "data").kind == .envelope)
    #expect(try await get(.json([["name": "Ada"]]), [Person].self, envelope: Envelope("data").ifPresent()).count == 1)
  }

  @Test func `an absent envelope is reported to an optional too`() async throws {
    let error = try await error(.json(["name": "hidden"]), Person.self, envelope: "data")
    #expect(error.kind == .envelope)
    #expect(error.description.contains("'data'"))
    #expect(try await requestError { try await get(.json(5), Int.self, envelope: "data") }.kind == .envelope)
    // `{}` to a request for something optional may be an answer of another kind: it is no "nothing".
    #expect(try await self.error(.json([:]), Person?.self, envelope: "data").kind == .envelope)
    #expect(try await get(.json(["data": nil]), Person?.self, envelope: "data") == nil)
    #expect(try await self.error(.json(["data": nil]), Person.self, envelope: "data").kind == .mapping)
  }

  @Test func `without a type the client's envelope stays closed`() async throws {
    let stub = StubAdapter().on(.get, "/a", .json(["data": ["name": "Ada"]]))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/", envelope: "data")
    #expect(try await client.get("a").value(as: JSONValue.self) == ["data": ["name": "Ada"]])
    #expect(try await client.get("a", options: .envelope("data.name")).value(as: JSONValue.self) == "Ada")
    #expect(try await requestError { try await client.get("a", options: .envelope("none")) }.kind == .envelope)
  }

  // MARK: Values

  @Test func `a body that is a scalar is a value for a type that takes it`() async throws {
    #expect(try await get(.json(5), Int.self) == 5)
    #expect(try await get(.json("x"), String.self) == "x")
    #expect(try await get(.json(nil), Int?.self) == nil)
    #expect(try await get(.json(nil), JSONValue.self).isNull)
    #expect(try await error(.json(nil), Person.self).kind == .mapping)
    #expect(try await error(.json(5), Person.self).kind == .mapping)
    #expect(try await error(.json([]), Person.self).kind == .mapping)
  }

  @Test func `the client's decoder reads, and the request's decoder comes before it`() async throws {
    var snakes = JSONValueDecoder()
    snakes.keyDecodingStrategy = .convertFromSnakeCase
    let body: JSONValue = ["total": 2, "next_page": 3]
    #expect(try await get(.json(body), Paging.self, decoder: snakes) == Paging(total: 2, nextPage: 3))
    #expect(try await get(.json(body), Paging.self) == Paging(total: 2))
    #expect(try await get(.json(body), Paging.self, .decoder(snakes)) == Paging(total: 2, nextPage: 3))
    #expect(try await get(.json(body), Paging.self, .decoder(JSONValueDecoder()), decoder: snakes) == Paging(total: 2))
  }

  // MARK: Errors

  struct Place: Decodable { var people: [Person] }

  @Test(
    arguments: [
      (["people": [["name": "a"], ["age": 5]]], "'people[1].name' is missing"),
      (["people": [["name": "a", "age": "hidden"]]], "'people[0].age' is not of type 'Int'"),
      (["people": [["name": nil]]], "'people[0].name' has no value"),
      (["people": [["name": "a", "age": 1e30]]], "'people[0].age' has a value that does not fit"),
      ("hidden", "the whole value is not of type"),
    ] as [(JSONValue, String)])
  func `an error names the place and no value`(_ body: JSONValue, _ text: String) async throws {
    let error = try await error(.json(body), Place.self)
    #expect(error.kind == .mapping)
    #expect(error.description.contains("The body can't be read as 'Place': "), "\(error)")
    #expect(error.description.contains(text), "\(error)")
    #expect(error.underlying is DecodingError)
    #expect(error.body == body, "the body stays reachable")
  }

  @Test func `the keys of a dictionary are values of the body`() async throws {
    let body: JSONValue = ["hidden@example.com": ["1234567": "x"]]
    let error = try await error(.json(body), [String: [Int: Int]].self)
    #expect(error.description.contains("'….…' is not of type 'Int'"), "\(error)")
    #expect(!error.description.contains("1234567"))
    #expect(!"\(error)".contains("hidden"))
  }

  /// Keys of a type's own that it takes from the body.
  @Test func `keys that a type makes of the body are not shown`() async throws {
    enum Key: CodingKey {
      case any(String)
      var stringValue: String {
        switch self {
        case .any(let text): text
        }
      }
      var intValue: Int? { nil }
      init?(stringValue: String) { self = .any(stringValue) }
      init?(intValue: Int) { return nil }
    }
    struct Loose: Decodable, Sendable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for key in container.allKeys { _ = try container.decode(Int.self, forKey: key) }
      }
    }
    let error = try await error(.json(["hidden": "x"]), Loose.self)
    #expect(error.description.contains("'…' is not of type 'Int'"), "\(error)")
  }

  @Test func `an error of the type's own is named by its type alone`() async throws {
    struct Odd: Decodable, Sendable {
      struct Fault: Error { var text = "hidden" }
      init(from decoder: any Decoder) throws { throw Fault() }
    }
    let error = try await error(.json([:]), Odd.self)
    #expect(error.kind == .mapping)
    #expect(error.underlying is Odd.Fault)
    #expect(error.description.contains("Fault"))
  }

  @Test(arguments: ["<html>hidden</html>", "{\"name\": \"hidden\"", "\u{FEFF}{}"])
  func `a body that is no JSON is an error`(_ text: String) async throws {
    for error in [try await error(.text(text), Person.self), try await error(.text(text), Person?.self)] {
      #expect(error.kind == .parsing)
      #expect(error.underlying is JSONError)
      #expect(error.response?.body == Data(text.utf8))
    }
  }

  // MARK: Hostile bodies

  @Test func `the limits hold for values`() async throws {
    let deep = StubAnswer.text(String(repeating: "[", count: 600) + String(repeating: "]", count: 600))
    let body = StubAnswer.json([["name": "Ada"], ["name": "Alan"]])
    #expect(try await error(deep, JSONValue.self).kind == .parsing)
    #expect(try await error(deep, JSONValue.self, .limits(JSONLimits(depth: .max))).kind == .parsing)
    for limits in [JSONLimits(depth: 1), JSONLimits(bytes: 20), JSONLimits(nodes: 4)] {
      let error = try await error(body, [Person].self, .limits(limits))
      #expect(error.kind == .parsing)
      #expect(error.body == nil, "the body of the error is read under the limits too")
    }
    #expect(try await get(body, [Person].self, .limits(JSONLimits(depth: 2, nodes: 5))).count == 2)
    let twice = StubAnswer.text(#"{"name": "a", "name": "hidden"}"#)
    #expect(try await error(twice, Person.self, .limits(JSONLimits(duplicateKeys: .refused))).kind == .parsing)
  }

  /// Types that hold themselves are decoded by recursion.
  @Test func `depth within the limit is an error and no crash`() async throws {
    indirect enum Nest: Decodable, Sendable {
      case nest([Nest])
      init(from decoder: any Decoder) throws { self = .nest(try decoder.singleValueContainer().decode([Nest].self)) }
    }
    let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    _ = try? await get(.text(text), Nest.self)
  }

  // MARK: Around it

  @Test @MainActor func `the value is read apart from the caller`() async throws {
    struct Placed: Decodable, Sendable {
      var isOnMain: Bool
      init(from decoder: any Decoder) { isOnMain = Place.isMain }
    }
    enum Place {
      static let key = DispatchSpecificKey<Bool>()
      static var isMain: Bool { DispatchQueue.getSpecific(key: key) == true }
    }
    DispatchQueue.main.setSpecific(key: Place.key, value: true)
    #expect(Place.isMain)
    #expect(try await get(.json([:]), Placed.self).isOnMain == false)
    #expect(Place.isMain)
  }

  @Test func `a cancelled task sends nothing`() async throws {
    let client = try Client.current
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: CancellationError.self) { try await client.get("a", as: Person.self) }
      await #expect(throws: CancellationError.self) { try await client.get("a") }
    }
    await task.value
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `a response that comes after the cancellation is not read`() async throws {
    struct Counted: Decodable, Sendable {
      static let count = Atomic(0)
      init(from decoder: any Decoder) { Self.count.add(1, ordering: .relaxed) }
    }
    let gate = StubGate()
    let answer = StubAnswer.respond { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return HTTPResponse(status: 200, body: Data("{}".utf8))
    }
    try StubAdapter.current.on(.get, "/a", answer.waiting(for: gate))
    let client = try Client.current
    let task = Task { try await client.get("a", as: Counted.self) }
    await gate.arrival()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(Counted.count.load(ordering: .relaxed) == 0)
  }

  // Case 30, the half of the success.
  @Test func `progress grows to one`() async throws {
    try StubAdapter.current.on(.get, "/a", .json(["name": "Ada"]).chunked(4))
    let recorder = Recorder<RequestProgress>()
    let value = try await Client.current.get("a", as: Person.self, progress: { recorder.add($0) }).value
    #expect(value.name == "Ada")
    let fractions = recorder.all.map(\.fraction)
    #expect(fractions.count == 5)
    #expect(fractions.last == 1)
    #expect(fractions == fractions.sorted())
  }
}
