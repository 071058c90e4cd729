public import HTTPFoundation

extension RemoteEntity {
  /// A request that can be changed, and sent with any HTTP client; ``upsert(from:response:in:options:)`` takes its
  /// response in.
  ///
  /// ```swift
  /// try User.request(.get)                             // https://api.example.com/users
  /// try User.request(.get, "42")                       // …/users/42, and "42/" is …/users/42/
  /// try User.request(.get, "/status")                  // https://api.example.com/status
  /// try User.request(.get, nextPage)                   // an absolute URL of the same origin
  /// try User.request(.get, query: ["page": 1])         // …/users?page=1
  /// ```
  ///
  /// A resource is a path relative to the base path. It is sent with or without a slash at its end, as it is given.
  /// With a leading slash it starts at the root of the host, with `//` at another host. `.` and `..` are resolved as in
  /// RFC 3986 §5.2.4: `"./"` gives the collection with a slash at its end. Characters that can't stand in a URL are
  /// percent-encoded, and encoded characters stay. A `?` begins a query, and a `#` ends the resource. Name a text that
  /// may hold such characters by `uid:`, or encode it with `String(pathSegment:)`.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - resource: `nil` and the empty string mean the collection.
  ///   - query: Added to the query that the base path and the resource have.
  ///   - allowed: Where the resource may lead besides the entity's URLs; see ``ResourceAllowance``.
  /// - Throws: ``RequestError``: `invalidRequest`; `unsafeResource`; `notInstalled` when the base path is relative and there is no client.
  public static func request(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:],
    allowing allowed: ResourceAllowance = []
  ) throws -> URLRequest {
    let builder = RequestBuilder(client: try? Client.current)
    let request = try builder.request(Self.self, method, builder.url(Self.self, resource, query: query))
    try builder.check(Self.self, request, of: resource, allowed)
    return request
  }

  /// A request about this object. Without a resource it has the object's own URL, which is base path and uid, and ends
  /// as ``TrailingSlash`` says; for POST it has the URL of the collection. A resource is relative to the base path, as
  /// on the type.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - resource: `nil` means the object's own URL, or for POST the collection.
  ///   - query: Added to the query of the URL.
  ///   - allowed: Where the resource may lead besides the entity's URLs; see ``ResourceAllowance``.
  /// - Throws: ``RequestError`` as on the type, and `missingUID` when the URL needs a uid and there is none.
  public func request(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:],
    allowing allowed: ResourceAllowance = []
  ) throws -> URLRequest {
    let builder = RequestBuilder(client: try? Client.current)
    let request = try builder.request(Self.self, method, builder.url(self, method, resource, query: query))
    try builder.check(Self.self, request, of: resource, allowed)
    return request
  }
}

extension RequestBuilder {
  func url<E: RemoteEntity>(
    _ object: E, _ method: HTTPMethod, _ resource: String?, query: QueryParameters
  ) throws -> URL {
    let needsUID = (resource ?? "").isEmpty && method != .post
    return try url(E.self, resource, uid: needsUID ? object.uidPath : nil, query: query)
  }
}
