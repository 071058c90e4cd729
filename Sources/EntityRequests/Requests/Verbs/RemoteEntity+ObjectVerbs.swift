import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs on an object. They use the store that the object is in; without a resource its own URL, base path and uid,
/// or for POST the collection. Parameters and errors are those of the type's verbs; besides, they throw
/// ``RequestError`` of kind `missingUID` when the URL needs a uid and there is none.
///
/// The answer to POST, PUT and PATCH is about this very object: a new one gets its uid that way. Edits that were sent
/// are known to the server then; edits that were not sent, and those that were made since, stay edits. A PUT or PATCH
/// to the object's own URL, however it was named, has sent the uid. An answer with 202 that has no object is no word of that:
/// nothing is done yet, and the edits stay.
///
/// POST, PUT, PATCH and DELETE of one object take turns: the second one waits for the answer to the first, also where that is
/// an error, and those of other objects go on. The request is made when its turn comes, with the values that the object has
/// by then; so `modify` is called late, and a value that its caller read before the call is an old one:
///
/// ```swift
/// async let first = user.put(\.email)
/// user.email = "new@example.com"
/// try await user.put { try $0.setJSON(user.jsonObject(for: \.email)) }      // after the first one, with "new@example.com"
/// ```
/// A task that is cancelled while it waits leaves the line, and nothing is sent. ``ResponseOptions/atOnce`` does not wait. A
/// GET does not either, nor do the verbs of the type, nor a request that an adapter makes while it sends another one.
extension RemoteEntity {
  /// Gets this object anew.
  @discardableResult
  public nonisolated(nonsending) func get(
    _ resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.get, resource, query, options, modify, progress)
  }

  /// Asks for the headers alone. The store is left as it is.
  ///
  /// - Parameters:
  ///   - resource: `nil` means the object's own URL; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func head(
    _ resource: String? = nil, query: QueryParameters = [:], allowing allowed: ResourceAllowance = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.head, resource, query, .allowing(allowed), modify, progress)
  }

  /// Posts this object to its collection; the answer gives it its uid.
  ///
  /// A POST to the collection that waited for another one, which has made the object meanwhile, throws
  /// ``RequestError`` of kind `invalidRequest`: it would make a second object.
  ///
  /// ```swift
  /// try await user.post { try $0.setMultipart(user.jsonObject(for: \.email), [.file("photo", photo)]) }
  /// try await sale.post { try $0.setJSON(sale.jsonObject(depth: 1)) }     // with its new tenders
  /// ```
  /// New objects that the body nests get their uids, too, as those of PUT and PATCH do: an object of the answer with the
  /// same values is the one that was sent, and the others are by their order in the list. Those stay as they were whose
  /// relationship the answer does not have.
  ///
  /// - Throws: ``RequestError`` of kind `upsert` also for an answer that has several objects where the object has no uid yet, and for a
  ///   list that has another number of new objects than were sent: nothing is written then.
  @discardableResult
  public nonisolated(nonsending) func post(
    _ resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, options, modify, progress)
  }

  /// Puts this object to its URL.
  @discardableResult
  public nonisolated(nonsending) func put(
    _ resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, options, modify, progress)
  }

  /// Patches this object at its URL.
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<Self> = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, options, modify, progress)
  }

  /// Deletes this object on the server and then its row here: on success, and on 410, which says that it is gone
  /// already. With a resource that is not its URL the row stays.
  ///
  /// A row that a delete rule holds, or that another object requires, stays too. The verb throws no error then, for the
  /// server has deleted the object: `counts.denied` is 1, and `skipped` names the object.
  ///
  /// - Parameters:
  ///   - resource: `nil` means the object's own URL; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete(
    _ resource: String? = nil, query: QueryParameters = [:], deletesOn404: Bool = false,
    allowing allowed: ResourceAllowance = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    let response = try await run(
      .delete, resource, query, .allowing(allowed), modify, progress, deletesOn404: deletesOn404)
    // Unsaved edits are gone with the object, and must not stand in the way of the next save.
    if isDeleted { entityContext?.edits.forgetEdits(of: self) }
    return response
  }

  /// Sends a request when the object's turn has come.
  ///
  /// - Parameter properties: The properties that the body is made of; `nil` where the closure makes it.
  nonisolated(nonsending) func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ options: ResponseOptions<Self>,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?,
    sending properties: [PartialKeyPath<Self>]? = nil, deletesOn404: Bool = false
  ) async throws -> EntityResponse<Self> {
    let client = try Client.current
    let isNew = serverUID == nil
    let turn = try await turn(for: method, options)
    defer { turn?.end() }
    return try await send(
      method, resource, query, options, modify, progress, by: client, sending: properties, deletesOn404: deletesOn404,
      mustBeNew: isNew)
  }

  /// - Parameters:
  ///   - properties: The properties that the body is made of; `nil` where the closure makes it.
  ///   - mustBeNew: Whether the object had no uid when the verb was called.
  nonisolated(nonsending) func send(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ options: ResponseOptions<Self>,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?, by client: Client,
    sending properties: [PartialKeyPath<Self>]?, deletesOn404: Bool = false, mustBeNew: Bool
  ) async throws -> EntityResponse<Self> {
    let core = try requestCore
    let builder = RequestBuilder(client: client)
    let id = entityID
    var request = try builder.request(Self.self, method, builder.url(self, method, resource, query: query))
    if let properties { try request.setJSON(sentObject(for: properties)) }
    try builder.modify(Self.self, &request, of: resource, options.allowed, modify)
    let own = try? builder.url(self, method, nil, query: [:])
    let isOwnURL = own.map { request.url?.isSamePlace(as: $0) == true } ?? false
    // The closure may have changed the method.
    let sentMethod = request.method(or: method)
    if mustBeNew, isOwnURL, method == .post, sentMethod == .post, serverUID != nil {
      throw RequestError(
        .invalidRequest,
        "An object of '\(Self.entityName)' was posted already: it got its uid while this POST waited for its turn.")
    }
    let purpose: ExchangePurpose<Self> =
      if sentMethod == .delete {
        .deletion(method == .delete && isOwnURL ? RowRemoval(row: .object(id), on404: deletesOn404) : nil)
      } else {
        requestedObject(
          by: request, method, properties, isOwnURL: isOwnURL,
          posted: sentMethod == .post && _$state.model.uid != nil && serverUID == nil
            ? ObjectURLs(builder: builder, model: _$state.model) : nil,
          core
        ).map { .object($0) } ?? .collection
      }
    let exchange = RequestExchange(request, sentMethod, client, core, purpose, options, progress)
    let response: EntityResponse<Self>
    do {
      response = atCaller(try await exchange.run())
    } catch {
      if let created = purpose.created, error.mayHaveBeenDone { core.turns.noteUnanswered(created, turnKey) }
      purpose.end(self)
      throw atCaller(error)
    }
    MainMerge.merge(core.store, #isolation)
    // After the merge: a new object has its row by then, so that nothing of it is left to save.
    // The merge passed over the columns that were edits, so that the server's values of them are still to be told.
    purpose.settle(self)
    if purpose.created != nil, !isMadeHere { core.turns.noteAnswer(turnKey) }
    return MainMerge.noted(response, #isolation)
  }

  // MARK: Turns

  /// Waits until no other request about the object is under way that changes it.
  ///
  /// - Returns: `nil` for a request that waits for none.
  nonisolated(nonsending) func turn(
    for method: HTTPMethod, _ options: ResponseOptions<Self>
  ) async throws -> ObjectTurns.Turn? {
    guard method.sendsEdits || method == .delete, !options.isAtOnce, !ObjectTurns.isServing else { return nil }
    let turns = try requestCore.turns
    while true {
      let turn: ObjectTurns.Turn
      do { turn = atCaller(try await turns.turn(of: turnKey)) } catch { throw atCaller(error) }
      // It may have turned out to be another object meanwhile.
      if turn.key == turnKey { return turn }
      turn.end()
    }
  }

  private var turnKey: RowKey {
    RowKey(entity: _$state.model.number, pk: ((isDeleted ? forwardedTo : nil) ?? entityID).pk)
  }

  /// The store that a request about this object is for.
  ///
  /// - Throws: `StoreError` for an object that is in no context, or in a draft; ``RequestError`` of kind `storeGone`.
  var requestCore: StoreCore {
    get throws {
      guard isDetached || entityContext != nil else {
        throw StoreError(
          .wrongContext,
          "An object of '\(Self.entityName)' is in no context. Insert it first, context.insert(_:), and then send it.")
      }
      guard !isDetached, let core = entityContext?.core else {
        throw RequestError(.storeGone, "The store of an object of '\(Self.entityName)' is gone.")
      }
      guard entityContext?.family.isChild != true else {
        throw StoreError(
          .wrongContext,
          "An object of '\(Self.entityName)' is a draft's: save the draft, and send the object of the context that "
            + "made it.")
      }
      return core
    }
  }

  /// This object as a request is about it; `nil` for a request whose answer may be about any object.
  ///
  /// - Parameter posted: The URLs of the entity's objects, where the request posts an object without uid.
  private func requestedObject(
    by request: URLRequest, _ method: HTTPMethod, _ properties: [PartialKeyPath<Self>]?, isOwnURL: Bool,
    posted: ObjectURLs<Self>?, _ core: StoreCore
  ) -> RequestedObject<Self>? {
    // The answer of another resource to GET may be any object. A deleted object is none that an answer could be about.
    guard isOwnURL || method.sendsEdits, let target = isDeleted ? forwardedTo : entityID else { return nil }
    let sendsEdits = method.sendsEdits && !isDeleted
    let sent =
      sendsEdits
      ? SentEdits.carried(
        by: request, of: self, properties, isOwnURL: isOwnURL, namesUID: isOwnURL && method != .post) : nil
    let isCreation = request.method(or: method) == .post && sent?.edits.endsInsertion == true
    return RequestedObject(
      id: target, isUnsaved: isInserted, posted: posted, sent: sent?.edits, children: sent?.children ?? [],
      isCreation: isCreation,
      doubt: isCreation
        ? sent.flatMap { ReplayDoubt(of: $0.edits, request, earlier: core.turns.unanswered(turnKey)) } : nil)
  }
}
