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

  @Test func `the client's envelope is taken`() async throws {
    let response = try await get(["data": [["id": 1], ["id": 2]], "total": 2])
    #expect(response.ids.count == 2)
    #expect(response.value?["total"]?.int64 == 2)
    #expect(try await get(["data": ["id": 3]]).ids.count == 1)
  }

  @Test func `the nearest envelope wins`() async throws {
    #expect(try await get(["data": [], "a": ["b": [["id": 1]]]], options: .envelope("a.b")).ids.count == 1)
    #expect(try await get(["id": 5, "data": []], options: .envelope("")).ids.count == 1)
    try StubAdapter.current.on(.get, "/wrapped", .json(["data": [["id": 9]], "wrapped": [["id": 1], ["id": 2]]]))
    let client = try Client.current
    let store = try EntityStore(.inMemory, entities: [Wrapped.self])
    #expect(try await Wrapped.get(in: store).ids.count == 2)
    #expect(try await Wrapped.get(in: store, options: .envelope("data")).ids.count == 1)
    #expect(client.envelope == "data")
  }

  /// An error, or another list, would else pass for the list; with an empty one all rows would go.
  @Test(arguments: [[["id": 1]], []] as [JSONValue]) func `an array at the top is an error where a key is declared`(
    _ body: JSONValue
  ) async throws {
    try await User.upsert(from: ["data": ["id": 9]], in: Client.current.store)
    for options: ResponseOptions<User> in [
      [], .deleteMissing(in: User.all), .envelope(Envelope(list: "data", item: "x")),
    ] {
      let error = try await requestError { try await get(body, options: options) }
      #expect(error.kind == .envelope)
      #expect(error.description.contains("ifPresent()"))
    }
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
    let optional: ResponseOptions<User> = [.envelope(Envelope("data").ifPresent()), .deleteMissing(in: User.all)]
    #expect(try await get(body, options: optional).counts.deleted == 1)
  }

  @Test(
    arguments: [
      ["items": []], ["data": nil], ["data": 5], ["data": "x"], [:],
    ] as [JSONValue])
  func `a missing key is an error`(_ body: JSONValue) async throws {
    let error = try await requestError { try await get(body) }
    #expect(error.kind == .envelope)
    #expect(error.description.contains("'data'"))
    #expect(error.response?.status == 200)
    #expect(error.body == body)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
  }

  // MARK: Lists and single objects

  /// As Django's REST framework has them.
  @Test @MainActor func `a list has an envelope and a single object has none`() async throws {
    let django = ResponseOptions<User>.envelope(Envelope(list: "results"))
    #expect(try await requestError { try await get([["id": 4]], options: django) }.kind == .envelope)
    #expect(try await get(["count": 2, "results": [["id": 1], ["id": 2]]], options: django).ids.count == 2)
    #expect(try await get(["id": 3, "email": "c@x"], options: django).ids.count == 1)
    // The answer to a PUT is the object, whatever properties it has.
    let user = try #require(try Client.current.store.main.fetch(User.self, uid: 3))
    try StubAdapter.current.on(.put, "/users/3", .json(["id": 3, "email": "d@x", "results": []]))
    let response = try await user.put(options: django)
    #expect(response.ids == [user.entityID])
    #expect(response.counts.updated == 1)
    // A page, and a list that deletes what it lacks, has the key.
    let whole: ResponseOptions<User> = [django, .deleteMissing(in: User.all)]
    #expect(try await requestError { try await get(["id": 3], options: whole) }.kind == .envelope)
    #expect(try await get(["results": [["id": 3]]], options: whole).counts.deleted == 2)
  }

  /// As Rails has them.
  @Test func `a list and a single object have envelopes of their own`() async throws {
    let rails = ResponseOptions<User>.envelope(Envelope(list: "users", item: "user"))
    #expect(try await get(["users": [["id": 1], ["id": 2]]], options: rails).ids.count == 2)
    #expect(try await get(["user": ["id": 3]], options: rails).ids.count == 1)
    let error = try await requestError { try await get(["id": 3], options: rails) }
    #expect(error.kind == .envelope)
    #expect(error.description.contains("'users' or 'user'"))
    #expect(try await requestError { try await get(["users": 5], options: rails) }.kind == .envelope)
    let items = ResponseOptions<User>.envelope(Envelope(item: "user"))
    #expect(try await get([["id": 1]], options: items).ids.count == 1)
    #expect(try await get(["user": ["id": 3]], options: items).ids.count == 1)
    #expect(try await requestError { try await get(["id": 3], options: items) }.kind == .envelope)
  }

  @Test func `an envelope may be left out where that is said`() async throws {
    let some = ResponseOptions<User>.envelope(Envelope("data").ifPresent())
    #expect(try await get(["data": [["id": 1], ["id": 2]]], options: some).ids.count == 2)
    #expect(try await get(["id": 3], options: some).ids.count == 1)
    #expect(try await get(["id": 5, "data": []], options: .envelope(.wholeBody)).ids.count == 1)
    // It is there, and has no objects.
    #expect(try await requestError { try await get(["data": nil], options: some) }.kind == .envelope)
    // A body that has nothing of a user is none.
    #expect(try await requestError { try await get(["message": "x"], options: some) }.kind == .upsert)
    let whole: ResponseOptions<User> = [some, .deleteMissing(in: User.all)]
    #expect(try await requestError { try await get(["id": 3], options: whole) }.kind == .upsert)
  }

  @Test func `nothing is deleted when the envelope is missing`() async throws {
    _ = try await get(["data": [["id": 1]]])
    try StubAdapter.current.on(.get, "/users", .json(["data": nil]))
    _ = try await requestError { try await User.get(options: .deleteMissing(in: User.all)) }
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
  }
}

@Entity final class Wrapped: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "wrapped" }
  static var envelope: Envelope? { "wrapped" }
}
