import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs of the client itself: requests about no entity, whose responses are read as any Decodable type. They need no
/// store, and leave it as it is.
///
/// ```swift
/// let person = try await client.get("users/1", as: Person.self).value
/// let token = try await client.post("login", as: Token.self) { try $0.setJSON(["name": name]) }.value
/// ```
///
/// They throw ``RequestError``: of kind `status` for a refusal, with its ``ErrorModel``; of kind `mapping` for a body that is
/// none of the type; `CancellationError`; the errors of `modify`. They can be called from any isolation; the transfer, the
/// parsing and the decoding happen apart from it.
extension Client {
  /// Gets a value.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(.get, resource, query, type, options, modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func post<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(.post, resource, query, type, options, modify, progress)
  }

  /// Puts the body that `modify` sets in the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func put<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(.put, resource, query, type, options, modify, progress)
  }

  /// Patches with the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func patch<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(.patch, resource, query, type, options, modify, progress)
  }

  /// Deletes a resource, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(.delete, resource, query, type, options, modify, progress)
  }

  /// Sends a request with any method, and reads the answer.
  ///
  /// ```swift
  /// let usage = try await client.send(report, "usage", as: Usage.self).value     // HTTPMethod(rawValue: "REPORT")
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func send<Value: Decodable & Sendable>(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type,
    options: ValueOptions = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await run(method, resource, query, type, options, modify, progress)
  }

  /// Sends a request that was made before, and reads the answer.
  ///
  /// ```swift
  /// var request = try client.request(.post, "login")
  /// try request.setForm(["name": name])
  /// let token = try await client.send(request, as: Token.self).value
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, with its body. It is sent with the headers that it has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func send<Value: Decodable & Sendable>(
    _ request: URLRequest, as type: Value.Type, options: ValueOptions = [], progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    let exchange = exchange(request, request.method(or: .get), options, progress)
    do { return atCaller(try await exchange.run(type)) } catch { throw atCaller(error) }
  }

  private nonisolated(nonsending) func run<Value: Decodable & Sendable>(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ type: Value.Type, _ options: ValueOptions,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?
  ) async throws -> ValueResponse<Value> {
    let request = try request(method, resource, query, options.allowed, modify)
    // The closure may have changed the method.
    let exchange = exchange(request, request.method(or: method), options, progress)
    do { return atCaller(try await exchange.run(type)) } catch { throw atCaller(error) }
  }
}
