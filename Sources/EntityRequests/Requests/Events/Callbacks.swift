public import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

// Completion handlers, for code that can't await.

extension RequestEvents {
  /// Sends the request now, and hands the result to a closure on the main actor.
  ///
  /// ```swift
  /// client.events(.get, "people/1", as: Person.self).send { result in print((try? result.get())?.value.name ?? "none") }
  /// ```
  ///
  /// - Parameters:
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, in any case: with the response, or with the error that the verb throws. The objects of
  ///     the main context are up to date then.
  /// - Returns: The task of the request. To cancel it cancels the request, whose error is `CancellationError` then.
  @discardableResult
  public func send(
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<Response, any Error>) -> Void
  ) -> Task<Void, Never> {
    Task {
      let result: Result<Response, any Error>
      do { result = .success(try await send(progress)) } catch { result = .failure(error) }
      await end(result, completion)
    }
  }

  @MainActor private func end(
    _ result: Result<Response, any Error>, _ completion: @MainActor (Result<Response, any Error>) -> Void
  ) {
    if case .success(let response) = result { MainMerge.merge(store(response), #isolation) }
    completion(result)
  }
}

/// The verbs on an entity type with completion handlers.
///
/// ```swift
/// User.get(query: ["page": 1]) { result in
///   switch result {
///   case .success(let response): print(response.counts)
///   case .failure(let error): print(error)
///   }
/// }
/// ```
///
/// The completion handler is called once, in any case, on the main actor: with the response, or with the error that the
/// verb throws. The objects of the main context are up to date then. The client is that of the task that calls the verb.
/// They return the task of the request: to cancel it cancels the request.
extension RemoteEntity {
  /// Gets objects and upserts them.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func get(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.get, resource, query: query, in: store, options: options, modify: modify)
      .send(progress: progress, completion: completion)
  }

  /// Asks for the headers alone. The store is left as it is.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func head(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    allowing allowed: ResourceAllowance = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.head, resource, query: query, in: store, options: .allowing(allowed), modify: modify)
      .send(progress: progress, completion: completion)
  }

  /// Posts the body that `modify` puts into the request, and upserts the answer's objects.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func post(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.post, resource, query: query, in: store, options: options, modify: modify)
      .send(progress: progress, completion: completion)
  }

  /// Puts the body that `modify` sets in the request, and upserts the answer's objects.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func put(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.put, resource, query: query, in: store, options: options, modify: modify)
      .send(progress: progress, completion: completion)
  }

  /// Patches with the body that `modify` puts into the request, and upserts the answer's objects.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func patch(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.patch, resource, query: query, in: store, options: options, modify: modify)
      .send(progress: progress, completion: completion)
  }

  /// Deletes a resource, and its row where it is the URL of one object.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  ///   - completion: Called once, on the main actor.
  @discardableResult
  public nonisolated static func delete(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    allowing allowed: ResourceAllowance = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil,
    completion: @escaping @MainActor @Sendable (Result<EntityResponse<Self>, any Error>) -> Void
  ) -> Task<Void, Never> {
    events(.delete, resource, query: query, in: store, options: .allowing(allowed), modify: modify)
      .send(progress: progress, completion: completion)
  }
}
