import EntityStore
public import HTTPFoundation

/// Reads of relationships, at the URL of ``resource(_:)``. The objects of the response get a link to this object,
/// unless their link was edited here. A list is not taken for the whole relationship, because it may be one page of
/// many. With `.deleteMissing(in:)` it is, if each object belongs to one owner. The request has the headers and the
/// adapter of the entity that it gets. With `.upserting(.insertOnly)` the objects of a list that are here already keep
/// their owner.
///
/// They throw the errors of the other verbs; of kind `missingUID` for an object that has no uid yet, and of kind
/// `invalidRequest` for an object that is not saved, and for `.deleteMissing(in:)` of a many-to-many relationship.
extension RemoteEntity {
  /// Gets the objects of a list.
  ///
  /// ```swift
  /// let posts = try await user.get(\.posts, query: ["page": 1]).objects     // …/users/7/posts?page=1
  /// ```
  ///
  /// - Parameters:
  ///   - list: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get<Related: RemoteEntity>(
    _ list: KeyPath<Self, [Related]>, query: QueryParameters = [:], options: ResponseOptions<Related> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Related> {
    try await sending(get: list, query: query, options: options).run(modify, progress)
  }

  /// Gets the object of a relationship, and links this object to it.
  ///
  /// - Parameters:
  ///   - link: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get<Related: RemoteEntity>(
    _ link: KeyPath<Self, Related?>, query: QueryParameters = [:], options: ResponseOptions<Related> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Related> {
    try await sending(get: link, query: query, options: options).run(modify, progress)
  }

  /// Gets the object of a required relationship.
  ///
  /// - Parameters:
  ///   - link: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get<Related: RemoteEntity>(
    _ link: KeyPath<Self, Related>, query: QueryParameters = [:], options: ResponseOptions<Related> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Related> {
    try await sending(get: link, query: query, options: options).run(modify, progress)
  }

  /// A request for the objects of a list, which is sent later; see ``Request``.
  ///
  /// - Parameters:
  ///   - list: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public func sending<Related: RemoteEntity>(
    get list: KeyPath<Self, [Related]>, query: QueryParameters = [:], options: ResponseOptions<Related> = []
  ) -> Request<EntityResponse<Related>> { relationship(list, query, options) }

  /// A request for the object of a relationship, which is sent later; see ``Request``.
  ///
  /// - Parameters:
  ///   - link: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public func sending<Related: RemoteEntity>(
    get link: KeyPath<Self, Related?>, query: QueryParameters = [:], options: ResponseOptions<Related> = []
  ) -> Request<EntityResponse<Related>> { relationship(link, query, options) }

  /// A request for the object of a required relationship, which is sent later; see ``Request``.
  ///
  /// - Parameters:
  ///   - link: The relationship.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public func sending<Related: RemoteEntity>(
    get link: KeyPath<Self, Related>, query: QueryParameters = [:], options: ResponseOptions<Related> = []
  ) -> Request<EntityResponse<Related>> { relationship(link, query, options) }

  private func relationship<Related: RemoteEntity>(
    _ keyPath: PartialKeyPath<Self>, _ query: QueryParameters, _ options: ResponseOptions<Related>
  ) -> Request<EntityResponse<Related>> {
    // A key path never changes.
    nonisolated(unsafe) let keyPath = keyPath
    return request(.get, isAtOnce: false) { object, client, _, modify in
      MadeRequest(try object.exchange(keyPath, query, options, client, modify))
    }
  }

  private func exchange<Related: RemoteEntity>(
    _ keyPath: PartialKeyPath<Self>, _ query: QueryParameters, _ options: ResponseOptions<Related>, _ client: Client,
    _ modify: (inout URLRequest) throws -> Void
  ) throws -> EntityExchange<Related> {
    let core = try requestCore
    let builder = RequestBuilder(client: client)
    let (resource, property) = try relationshipResource(keyPath)
    guard !isInserted else {
      throw RequestError(
        .invalidRequest,
        "An object of '\(Self.entityName)' is not saved yet, so the objects of its relationship would have no way back. Save it "
          + "first.")
    }
    if _$state.model.properties[property].membership != nil, options.missing.scope != nil {
      throw RequestError(
        .invalidRequest,
        "'\(Self.entityName).\(_$state.model.properties[property].name)' is many-to-many: `.deleteMissing` would delete "
          + "objects that others have.")
    }
    var request = try builder.request(Related.self, .get, builder.url(Related.self, resource, query: query))
    try builder.modify(Related.self, &request, modify)
    let owner = RelationshipOwner(entity: _$state.model.number, pk: entityID.pk, property: property)
    return EntityExchange<Related>(
      request, request.method(or: .get), client, core, .relationship(owner), options)
  }
}
