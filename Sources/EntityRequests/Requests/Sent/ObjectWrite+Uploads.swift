import EntityJSON
package import EntityStore
package import HTTPFoundation

// The requests of an upload: their responses say how to go on, and the last one may have the object.

extension ObjectWrite {
  /// A request is about to be sent.
  package func begin() -> RequestNumber { exchange.reading.numbers.begin(isWrite: true) }

  /// The response to the request was taken in, or there is none.
  package func end(_ number: RequestNumber) { exchange.reading.numbers.end(number) }

  /// Sends the request and takes its response in, with a report on both for the observers of the client.
  ///
  /// - Parameter body: Called with the write that notes what the report says.
  @concurrent package func observed<T: Sendable>(_ body: @Sendable (Self) async throws -> T) async throws -> T {
    try await exchange.observed { try await body(self.by($0)) }
  }

  /// The response to the request, with any status. Nothing of it is taken in.
  ///
  /// - Throws: ``RequestError``, of kind `status` for a success that a verdict calls a refusal.
  @concurrent package func response(progress: TransferProgressHandler?) async throws -> HTTPResponse {
    var exchange = exchange
    exchange.fetch.progress = progress
    let fetch = exchange.fetch
    do {
      let response = try await exchange.send()
      exchange.reading.numbers.answered.tell()
      if fetch.facts.bodies.refusal != nil, (200..<300).contains(response.status) {
        // A body in another format says nothing that the verdict could read.
        try fetch.facts.judge(response, try? fetch.facts.body(of: response))
      }
      return response
    } catch {
      throw fetch.facts.told(error)
    }
  }

  /// Takes a response in, where its body is the object with a uid. Any other body is ignored.
  ///
  /// - Parameters:
  ///   - uid: The server's uid of the object; `nil` where the body is ignored, whatever it has.
  ///   - number: The number of the request.
  /// - Returns: Whether the response was taken in. Otherwise the entry is as it was.
  @concurrent package func take(
    _ response: HTTPResponse, ifAbout uid: StoredValue?, _ number: RequestNumber, ending entry: OutboxEntryEnd
  ) async throws -> Bool {
    guard let uid, try isAbout(uid, response) else { return false }
    var exchange = exchange
    exchange.reading.entry = entry
    do {
      _ = try await exchange.take(response, number)
      return true
    } catch {
      throw exchange.fetch.facts.told(error)
    }
  }

  private func isAbout(_ uid: StoredValue, _ response: HTTPResponse) throws -> Bool {
    let reading = exchange.reading
    guard let body = try? exchange.fetch.facts.body(of: response),
      let value = try? reading.envelope.envelope(of: response, body).open(body, expecting: .item, response)
    else { return false }
    let only = value.array.map { $0.count == 1 ? $0.first { _ in true } : nil } ?? value
    guard let object = only?.object else { return false }
    let plan = MappingPlan(
      try reading.core.schema.model(E.self), reading.core.schema, UnrecognizedValues(), nothing: reading.nothing)
    return (try? plan.uid(of: object)) == uid
  }

  /// - Throws: ``RequestError`` of kind `status` for a response without a status of success.
  package func check(_ response: HTTPResponse) throws {
    let facts = exchange.fetch.facts
    do { try facts.check(response) } catch { throw facts.told(error) }
  }
}

extension RemoteEntity {
  /// A request about a resource below the object's URL, without a body.
  ///
  /// - Parameters:
  ///   - resource: A path below the object's URL, a path from the root of the server with a slash before it, or a URL.
  ///   - allowed: Where the resource may lead.
  /// - Throws: ``RequestError``: `missingUID`, `invalidRequest` or `unsafeResource`.
  package func resourceRequest(
    _ method: HTTPMethod, _ resource: String, allowing allowed: ResourceAllowance, _ client: Client
  ) throws -> URLRequest {
    let builder = RequestBuilder(client: client)
    let isBelow = !resource.hasPrefix("/") && !RequestURL.isAbsolute(resource)
    let url = try isBelow ? builder.url(below: self, resource) : builder.url(Self.self, resource)
    let request = try builder.request(Self.self, method, url)
    try builder.check(Self.self, request, of: resource, allowed)
    return request
  }

  /// The URL that the server names in `Location`.
  ///
  /// - Parameter allowed: Where the URL may lead.
  /// - Returns: `nil` for a response without such a URL.
  /// - Throws: ``RequestError`` of kind `unsafeResource` for a URL of another origin, and for one with user info.
  package static func location(
    in response: HTTPResponse, from requested: URL?, allowing allowed: ResourceAllowance, _ client: Client
  ) throws -> URL? {
    guard let named = response.location(from: requested) else { return nil }
    let url = PageOrigins(urls: [requested].compactMap(\.self)).secured(named)
    let builder = RequestBuilder(client: client)
    let request = try builder.request(Self.self, .patch, url)
    try builder.check(Self.self, request, of: url.absoluteString, allowed)
    guard url.user() == nil, url.password() == nil else {
      throw RequestError(.unsafeResource, "The server names a URL with user info for an upload, '\(url.shown)'.")
    }
    return url
  }
}

extension RequestBuilder {
  /// The URL of a resource below the URL of an object.
  fileprivate func url<E: RemoteEntity>(below object: E, _ resource: String) throws -> URL {
    let path = try object.uidPath
    guard try E.ownTemplate != nil else { return try url(E.self, resource, uid: path) }
    // An object path may end with an extension, before which the resource stands: `issues/7/photo.json`.
    let end = resource.firstIndex { $0 == "?" || $0 == "#" } ?? resource.endIndex
    let segments = resource[..<end].split(separator: "/").map { PercentEncoding.decoded($0) }
    return try url(E.self, String(resource[end...]), uid: path, segments: segments)
  }
}
