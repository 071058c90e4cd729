public import EntityJSON
public import EntityStore
public import Foundation

/// The one hook between entities and the network: how requests are sent, where they go, and where responses are kept.
///
/// ```swift
/// let client = try Client(adapter: CurlAdapter(), store: store, baseURL: "https://api.example.com/v1")
/// try Client.install(client)
/// let users = try await User.get().objects          // https://api.example.com/v1/users
/// ```
///
/// Each verb resolves the client once, in the task of the caller, and carries the client along.
///
/// A client may have no store. Its own verbs read responses as Decodable types, `client.get("users/1", as: Person.self)`,
/// and an entity's verbs name a store with `in:`.
public struct Client: Sendable {
  /// Sends the requests. Wrap it in decorators for parts of every request: session headers, retries, logs.
  public let adapter: any RequestAdapter
  private let keptStore: EntityStore?
  let caching: ClientCaching
  /// The URL that relative base paths are relative to. Its path is kept, with or without a slash at its end.
  public let baseURL: URL
  /// The parts of ``baseURL``, which every request needs.
  let base: RequestURL
  /// Sent with each request to the origin of ``baseURL`` (RFC 6454 §5) and to no other origin, because headers may hold
  /// credentials. RFC 9110 §5 says which characters they may have.
  public let headers: HTTPHeaders
  /// Where responses hold their objects; `nil` means the whole body. Entities and requests can name another envelope.
  public let envelope: Envelope?
  /// Whether the URLs of objects end with a slash. An entity can declare it for its own objects.
  public let trailingSlash: TrailingSlash
  /// Reads values, metadata and error models, with its strategies for keys and dates. Entities are not read with the
  /// decoder: their declarations say how they are read.
  public let decoder: JSONValueDecoder
  /// The type that bodies of refusals are read as; `nil` for none. Requests can name another type.
  public let errorModel: ErrorModel?
  /// Finds refusals among responses with a status of success; `nil` for none. Entities and requests can name another one.
  public let verdict: ResponseVerdict?
  /// The values by which responses say "nothing"; none by default. Entities and properties can name others.
  public let nothing: NothingValues
  /// How responses are read, by path, method and status: models, envelopes and error models.
  public let routes: Routes
  /// The formats of bodies that are read besides JSON, each for its content types.
  public let formats: [any ResponseFormat]

  /// Where responses are kept, unless a request names another store.
  ///
  /// - Throws: ``RequestError`` of kind `noStore` when the client was made without one.
  public var store: EntityStore {
    get throws {
      if let keptStore { return keptStore }
      throw RequestError(
        .noStore,
        "The client has no store to keep objects in. Give it one, `Client(adapter:store:baseURL:)`, for example "
          + "`EntityStore(.inMemory, entities: […])`; or name a store with the request, `in:`; or read the response as a "
          + "Decodable type, `client.get(\"users/1\", as: Person.self)`.")
    }
  }

  /// The name of the account that is logged in; `nil` where nobody is, and for a client without identities.
  package var accountName: String? { caching.identity?() }

  /// Makes a client. Verbs use the client only after it is installed, or within `withClient`.
  ///
  /// - Parameters:
  ///   - adapter: Sends the requests.
  ///   - store: Where responses are kept; `nil` for a client without a store.
  ///   - baseURL: The URL that relative base paths and resources are relative to.
  ///   - headers: Sent with each request to the origin of `baseURL`.
  ///   - envelope: Where responses hold their objects; `nil` means the whole body.
  ///   - trailingSlash: Whether the URLs of objects end with a slash.
  ///   - decoder: Reads values, metadata and error models.
  ///   - errorModel: The type that bodies of refusals are read as.
  ///   - verdict: Finds refusals among responses with a status of success.
  ///   - nothing: The values by which responses say "nothing".
  ///   - routes: How responses are read, by path, method and status; see ``Route``.
  ///   - formats: The formats of bodies besides JSON. When two formats read one content type, the first one counts.
  ///   - identity: The name of the account that is logged in, for requests with a ``CachePolicy``: an account never
  ///     gets the answers of another one. It is called for each such request; `nil` means that nobody is logged in.
  ///     Without it, answers to requests with credentials in their headers are known to this process alone, and only to
  ///     requests with equal credentials. When an adapter adds the credentials, the client does not see them: give the
  ///     identity then.
  ///   - onRefreshFailure: Called, on any thread, when a request fails for which
  ///     ``CachePolicy/staleWhileRevalidate(maxAge:)`` does not wait. Also called when a server gives a URL for the next changes
  ///     of a ``StoredCollection`` that can't be followed, so that the list is walked whole each time.
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `baseURL` is not an absolute http or https URL or has a
  ///   query or fragment, or when a header can't be sent. ``RequestError`` of kind `invalidRoute` when a route never
  ///   matches, when two routes match the same requests, or when a route leads to an entity that the store lacks. The
  ///   routes of the store's entities are checked too.
  public init(
    adapter: any RequestAdapter, store: EntityStore? = nil, baseURL: String, headers: HTTPHeaders = [:],
    envelope: Envelope? = nil, trailingSlash: TrailingSlash = .asWritten,
    decoder: JSONValueDecoder = JSONValueDecoder(), errorModel: ErrorModel? = nil, verdict: ResponseVerdict? = nil,
    nothing: NothingValues = [], routes: [Route] = [], formats: [any ResponseFormat] = [],
    identity: (@Sendable () -> String?)? = nil,
    onRefreshFailure: (@Sendable (any Error) -> Void)? = nil
  ) throws {
    guard !baseURL.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      throw RequestError(
        .invalidRequest, "The base URL has a query or a fragment. Give parameters with the requests, or in a base path."
      )
    }
    self.baseURL = try RequestURL(absolute: baseURL).url()
    base = try RequestURL(absolute: self.baseURL.absoluteString)
    try HeaderField.check(headers)
    self.adapter = adapter
    keptStore = store
    self.headers = headers
    self.envelope = envelope
    self.trailingSlash = trailingSlash
    self.decoder = decoder
    self.errorModel = errorModel
    self.verdict = verdict
    self.nothing = nothing
    var table = try Routes(routes)
    table.base = base
    self.routes = table
    if let store {
      try self.routes.check(store.core.schema)
      for model in store.core.schema.entities {
        guard let type = model.type as? any RemoteEntity.Type else { continue }
        try type.checkRoutes(model)
        store.core.merging.keepAddress(of: model.number, type.addressAttributes(model))
      }
    }
    self.formats = formats
    caching = ClientCaching(identity: identity, onRefreshFailure: onRefreshFailure)
  }

  /// Makes a client as the initializer above does, with the base URL as a `URL`.
  public init(
    adapter: any RequestAdapter, store: EntityStore? = nil, baseURL: URL, headers: HTTPHeaders = [:],
    envelope: Envelope? = nil, trailingSlash: TrailingSlash = .asWritten,
    decoder: JSONValueDecoder = JSONValueDecoder(), errorModel: ErrorModel? = nil, verdict: ResponseVerdict? = nil,
    nothing: NothingValues = [], routes: [Route] = [], formats: [any ResponseFormat] = [],
    identity: (@Sendable () -> String?)? = nil,
    onRefreshFailure: (@Sendable (any Error) -> Void)? = nil
  ) throws {
    try self.init(
      adapter: adapter, store: store, baseURL: baseURL.absoluteString, headers: headers, envelope: envelope,
      trailingSlash: trailingSlash, decoder: decoder, errorModel: errorModel,
      verdict: verdict, nothing: nothing, routes: routes, formats: formats, identity: identity,
      onRefreshFailure: onRefreshFailure)
  }
}
