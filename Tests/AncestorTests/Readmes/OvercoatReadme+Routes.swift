import EntityClient
import EntityTesting
import Testing

// "Specifying Model Classes" and "Envelop and Error Responses" of Overcoat's README: by path, method and status.

extension Chirps {
  struct NewProfile: Decodable, Sendable {
    let screenName: String
  }

  struct Identifiers: Decodable, Sendable {
    let ids: [Int]
  }

  static let routes: [Route] = [
    .entity(Chirp.self, at: "statuses/*"),
    .value([Profile].self, at: "users/*"),
    .value(Profile.self, at: "users/*", .put),
    .value(NewProfile.self, at: "users/*", status: 201),
    .value(Identifiers.self, at: "friends/ids.json"),
    .value(Identifiers.self, at: "followers/ids.json"),
    .error(ErrorResponse.self, at: "**"),
  ]
}

extension OvercoatReadme {
  private func client(_ stub: StubAdapter, routes: [Route] = Chirps.routes) throws -> Client {
    var decoder = JSONValueDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let store = try EntityStore(.inMemory, entities: [Chirps.Chirp.self, Chirps.User.self])
    return try Client(
      adapter: stub, store: store, baseURL: "https://api.chirps.example/1.1/", decoder: decoder,
      routes: routes)
  }

  @Test func `Specifying model classes: paths lead to types`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/1.1/statuses/user_timeline",
      .json([["id": 1, "text": "Hello"], ["id": 2, "text": "Again"]])
    )
    .on(.get, "/1.1/friends/ids.json", .json(["ids": [3, 5]]))
    let client = try client(stub)

    let chirps = try await client.get("statuses/user_timeline").objects(of: Chirps.Chirp.self)
    let friends = try await client.get("friends/ids.json").value(as: Chirps.Identifiers.self)

    #expect(chirps.map(\.text) == ["Hello", "Again"])
    #expect(friends.ids == [3, 5])
  }

  @Test func `Specifying model classes: methods and statuses lead to types of their own`() async throws {
    let profile: JSONValue = ["screen_name": "ada", "followers_count": 7]
    let stub = StubAdapter()
    stub.on(.get, "/1.1/users/lookup", .json([profile])).on(
      .put, "/1.1/users/ada", .json(profile, status: 201)
    )
    .on(.post, "/1.1/users/ada", .json(profile, status: 201))
    let client = try client(stub)

    #expect(try await client.get("users/lookup").value(as: [Chirps.Profile].self).count == 1)
    #expect(try await client.sending(.put, "users/ada").send().value(as: Chirps.Profile.self).followersCount == 7)
    #expect(
      try await client.post("users/ada").value(as: Chirps.NewProfile.self).screenName == "ada")
  }

  @Test func `Envelop and error responses: error models and envelopes by path`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/1.1/users/all",
      .json(["errors": [["code": 88, "message": "Too many requests"]]], status: 429)
    )
    .on(.get, "/1.1/statuses/all", .json(["data": [["id": 1]], "meta": ["code": 200]]))
    let client = try client(stub, routes: Chirps.routes + [.envelope("data", at: "statuses/**")])

    let error = try await requestError { try await client.get("users/all") }
    let response = try await client.get("statuses/all")

    #expect(error.model(as: Chirps.ErrorResponse.self)?.errors.first?.code == 88)
    #expect(response.ids(of: Chirps.Chirp.self).count == 1)
    #expect(try response.meta(Int.self, at: "meta.code") == 200)
  }
}
