import EntityJSON
import EntityStore
import Foundation

/// The second half of an exchange: takes a response into the store, as the purpose of its request says.
///
/// In order: ``Envelope``, the upsert or the deletion, ``EntityResponse``.
struct ResponseSettling<E: RemoteEntity>: Sendable {
  let core: StoreCore
  let purpose: ExchangePurpose<E>
  let options: ResponseOptions<E>
  /// The envelope of the response.
  let envelope: Envelope
  let sequence: RequestNumber
  /// The client that URLs in the response are relative to.
  var client: Client?
  /// The URL of the request; `nil` when another client sent it.
  var requestURL: URL?
  /// Whether the query of a request that deletes nothing names one object: an empty list then says that there is none.
  var isOfOneByQuery = false
  /// The values of the wildcards of the route that the response is read by.
  var parameters = PathParameters()
  /// Whether a server gave the status.
  var hasStatus = true
  /// The client's values that mean nothing.
  var nothing: NothingValues = []
  let decoder: JSONValueDecoder
  /// True when the request was a write.
  var isOfWrite = false
  /// The request's entry in the outbox; `nil` for a request that is not of the outbox.
  var entry: OutboxEntryEnd?
  var progress: (@Sendable (Double) -> Void)?
  /// The list of a streamed response, or the rest of it; `nil` when the body has the objects.
  var list: StreamedList?
  /// The rows in the groups of a streamed list, if rows are deleted that no group has.
  var walk: PageWalk?
  /// The objects of the list, for a walk over pages.
  var streamedPage: StreamedPage?
  /// The outcome of the groups before.
  var before: ResponseOutcome<E>?
  /// The place in a stream of messages, which is kept with the rows; `nil` for a response.
  var position: StreamPosition?
  /// Makes the note that a response leaves; `nil` for a request without a cache policy.
  var note: (@Sendable (HTTPResponse) throws -> AnswerDraft)?
  /// Keeps the place of a page's objects in a list; `nil` for a page of no such list.
  var listing: PageListing?

