public import EntityJSON
import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs of the client that ask for no type. The value is the whole body as JSON, and `nil` where there is none; only an
/// envelope that the options name is opened.
///
/// ```swift
/// try await client.delete("sessions/7")
/// let city = try await client.get("status").value?["place.city"]?.string
/// ```
///
/// They throw as the verbs with a type do. A body that is not JSON is an error of kind `parsing`, but not to DELETE.
extension Client {
  /// Gets JSON.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get(
    _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.get, resource, query, options, modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func post(
    _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.post, resource, query, options, modify, progress)
  }

  /// Puts the body that `modify` sets in the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func put(
    _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.put, resource, query, options, modify, progress)
  }

  /// Patches with the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.patch, resource, query, options, modify, progress)
  }

  /// Deletes a resource, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete(
    _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.delete, resource, query, options, modify, progress)
  }

  /// Asks for the headers alone.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func head(
    _ resource: String? = nil, query: QueryParameters = [:], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(.head, resource, query, [], modify, progress)
  }

  /// Sends a request with any method.
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func send(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> ValueResponse<JSONValue?> {
    try await run(method, resource, query, options, modify, progress)
  }

  private nonisolated(nonsending) func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ options: ValueOptions,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?
  ) async throws -> ValueResponse<JSONValue?> {
    let request = try request(method, resource, query, modify)
    // The closure may have changed the method.
    let exchange = exchange(request, request.method(or: method), options, envelope: nil, progress)
    do { return atCaller(try await exchange.run()) } catch { throw atCaller(error) }
  }
}
