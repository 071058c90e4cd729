package import EntityJSON
package import EntityStore
package import HTTPFoundation

/// One write of an object by the outbox: the request, the edits that it carries, and the way of its response.
package struct ObjectWrite<E: RemoteEntity>: Sendable {
  package let request: URLRequest
  /// The edits that the request carries; `nil` for a deletion.
  package let sent: SentEdits?
  /// The new objects that the body nests, by their relationships.
  let children: [SentChildren]
  private(set) var exchange: EntityExchange<E>

  fileprivate init(
    _ request: URLRequest, _ exchange: EntityExchange<E>, _ sent: SentEdits?, _ children: [SentChildren] = []
  ) {
    (self.request, self.exchange, self.sent, self.children) = (request, exchange, sent, children)
  }

  /// The same write by another exchange.
  func by(_ exchange: EntityExchange<E>) -> Self {
    var write = self
    write.exchange = exchange
    return write
  }

  /// Sends the request, and takes the response in.
  ///
  /// - Parameters:
  ///   - entry: The entry of the outbox, which the transaction of the response ends.
  ///   - adapter: Sends the request in place of the client's adapter.
  ///   - progress: Called with the progress of the transfer.
  @concurrent package func run(
    ending entry: OutboxEntryEnd, through adapter: (any RequestAdapter)? = nil,
    progress: TransferProgressHandler? = nil
  ) async throws -> EntityResponse<E> {
    var exchange = exchange
    exchange.reading.entry = entry
    exchange.fetch.progress = progress
    if let adapter { exchange.fetch.adapter = adapter }
    return try await exchange.run().response
  }

  /// The text of an attribute in a response about the object; `nil` for a response without it.
  package func text(of property: PropertyModel, in response: EntityResponse<E>) -> String? {
    guard let value = response.value else { return nil }
    let answer = HTTPResponse(status: response.status, headers: response.headers, url: response.url)
    let object = try? exchange.reading.envelope.envelope(of: answer, value).open(value, expecting: .any, answer)
    let found = object?[property.key]
    return found?.string ?? found?.lexeme
  }

  /// The result of a search for the object of a create whose answer was lost.
  package enum Found: Sendable {
    /// The object was taken in, as if it were the answer to the create.
    case object
    case nothing
    /// Several objects: which of them was created is not known.
    case several(Int)
    /// An object with another value than the one that was looked for.
    case another
  }

  /// Sends a GET in place of a create whose answer was lost. One object in the response is taken in as the answer.
  ///
  /// - Parameter question: The question that the request asks; `nil` for a request to the object's own URL.
  @concurrent package func lookUp(_ question: LookUp?, ending entry: OutboxEntryEnd) async throws -> Found {
    var exchange = exchange
    exchange.reading.entry = entry
    if question != nil, case .object(var requested) = exchange.reading.purpose {
      requested.isSearched = true
      exchange.reading.purpose = .object(requested)
    }
    return try await exchange.observed { try await Self.lookUp(question, by: $0) }
  }

  private static func lookUp(_ question: LookUp?, by exchange: EntityExchange<E>) async throws -> Found {
    let facts = exchange.fetch.facts
    do {
      let sequence = exchange.reading.numbers.begin(isWrite: false)
      defer { exchange.reading.numbers.end(sequence) }
      let (response, transfer) = try await exchange.sendRead(sequence)
      defer { withExtendedLifetime(transfer) {} }
      if response.status == 404 || response.status == 410 { return .nothing }
      try facts.check(response)
      guard let body = try facts.body(of: response) else { return .nothing }
      try facts.judge(response, body)
      let value = try exchange.reading.envelope.envelope(of: response, body)
        .open(body, expecting: question == nil ? .item : .any, response)
      if let count = value.array?.count, count != 1 { return count == 0 ? .nothing : .several(count) }
      if question?.mayBe(value.array?.first ?? value) == false { return .another }
      _ = try await exchange.take(response, transfer?.number ?? sequence)
      return .object
    } catch {
      throw facts.told(error)
    }
  }

  /// Takes in that the server has the edits, though no response says so.
  ///
  /// - Parameter uid: The texts of the uid that the server gave the object; `nil` for an object that has its own.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a uid of another form; ``StoreError``.
  @concurrent package func confirm(uid: [String]?, ending entry: OutboxEntryEnd) async throws {
    let reading = exchange.reading
    guard case .object(let requested) = reading.purpose else { return }
    let sequence = reading.numbers.begin(isWrite: true)
    defer { reading.numbers.end(sequence) }
    var upsert = ResponseUpsert<E>(nil, sequence: sequence)
    upsert.target = requested.id
    upsert.sent = requested.sent
    upsert.isOfWrite = true
    upsert.entry = entry
    if let uid {
      let model = try reading.core.schema.model(E.self)
      guard let stored = model.uid({ uid.indices.contains($1) ? uid[$1] : nil }) else {
        throw RequestError(.invalidRequest, "The uid '\(uid.joined(separator: "/"))' is none of '\(E.entityName)'.")
      }
      upsert.awaitsUID = true
      upsert.locatedUID = stored
    }
    _ = try await reading.core.upsert(upsert)
  }

  /// Takes in that the server has the object no more: its deletion, made here, is over.
  @concurrent package func endDeletion() async throws {
    let reading = exchange.reading
    guard case .object(let requested) = reading.purpose else { return }
    let sequence = reading.numbers.begin(isWrite: true)
    defer { reading.numbers.end(sequence) }
    _ = try await reading.core.delete(RemovedRow<E>.object(requested.id), sequence: sequence)
  }

  /// The end of the sending, whether a response came or not: edits that it carried may end by other responses.
  package func end() {
    sent?.marker.end()
    for edits in children.flatMap(\.allEdits) { edits.marker.end() }
  }
}

