import EntityJSON
import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request with all that it needs, resolved in the task of the caller; it runs apart from the caller's actor.
///
/// The way of a response, in order: adapter, ``ResponseStatus``, ``ResponseParsing``, ``Envelope``, the upsert.
struct RequestExchange<E: RemoteEntity>: Sendable {
  let request: URLRequest
  /// The method of the request, which the caller's closure may have changed.
  let method: HTTPMethod
  let client: Client
  let core: StoreCore
  let purpose: ExchangePurpose<E>
  let options: ResponseOptions<E>
  let meter: ProgressMeter?

  init(
    _ request: URLRequest, _ method: HTTPMethod, _ client: Client, _ core: StoreCore, _ purpose: ExchangePurpose<E>,
    _ options: ResponseOptions<E>, _ progress: RequestProgressHandler?
  ) {
    self.request = request
    self.method = method
    self.client = client
    self.core = core
    self.purpose = purpose
    self.options = options
    meter = progress.map { ProgressMeter($0) }
  }

  @concurrent func run() async throws -> EntityResponse<E> { try await runPage().response }

  /// As ``run()``, with the way on from the response where that is a page.
  @concurrent func runPage() async throws -> (response: EntityResponse<E>, step: PageStep.Outcome) {
    do {
      try Task.checkCancellation()
      let sequence = core.requests.begin(isWrite: method != .get && method != .head)
      defer { core.requests.end(sequence) }
      let response = try await (E.adapter ?? client.adapter).response(to: request, progress: meter?.transferHandler)
      var alsoSuccess = purpose.alsoSuccess
      // Both sides agree that an object is gone which was deleted here.
      if response.status == 404, case .deletion(let removal?) = purpose, try await core.isDeletedHere(removal.row) {
        alsoSuccess.insert(404)
      }
      try ResponseStatus.check(response, to: method, at: request.url, alsoSuccess: alsoSuccess)
      let result = try await settle(response, sequence)
      await meter?.finish()
      return result
    } catch let error as RequestError {
      throw error.about(request, method)
    }
  }

  /// Takes the response in, as the purpose of the request says.
  private func settle(
    _ response: HTTPResponse, _ sequence: RequestNumber
  ) async throws -> (EntityResponse<E>, PageStep.Outcome) {
    var step = PageStep.Outcome()
    switch purpose {
    case .collection:
      var (body, upsert) = try read(response, sequence)
      try upsert.deleteMissing(options.missing, body, response)
      return (try await write(upsert, response, body), step)
    case .object(let object):
      var (body, upsert) = try read(response, sequence)
      upsert.target = object.id
      upsert.targetIsUnsaved = object.isUnsaved
      upsert.sent = object.sent
      try upsert.deleteMissing(options.missing, body, response)
      return (try await write(upsert, response, body), step)
    case .page(let page):
      var (body, upsert) = try read(response, sequence)
      step = page.outcome(response, body, PageContent(upsert, options.missing, core.schema))
      if let walk = page.walk { upsert.join(walk, isLast: step.isLast, hasBody: body != nil, options) }
      return (try await write(upsert, response, body, next: step.token), step)
    case .deletion(let removal):
      return (try await remove(removal, response, sequence), step)
    }
  }

  private func read(
    _ response: HTTPResponse, _ sequence: RequestNumber
  ) throws -> (body: JSONValue?, upsert: ResponseUpsert<E>) {
    let body = try ResponseParsing.value(of: response, to: method, options.limits)
    var upsert = try ResponseUpsert<E>(
      of: body, Envelope.keyPath(E.self, request: options.envelope, client: client), options.parts, response,
      sequence: sequence)
    upsert.isOfWrite = method != .get
    upsert.localEdits = options.localEdits
    upsert.progress = meter?.upsertHandler
    return (body, upsert)
  }

  private func write(
    _ upsert: ResponseUpsert<E>, _ response: HTTPResponse, _ body: JSONValue?, next: PageToken? = nil
  ) async throws -> EntityResponse<E> {
    // Without anything to write, the writer is not waited for.
    let isEmpty = upsert.value == nil && upsert.parts.isEmpty && upsert.sent == nil
    let outcome =
      isEmpty ? ResponseOutcome(ids: [], counts: EntityCounts()) : try await core.writing(upsert, response)
    return EntityResponse(outcome, response, body, core, next)
  }

  /// DELETE: the body is handed on, and never mapped. It must not bring the deleted object back.
  private func remove(
    _ removal: RowRemoval<E>?, _ response: HTTPResponse, _ sequence: RequestNumber
  ) async throws -> EntityResponse<E> {
    let body = try? ResponseParsing.value(of: response, to: method, options.limits)
    var counts = EntityCounts()
    if let removal {
      do {
        counts.rowsWritten = try await core.delete(removal.row, sequence: sequence)
      } catch let error where !(error is CancellationError) {
        throw RequestError(
          .upsert, "The row could not be deleted: \(RequestError.shown(error))", response: response, underlying: error)
      }
      counts.deleted = counts.rowsWritten > 0 ? 1 : 0
    }
    return EntityResponse(ResponseOutcome(ids: [], counts: counts), response, body, core)
  }
}

extension StoreCore {
  /// The upsert, its errors with the response attached.
  func writing<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, _ response: HTTPResponse?
  ) async throws -> ResponseOutcome<E> {
    do {
      try Task.checkCancellation()
      return try await self.upsert(upsert)
    } catch let error where !(error is CancellationError) {
      throw RequestError(
        .upsert, "The response could not be taken into the store: \(RequestError.shown(error))", response: response,
        underlying: error)
    }
  }
}

extension RequestAdapter {
  /// The response to a request with the body that is in it, with any status.
  ///
  /// - Throws: ``RequestError`` of kind `transport`, or of the adapter's own; `CancellationError`.
  @concurrent func response(to request: URLRequest, progress: TransferProgressHandler?) async throws -> HTTPResponse {
    do {
      return try await send(request, body: RequestBody(of: request), progress: progress)
    } catch let error as CancellationError {
      throw error
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError(.transport, "No response: \(RequestError.shown(error))", underlying: error)
    }
  }
}

extension EntityResponse {
  init(
    _ outcome: ResponseOutcome<Entity>, _ response: HTTPResponse, _ body: JSONValue?, _ core: StoreCore,
    _ next: PageToken? = nil
  ) {
    self.init(
      ids: outcome.ids, counts: outcome.counts, unrecognized: outcome.unrecognized, skipped: outcome.skipped,
      status: response.status, headers: response.headers, url: response.url, value: body, parts: outcome.parts,
      store: core.store, next: next)
  }
}

extension RequestError {
  func about(_ request: URLRequest, _ method: HTTPMethod) -> RequestError {
    var error = self
    error.method = error.method ?? method
    error.url = error.url ?? request.url
    return error
  }
}
