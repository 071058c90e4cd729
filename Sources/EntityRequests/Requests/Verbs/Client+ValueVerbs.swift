import EntityStore
public import HTTPFoundation

/// The verbs of the client itself: requests about no entity, whose responses are read as any Decodable type. They need no
/// store, and leave it as it is.
///
/// ```swift
/// let person = try await client.get("users/1", as: Person.self).value
/// let token = try await client.post("login", as: Token.self) { try $0.setJSON(["name": name]) }.value
/// ```
///
/// For other methods use ``sending(_:_:query:as:options:)``.
///
/// They throw ``RequestError``: of kind `status` for a refusal, with its ``ErrorModel``; of kind `mapping` for a body
/// that is not of the type; `CancellationError`; the errors of `modify`. They can be called from any isolation; the
/// transfer, the parsing and the decoding happen apart from it.
extension Client {
  /// Gets a value.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` when the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await sending(.get, resource, query: query, as: type, options: options).run(modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` when the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func post<Value: Decodable & Sendable>(
    _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<Value> {
    try await sending(.post, resource, query: query, as: type, options: options).run(modify, progress)
  }
}
