import EntityJSON
import EntityStore
import HTTPFoundation

typealias EntityExchange<E: RemoteEntity> = RequestExchange<EntityReading<E>>

/// Says how the transaction of a page ends, from the response and the step to the next page.
typealias PageListing = @Sendable (HTTPResponse, PageStep.Outcome) throws -> ListingEnd?

/// The reading of a response as objects of an entity, which are taken into the store: ``ResponseSettling``.
struct EntityReading<E: RemoteEntity>: ResponseReading {
  let envelope: EnvelopeChoice
  let core: StoreCore
  var purpose: ExchangePurpose<E>
  let options: ResponseOptions<E>
  let caching: ClientCaching
  let client: Client?
  /// The client's values that mean nothing.
  let nothing: NothingValues
  /// The name of the account, for a request with a cache policy.
  let identity: String?
  /// The name of the note that the answer leaves; `nil` when it leaves none.
  var noteKey: AnswerKey?
  /// Keeps the place of a page's objects in a list; `nil` for a page of no such list.
  var listing: PageListing?
  /// The request's entry in the outbox, which the response ends; `nil` for a request that is not of the outbox.
  var entry: OutboxEntryEnd?
  /// Whether the query of a request that deletes nothing names one object.
  var isOfOneByQuery = false

  typealias Output = (response: EntityResponse<E>, step: PageStep.Outcome)

  /// - Parameter client: `nil` for a delivered response without a client.
  init(
    _ client: Client?, _ routes: RequestRoutes?, _ core: StoreCore, _ purpose: ExchangePurpose<E>,
    _ options: ResponseOptions<E>
  ) {
    envelope = EnvelopeChoice(E.self, request: options.envelope, routes, client)
    self.core = core
    self.purpose = purpose
    self.options = options
    self.client = client
    caching = client?.caching ?? ClientCaching(identity: nil, onRefreshFailure: nil)
    nothing = client?.nothing ?? []
    identity = options.cache == nil ? nil : caching.identity?()
  }

  static var deletesRows: Bool { true }

  var numbers: RequestSequence { core.requests }

  func check(_ facts: RequestFacts) throws {
    try options.check(facts.method)
    guard case .page = purpose, options.cache != nil else { return }
    throw RequestError(
      .invalidRequest, "A walk over pages has no cache policy: which pages there are, only the server knows.")
  }

  func alsoSuccess(_ response: HTTPResponse, _ facts: RequestFacts) async throws -> Set<Int> {
    try entry?.check(response)
    return try await purpose.alsoSuccess(response, core)
  }

  func ignoresBody(_ response: HTTPResponse) -> Bool {
    if case .page = purpose { response.status == PageStep.outOfRange } else { false }
  }

  func endAnswers(_ facts: RequestFacts) async { await core.endAnswersAfterWrite(of: options.entityNames) }

  func result(of exchange: EntityExchange<E>, _ sequence: RequestNumber) async throws -> Output {
    guard let streaming = options.streaming else { return try await exchange.sendAndTake(sequence) }
    return exchange.noted(
      try await StreamedExchange(exchange: exchange, streaming: streaming, sequence: sequence).run())
  }

  func read(_ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest) async throws -> Output {
    try await settling(response, body, to: sent).settle(response, body)
  }

  func note(_ result: Output, in report: inout ExchangeReport) { report.take(result.response) }

  /// - Parameter body: The body, which a route may need to choose the envelope; `nil` when it is not here yet.
  /// - Throws: The errors of a route's closure.
  func settling(_ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest) throws -> ResponseSettling<E> {
    let facts = sent.facts
    var settling = ResponseSettling(
      core: core, purpose: purpose, options: options, envelope: try envelope.envelope(of: response, body, to: purpose),
      sequence: sent.sequence, requestURL: facts.url, isOfOneByQuery: isOfOneByQuery, hasStatus: facts.hasStatus,
      nothing: nothing, decoder: facts.bodies.decoder,
      isOfWrite: facts.method != nil && facts.method != .get && !facts.onlyReads, entry: entry, progress: sent.progress)
    settling.listing = listing
    settling.client = client
    // The note of a 304 would replace the note that the 304 confirms.
    if let noteKey, let request = facts.request, response.status != 304 {
      settling.note = { try AnswerDraft($0, to: request, noteKey) }
    }
    return settling
  }
}

/// A request on an entity type or on an object, as the caller of a verb names it.
struct ResourceRequest<E: RemoteEntity>: Sendable {
  let method: HTTPMethod
  let resource: String?
  let query: QueryParameters
  let options: ResponseOptions<E>

  init(_ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ options: ResponseOptions<E>) {
    (self.method, self.resource, self.query, self.options) = (method, resource, query, options)
  }
}

extension RequestExchange {
  init<E>(
    _ request: URLRequest, _ method: HTTPMethod, _ client: Client, _ core: StoreCore, _ purpose: ExchangePurpose<E>,
    _ options: ResponseOptions<E>
  ) where Reading == EntityReading<E> {
    let routes = RequestRoutes(client, method, request.url)
    var reading = EntityReading(client, routes, core, purpose, options)
    switch purpose {
    case .collection, .object:
      reading.isOfOneByQuery = RequestBuilder(client: client).isOwnByQuery(E.self, request.url)
    case .relationship, .page, .deletion: break
    }
    self.init(
      ResponseFetch(
        request: request, method: method, adapter: E.adapter ?? client.adapter,
        bodies: BodyReading(options, client, routes), observers: client.caching.observers),
      reading)
  }

  /// A request on an entity type, changed by the caller.
  init<E>(
    _ named: ResourceRequest<E>, _ client: Client, _ store: EntityStore, _ modify: (inout URLRequest) throws -> Void
  ) throws where Reading == EntityReading<E> {
    let builder = RequestBuilder(client: client)
    var request = try builder.request(
      E.self, named.method, builder.url(E.self, named.resource, query: named.query))
    try builder.modify(E.self, &request, of: named.resource, named.options.allowed, modify)
    // The closure may have changed the method.
    let sentMethod = request.method(or: named.method)
    let purpose: ExchangePurpose<E> =
      sentMethod == .delete
      ? .deletion(RowRemoval(of: request.url, on404: named.options.isGoneOn404, builder: builder, core: store.core))
      : .collection
    self.init(request, sentMethod, client, store.core, purpose, named.options)
  }

  /// The response, through the cache if the request has a policy.
  @concurrent func response<E>() async throws -> EntityResponse<E> where Reading == EntityReading<E> {
    guard let policy = reading.options.cache else { return try await run().response }
    do { return try await CachedExchange(self, policy).run() } catch { throw fetch.facts.told(error) }
  }
}
