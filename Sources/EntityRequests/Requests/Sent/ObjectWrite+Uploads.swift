import EntityStore
package import HTTPFoundation

// The requests of an upload: those before the last one tell nothing of the object.

extension ObjectWrite {
  /// The response to the request, with any status. Nothing of it is taken in.
  @concurrent package func response(progress: TransferProgressHandler?) async throws -> HTTPResponse {
    var fetch = exchange.fetch
    fetch.progress = progress
    do {
      let response = try await fetch.send()
      exchange.reading.numbers.answered.tell()
      return response
    } catch {
      throw fetch.facts.told(error)
    }
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
    guard let url = response.location(from: requested) else { return nil }
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
