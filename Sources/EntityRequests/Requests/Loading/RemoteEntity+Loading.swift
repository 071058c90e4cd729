public import EntityStore

extension RemoteEntity {
  /// Loads properties that no response had yet: attributes, to-one and to-many relationships.
  ///
  /// ```swift
  /// try await user.load(\.bio)
  /// print(user.bio ?? "has none")       // `nil` is the server's word
  /// ```
  /// If all of them are loaded, nothing is sent; see `loaded`. Otherwise the object's own URL is asked, once for all
  /// callers that ask for the object at the same time. Where the entity declares ``fetchesByID``, the objects that are
  /// asked for in one turn of the main actor share a request, and the object's own URL is asked for what that response
  /// leaves out. A property whose key the response of the own URL does not have counts as loaded: it has no value on the
  /// server.
  ///
  /// The entity has to track its coverage: else the store does not know whether a response had a property without a value.
  /// Placeholders are loaded all the same.
  ///
  /// - Parameter properties: The properties; without any, all of them.
  /// - Throws: ``RequestError``: `invalidRequest` for a property without a value, or a list without members, of an entity that
  ///   does not track its coverage, unless the object is a placeholder, or was
  ///   made here and the server does not have it yet; `missingObject` when a response by ids does not have the object, `missingUID` for an object
  ///   that has none, `status` with 404 when the server does not have it, and the errors of `get`. `StoreError` of kind
  ///   `wrongContext` for an object that is not of the main context.
  public nonisolated(nonsending) func load(_ properties: PartialKeyPath<Self>...) async throws {
    let client = try Client.current
    guard let store = try requestCore.store else {
      throw RequestError(.storeGone, "The store of an object of '\(Self.entityName)' is gone.")
    }
    if let refusalToHandOn { throw refusalToHandOn }
    let loading = try ObjectLoading<Self>(client, store)
    let wanted = properties.isEmpty ? loading.model.all : try mask(properties, loading.model)
    guard lacks(wanted) else {
      // A value that is there was loaded, and an object that the server does not have has all of its own.
      let knowsAll = loading.model.coverage != nil || isInserted || isMadeHere
      if !knowsAll, properties.contains(where: { hasNothing(at: $0, loading.model) }) { throw Self.coverageError }
      return
    }
    if let byID = Self.fetchesByID { _ = try loading.text(of: self, byID) }
    // The turn of the caller ends with the wait.
    let place = client.caching.loads.ask(
      loading.key, ObjectLoads.Ask(pk: entityID.pk, properties: wanted), loading.work)
    let isFound: Bool
    do { isFound = atCaller(try await client.caching.loads.value(at: place)) } catch { throw atCaller(error) }
    MainMerge.merge(store, #isolation)
    guard isFound else {
      throw RequestError(
        .missingObject, "The response does not have the object of '\(Self.entityName)' (row \(entityID.pk)).")
    }
  }

  /// Whether a property that a response can have has no value, or a list no members.
  private func hasNothing(at keyPath: PartialKeyPath<Self>, _ model: EntityModel) -> Bool {
    guard let index = model.index(of: keyPath), model.coverable.contains(index) else { return false }
    let value = self[keyPath: keyPath]
    if model.properties[index].isList { return (value as? [any ManagedEntity])?.isEmpty ?? true }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }

  private static var coverageError: RequestError {
    RequestError(
      .invalidRequest,
      "'\(entityName)' does not track its coverage: declare `static var tracksCoverage: Bool { true }`, and the store "
        + "notes which properties responses had.")
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest` for a key path of no stored property.
  private func mask(_ properties: [PartialKeyPath<Self>], _ model: EntityModel) throws -> ColumnMask {
    try properties.reduce(into: ColumnMask()) { mask, keyPath in
      guard let index = model.index(of: keyPath) else {
        throw RequestError(
          .invalidRequest, "A key path is of no property that '\(Self.entityName)' stores, so nothing loads it.")
      }
      mask.insert(index)
    }
  }

  /// Gets the placeholders of the entity, by their ids where the entity declares ``fetchesByID``, and else one by one.
  ///
  /// ```swift
  /// let missing = try await User.fillPlaceholders()
  /// ```
  /// Each request is a transaction of its own: after an error the objects of the requests before it stay.
  ///
  /// - Parameters:
  ///   - limit: The most placeholders that are asked for; `nil` for all. Those that the store has had for the longest
  ///     time come first.
  ///   - store: Where the placeholders are; by default the client's store.
  /// - Returns: The placeholders that no response had, in their order: they stay placeholders.
  /// - Throws: ``RequestError``; `CancellationError`. Without ``fetchesByID``, the statuses 403, 404, 410 and 451 are no
  ///   errors: the object is missing.
  @discardableResult
  public nonisolated(nonsending) static func fillPlaceholders(
    limit: Int? = nil, in store: EntityStore? = nil
  ) async throws -> [EntityID<Self>] {
    let client = try Client.current
    let store = try store ?? client.store
    let missing: [EntityID<Self>]
    do {
      missing = atCaller(try await ObjectLoading<Self>(client, store).fillPlaceholders(limit: limit))
    } catch {
      throw atCaller(error)
    }
    MainMerge.merge(store, #isolation)
    return missing
  }
}

extension ObjectLoading {
  /// Whether the server refuses one object, and may have the others (RFC 9110 §15.5, RFC 7725).
  private static func isAboutObject(_ error: RequestError) -> Bool {
    error.kind == .status && [403, 404, 410, 451].contains(error.status)
  }

  @MainActor fileprivate func fillPlaceholders(limit: Int?) async throws -> [EntityID<E>] {
    var query = E.placeholders
    if let limit { query = query.limited(to: max(0, limit)) }
    let pks = try store.main.ids(query).map(\.pk)
    let size = work.limit
    var missing: [EntityID<E>] = []
    for first in stride(from: 0, to: pks.count, by: size) {
      try Task.checkCancellation()
      let part = Array(pks[first..<min(first + size, pks.count)])
      let places = part.map { (pk: $0, client.caching.loads.ask(key, .init(pk: $0, properties: ColumnMask()), work)) }
      do {
        missing += try await missingObjects(at: places)
      } catch {
        // The request ends with its last caller.
        for (_, place) in places { client.caching.loads.leave(place) }
        throw error
      }
    }
    return missing
  }

  @MainActor private func missingObjects(at places: [(pk: Int64, ObjectLoads.Place)]) async throws -> [EntityID<E>] {
    var missing: [EntityID<E>] = []
    for (pk, place) in places {
      do {
        if try await !client.caching.loads.value(at: place) { missing.append(EntityID(pk: pk)) }
      } catch let error as RequestError where E.fetchesByID == nil && Self.isAboutObject(error) {
        missing.append(EntityID(pk: pk))
      }
    }
    return missing
  }
}
