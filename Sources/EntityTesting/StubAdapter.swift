public import EntityRequests
import Synchronization
import Testing
public import HTTPFoundation

/// An adapter without a network: it gives declared responses, records the requests, and fails the test for an
/// unexpected request.
///
/// ```swift
/// let stub = StubAdapter()
/// stub.on(.get, "/users/{id}", .json(["id": 42, "email": "ada@example.com"]))
/// stub.on(.put, "/users/*", .status(503), .json(["id": 42]))       // one after the other
/// stub.on(.get, "/posts?page=1", .json([]).chunked(3))             // a body in pieces, for `stream` as well
/// ```
public final class StubAdapter: RequestAdapter {
  private struct Entry {
    let route: StubRoute
    let answers: [StubAnswer]
    var used = 0

    /// A single answer is for every request. Of several answers, each is for one request, unless it says otherwise.
    var next: StubAnswer? {
      var left = used
      for answer in answers {
        guard let uses = answer.uses ?? (answers.count == 1 ? nil : 1) else { return answer }
        if left < uses { return answer }
        left -= uses
      }
      return nil
    }
  }

  private struct State {
    var entries: [Entry] = []
    var requests: [StubRequest] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Declares an answer. Of several matching routes, the route that was added last counts, as long as it has answers
  /// left.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: The path of the URL, decoded. The wildcards are those of `PathPattern`: the segment `*` stands for any
  ///     segment, `#` for a segment of digits, and `**` for all remaining segments. `{name}` and `{name:#}` are
  ///     wildcards too, and their values are in ``StubRequest/parameters``. A slash at the end makes no difference:
  ///     `/users` is for requests to `users` and to `users/`, and ``StubRequest/path`` says which of the two was sent.
  ///     A path that no request can match fails the test. After a `?`, the path may have parameters that the query must
  ///     have, percent-encoded: `/users?page=1`. A URL such as `https://cdn.example.com/users` is for requests to that
  ///     origin alone.
  ///   - query: Parameters that the query must have, possibly among others. Without this, any query matches.
  ///   - answers: A single answer is given to every request. Several answers are given one after the other, and then no
  ///     more. See ``StubAnswer/times(_:)`` and ``StubAnswer/always``.
  ///   - file: With the line, the place where the test fails if no path can match. No macro of Swift Testing is used, so that
  ///     a file that does not import it can use a stub.
  ///   - line: The line, from 1.
  @discardableResult
  public func on(
    _ method: HTTPMethod, _ path: String, query: QueryParameters? = nil, _ answers: StubAnswer...,
    file: String = #filePath, line: Int = #line
  ) -> StubAdapter {
    if let route = Self.route(method, path, query, SourceLocation(file: file, line: line)) {
      state.withLock { $0.entries.append(Entry(route: route, answers: answers)) }
    }
    return self
  }

  /// The requests so far, in the order of their arrival, including unexpected ones.
  public var requests: [StubRequest] { state.withLock(\.requests) }

  /// The requests so far with a method and a pattern of paths.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: A path in the form of ``on(_:_:query:_:file:line:)``.
  ///   - file: With the line, the place where the test fails if no path can match.
  ///   - line: The line, from 1.
  public func requests(
    _ method: HTTPMethod, _ path: String, file: String = #filePath, line: Int = #line
  ) -> [StubRequest] {
    guard let route = Self.route(method, path, nil, SourceLocation(file: file, line: line)) else { return [] }
    return requests.filter { route.match($0) != nil }
  }

  private static func route(
    _ method: HTTPMethod, _ path: String, _ query: QueryParameters?, _ sourceLocation: SourceLocation
  ) -> StubRoute? {
    do {
      return try StubRoute(method, path, query)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
      return nil
    }
  }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let (answer, request) = try await answer(to: request, body)
    return try await answer.send(request, progress)
  }

  /// The response while it arrives: piece by piece with ``StubAnswer/chunked(_:announcesLength:gates:)``.
  @concurrent public func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try Task.checkCancellation()
    let (answer, request) = try await answer(to: request, body)
    return try await answer.stream(request, progress)
  }

  private func answer(to request: URLRequest, _ body: RequestBody) async throws -> (StubAnswer, StubRequest) {
    let (found, recorded, routes) = answer(to: try await StubRequest(request, body))
    guard let found else {
      let error = UnexpectedRequest(request: recorded, routes: routes)
      Issue.record(error)
      throw error
    }
    return (found, recorded)
  }

  private func answer(
    to request: StubRequest
  ) -> (StubAnswer?, StubRequest, routes: [(route: StubRoute, answers: Int)]) {
    state.withLock { state in
      var request = request
      var found: StubAnswer?
      for index in state.entries.indices.reversed() {
        guard let answer = state.entries[index].next, let parameters = state.entries[index].route.match(request)
        else { continue }
        state.entries[index].used += 1
        request.parameters = parameters
        found = answer
        break
      }
      state.requests.append(request)
      return (found, request, found == nil ? state.entries.map { ($0.route, $0.used) } : [])
    }
  }
}

extension SourceLocation {
  /// A place in a file whose module is not known: the file's folder stands for it.
  init(file: String, line: Int) {
    let names = Array(file.split(separator: "/").suffix(2))
    let fileID = names.count < 2 ? "?/\(file)" : names.joined(separator: "/")
    self.init(fileID: fileID, filePath: file, line: line, column: 1)
  }
}