/// Makes the writes of the objects of an entity.
package struct ObjectWrites<E: RemoteEntity>: Sendable {
  let client: Client
  let core: StoreCore

  package init(_ client: Client, _ core: StoreCore) { (self.client, self.core) = (client, core) }

  /// A create or an update of an object in the context of a unit.
  ///
  /// - Parameters:
  ///   - mask: The properties that the request carries, whatever its body looks like.
  ///   - root: The key that the object stands under in the body; `nil` where it is the whole body.
  ///   - creates: Whether the response shows that the server has the object, which was made here.
  package func write(
    _ request: URLRequest, of object: E, carrying mask: ColumnMask, under root: String?, creates: Bool
  ) -> ObjectWrite<E> {
    let body = Self.body(of: request, root)
    let marker = SentEdits.Marker()
    let embedded = SentEmbedded(isOwnURL: true, marker: marker).embedded(in: object, mask, in: body)
    let sent = SentEdits(of: object, mask, embedded: embedded, endsInsertion: creates, marker: marker)
    let requested = RequestedObject<E>(
      id: object.entityID, isUnsaved: false, sent: sent,
      children: body.map { SentChildren.nested(in: object, $0) } ?? [], isCreation: creates)
    return write(request, requested, awaitsUID: creates && object.serverUID == nil)
  }

  /// A create, an update or a command whose edits are known. By itself it carries none, as a read does.
  package func write(
    _ request: URLRequest, of id: EntityID<E>, _ sent: SentEdits? = nil, awaitsUID: Bool = false, creates: Bool = false
  ) -> ObjectWrite<E> {
    write(
      request, RequestedObject<E>(id: id, isUnsaved: false, sent: sent, isCreation: creates), awaitsUID: awaitsUID)
  }

  /// A deletion of an object.
  ///
  /// - Parameter id: The object, whose row is gone.
  package func deletion(by request: URLRequest, of id: EntityID<E>) -> ObjectWrite<E> {
    let removal = RowRemoval<E>(.object(id), at: request.url, on404: true, builder: RequestBuilder(client: client))
    return ObjectWrite(request, EntityExchange(request, .delete, client, core, .deletion(removal), []), nil)
  }

  private func write(
    _ request: URLRequest, _ requested: RequestedObject<E>, awaitsUID: Bool
  ) -> ObjectWrite<E> {
    var requested = requested
    if awaitsUID, let model = try? core.schema.model(E.self), model.uid != nil {
      requested.posted = ObjectURLs(builder: RequestBuilder(client: client), model: model)
    }
    return ObjectWrite(
      request, EntityExchange(request, request.method(or: .post), client, core, .object(requested), []),
      requested.sent, requested.children)
  }

  /// The object in a body: the whole body, or the object under a root key.
  private static func body(of request: URLRequest, _ root: String?) -> JSONObject? {
    guard let data = request.httpBody, let body = (try? JSONValue(parsing: data))?.object else { return nil }
    return root.flatMap { body.value[$0]?.object } ?? body
  }
}

