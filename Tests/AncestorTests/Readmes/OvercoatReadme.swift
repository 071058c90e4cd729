import EntityClient
import EntityTesting
import Foundation
import Testing

// Overcoat's README, sample by sample. Its Twitter client is one for a service of short messages here.

enum Chirps {
  /// A model that is a value: nothing keeps it.
  struct Profile: Decodable, Sendable, Equatable {
    let screenName: String
    let followersCount: Int
  }

  /// The body of a refusal.
  struct ErrorResponse: Decodable, Sendable {
    struct Problem: Decodable, Sendable {
      let code: Int
      let message: String
    }

    let errors: [Problem]
  }

  /// A model that is kept.
  @Entity final class Chirp: RemoteEntity {
    @UID @Key("id") var uid: Int
    var text: String
    var user: User?

    static var basePath: String { "statuses" }
  }

  @Entity final class User {
    @UID @Key("id") var uid: Int
    var screenName: String
    @Relationship(inverse: \Chirp.user) var chirps: [Chirp]
  }

  /// "Creating a Client Class": a client is a value, with or without a store.
  static func client(adapter: some RequestAdapter, store: EntityStore? = nil) throws -> Client {
    var decoder = JSONValueDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try Client(
      adapter: adapter, store: store, baseURL: "https://api.chirps.example/1.1/", decoder: decoder,
      errorModel: ErrorModel(ErrorResponse.self))
  }
}

@MainActor struct OvercoatReadme {
  private let stub = StubAdapter()

  @Test(arguments: [
    ("statuses/*", "statuses/user_timeline", true), ("statuses/#", "statuses/user_timeline", false),
    ("statuses/*", "statuses/retweets/12345", false), ("statuses/*/*", "statuses/retweets/12345", true),
    ("statuses/**", "statuses/retweets/12345", true), ("statuses/**", "statuses/retweets/12345/extra", true),
    ("statuses/retweets/*", "statuses/retweets/12345", true),
    ("statuses/retweets/#", "statuses/retweets/12345", true),
  ])
  func `Specifying model classes: match strings, and the paths that they match`(
    pattern: String, path: String, matches: Bool
  ) throws {
    #expect((try PathPattern(pattern).match(path) != nil) == matches)
  }

  @Test func `Making HTTP requests: users by name and id`() async throws {
    stub.on(
      .get, "/1.1/users/lookup.json", query: ["screen_name": "ada", "user_id": "42,3141592"],
      .json([["screen_name": "ada", "followers_count": 7], ["screen_name": "grace", "followers_count": 9]]))
    let client = try Chirps.client(adapter: stub)

    let users = try await client.get(
      "users/lookup.json", query: ["screen_name": "ada", "user_id": "42,3141592"], as: [Chirps.Profile].self
    ).value

    #expect(users.map(\.followersCount) == [7, 9])
  }

  @Test func `Envelop and error responses: the body of a refusal is a model`() async throws {
    stub.on(
      .get, "/1.1/users/show.json", .json(["errors": [["code": 88, "message": "Too many requests"]]], status: 429))
    let client = try Chirps.client(adapter: stub)

    let error = try await requestError { try await client.get("users/show.json", as: Chirps.Profile.self) }

    #expect(error.model(as: Chirps.ErrorResponse.self)?.errors.first?.code == 88)
    #expect(error.status == 429)
  }

  @Test
  func `Envelop and error responses: a service that puts data under a key, and metadata beside it`() async throws {
    stub.on(.get, "/users/1", .json(["data": ["screenName": "ada", "followersCount": 7], "meta": ["code": 200]]))
    let client = try Client(adapter: stub, baseURL: "https://api.app.example", envelope: "data")

    let response = try await client.get("users/1", as: Chirps.Profile.self)

    #expect(response.value.screenName == "ada")
    #expect(try response.meta(Int.self, at: "meta.code") == 200)
  }

  @Test
  func `Core Data serialization: a client with a store keeps the objects, apart from the main actor`() async throws {
    stub.on(.get, "/1.1/statuses", .json([["id": 1, "text": "Hello", "user": ["id": 7, "screen_name": "ada"]]]))
    let store = try EntityStore(.inMemory, entities: [Chirps.Chirp.self, Chirps.User.self])

    try await Client.withClient(Chirps.client(adapter: stub, store: store)) { _ = try await Chirps.Chirp.get() }

    let chirp = try #require(try store.main.fetch(Chirps.Chirp.all).first)
    #expect(chirp.text == "Hello")
    #expect(chirp.user?.screenName == "ada")
  }

  @Test
  func `PromiseKit: what comes then is the next line, and several requests at once are a few lines`() async throws {
    stub.on(
      .get, "/1.1/users/{name}",
      .respond { request in
        let body: JSONValue = ["screen_name": JSONValue(request.parameters["name"] ?? ""), "followers_count": 1]
        return HTTPResponse(status: 200, url: request.url, body: body.rawBytes)
      })
    let client = try Chirps.client(adapter: stub)

    async let ada = client.get("users/ada", as: Chirps.Profile.self).value
    async let grace = client.get("users/grace", as: Chirps.Profile.self).value

    #expect(try await [ada, grace].map(\.screenName) == ["ada", "grace"])
  }
}
