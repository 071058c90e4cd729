import FlyingFox
import Foundation

// Todos, and the events of their changes.

extension Routes {
  func answerTodos(_ path: [Substring], _ request: HTTPRequest, body: Data) throws(ServerError) -> HTTPResponse {
    if path.count == 1 { return try answerTodoList(request, body) }
    guard path.count == 2 else { throw .unknownPath }
    if path[1] == "events" {
      guard request.method == .GET else { throw .notAllowed(request.method.rawValue, allowed: "GET") }
      return events(request)
    }
    return try answerTodo(Self.id(path[1]), request, body)
  }

  private func answerTodoList(_ request: HTTPRequest, _ body: Data) throws(ServerError) -> HTTPResponse {
    if Self.isGet(request) { return try Self.json(backend.todos.all) }
    guard request.method == .POST else { throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, POST") }
    let attributes = try Self.attributes(request, body)
    let key = request.headers[HTTPHeader("Idempotency-Key")]
    let todo = try changeTodos { try $0.create(attributes, key: key) }
    var response = try Self.json(todo, status: .created)
    response.headers[.location] = "\(Self.base(of: request, "todos"))/\(todo.id)"
    return response
  }

  private func answerTodo(_ id: Int, _ request: HTTPRequest, _ body: Data) throws(ServerError) -> HTTPResponse {
    switch request.method {
    case .GET, .HEAD:
      guard let todo = backend.todos.todo(id) else { throw .unknownTodo(id) }
      return try Self.json(todo)
    case .PATCH:
      let attributes = try Self.attributes(request, body)
      let expected = Self.expectedVersion(request)
      guard let todo = try changeTodos({ try $0.update(id, attributes, expected: expected) }) else {
        throw .unknownTodo(id)
      }
      return try Self.json(todo)
    case .DELETE:
      let expected = Self.expectedVersion(request)
      guard try changeTodos({ try $0.delete(id, expected: expected) }) else { throw .unknownTodo(id) }
      return HTTPResponse(statusCode: .noContent)
    default:
      throw .notAllowed(request.method.rawValue, allowed: "GET, HEAD, PATCH, DELETE")
    }
  }

  /// `If-Match: "7"` (RFC 9110 §13.1.1). A tag that no version has matches none.
  private static func expectedVersion(_ request: HTTPRequest) -> Int? {
    guard let tag = request.headers[HTTPHeader("If-Match")], tag != "*" else { return nil }
    return Int(tag.trimmingCharacters(in: ["\""])) ?? -1
  }

  private func changeTodos<Result: Sendable>(_ body: (inout TodoData) throws -> Result) throws(ServerError) -> Result {
    let result = try change { content in
      // A refused change changes nothing.
      var todos = content.todos
      let result = Swift.Result { try body(&todos) }
      if case .success = result { content.todos = todos }
      if case .failure(let error) = result, !(error is TodoData.Refusal) { throw error }
      return result.mapError { $0 as? TodoData.Refusal ?? .otherVersion }
    }
    backend.announceTodos()
    switch result {
    case .success(let value): return value
    case .failure(.noTitle): throw .invalidTodo("A todo needs a title.")
    case .failure(.longTitle): throw .invalidTodo("A title has at most \(TodoData.longestTitle) characters.")
    case .failure(.otherVersion): throw .otherVersion
    }
  }

  /// The stream of changes (WHATWG HTML §9.2): those after `Last-Event-ID`, all todos without one, and then each change as
  /// it is made.
  private func events(_ request: HTTPRequest) -> HTTPResponse {
    let last = request.headers[HTTPHeader("Last-Event-ID")].flatMap { Int($0) } ?? 0
    let events = TodoEvents(backend: backend, after: last)
    return HTTPResponse(
      statusCode: .ok, headers: [.contentType: "text/event-stream", HTTPHeader("Cache-Control"): "no-store"],
      body: HTTPBodySequence(from: events))
  }

  private static func json(_ value: some Encodable, status: HTTPStatusCode = .ok) throws(ServerError) -> HTTPResponse {
    guard let json = try? JSONEncoder().encode(value) else { throw .unknownPath }
    return HTTPResponse(json: Array(json), status: status)
  }
}

extension ServerError {
  fileprivate static let otherVersion = ServerError(
    status: .preconditionFailed, code: "other_version", message: "The todo has another version by now.")

  fileprivate static func invalidTodo(_ message: String) -> ServerError {
    ServerError(status: .unprocessableContent, code: "invalid_todo", message: message)
  }

  fileprivate static func unknownTodo(_ id: Int) -> ServerError {
    ServerError(status: .notFound, code: "not_found", message: "No todo has the id \(id).")
  }
}
