import EntityJSON
import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request of an entity with all that it needs, resolved in the task of the caller; it runs apart from the caller's
/// actor.
///
/// It has two halves: ``ResponseFetch`` from the request to the parsed body, and ``ResponseSettling`` from there into the
/// store.
struct RequestExchange<E: RemoteEntity>: Sendable {
  var fetch: ResponseFetch
  let envelope: EnvelopeChoice
  let core: StoreCore
  let purpose: ExchangePurpose<E>
  let options: ResponseOptions<E>
  private(set) var meter: ProgressMeter?
  private(set) var progress: RequestProgressHandler?
  /// The account that asks, of a request with a cache policy.
  let identity: String?
  let caching: ClientCaching
  /// The name of the note that the answer leaves; `nil` where it leaves none.
  var noteKey: AnswerKey?

  init(
    _ request: URLRequest, _ method: HTTPMethod, _ client: Client, _ core: StoreCore, _ purpose: ExchangePurpose<E>,
    _ options: ResponseOptions<E>, _ progress: RequestProgressHandler?
  ) {
    self.progress = progress
    caching = client.caching
    identity = options.cache == nil ? nil : client.caching.identity?()
    meter = progress.map { ProgressMeter($0) }
    let routes = RequestRoutes(client, method, request.url)
    fetch = ResponseFetch(
      request: request, method: method, adapter: E.adapter ?? client.adapter,
      reading: BodyReading(options, client, routes), progress: meter?.transferHandler)
    envelope = EnvelopeChoice(E.self, request: options.envelope, routes, client)
    self.core = core
    self.purpose = purpose
    self.options = options
  }

  @concurrent func run() async throws -> EntityResponse<E> {
    guard let policy = options.cache else { return try await runPage().response }
    do {
      return try await CachedExchange(self, policy).run()
    } catch {
      throw fetch.told(error)
    }
  }

  /// The same exchange, whose progress nobody hears.
  var unheard: Self {
    var exchange = self
    exchange.progress = nil
    exchange.meter = nil
    exchange.fetch.progress = nil
    return exchange
  }

  /// The same exchange, of whose progress a handler hears.
  func heard(by progress: @escaping RequestProgressHandler) -> Self {
    var exchange = reporting(to: progress)
    exchange.progress = progress
    return exchange
  }

  /// The same exchange, whose progress another one hears.
  func reporting(to progress: @escaping RequestProgressHandler) -> Self {
    var exchange = self
    let meter = ProgressMeter(progress)
    exchange.meter = meter
    exchange.fetch.progress = meter.transferHandler
    return exchange
  }

  typealias Result = (response: EntityResponse<E>, step: PageStep.Outcome)

  /// As ``run()``, with the way on from the response where that is a page.
  @concurrent func runPage() async throws -> Result {
    do {
      let method = fetch.method
      try options.check(method)
      if case .page = purpose, options.cache != nil {
        throw RequestError(
          .invalidRequest, "A walk over pages has no cache policy: which pages there are, only the server knows.")
      }
      let sequence = core.requests.begin(isWrite: method != .get && method != .head)
      defer { core.requests.end(sequence) }
      let result: Result
      if let streaming = options.streaming {
        result = try await StreamedExchange(exchange: self, streaming: streaming, sequence: sequence).run()
      } else {
        result = try await settle(try await fetch.send(), sequence)
      }
      await meter?.finish()
      return result
    } catch {
      throw fetch.told(error)
    }
  }

  /// Takes in a response that is here as a whole.
  func settle(_ response: HTTPResponse, _ sequence: RequestNumber) async throws -> Result {
    let method = fetch.method
    try fetch.check(response, alsoSuccess: try await purpose.alsoSuccess(response, core))
    if !method.isSafe { await core.endAnswersAfterWrite(of: options.entityNames) }
    do {
      let body = try body(of: response)
      return try await settling(response, body, sequence).settle(response, body)
    } catch var error as RequestError {
      error.wasAccepted = !method.isSafe
      throw error
    }
  }

  /// The second half of the exchange.
  ///
  /// - Parameter body: What a route may ask for the envelope; `nil` where it is not here yet.
  /// - Throws: The errors of a route's closure.
  func settling(
    _ response: HTTPResponse, _ body: JSONValue?, _ sequence: RequestNumber
  ) throws -> ResponseSettling<E> {
    var settling = ResponseSettling(
      core: core, purpose: purpose, options: options,
      envelope: try isDeletion ? .wholeBody : envelope.envelope(of: response, body),
      sequence: sequence, requestURL: fetch.request.url, decoder: fetch.reading.decoder,
      isOfWrite: fetch.method != .get, progress: meter?.upsertHandler)
    // The note of a 304 would take the place of the one that it confirms.
    if let noteKey, response.status != 304 {
      settling.note = { [request = fetch.request] in try AnswerDraft($0, to: request, noteKey) }
    }
    return settling
  }

  private var isDeletion: Bool { if case .deletion = purpose { true } else { false } }

  /// The body of a deletion need not be JSON, for nothing is read from it.
  private func body(of response: HTTPResponse) throws -> JSONValue? {
    if isDeletion { return try? fetch.body(of: response) }
    return try fetch.body(of: response)
  }
}
