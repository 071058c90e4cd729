import FlyingFox
import Foundation

/// Answers each request: the API that ``SampleServer`` documents.
struct Routes: HTTPHandler {
  let backend: Backend

  /// The largest body taken, in bytes: far above any user, far below the memory there is.
  static let bodyLimit = 8 * 1024 * 1024

  // Concurrent, so that a large answer is not made on the actor that hands out requests.
  @concurrent
  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    var response: HTTPResponse
    do throws(ServerError) {
      let body = try await Self.body(of: request)
      backend.record(RequestLog.Request(request, body: body ?? Data()))
      response = try answer(request, body: body)
    } catch {
      response = error.response
    }
    if request.method == .HEAD, case .httpBody(let body) = response.payload {
      // RFC 9110 §9.3.2: what GET would have answered, without the body.
      response.headers[.contentLength] = body.count.map(String.init)
      response.payload = .httpBody(HTTPBodySequence())
    }
    return response
  }

  /// The whole body; nil when it is over the limit. It is read to its end all the same: the next request follows it.
  private static func body(of request: HTTPRequest) async throws(ServerError) -> Data? {
    var body = Data()
    var fits = true
    do {
      for try await chunk in request.bodySequence where fits {
        fits = body.count + chunk.count <= bodyLimit
        if fits { body.append(chunk) }
      }
    } catch {
      throw ServerError(status: .badRequest, code: "incomplete_body", message: "The body did not arrive in full.")
    }
    return fits ? body : nil
  }

  private func answer(_ request: HTTPRequest, body: Data?) throws(ServerError) -> HTTPResponse {
    let path = request.target.path().split(separator: "/")
    if path == ["health"] {
      guard Self.isGet(request) else { throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD") }
      return HTTPResponse(json: Array(#"{"status":"ok"}"#.utf8))
    }
    try authorize(request)
    guard let body else { throw .tooLarge }
    guard path.first == "users", path.count <= 2 else { throw .unknownPath }
    guard path.count == 2 else { return try answerUsers(request, body: body) }
    // One user has one path: neither "+7" nor "007" is 7.
    guard let id = Int(path[1]), String(id) == path[1] else { throw .unknownPath }
    return try answerUser(id, request, body: body)
  }

  private func authorize(_ request: HTTPRequest) throws(ServerError) {
    guard let token = backend.token else { return }
    let credentials = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
    guard credentials.count == 2, credentials[0].lowercased() == "bearer", credentials[1] == token else {
      throw .unauthorized
    }
  }

  private func answerUsers(_ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    if Self.isGet(request) { return try list(request) }
    guard request.method == .POST else {
      throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, POST")
    }
    let attributes = try Self.attributes(request, body)
    let created = try change { try $0.create(attributes) }
    var response = HTTPResponse(json: created.json, status: .created)
    response.headers[.location] = "\(Self.base(of: request))/\(created.id)"
    return response
  }

  private func list(_ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    let users = backend.users
    func parameter(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    let page = try Page(page: parameter("page"), perPage: parameter("per_page"), defaultSize: backend.pageSize)
    guard let page else { return HTTPResponse(json: users.list()) }
    var response = HTTPResponse(json: users.list(offset: page.offset, limit: page.size))
    response.headers[HTTPHeader("Link")] = page.link(base: Self.base(of: request), total: users.count)
    response.headers[HTTPHeader("X-Total-Count")] = String(users.count)
    return response
  }

  private func answerUser(_ id: Int, _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    switch request.method {
    case .GET, .HEAD:
      guard let json = backend.users.user(id) else { throw .unknownUser(id) }
      return HTTPResponse(json: json)
    case .PUT, .PATCH:
      guard backend.users.contains(id) else { throw .unknownUser(id) }
      let attributes = try Self.attributes(request, body)
      let json = try change { try $0.update(id, with: attributes, deep: request.method == .PATCH) }
      guard let json else { throw .unknownUser(id) }
      return HTTPResponse(json: json)
    case .DELETE:
      guard try change({ $0.delete(id) }) else { throw .unknownUser(id) }
      return HTTPResponse(statusCode: .noContent)
    default:
      throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, PUT, PATCH, DELETE")
    }
  }

  private func change<Result: Sendable>(_ body: (inout UserData) throws -> Result) throws(ServerError) -> Result {
    do {
      return try backend.change(body)
    } catch {
      throw ServerError(status: .internalServerError, code: "internal", message: "The change could not be kept.")
    }
  }

  private static func attributes(_ request: HTTPRequest, _ body: Data) throws(ServerError) -> [String: JSONValue] {
    let type = (request.headers[.contentType] ?? "").split(separator: ";").first?.lowercased() ?? ""
    let name = type.trimmingCharacters(in: .whitespaces)
    if name == "application/x-www-form-urlencoded" { return FormAttributes.read(body) }
    guard name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json") else {
      throw .unsupportedMediaType
    }
    guard let value = try? JSONValue(json: body) else { throw .malformedJSON }
    guard case .object(let attributes) = value else { throw .notAnObject }
    return attributes
  }

  private static func isGet(_ request: HTTPRequest) -> Bool {
    request.method == .GET || request.method == .HEAD
  }

  /// The URL of the users, as the client addressed the server.
  private static func base(of request: HTTPRequest) -> String {
    request.headers[.host].map { "http://\($0)/users" } ?? "/users"
  }
}

extension RequestLog.Request {
  fileprivate init(_ request: HTTPRequest, body: Data) {
    var headers: [String: String] = [:]
    for (header, value) in request.headers {
      headers[header.rawValue.lowercased()] = value
    }
    self.init(
      method: request.method.rawValue, path: request.target.path(), query: request.target.query(), headers: headers,
      body: body)
  }
}
