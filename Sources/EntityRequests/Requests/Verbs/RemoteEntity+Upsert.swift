public import EntityJSON
public import EntityStore
public import HTTPFoundation

/// Takes in responses that another HTTP client delivered. They go the same way into the store, without an adapter and
/// without the network. A client is needed only when no store is named.
extension RemoteEntity {
  /// Upserts the objects of a response body.
  ///
  /// ```swift
  /// let (data, response) = try await URLSession.shared.data(for: User.request(.get))
  /// let users = try await User.upsert(from: data, response: response, in: store).ids
  /// ```
  ///
  /// - Parameters:
  ///   - data: The body.
  ///   - response: Its status, if given, must be a success.
  ///   - store: By default the client's.
  ///   - options: How the body is read; see ``ResponseOptions``.
  /// - Throws: ``RequestError``; `CancellationError`. Nothing was written then.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from data: Data, response: URLResponse? = nil, in store: EntityStore? = nil,
    options: ResponseOptions<Self> = []
  ) async throws -> EntityResponse<Self> {
    let isHTTP = response is HTTPURLResponse
    let response = HTTPResponse(data, response)
    return try await write(response, nil, store, options, hasStatus: isHTTP)
  }

  /// Upserts the objects of a response.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from response: HTTPResponse, in store: EntityStore? = nil,
    options: ResponseOptions<Self> = []
  ) async throws -> EntityResponse<Self> {
    try await write(response, nil, store, options)
  }

  /// Upserts the objects of a parsed value.
  @discardableResult
  public nonisolated(nonsending) static func upsert(
    from value: JSONValue, in store: EntityStore? = nil,
    options: ResponseOptions<Self> = []
  ) async throws -> EntityResponse<Self> {
    try await write(HTTPResponse(status: 200), value, store, options, hasStatus: false)
  }

  private nonisolated(nonsending) static func write(
    _ response: HTTPResponse, _ value: JSONValue?, _ store: EntityStore?, _ options: ResponseOptions<Self>,
    hasStatus: Bool = true
  ) async throws -> EntityResponse<Self> {
    let client = try? Client.current
    let target = try store ?? Client.current.store
    let routes = RequestRoutes(client, nil, response.url)
    let reading = EntityReading<Self>(client, routes, target.core, .collection, options)
    let facts = RequestFacts(bodies: BodyReading(options, client, routes), hasStatus: hasStatus)
    let result: EntityResponse<Self>
    do {
      result = atCaller(try await reading.take(delivered: response, value: value, facts).response)
    } catch {
      throw atCaller(error)
    }
    return MainMerge.merged(result, #isolation)
  }
}

extension HTTPResponse {
  fileprivate init(_ body: Data, _ response: URLResponse?) {
    let http = response as? HTTPURLResponse
    self.init(status: http?.statusCode ?? 200, url: response?.url, body: body)
    let fields = (http?.allHeaderFields ?? [:]).map { (name: "\($0.key)", value: "\($0.value)") }
    for field in fields.sorted(by: { $0.name < $1.name }) { headers.add(field.value, to: field.name) }
  }
}
