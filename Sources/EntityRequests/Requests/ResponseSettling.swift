import EntityJSON
import EntityStore
import Foundation

/// The second half of an exchange: a response on its way into the store, as the purpose of its request says.
///
/// In order: ``Envelope``, the upsert or the deletion, ``EntityResponse``.
struct ResponseSettling<E: RemoteEntity>: Sendable {
  let core: StoreCore
  let purpose: ExchangePurpose<E>
  let options: ResponseOptions<E>
  /// The envelope that counts.
  let envelope: Envelope
  let sequence: RequestNumber
  /// The URL of the request; `nil` where another client sent it.
  var requestURL: URL?
  /// The values of the wildcards of the route that the response is read by.
  var parameters = PathParameters()
  /// Whether a server gave the status.
  var hasStatus = true
  let decoder: JSONValueDecoder
  /// Whether the request was none for reading.
  var isOfWrite = false
  var progress: (@Sendable (Double) -> Void)?
  /// The list of a response that is streamed, or what is left of it; `nil` where the body has its objects.
  var list: StreamedList?
  /// The rows that the groups of a streamed list have, where rows are deleted that none of them has.
  var walk: PageWalk?
  /// What a walk over pages knows of the list.
  var streamedPage: StreamedPage?
  /// What the groups before made of their objects.
  var before: ResponseOutcome<E>?
  /// Makes the note that a response leaves; `nil` for a request without a cache policy.
  var note: (@Sendable (HTTPResponse) throws -> AnswerDraft)?

  /// Takes the response in.
  ///
  /// - Returns: The result, with the way on from the response where that is a page.
  func settle(
    _ response: HTTPResponse, _ body: JSONValue?
  ) async throws -> (response: EntityResponse<E>, step: PageStep.Outcome) {
    var step = PageStep.Outcome()
    if case .deletion(let removal) = purpose { return (try await remove(removal, response, body), step) }
    var upsert = try ResponseUpsert<E>(
      of: body, envelope, expecting: expectation, options.parts, response, sequence: sequence)
    prepare(&upsert, list, body, response)
    upsert.note = try note?(response)
    switch purpose {
    case .relationship(let owner):
      upsert.owner = owner
      try upsert.deleteMissing(options.missing, body, response)
    case .collection, .deletion:
      try upsert.deleteMissing(options.missing, body, response)
    case .object(let object):
      upsert.target = object.id
      upsert.targetIsUnsaved = object.isUnsaved
      upsert.sent = object.sent
      upsert.children = object.children
      upsert.doubt = object.doubt
      upsert.isOnlyAccepted = response.status == 202
      if let posted = object.posted {
        upsert.awaitsUID = true
        upsert.locatedUID = response.locationOfNew(from: requestURL).flatMap { posted.uid(in: $0) }
      }
      try upsert.deleteMissing(options.missing, body, response)
      try upsert.takeOnlyElement(isOfNewObject: object.posted != nil, response)
    case .page(let page):
      step = page.outcome(response, body, PageContent(upsert, options.missing, core.schema, streamedPage))
      if let walk = page.walk { upsert.join(walk, isLast: step.isLast, hasBody: body != nil, options) }
    }
    return (try await write(upsert, response, body, next: step.token), step)
  }

  /// Takes in a group of the list of a response that goes on behind it.
  func settle(_ group: StreamedList, _ response: HTTPResponse) async throws -> ResponseOutcome<E> {
    var upsert = ResponseUpsert<E>([], sequence: sequence)
    prepare(&upsert, group, nil, response)
    // They come with the end of the body, and say by now which rows are to be remembered.
    upsert.parts = options.parts.map { OpenPart(part: $0, value: nil) }
    return try await written(upsert, response)
  }

  /// What a whole response, and each group of a streamed one, has from the request and from the head.
  private func prepare(
    _ upsert: inout ResponseUpsert<E>, _ list: StreamedList?, _ body: JSONValue?, _ response: HTTPResponse
  ) {
    upsert.context = ResponseContext(
      .init(
        status: hasStatus ? response.status : nil, headers: response.headers, url: requestURL ?? response.url,
        root: list == nil ? body : nil, parameters: parameters, isStreamed: list != nil))
    upsert.isOfWrite = isOfWrite
    upsert.localEdits = options.localEdits
    upsert.options = options.upsert
    upsert.progress = progress
    upsert.list = list
    upsert.walk = walk
  }

  private var expectation: Envelope.Expectation {
    switch purpose {
    case .object: .item
    case .page: .list
    case .collection, .relationship, .deletion: if case .deleteMissing = options.missing { .list } else { .any }
    }
  }

  private func write(
    _ upsert: ResponseUpsert<E>, _ response: HTTPResponse, _ body: JSONValue?, next: PageToken?
  ) async throws -> EntityResponse<E> {
    // Without anything to write, the writer is not waited for.
    let isEmpty =
      upsert.value == nil && upsert.parts.isEmpty && upsert.sent == nil && upsert.locatedUID == nil
      && upsert.note == nil
    var outcome =
      isEmpty
      ? ResponseOutcome(ids: [], counts: EntityCounts(), details: ResponseDetails(lacksUID: upsert.awaitsUID))
      : try await written(upsert, response)
    outcome.details.isDryRun = upsert.options.isDryRun
    if var all = before {
      all.add(outcome)
      outcome = all
    }
    return result(outcome, response, body, next: next)
  }

  /// The upsert, its errors with the response attached.
  private func written(_ upsert: ResponseUpsert<E>, _ response: HTTPResponse) async throws -> ResponseOutcome<E> {
    do {
      try Task.checkCancellation()
      return try await core.upsert(upsert)
    } catch let error where !(error is CancellationError) {
      throw RequestError(
        .upsert, "The response could not be taken into the store: \(RequestError.shown(error))", response: response,
        underlying: error)
    }
  }

  /// DELETE: the body is handed on, and never mapped. It must not bring the deleted object back.
  private func remove(
    _ removal: RowRemoval<E>?, _ response: HTTPResponse, _ body: JSONValue?
  ) async throws -> EntityResponse<E> {
    var outcome = ResponseOutcome<E>(ids: [], counts: EntityCounts())
    if let removal {
      do {
        outcome = try await core.delete(removal.row, sequence: sequence)
      } catch let error where !(error is CancellationError) {
        throw RequestError(
          .upsert, "The row could not be deleted: \(RequestError.shown(error))", response: response, underlying: error)
      }
    }
    return result(outcome, response, body)
  }

  private func result(
    _ outcome: ResponseOutcome<E>, _ response: HTTPResponse, _ body: JSONValue?, next: PageToken? = nil
  ) -> EntityResponse<E> {
    var details = outcome.details
    details.location = response.location(from: requestURL)
    details.metrics = response.metrics
    return EntityResponse(
      ids: outcome.ids, counts: outcome.counts, details: details, status: response.status,
      headers: response.headers, url: response.url, value: body, parts: outcome.parts, store: core.store,
      decoder: decoder, next: next)
  }
}
