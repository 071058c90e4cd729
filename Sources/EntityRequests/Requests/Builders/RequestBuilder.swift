import EntityStore
import HTTPFoundation

/// Makes requests: the first step of the way of a response.
struct RequestBuilder: Sendable {
  /// `nil` when the base path is absolute, so that no client is needed.
  let client: Client?

  /// The URL of a resource of `E`, or of the object with `uid`, with segments behind it that are not encoded yet.
  func url<E: RemoteEntity>(
    _ type: E.Type, _ resource: String?, uid: UIDPath? = nil, segments: [String] = [],
    query: QueryParameters = [:]
  ) throws -> URL {
    var url: RequestURL
    if let uid, let template = try type.ownTemplate {
      url = try own(type, template, uid, segments, query)
    } else {
      url = try collection(type)
      let slash = type.trailingSlash ?? client?.trailingSlash ?? .asWritten
      for segment in (uid?.parts.map(\.text) ?? []) + segments { url.appendSegment(segment, slash) }
    }
    if let resource, let first = resource.utf8.first {
      // A query alone is one of the collection.
      let hasPath = first != UInt8(ascii: "?") && first != UInt8(ascii: "#")
      url = try (hasPath && uid == nil ? folder(type) : url).resolving(resource)
    }
    url.appendQuery(query.encoded)
    return try url.url()
  }

  func collection<E: RemoteEntity>(_ type: E.Type) throws -> RequestURL {
    let basePath = type.basePath
    return try RequestURL.isAbsolute(basePath) ? RequestURL(absolute: basePath) : relative(basePath, type)
  }

  /// The URL of a path that is relative to the base URL of the client.
  func relative<E: RemoteEntity>(_ path: String, _ type: E.Type) throws -> RequestURL {
    guard let client else {
      // `current` throws the error that says what to do.
      _ = try Client.current
      throw RequestError(.notInstalled, "There is no client.")
    }
    return try client.base.resolving(path)
  }

  /// A request with the default headers of the client and of `E`.
  func request<E: RemoteEntity>(_ type: E.Type, _ method: HTTPMethod, _ url: URL) throws -> URLRequest {
    try URLRequest(method, url, defaults: defaults(type, for: url))
  }

  /// Lets the caller change the request; see `URLRequest.change(_:defaults:)`.
  func modify<E: RemoteEntity>(
    _ type: E.Type, _ request: inout URLRequest, _ modify: (inout URLRequest) throws -> Void
  ) throws {
    try request.change(modify) { defaults(type, for: $0) }
  }

  /// Lets the caller change a request to a resource that the caller names, and checks that it leads where the caller
  /// allows it.
  ///
  /// - Throws: ``RequestError`` of kind `unsafeResource`; the error of `modify`.
  func modify<E: RemoteEntity>(
    _ type: E.Type, _ request: inout URLRequest, of resource: String?, _ allowed: ResourceAllowance,
    _ modify: (inout URLRequest) throws -> Void
  ) throws {
    let named = request.url
    try self.modify(type, &request, modify)
    // A place that the closure has set is the caller's own. A query that the closure adds does not change the place.
    guard let named, let url = request.url, url.isSamePlace(as: named) else { return }
    try check(type, request, of: resource, allowed)
    guard !allowed.contains(.collection), isOwnByQuery(type, named), !isSame(type, url, as: named) else { return }
    throw RequestError(
      .unsafeResource, "The change of the request has taken the query away that names one object of '\(E.entityName)'.")
  }

  /// - Throws: ``RequestError`` of kind `unsafeResource`.
  func check<E: RemoteEntity>(
    _ type: E.Type, _ request: URLRequest, of resource: String?, _ allowed: ResourceAllowance
  ) throws {
    guard let url = request.url else { return }
    let home = try collection(type).url()
    try ResourceCheck(
      home: home, folder: type.objectPath == nil ? nil : folder(type).url(), isObject: { isOwnByQuery(type, url) },
      origins: [home] + (client.map { [$0.baseURL] } ?? []), allowed: allowed
    ).check(resource, url, request.method(or: .get))
  }

  /// The headers that a request to `url` gets, the nearest last.
  private func defaults<E: RemoteEntity>(_ type: E.Type, for url: URL) -> [HTTPHeaders] {
    var defaults: [HTTPHeaders] = []
    if let client, url.hasSameOrigin(as: client.baseURL) { defaults.append(client.headers) }
    let own = type.headers
    if own.count > 0, let home = try? collection(type).url(), url.hasSameOrigin(as: home) { defaults.append(own) }
    return defaults
  }
}
