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
@Suite(.client(entities: [Waybill.self, Manifest.self])) struct LookUpPlaceTests {
  private let clock = VirtualClock()

  /// Makes an object, loses the answer to its create, and asks.
  ///
  /// - Returns: The requests, and the items that wait then.
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

  /// - Returns: The error of an outbox for an entity.
  private func refusal(_ type: any OutboxEntity.Type) throws -> RequestError {
    let store = try EntityStore(.inMemory, entities: [type])
    let client = try Client(adapter: StubAdapter(), store: store, baseURL: "https://api.example.com/")
    return try #require(throws: RequestError.self) { try Outbox(client, time: OutboxTime(clock)) }
  }

  @Test func `a template without the property is refused when the outbox is made, and says what to write`() throws {
    let error = try refusal(Docket.self)
    #expect(error.kind == .invalidRoute)
    #expect(
      error.message.contains("'Docket.number'") && error.message.contains("write '{number}'"), "\(error.message)")
  }

  @Test func `a template of another origin is refused when the outbox is made`() throws {
    let error = try refusal(Chit.self)
    #expect(error.kind == .invalidRoute)
    #expect(error.message.contains("another origin"), "\(error.message)")
  }
}