  /// Takes the response in.
  ///
  /// - Returns: The result, and for a page the step to the next one.
  func settle(
    _ response: HTTPResponse, _ body: JSONValue?
  ) async throws -> (response: EntityResponse<E>, step: PageStep.Outcome) {
    var step = PageStep.Outcome()
    if case .deletion(let removal) = purpose {
      return (try await remove(try await confirmed(removal, response, body), response, body), step)
    }
    var upsert = try upsert(of: body, response)
    try checkFound(upsert, response)
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
      upsert.entry = entry
      // The outbox can't ask what became of an accepted update.
      upsert.isOnlyAccepted = response.status == 202 && (entry == nil || object.isCreation)
      if let posted = object.posted {
        upsert.awaitsUID = true
        upsert.locatedUID = response.locationOfNew(from: requestURL).flatMap { posted.uid(ofNew: $0) }
      }
      try upsert.deleteMissing(options.missing, body, response)
      try upsert.takeOnlyElement(isOfNewObject: object.posted != nil, response)
    case .page(let page):
      step = page.outcome(response, body, PageContent(upsert, options.missing, core.schema, streamedPage))
      upsert.listing = try listing?(response, step)
      upsert.versions = page.versions
      if let walk = page.walk { upsert.join(walk, isLast: step.isLast, hasBody: body != nil, options) }
    }
    return (try await write(upsert, response, body, next: step.token), step)
  }

  /// The upsert of a whole body: its own objects, under the envelope, and its parts.
  ///
  /// - Throws: ``RequestError`` of kind `envelope` or `parsing`. A document without any of its parts is an `envelope`
  ///   error, because wrong key paths look the same.
  private func upsert(of body: JSONValue?, _ response: HTTPResponse) throws -> ResponseUpsert<E> {
    func uidKey(_ type: any ManagedEntity.Type) -> String {
      (try? core.schema.model(type)).flatMap(MappingPlan.uidKey) ?? ""
    }
    let isDocument = E.self == EntityDocument.self
    let own =
      try isDocument
      ? nil
      : body.map { body in
        try envelope.open(body, expecting: expectation, response, uidKey: uidKey(E.self))
      }
    var upsert = ResponseUpsert<E>(own, sequence: sequence)
    guard let body else { return upsert }
    upsert.parts = try options.parts.map { OpenPart(part: $0, value: try $0.open(body, response, uidKey: uidKey)) }
    if isDocument, !upsert.parts.isEmpty,
      upsert.parts.allSatisfy({ $0.value == nil && $0.part.value(in: body) == nil })
    {
      let names = options.parts.map { "'\($0.keyPath.prefix(200).escaped)'" }.joined(separator: ", ")
      throw RequestError(.envelope, "The body has none of the parts: nothing under \(names).", response: response)
    }
    return upsert
  }

  /// A server that filters answers with an empty list where another one has a 404. The request has changed nothing.
  ///
  /// - Throws: ``RequestError`` of kind `status`, with status 404.
  private func checkFound(_ upsert: ResponseUpsert<E>, _ response: HTTPResponse) throws {
    guard isOfOneByQuery, upsert.value?.array?.isEmpty == true else { return }
    throw notFound(response)
  }

  /// The removal that a success of a DELETE confirms. By a filter, an empty list is a 404, and a response without a list does
  /// not say whether further fields of the query kept the object.
  ///
  /// - Throws: ``RequestError`` of kind `status`, with status 404, unless that is a success of this request.
  private func confirmed(
    _ removal: RowRemoval<E>?, _ response: HTTPResponse, _ body: JSONValue?
  ) async throws -> RowRemoval<E>? {
    guard let removal, removal.isByQuery, (200..<300).contains(response.status) else { return removal }
    guard let body else { return removal.hasFurtherFields ? nil : removal }
    let list = (try? envelope.open(body, expecting: .any, response)) ?? body
    guard list.array?.isEmpty == true else { return removal }
    let refusal = notFound(response)
    if !removal.hasFurtherFields, let status = refusal.response,
      try await purpose.alsoSuccess(status, core).contains(404)
    {
      return removal
    }
    throw refusal
  }

  private func notFound(_ response: HTTPResponse) -> RequestError {
    RequestError(
      .status,
      "The server has no such object: its URL is a filter, and the list is empty, with status \(response.status).",
      response: HTTPResponse(status: 404, headers: response.headers, url: response.url, body: response.body))
  }

  /// Takes in a group of a streamed list that goes on after it.
  func settle(_ group: StreamedList, _ response: HTTPResponse) async throws -> ResponseOutcome<E> {
    var upsert = ResponseUpsert<E>([], sequence: sequence)
    prepare(&upsert, group, nil, response)
    // The parts come with the end of the body. Here they only say which rows must be remembered.
    upsert.parts = options.parts.map { OpenPart(part: $0, value: nil) }
    return try await written(upsert, response)
  }

  /// Sets what the request and the head give to a whole response, and to each group of a streamed one.
  private func prepare(
    _ upsert: inout ResponseUpsert<E>, _ list: StreamedList?, _ body: JSONValue?, _ response: HTTPResponse
  ) {
    upsert.context = ResponseContext(
      .init(
        status: hasStatus ? response.status : nil, headers: response.headers, url: requestURL ?? response.url,
        root: list == nil ? body : nil, parameters: parameters, isStreamed: list != nil))
    let (builder, url) = (RequestBuilder(client: client), response.url ?? requestURL)
    upsert.uidAtURL = { ($0.type as? any RemoteEntity.Type)?.uid(at: $1, $0, builder, from: url) }
    upsert.isOfWrite = isOfWrite
    upsert.localEdits = options.localEdits
    upsert.options = options.upsert
    upsert.options.nothing = nothing
    if options.upsert.saysDeleted { upsert.isBatching = false }
    upsert.position = position
    upsert.progress = progress
    upsert.list = list
    upsert.walk = walk
  }

  private var expectation: Envelope.Expectation {
    switch purpose {
    case .object(let object): object.isSearched ? .any : .item
    case .page: .list
    case .collection, .relationship, .deletion: if case .deleteMissing = options.missing { .list } else { .any }
    }
  }

  private func write(
    _ upsert: ResponseUpsert<E>, _ response: HTTPResponse, _ body: JSONValue?, next: PageToken?
  ) async throws -> EntityResponse<E> {
    // A response with nothing to write does not wait for the writer.
    let isEmpty =
      upsert.value == nil && upsert.parts.isEmpty && upsert.sent == nil && upsert.locatedUID == nil
      && upsert.note == nil && upsert.entry == nil && upsert.position == nil && upsert.listing == nil
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
    } catch let error as RequestError where error.kind == .pagination {
      // The list refuses the page; nothing of it was written.
      throw RequestError(.pagination, error.message, response: response)
    } catch let error where !(error is CancellationError) {
      throw RequestError(
        .upsert, "The response could not be taken into the store: \(RequestError.shown(error))", response: response,
        underlying: error)
    }
  }

  /// Settles a DELETE. The body is handed on and never mapped, because it must not bring the deleted object back.
  private func remove(
    _ removal: RowRemoval<E>?, _ response: HTTPResponse, _ body: JSONValue?
  ) async throws -> EntityResponse<E> {
    var outcome = ResponseOutcome<E>(ids: [], counts: EntityCounts())
    if let removal {
      do {
        outcome = try await core.delete(removal.row, sequence: sequence, ending: entry)
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
