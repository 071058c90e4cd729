import EntityStore

/// How responses to requests of one form are read: a pattern of paths, methods and statuses, and the model, the envelope or
/// the error model that they lead to.
///
/// ```swift
/// let client = try Client(
///   adapter: CurlAdapter(), store: store, baseURL: "https://api.example.com/v1",
///   routes: [
///     .entity(User.self, at: "users"), .entity(User.self, at: "users/#"),
///     .value(Session.self, at: "sessions", .post),
///     .envelope("data", at: "users"),
///     .error(Problem.self, at: "**"),
///   ])
/// let users = try await client.get("users").objects(of: User.self)
/// ```
///
/// There are three roles, each with a table of its own: *models* of successes, for the verbs of the client that name no type;
/// *envelopes* and *error models*, for all verbs. A type, an envelope or an error model that a request names comes before
/// the routes.
///
/// When several routes of a role match, the most exact one counts; the order in which they were given does not. By
/// components, a text comes before `#`, `#` before `*`, `*` before `**`; then a route that names methods before one for
/// all; then the narrower status. A route whose closure returns `nil` gives way to the next one. The path is the path of
/// the request, below the base URL of the client, so a redirect does not lead to another model; see ``PathPattern``.
public struct Route: Sendable {
  enum Role: Sendable {
    case model(RouteModel)
    case chosenModel(@Sendable (RouteMatch) throws -> RouteModel?)
    case envelope(@Sendable (RouteMatch) throws -> Envelope?)
    case error(@Sendable (RouteMatch) throws -> ErrorModel?)
  }

  let pattern: String
  let methods: Set<HTTPMethod>
  let status: StatusPattern
  let role: Role

  private init(_ pattern: String, _ methods: [HTTPMethod], _ status: StatusPattern, _ role: Role) {
    self.pattern = pattern
    self.methods = Set(methods)
    self.status = status
    self.role = role
  }
}

// MARK: Models

extension Route {
  /// Objects of an entity, which are upserted into the store. A DELETE of an object's own URL deletes its row, as the
  /// entity's verb does.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  ///   - options: How the objects are taken in, and their envelope. Limits, error models and cache policies come from
  ///     the request.
  public static func entity<E: RemoteEntity>(
    _ type: E.Type, at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success,
    options: ResponseOptions<E> = []
  ) -> Route {
    Route(pattern, methods, status, .model(.entity(type, options: options)))
  }

  /// Objects of several entities, all of them in one transaction; see ``EntityDocument``.
  ///
  /// - Parameters:
  ///   - parts: Where the body holds which entity.
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  public static func parts(
    _ parts: [ResponsePart], at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success
  ) -> Route {
    Route(pattern, methods, status, .model(.parts(parts)))
  }

  /// A value, which is decoded and never stored.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type.
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  public static func value<Value: Decodable & Sendable>(
    _ type: Value.Type, at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success
  ) -> Route {
    Route(pattern, methods, status, .model(.value(type)))
  }

  /// The body as JSON.
  ///
  /// - Parameters:
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  public static func json(
    at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success
  ) -> Route {
    Route(pattern, methods, status, .model(.json))
  }

  /// A model that the response itself decides on.
  ///
  /// ```swift
  /// .model(at: "feed/#") { $0.json?["kind"]?.string == "user" ? .entity(User.self) : .value(Notice.self) }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  ///   - choose: Gets the request and the parsed response, on any thread. `nil` leaves the choice to the next route. An
  ///     error fails the request.
  public static func model(
    at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success,
    _ choose: @escaping @Sendable (RouteMatch) throws -> RouteModel?
  ) -> Route {
    Route(pattern, methods, status, .chosenModel(choose))
  }
}

// MARK: Envelopes and error models

extension Route {
  /// Where responses hold their objects or their value. It comes before the envelopes of an entity and of the client.
  ///
  /// - Parameters:
  ///   - envelope: The envelope; a literal is a key path.
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  public static func envelope(
    _ envelope: Envelope, at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success
  ) -> Route {
    Route(pattern, methods, status, .envelope { _ in envelope })
  }

  /// An envelope that the response itself decides on.
  ///
  /// ```swift
  /// .envelope(at: "search") { $0.json?["hits"] == nil ? "results" : "hits" }
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the response, within 200 to 299.
  ///   - choose: Gets the request and the parsed response, on any thread. `nil` leaves the choice to the next route. An
  ///     error fails the request.
  public static func envelope(
    at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .success,
    _ choose: @escaping @Sendable (RouteMatch) throws -> Envelope?
  ) -> Route {
    Route(pattern, methods, status, .envelope(choose))
  }

  /// The type that the bodies of refusals are read as. It comes before the error model of the client; see
  /// ``ErrorModel``.
  ///
  /// - Parameters:
  ///   - type: Any Decodable type.
  ///   - keyPath: Where the model stands in the body; `nil` means the whole body.
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the refusal, outside 200 to 299.
  public static func error<Model: Decodable & Sendable>(
    _ type: Model.Type, under keyPath: String? = nil, at pattern: String, _ methods: HTTPMethod...,
    status: StatusPattern = .failure
  ) -> Route {
    let model = ErrorModel(type, at: keyPath)
    return Route(pattern, methods, status, .error { _ in model })
  }

  /// An error model that the refusal itself decides on.
  ///
  /// - Parameters:
  ///   - pattern: The paths, below the client's base URL; see ``PathPattern``.
  ///   - methods: The methods; none means all.
  ///   - status: The statuses of the refusal, outside 200 to 299.
  ///   - choose: Gets the request and the response, on any thread. `nil` leaves the choice to the next route. With an
  ///     error, the request fails with its status, and ``RequestError/underlying`` is the error.
  public static func error(
    at pattern: String, _ methods: HTTPMethod..., status: StatusPattern = .failure,
    _ choose: @escaping @Sendable (RouteMatch) throws -> ErrorModel?
  ) -> Route {
    Route(pattern, methods, status, .error(choose))
  }
}
