import EntityClient
import EntityTesting
import Foundation
import Testing

private struct Limit: Decodable, Sendable, Equatable { let seconds: Int }
private struct Complaint: Decodable, Sendable, Equatable { let text: String }
private struct Fault: Error {}

/// Error models by route.
struct ErrorRouteTests {
  private let routes: [Route] = [
    .error(Limit.self, under: "limit", at: "**", status: 429),
    .error(Complaint.self, at: "readers/**"),
    .error(Complaint.self, at: "readers"),
    .error(at: "hits") { $0.json?["text"] == nil ? nil : ErrorModel(Complaint.self) },
    .error(at: "faulty") { _ in throw Fault() },
  ]

  private func client(_ path: String, _ answer: StubAnswer, model: ErrorModel? = nil) throws -> Client {
    let stub = StubAdapter()
    for method in [HTTPMethod.get, .post, .delete] { stub.on(method, "/\(path)", answer) }
    return try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: readingEntities), baseURL: "https://api.example.com/",
      errorModel: model, routes: routes)
  }

  // Cases 22, 24 and 32 of the ancestors.
  @Test func `each verb has the model of the route`() async throws {
    let client = try client("readers", .json(["text": "no"], status: 401))
    let expected = Complaint(text: "no")
    #expect(try await requestError { try await client.get("readers") }.model() == expected)
    #expect(try await requestError { try await client.get("readers", as: Limit.self) }.model() == expected)
    #expect(try await requestError { try await client.send(client.request(.get, "readers")) }.model() == expected)
    try await Client.withClient(client) { () async throws in
      #expect(try await requestError { try await Reader.get() }.model() == expected)
      #expect(try await requestError { try await Reader.post { _ in } }.model() == expected)
      #expect(try await requestError { try await Reader.pages(by: .link).all() }.model() == expected)
    }
    #expect(try await client.store.read { try $0.count() } == 0)
  }

  @Test func `the status decides`() async throws {
    let client = try client("readers", .json(["limit": ["seconds": 9], "text": "slow"], status: 429))
    let error = try await requestError { try await client.get("readers") }
    #expect(error.model(as: Complaint.self) == Complaint(text: "slow"), "the path comes before the status")
    let other = try self.client("hits/1", .json(["limit": ["seconds": 9]], status: 429))
    #expect(try await requestError { try await other.get("hits/1") }.model() == Limit(seconds: 9))
  }

  @Test func `the request's own error model comes first and the client's last`() async throws {
    let client = try client("readers", .json(["text": "no", "seconds": 3], status: 401), model: ErrorModel(Limit.self))
    let own = try await requestError { try await client.get("readers", options: .errorModel(Limit.self)) }
    #expect(own.model() == Limit(seconds: 3))
    #expect(try await requestError { try await client.get("readers") }.model() == Complaint(text: "no"))
    let other = try self.client("else", .json(["seconds": 4], status: 401), model: ErrorModel(Limit.self))
    #expect(try await requestError { try await other.get("else") }.model() == Limit(seconds: 4))
  }

  @Test func `the body may decide on the error model`() async throws {
    #expect(
      try await requestError { try await client("hits", .json(["text": "a"], status: 400)).get("hits") }.model()
        == Complaint(text: "a"))
    let error = try await requestError { try await client("hits", .json(["x": 1], status: 400)).get("hits") }
    #expect(error.kind == .status)
    #expect(error.model == nil)
    #expect(error.underlying == nil)
  }

  // D4.
  @Test func `an error model that fails does not mask the status`() async throws {
    for answer in [StubAnswer.text("<html>", status: 500), .json(["other": 1], status: 500)] {
      let error = try await requestError { try await client("readers", answer).get("readers") }
      #expect(error.kind == .status)
      #expect(error.status == 500)
      #expect(error.model == nil)
      #expect(error.underlying != nil)
    }
    let error = try await requestError { try await client("faulty", .json(["x": 1], status: 500)).get("faulty") }
    #expect(error.status == 500)
    #expect(error.underlying is Fault)
    let empty = try await requestError { try await client("readers", .status(500)).get("readers") }
    #expect(empty.status == 500)
    #expect(empty.underlying == nil)
  }
}
