import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@Suite(.sample(envelope: "data")) struct EnvelopeTests {
  private func get(
    _ body: JSONValue, options: ResponseOptions<User> = []
  ) async throws -> EntityResponse<User> {
    try StubAdapter.current.on(.get, "/users", .json(body))
    return try await User.get(options: options)
  }

  @Test func theClientsIsTaken() async throws {
    let response = try await get(["data": [["id": 1], ["id": 2]], "total": 2])
    #expect(response.ids.count == 2)
    #expect(response.value?["total"]?.int64 == 2)
    #expect(try await get(["data": ["id": 3]]).ids.count == 1)
  }

  @Test func theNearestWins() async throws {
    #expect(try await get(["data": [], "a": ["b": [["id": 1]]]], options: .envelope("a.b")).ids.count == 1)
    #expect(try await get(["id": 5, "data": []], options: .envelope("")).ids.count == 1)
    try StubAdapter.current.on(.get, "/wrapped", .json(["data": [["id": 9]], "wrapped": [["id": 1], ["id": 2]]]))
    let client = try Client.current
    let store = try EntityStore(.inMemory, entities: [Wrapped.self])
    #expect(try await Wrapped.get(in: store).ids.count == 2)
    #expect(try await Wrapped.get(in: store, options: .envelope("data")).ids.count == 1)
    #expect(client.envelope == "data")
  }

  @Test func anArrayAtTheTopHasNone() async throws {
    #expect(try await get([["id": 1]]).ids.count == 1)
  }

  @Test(
    arguments: [
      ["items": []], ["data": nil], ["data": 5], ["data": "x"], [:],
    ] as [JSONValue])
  func aMissingKeyIsAnError(_ body: JSONValue) async throws {
    let error = try await requestError { try await get(body) }
    #expect(error.kind == .envelope)
    #expect(error.description.contains("'data'"))
    #expect(error.response?.status == 200)
    #expect(error.body == body)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
  }

  @Test func nothingIsDeletedWhenItIsMissing() async throws {
    _ = try await get(["data": [["id": 1]]])
    try StubAdapter.current.on(.get, "/users", .json(["data": nil]))
    _ = try await requestError { try await User.get(options: .deleteMissing(in: User.all)) }
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
  }
}

@Entity final class Wrapped: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "wrapped" }
  static var envelope: String? { "wrapped" }
}
