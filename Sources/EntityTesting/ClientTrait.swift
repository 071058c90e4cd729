public import EntityJSON
public import EntityRequests
public import EntityStore
public import Testing

/// Gives each test a client of its own, with a ``StubAdapter`` or another adapter, and an empty store in memory. Tests
/// run in parallel as always, because the client belongs to the test's task.
///
/// ```swift
/// @Test(.client(entities: [User.self, Address.self, Post.self]) { $0.on(.get, "/users", .json([["id": 1]])) })
/// func usersAreFetched() async throws {
///   try await User.get()
///   #expect(try StubAdapter.current.requests.count == 1)
///   #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
/// }
/// ```
///
/// Without entities, the client has no store.
///
/// On a suite, the trait applies to each of its tests. Each test, and each case of a test, gets a fresh client.
/// Detached tasks do not inherit the client.
public struct ClientTrait: TestTrait, SuiteTrait, TestScoping {
  typealias Making = @Sendable (EntityStore?) throws -> Client

  let entities: [any ManagedEntity.Type]?
  let keyStyle: KeyStyle
  let makeClient: Making

  public var isRecursive: Bool { true }

  /// A client's function for the account of this name; `nil` for none.
  static func account(_ name: String?) -> (@Sendable () -> String?)? {
    guard let name else { return nil }
    return { name }
  }

  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let store = try entities.map { try EntityStore(.inMemory, entities: $0, keyStyle: keyStyle) }
    let client = try makeClient(store)
    try await Client.withClient(client) { try await function() }
  }
}

extension Trait where Self == ClientTrait {
  /// A client with a fresh stub and a fresh store.
  ///
  /// - Parameters:
  ///   - entities: The entities in the store; without entities, the client has no store.
  ///   - baseURL: The client's base URL.
  ///   - headers: The client's headers.
  ///   - envelope: The client's envelope.
  ///   - trailingSlash: Whether the URLs of objects end with a slash.
  ///   - keyStyle: The key style of the store.
  ///   - decoder: The client's decoder.
  ///   - errorModel: The client's error model.
  ///   - verdict: The client's verdict.
  ///   - nothing: The values by which responses say "nothing".
  ///   - routes: The client's routes.
  ///   - formats: The formats that the client reads besides JSON.
  ///   - identity: The name of the account that is logged in; `nil` for a client without identities.
  ///   - answers: Declares the answers of the stub; called for each test.
  public static func client(
    entities: [any ManagedEntity.Type]? = nil, baseURL: String = "https://api.example.com/", headers: HTTPHeaders = [:],
    envelope: Envelope? = nil, trailingSlash: TrailingSlash = .asWritten, keyStyle: KeyStyle = .snakeCase,
    decoder: JSONValueDecoder = JSONValueDecoder(), errorModel: ErrorModel? = nil, verdict: ResponseVerdict? = nil,
    nothing: NothingValues = [], routes: [Route] = [], formats: [any ResponseFormat] = [], identity: String? = nil,
    _ answers: @escaping @Sendable (StubAdapter) -> Void = { _ in }
  ) -> ClientTrait {
    ClientTrait(entities: entities, keyStyle: keyStyle) { store in
      let stub = StubAdapter()
      answers(stub)
      return try Client(
        adapter: stub, store: store, baseURL: baseURL, headers: headers, envelope: envelope,
        trailingSlash: trailingSlash, decoder: decoder, errorModel: errorModel, verdict: verdict, nothing: nothing,
        routes: routes, formats: formats, identity: ClientTrait.account(identity))
    }
  }

  /// A client with the given adapter, which all tests of the trait share, and a fresh store.
  ///
  /// - Parameters:
  ///   - adapter: The client's adapter.
  ///   - entities: The entities in the store; without entities, the client has no store.
  ///   - baseURL: The client's base URL.
  ///   - headers: The client's headers.
  ///   - envelope: The client's envelope.
  ///   - trailingSlash: Whether the URLs of objects end with a slash.
  ///   - keyStyle: The key style of the store.
  ///   - decoder: The client's decoder.
  ///   - errorModel: The client's error model.
  ///   - verdict: The client's verdict.
  ///   - nothing: The values by which responses say "nothing".
  ///   - routes: The client's routes.
  ///   - formats: The formats that the client reads besides JSON.
  ///   - identity: The name of the account that is logged in; `nil` for a client without identities.
  public static func client(
    _ adapter: any RequestAdapter, entities: [any ManagedEntity.Type]? = nil,
    baseURL: String = "https://api.example.com/",
    headers: HTTPHeaders = [:], envelope: Envelope? = nil, trailingSlash: TrailingSlash = .asWritten,
    keyStyle: KeyStyle = .snakeCase, decoder: JSONValueDecoder = JSONValueDecoder(), errorModel: ErrorModel? = nil,
    verdict: ResponseVerdict? = nil, nothing: NothingValues = [], routes: [Route] = [],
    formats: [any ResponseFormat] = [], identity: String? = nil
  ) -> ClientTrait {
    ClientTrait(entities: entities, keyStyle: keyStyle) { store in
      try Client(
        adapter: adapter, store: store, baseURL: baseURL, headers: headers, envelope: envelope,
        trailingSlash: trailingSlash, decoder: decoder, errorModel: errorModel, verdict: verdict, nothing: nothing,
        routes: routes, formats: formats, identity: ClientTrait.account(identity))
    }
  }
}

extension StubAdapter {
  /// The stub of the running test, given by the trait `.client`.
  ///
  /// - Throws: `RequestError` of kind `notInstalled` outside such a test; ``NoStub`` when the client has another
  ///   adapter.
  public static var current: StubAdapter {
    get throws {
      guard let stub = try Client.current.adapter as? StubAdapter else { throw NoStub() }
      return stub
    }
  }
}

/// The current client's adapter is no ``StubAdapter``.
public struct NoStub: Error, CustomStringConvertible {
  public var description: String { "The client's adapter is no StubAdapter. Keep the stub that was given to it." }
}
