#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs on an object that send properties of it: the body is the JSON object that ``jsonObject(for:)`` makes of them,
/// under the entity's ``requestRootKey`` where it has one.
///
/// The answer acknowledges the edits of exactly these properties, with the values that were sent. Where `modify` makes
/// another body, or edits the object, the body is read for the object's properties, as with the other verbs.
///
/// Parameters and errors are those of the other verbs on an object, and those of ``jsonObject(for:)``.
extension RemoteEntity {
  /// Posts properties of this object to its collection; the answer gives it its uid.
  ///
  /// ```swift
  /// try await user.post(\.email, \.firstName)     // {"email":"ada@example.com","first":"Ada"}
  /// ```
  @discardableResult
  public nonisolated(nonsending) func post(
    _ property: PartialKeyPath<Self>, _ others: PartialKeyPath<Self>..., to resource: String? = nil,
    query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, options, modify, progress, sending: [property] + others)
  }

  /// As the other one, with a list that is made at run time.
  @discardableResult
  public nonisolated(nonsending) func post(
    _ properties: [PartialKeyPath<Self>], to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, options, modify, progress, sending: properties)
  }

  /// Puts properties of this object to its URL.
  ///
  /// ```swift
  /// try await user.put(\.email)     // {"email":"ada@example.com"}
  /// ```
  @discardableResult
  public nonisolated(nonsending) func put(
    _ property: PartialKeyPath<Self>, _ others: PartialKeyPath<Self>..., to resource: String? = nil,
    query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, options, modify, progress, sending: [property] + others)
  }

  /// As the other one, with a list that is made at run time.
  @discardableResult
  public nonisolated(nonsending) func put(
    _ properties: [PartialKeyPath<Self>], to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, options, modify, progress, sending: properties)
  }

  /// Patches this object at its URL with some of its properties.
  ///
  /// ```swift
  /// try await user.patch(\.email)     // {"email":"ada@example.com"}
  /// ```
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ property: PartialKeyPath<Self>, _ others: PartialKeyPath<Self>..., to resource: String? = nil,
    query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, options, modify, progress, sending: [property] + others)
  }

  /// As the other one, with a list that is made at run time.
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ properties: [PartialKeyPath<Self>], to resource: String? = nil, query: QueryParameters = [:],
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, options, modify, progress, sending: properties)
  }
}
