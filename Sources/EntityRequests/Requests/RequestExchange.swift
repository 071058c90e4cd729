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
  let method: HTTPMethod
  let adapter: any RequestAdapter
  let core: StoreCore
  var envelope: String?
  var parts: [ResponsePart] = []
  var missing = MissingObjects<E>.keep
  var localEdits = LocalEdits.keep
  var meter: ProgressMeter?
  /// The object that a single object in the response is, unless it names another uid.
  var target: EntityID<E>?
  var targetIsUnsaved = false
  var sent: SentEdits?
  var deletion: RowRemoval<E>?
  /// Where the response is a page.
  var step: PageStep?
  var walk: PageWalk?

  @concurrent func run() async throws -> EntityResponse<E> { try await runPage().response }

  /// As ``run()``, with the way on from the response where that is a page.
  @concurrent func runPage() async throws -> (response: EntityResponse<E>, step: PageStep.Outcome) {
    do {
      try Task.checkCancellation()
      let sequence = core.requests.begin(isWrite: method != .get && method != .head)
      defer { core.requests.end(sequence) }
      let response = try await adapter.response(to: request, progress: meter?.transferHandler)
      try ResponseStatus.check(response, to: method, at: request.url, alsoSuccess: deletion?.alsoSuccess ?? [])
      let result =
        if method == .delete {
          (try await remove(response, sequence), PageStep.Outcome())
        } else {
          try await take(response, sequence)
        }
      await meter?.finish()
      return result
    } catch let error as RequestError {
      throw error.about(request, method)
    }
  }

  private func take(_ response: HTTPResponse, _ sequence: RequestSequence.Number) async throws 
    -> (response: EntityResponse<E>, step: PageStep.Outcome)
  {
    let body = try ResponseParsing.value(of: response, to: method)
    var upsert = try ResponseUpsert<E>(of: body, envelope, parts, response, sequence: sequence)
    upsert.target = target
    upsert.targetIsUnsaved = targetIsUnsaved
    upsert.sent = sent
    upsert.isOfWrite = method != .get
    let step = step?.outcome(response, body, PageContent(upsert, missing, core.schema)) ?? PageStep.Outcome()
    let isLast = if case .success(nil) = step.next { true } else { false }
    // With 204 or 205 for the last page, which the step let pass.
    if walk != nil, isLast, body == nil { upsert.takeEmptyLists(parts) }
    if walk == nil {
      try upsert.takeMissing(missing, body, response)
    } else if isLast {
      // Whether the pages say what there is, the step has asked of each.
      upsert.missing = missing
      upsert.deletesMissingFromParts = true
    }
    upsert.walk = walk
    upsert.localEdits = localEdits
    upsert.progress = meter?.upsertHandler
    guard upsert.value != nil || !upsert.parts.isEmpty || sent != nil else {
      // Nothing to write: the writer is not waited for.
      return (EntityResponse(ResponseOutcome(ids: [], counts: EntityCounts()), response, body, core, step.token), step)
    }
    return (EntityResponse(try await core.taking(upsert, response), response, body, core, step.token), step)
  }

  /// DELETE: the body is handed on, and never mapped. It must not bring back what was deleted.
  private func remove(_ response: HTTPResponse, _ sequence: RequestSequence.Number) async throws -> EntityResponse<E> {
    let body = try? ResponseParsing.value(of: response, to: method)
    var counts = EntityCounts()
    if let id = try await deletion?.id(in: core) {
      do {
        counts.rowsWritten = try await core.delete(id, sequence: sequence)
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
  func taking<E: RemoteEntity>(
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
  /// The response to a request with the body that is in it, whatever its status.
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
      ids: outcome.ids, counts: outcome.counts, unrecognized: outcome.unrecognized, status: response.status,
      headers: response.headers, url: response.url, value: body, parts: outcome.parts, store: core.store, next: next)
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