extension RemoteEntity {
  /// The request that creates or updates the object with some of its properties.
  ///
  /// - Parameters:
  ///   - method: POST goes to the collection, each other method to the object's own URL.
  ///   - mask: The properties of the body.
  ///   - form: Makes the body of the properties; `nil` from it means the entity's own form.
  /// - Throws: ``RequestError`` of kind `missingUID` for a link to an object that the server does not know.
  package func changeRequest(
    _ method: HTTPMethod, _ mask: ColumnMask, _ client: Client, form: (JSONObject) -> JSONObject?
  ) throws -> URLRequest {
    let builder = RequestBuilder(client: client)
    var request = try builder.request(Self.self, method, builder.url(self, method, nil, query: [:]))
    let body = try jsonObject(for: keyPaths(of: mask))
    try request.setJSON(form(body) ?? Self.rooted(body))
    return request
  }

  /// All properties that a body can have, for a request that replaces the object on the server.
  package func wholeColumns(withUID: Bool) -> ColumnMask {
    let model = _$state.model
    return model.properties.reduce(into: ColumnMask()) { mask, property in
      guard !property.isHidden, !property.isDerived, withUID || !model.identity.contains(property.index) else { return }
      if case .toMany = property.kind, !property.isOrdered, !property.leadsToEmbedded { return }
      mask.insert(property.index)
    }
  }

  /// A request about the object with a uid, without a body.
  ///
  /// - Parameters:
  ///   - object: The object, if there is one: its URL may have other values than the uid.
  ///   - address: These values, of an object that was deleted here.
  /// - Throws: ``RequestError`` of kind `missingUID` or `invalidRequest` for a uid that no URL can hold, or that is not
  ///   in the URL.
  package static func objectRequest(
    _ method: HTTPMethod, uid: StoredValue, of object: Self? = nil, at address: ObjectAddress? = nil, _ client: Client,
    _ model: EntityModel
  ) throws -> URLRequest {
    let builder = RequestBuilder(client: client)
    if let object { return try builder.request(Self.self, method, builder.url(object, method, nil, query: [:])) }
    let template = try ownTemplate
    let path =
      if let template, !template.isOfUID(model) {
        try UIDPath(deleted: uid, address, of: Self.self, model, in: template)
      } else {
        try UIDPath(uid, of: model, in: template)
      }
    return try builder.request(Self.self, method, builder.url(Self.self, path: path, []))
  }

  /// The path of an object for people, by the text of its uid.
  package static func shownPath(uid: String) -> String {
    let base = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
    guard let template = try? ownTemplate else { return "\(base)/\(uid)" }
    return template.takesUIDAlone
      ? (try? template.reference(["uid": uid])) ?? template.description : template.description
  }

  /// A request as an entry of the outbox has it, with the credentials of today.
  package static func request(_ method: HTTPMethod, _ url: URL, _ client: Client) throws -> URLRequest {
    try RequestBuilder(client: client).request(Self.self, method, url)
  }
}
