import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes requests: the first step of the way of a response.
struct RequestBuilder {
  /// `nil` where none is needed: the base path is absolute.
  let client: Client?

  /// The URL of a resource of `E`, or of the object with `uid`.
  func url<E: RemoteEntity>(
    _ type: E.Type, _ resource: String?, uid: String? = nil, query: QueryParameters = [:]
  ) throws -> URL {
    var url = try collection(type)
    url.trim()
    if let uid { url.appendSegment(uid) }
    if let resource, !resource.isEmpty { url = try url.resolving(resource) }
    url.appendQuery(query)
    return try url.url()
  }

  private func collection<E: RemoteEntity>(_ type: E.Type) throws -> RequestURL {
    let basePath = type.basePath
    if RequestURL.isAbsolute(basePath) { return try RequestURL(absolute: basePath) }
    guard let client else {
      // For the error that says what to do.
      _ = try Client.current
      throw RequestError(.notInstalled, "There is no client.")
    }
    return try RequestURL(absolute: client.baseURL.absoluteString).resolving(basePath)
  }

  /// A request with the default headers.
  func request(_ method: HTTPMethod, _ url: URL) throws -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method.rawValue
    if let client, url.hasSameOrigin(as: client.baseURL) { try request.setHeaders(client.headers) }
    if request.value(forHTTPHeaderField: "Accept") == nil { try request.setHeaders(["Accept": "application/json"]) }
    return request
  }

  /// Lets the caller change the request, and takes the client's headers off again if it goes elsewhere now.
  func modify(_ request: inout URLRequest, _ modify: (inout URLRequest) throws -> Void) throws {
    let wasAtHome = isAtHome(request)
    try modify(&request)
    guard request.url != nil else { throw RequestError(.invalidRequest, "The request has no URL any more.") }
    guard wasAtHome, !isAtHome(request), let client else { return }
    for name in Set(client.headers.map { $0.name.lowercased() }) where name != "accept" {
      let value = client.headers.values(of: name).joined(separator: ",")
      if request.value(forHTTPHeaderField: name) == value { request.setValue(nil, forHTTPHeaderField: name) }
    }
  }

  private func isAtHome(_ request: URLRequest) -> Bool {
    guard let client, let url = request.url else { return false }
    return url.hasSameOrigin(as: client.baseURL)
  }
}

extension RemoteEntity {
  /// The identifier as a segment of a URL.
  ///
  /// - Throws: ``RequestError`` of kind `missingUID`, also for an empty identifier, and ones that a URL can't hold.
  var uidSegment: String {
    get throws {
      guard let uid = serverUID, let text = uid.uidText(of: _$state.model), !text.isEmpty else {
        throw RequestError(
          .missingUID,
          "An object of '\(Self.entityName)' has no uid yet, so it has no URL. POST it first, or name a resource.")
      }
      // Encoding them does not help: `%2E%2E` means the same (RFC 3986 §6.2.2.2), which is another resource.
      guard text != ".", text != ".." else {
        throw RequestError(
          .invalidRequest, "The uid of an object of '\(Self.entityName)' is '\(text)', which no URL can hold.")
      }
      return text
    }
  }
}

extension StoredValue {
  /// A uid as it stands in URLs and bodies: UUIDs in lower case (RFC 9562 §4).
  func uidText(of model: EntityModel) -> String? {
    switch self {
    case .integer(let integer): String(integer)
    case .text(let text):
      switch model.uid.map({ model.properties[$0].kind }) {
      case .attribute(.uuid, _): text.lowercased()
      case .attribute(.integer, _): UInt64(text).map { String($0) } ?? text
      default: text
      }
    default: nil
    }
  }
}
