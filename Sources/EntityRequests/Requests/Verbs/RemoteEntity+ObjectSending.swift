import EntityStore
import HTTPFoundation

/// The requests of an object as values, with any method; see ``Request``. Each sending of a write waits for the
/// object's turn, and sends the values that the object has by then.
extension RemoteEntity {
  /// A request of this object, which is sent later.
  ///
  /// ```swift
  /// for try await event in user.sending(.patch, \.photo).events { … }
  /// user.sending(.delete, options: .deletesOn404).send { result in print(result) }
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - properties: The properties that the body is made of. Without any there is no body, unless a change makes one.
  ///   - resource: `nil` means the object's own URL, or for POST the collection; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public func sending(
    _ method: HTTPMethod, _ properties: PartialKeyPath<Self>..., to resource: String? = nil,
    query: QueryParameters = [:], options: ResponseOptions<Self> = []
  ) -> Request<EntityResponse<Self>> {
    sending(method, body(properties), to: resource, query: query, options: options)
  }

  /// The same for a list of properties that is made at run time.
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - properties: The properties that the body is made of. An empty list makes an empty object; `nil` means no body.
  ///   - resource: `nil` means the object's own URL, or for POST the collection; otherwise as in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the URL.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public func sending(
    _ method: HTTPMethod, _ properties: [PartialKeyPath<Self>]?, to resource: String? = nil,
    query: QueryParameters = [:], options: ResponseOptions<Self> = []
  ) -> Request<EntityResponse<Self>> {
    // A key path never changes, and the key paths that are made here capture nothing but literals.
    nonisolated(unsafe) let properties = properties
    return request(method, isAtOnce: options.isAtOnce) { object, client, isNew, modify in
      try object.made(
        ResourceRequest(method, resource, query, options), properties, client, mustBeNew: isNew, modify)
    }
  }

  /// The properties of a body; `nil` when none is named.
  func body(_ properties: [PartialKeyPath<Self>]) -> [PartialKeyPath<Self>]? { properties.isEmpty ? nil : properties }

  /// A request that touches this object.
  ///
  /// - Parameters:
  ///   - isAtOnce: True when a write does not wait for other writes.
  ///   - make: Makes the request with a client. The flag says whether the object had no uid when the sending began.
  func request<Response>(
    _ method: HTTPMethod, isAtOnce: Bool,
    _ make: @escaping @Sendable (Self, Client, Bool, (inout URLRequest) throws -> Void) throws -> MadeRequest<Response>
  ) -> Request<Response> {
    let client = Result { try Client.current }
    // Only the main actor touches an object of the main context: `Request.send` goes there. A request of another object
    // is sent by a verb, in the isolation of the object, or not at all.
    nonisolated(unsafe) let object = self
    return Request(isOfObject: true, refusal: refusalToHandOn) {
      let client = try client.get()
      let isNew = object.serverUID == nil
      let waits = (method.sendsEdits || method == .delete) && !isAtOnce && !ObjectTurns.isServing
      let core = waits ? try object.requestCore : nil
      return RequestSteps(line: core.map { ($0.turns, { object.turnKey }) }, store: core?.store) {
        try make(object, client, isNew, $0)
      }
    }
  }

  /// Why a request of this object can't be handed on; `nil` for an object of the main context.
  var refusalToHandOn: (any Error)? {
    do { _ = try requestCore } catch { return error }
    guard entityContext?.kind != .main else { return nil }
    return StoreError(
      .wrongContext,
      "An object of '\(Self.entityName)' is of a unit of work or a read, which it does not outlive. Make the request of the "
        + "object that the main context has.")
  }

  /// - Parameters:
  ///   - properties: The properties that the body is made of; `nil` when the closure makes it.
  ///   - mustBeNew: Whether the object had no uid when the sending began.
  func made(
    _ named: ResourceRequest<Self>, _ properties: [PartialKeyPath<Self>]?, _ client: Client, mustBeNew: Bool,
    _ modify: (inout URLRequest) throws -> Void
  ) throws -> MadeRequest<EntityResponse<Self>> {
    let (method, options) = (named.method, named.options)
    let core = try requestCore
    let builder = RequestBuilder(client: client)
    let id = entityID
    var request = try builder.request(Self.self, method, builder.url(self, method, named.resource, query: named.query))
    if let properties { try request.setJSON(sentObject(for: properties)) }
    try builder.modify(Self.self, &request, of: named.resource, options.allowed, modify)
    func hasURL(of method: HTTPMethod) -> Bool {
      guard let url = request.url, let own = try? builder.url(self, method, nil, query: [:]) else { return false }
      return builder.isSame(Self.self, url, as: own)
    }
    let isOwnURL = hasURL(of: method)
    // The closure may have changed the method.
    let sentMethod = request.method(or: method)
    if mustBeNew, isOwnURL, method == .post, sentMethod == .post, serverUID != nil {
      throw RequestError(
        .invalidRequest,
        "An object of '\(Self.entityName)' was posted already: it got its uid while this POST waited for its turn.")
    }
    let purpose: ExchangePurpose<Self> =
      if sentMethod == .delete {
        .deletion(
          hasURL(of: .delete)
            ? RowRemoval(.object(id), at: request.url, on404: options.isGoneOn404, builder: builder) : nil)
      } else {
        requestedObject(
          by: request, method, properties, isOwnURL: isOwnURL,
          posted: sentMethod == .post && _$state.model.uid != nil && serverUID == nil
            ? ObjectURLs(builder: builder, model: _$state.model) : nil,
          core
        ).map { .object($0) } ?? .collection
      }
    do {
      if purpose.created != nil { try checkOutbox() }
    } catch {
      purpose.end(self)
      throw error
    }
    var made = MadeRequest<EntityResponse<Self>>(
      EntityExchange<Self>(request, sentMethod, client, core, purpose, options))
    made.failed = { error, _ in
      if let created = purpose.created, error.mayHaveBeenDone { core.turns.noteUnanswered(created, self.turnKey) }
      purpose.end(self)
    }
    // By now a new object has its row, so nothing of it is left to save. The merge passed over the columns that were
    // edits, so observers still have to hear of the server's values of these columns.
    made.merged = {
      purpose.settle(self)
      if purpose.created != nil, !self.isMadeHere { core.turns.noteAnswer(self.turnKey) }
      // The unsaved edits are gone with the object, and must not prevent the next save.
      if sentMethod == .delete, self.isDeleted { self.entityContext?.edits.forgetEdits(of: self) }
    }
    return made
  }

  private var turnKey: RowKey {
    RowKey(entity: _$state.model.number, pk: ((isDeleted ? forwardedTo : nil) ?? entityID).pk)
  }

  /// - Throws: ``RequestError`` of kind `invalidRequest` where the outbox has a request that creates this object, and whose end
  ///   is not known: the server would have the object twice.
  private func checkOutbox() throws {
    guard try entityContext?.pendingEdits.outboxEntries(of: turnKey).contains(where: \.mayCreate) == true else {
      return
    }
    throw RequestError(
      .invalidRequest,
      "An object of '\(Self.entityName)' is not posted, because a request of the outbox creates it, or has created it: "
        + "let the outbox send it, or settle its entry.")
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

  /// The object that a request is about; `nil` for a request whose answer may be about any object.
  ///
  /// - Parameter posted: The URLs of the entity's objects, for a POST of an object without uid.
  private func requestedObject(
    by request: URLRequest, _ method: HTTPMethod, _ properties: [PartialKeyPath<Self>]?, isOwnURL: Bool,
    posted: ObjectURLs<Self>?, _ core: StoreCore
  ) -> RequestedObject<Self>? {
    // The answer to a GET of another resource may be any object. No answer can be about a deleted object.
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
