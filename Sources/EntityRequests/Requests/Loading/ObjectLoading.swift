import EntityStore

/// The requests for objects of one entity: for several by their ids, where the entity declares how, and else for each
/// one at its own URL.
struct ObjectLoading<E: RemoteEntity>: Sendable {
  let client: Client
  let core: StoreCore
  let store: EntityStore
  let model: EntityModel

  init(_ client: Client, _ store: EntityStore) throws {
    self.client = client
    self.store = store
    core = store.core
    model = try core.schema.model(E.self)
  }

  var key: ObjectLoads.Key { ObjectLoads.Key(store: ObjectIdentifier(core), entity: model.number) }

  /// The way in which the client's other callers share the requests.
  var work: ObjectLoads.Work {
    ObjectLoads.Work(limit: E.fetchesByID?.limit ?? 1) {
      try await fetch($0)
    } lacking: {
      // The request for one object asks its own URL already.
      E.fetchesByID == nil ? [] : try lacking($0).map(\.pk)
    } fetchOwn: {
      try await failure(atOwnURL: $0)
    } settle: {
      try await settle($0)
    }
  }

  /// Sends one request for some objects.
  ///
  /// - Returns: The objects that the response had.
  @MainActor private func fetch(_ pks: [Int64]) async throws -> Set<Int64> {
    guard let byID = E.fetchesByID else {
      var found: Set<Int64> = []
      for pk in pks { found.formUnion(try await fetch(atOwnURL: pk)) }
      return found
    }
    // A uid that the parameter can't hold is refused to who loads the object, and to nobody else.
    let texts = try store.main.objects(pks.map { EntityID<E>(pk: $0) }).compactMap { try? text(of: $0, byID) }
    guard !texts.isEmpty else { return [] }
    var query = QueryParameters()
    for (name, value) in byID.query(texts) { query.append(name, value) }
    return try await withClient { try await Set(E.get(query: query, in: store).ids.map(\.pk)) }
  }

  /// The id of an object in the query.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a uid that the parameter can't hold; `missingUID`.
  func text(of object: E, _ byID: FetchesByID) throws -> String {
    let parts = try UIDPath(object.serverUID, of: model).parts
    guard parts.count == 1, byID.takes(parts[0].text) else {
      throw RequestError(
        .invalidRequest,
        "A uid of '\(E.entityName)' has several parts or a comma, which the parameter of 'fetchesByID' can't tell apart."
      )
    }
    return parts[0].text
  }

  /// Asks the object's own URL: the response is about this object, whether or not it names the uid.
  @MainActor private func fetch(atOwnURL pk: Int64) async throws -> Set<Int64> {
    guard let object = try store.main.objects([EntityID<E>(pk: pk)]).first else { return [] }
    return try await withClient { try await object.get().ids.isEmpty ? [] : [pk] }
  }

  @MainActor private func withClient(_ body: @MainActor () async throws -> Set<Int64>) async throws -> Set<Int64> {
    try await Client.withClient(client, operation: body)
  }

  /// Asks the own URL of an object, because a response by ids may have an abbreviated form of it.
  ///
  /// - Returns: The error of a response or a request that is about this object.
  /// - Throws: The error of a server that can't be reached or is busy, where requests for other objects would fail as well.
  @MainActor private func failure(atOwnURL pk: Int64) async throws -> (any Error)? {
    do {
      _ = try await fetch(atOwnURL: pk)
      return nil
    } catch let error as RequestError where error.kind != .transport && !error.isOfPassingFault {
      return error
    }
  }

  /// Notes the properties that were asked for as loaded. The response of the object's own URL without their keys says that
  /// they have no value.
  @MainActor private func settle(_ asks: [ObjectLoads.Ask]) async throws {
    let open = try lacking(asks)
    guard !open.isEmpty else { return }
    try await core.unit(isOfServer: true) { [open] rows in
      for ask in open { try rows.knowledge.noteLoaded(model, ask.pk, ask.properties) }
    }
    MainMerge.merge(store, MainActor.shared)
  }

  /// The asks of objects that lack something that was asked for.
  @MainActor private func lacking(_ asks: [ObjectLoads.Ask]) throws -> [ObjectLoads.Ask] {
    guard model.coverage != nil else { return [] }
    return try store.main.objects(asks.map { EntityID<E>(pk: $0.pk) }).compactMap { object in
      asks.first { $0.pk == object.entityID.pk && object.lacks($0.properties) }
    }
  }
}
