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
    var logged: RequestLog.Request?
    do throws(ServerError) {
      let body = try await Self.body(of: request)
      let entry = RequestLog.Request(request, body: body ?? Data())
      backend.record(entry)
      logged = entry
      response = try answer(request, body: body)
    } catch {
      response = error.response
    }
    if let logged { for await _ in backend.wait(logged) {} }
    if request.method == .HEAD, case .httpBody(let body) = response.payload {
      // RFC 9110 §9.3.2: the answer of GET without its body.
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
    guard let first = path.first else { throw .unknownPath }
    if first == "todos" { return try answerTodos(path, request, body: body) }
    guard first == "users" else { return try answerBlog(path, request, body: body) }
    switch path.count {
    case 1: return try answerUsers(request, body: body)
    case 2: return try answerUser(Self.id(path[1]), request, body: body)
    case 3 where path[2] == "comments": return try comments(by: Self.id(path[1]), request)
    case 3 where path[2] == "avatar": return try answerAvatar(Self.id(path[1]), request, body: body)
    default: throw .unknownPath
    }
  }

  /// One object has one path: neither "+7" nor "007" is 7.
  static func id(_ text: Substring) throws(ServerError) -> Int {
    guard let id = Int(text), String(id) == text else { throw .unknownPath }
    return id
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
    let attributes = try Self.userAttributes(request, body)
    let created = try change { try $0.users.create(attributes) }
    var response = HTTPResponse(json: created.json, status: .created)
    response.headers[.location] = "\(Self.base(of: request, "users"))/\(created.id)"
    return response
  }

  private func list(_ request: HTTPRequest) throws(ServerError) -> HTTPResponse {
    let users = backend.users
    let page = try Page(
      page: Self.parameter("page", request), perPage: Self.parameter("per_page", request),
      defaultSize: backend.pageSize)
    if let text = Self.parameter("q", request) { return HTTPResponse(json: users.list(with: text, limit: page?.size)) }
    if let email = Self.parameter("email", request) {
      return HTTPResponse(json: users.list(email: email, limit: page?.size))
    }
    guard let page else { return HTTPResponse(json: users.list()) }
    var response = HTTPResponse(json: users.list(offset: page.offset, limit: page.size))
    response.headers[HTTPHeader("Link")] = page.link(base: Self.base(of: request, "users"), total: users.count)
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
      let attributes = try Self.userAttributes(request, body)
      let json = try change { try $0.users.update(id, with: attributes, deep: request.method == .PATCH) }
      guard let json else { throw .unknownUser(id) }
      return HTTPResponse(json: json)
    case .DELETE:
      guard try change({ $0.users.delete(id) }) else { throw .unknownUser(id) }
      return HTTPResponse(statusCode: .noContent)
    default:
      throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, PUT, PATCH, DELETE")
    }
  }

  /// Keeps no picture, and says where it would be.
  private func answerAvatar(_ id: Int, _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    guard request.method == .PUT else { throw .notAllowed(request.method.rawValue, allowed: "PUT") }
    guard backend.users.contains(id) else { throw .unknownUser(id) }
    guard request.headers[.contentType] == "image/png", body.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
      throw .unsupportedMediaType
    }
    let url = JSONValue.string("\(Self.base(of: request, "users"))/\(id)/avatar.png")
    guard try change({ try $0.users.update(id, with: ["avatar_url": url], deep: false) }) != nil,
      let json = try? JSONValue.object(["avatar_url": url]).json()
    else { throw .unknownUser(id) }
    return HTTPResponse(json: json)
  }

  func change<Result: Sendable>(_ body: (inout Backend.Content) throws -> Result) throws(ServerError) -> Result {
    do {
      return try backend.change(body)
    } catch {
      throw ServerError(status: .internalServerError, code: "internal", message: "The change could not be kept.")
    }
  }

  static func parameter(_ name: String, _ request: HTTPRequest) -> String? {
    request.query.first { $0.name == name }?.value
  }

  static func attributes(_ request: HTTPRequest, _ body: Data) throws(ServerError) -> [String: JSONValue] {
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

  /// The attributes of a user, whose e-mail address has an @.
  private static func userAttributes(
    _ request: HTTPRequest, _ body: Data
  ) throws(ServerError) -> [String: JSONValue] {
    let attributes = try attributes(request, body)
    if case .string(let email)? = attributes["email"], !email.contains("@") { throw .invalidEmail(email) }
    return attributes
  }

  static func isGet(_ request: HTTPRequest) -> Bool {
    request.method == .GET || request.method == .HEAD
  }

  /// The URL of a path, as the client addressed the server.
  static func base(of request: HTTPRequest, _ path: String) -> String {
    request.headers[.host].map { "http://\($0)/\(path)" } ?? "/\(path)"
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
