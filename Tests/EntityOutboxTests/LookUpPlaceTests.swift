import EntityClient
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox

/// The server filters by PostgREST's operators.
@Entity final class Waybill: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String
  var note: String?

  static var basePath: String { "waybills" }
  static var outbox: OutboxRules<Waybill> {
    [.rest, .lookingUp(by: \.number, at: "waybills?number=eq.{number}&select=*")]
  }
}

/// The server filters by an expression.
@Entity final class Manifest: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String

  static var basePath: String { "manifests" }
  static var outbox: OutboxRules<Manifest> {
    [.rest, .lookingUp(by: \.number, at: "Manifests?$filter=Number eq '{number}'")]
  }
}

/// The template names another property.
@Entity final class Docket: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String

  static var basePath: String { "dockets" }
  static var outbox: OutboxRules<Docket> { [.rest, .lookingUp(by: \.number, at: "dockets?number=eq.{code}")] }
}

/// The template leads to another server.
@Entity final class Chit: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: String

  static var basePath: String { "chits" }
  static var outbox: OutboxRules<Chit> {
    [.rest, .lookingUp(by: \.number, at: "https://other.example.com/?n={number}")]
  }
}

/// The URL of the question that follows a lost answer to a create.
@Suite(.client(entities: [Waybill.self, Manifest.self, Docket.self, Chit.self])) struct LookUpPlaceTests {
  private let clock = VirtualClock()

  /// Makes an object, loses the answer to its create, and asks.
  ///
  /// - Returns: What was sent to the server, and what waits then.
  private func lose<E: OutboxEntity>(_ type: E.Type, _ make: @Sendable (E) -> Void) async throws -> (
    urls: [String], items: [OutboxItem]
  ) {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(clock))
    stub.on(.post, "/\(E.basePath)", .failure(.timeout, mayHaveBeenProcessed: true))
    try await client.store.background { context in _ = try context.make(E.self, make) }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    try await outbox.send()
    return (stub.requests.map { "\($0.method) \($0.url.absoluteString)" }, try await outbox.items())
  }

  @Test func `a template places the value, percent-encoded, and keeps its other fields`() async throws {
    try StubAdapter.current.on(.get, "/waybills", .json([["id": 7, "number": "A 1&2,é"]]))
    let (urls, items) = try await lose(Waybill.self) { $0.number = "A 1&2,é" }
    #expect(urls.last == "GET https://api.example.com/waybills?number=eq.A%201%262%2C%C3%A9&select=*")
    #expect(items.isEmpty)
    #expect(try await Client.current.store.read { try $0.fetch(Waybill.all).map(\.uid) } == [7])
  }

  @Test func `a quote in the value is doubled between quotes`() async throws {
    try StubAdapter.current.on(.get, "/Manifests", .json([["id": 8, "number": "O'Neil"]]))
    let (urls, items) = try await lose(Manifest.self) { $0.number = "O'Neil" }
    #expect(urls.last?.hasSuffix("Manifests?%24filter=Number%20eq%20'O%27%27Neil'") == true, "\(urls)")
    #expect(items.isEmpty)
  }

  @Test func `a template without the property holds the create, and says what to write`() async throws {
    let (urls, items) = try await lose(Docket.self) { $0.number = "1" }
    #expect(urls.count == 1)
    #expect(items.map(\.state) == [.unknown])
    let problem = items.first?.problem ?? ""
    #expect(problem.contains("'Docket.number'") && problem.contains("write '{number}'"), "\(problem)")
  }

  @Test func `a template of another origin is not asked`() async throws {
    let (urls, items) = try await lose(Chit.self) { $0.number = "1" }
    #expect(urls.count == 1)
    #expect(items.first?.problem?.contains("another origin") == true)
  }
}
