import EntityJSON
import EntityStore
import HTTPFoundation

/// An exchange with a cache policy: it gives the known answer, or asks the server, or both.
struct CachedExchange<E: RemoteEntity>: Sendable {
  private(set) var exchange: EntityExchange<E>
  let policy: CachePolicy
  let key: AnswerKey

  /// - Throws: ``RequestError`` of kind `invalidRequest` for a request that can't have a policy.
  init(_ exchange: EntityExchange<E>, _ policy: CachePolicy) throws {
    let request = exchange.fetch.request
    guard exchange.fetch.method == .get else {
      throw RequestError(.invalidRequest, "A cache policy is for GET, and this is a request of another method.")
    }
    guard request.httpBodyStream == nil else {
      throw RequestError(
        .invalidRequest, "A request whose body is a stream has no cache policy: nothing tells it from others.")
    }
    self.exchange = exchange
    self.policy = policy
    key = AnswerKey(request, exchange.reading)
  }

  /// The note of the answer.
  struct Known: Sendable {
    let note: AnswerNote
    let answer: KeptAnswer

    var freshness: AnswerFreshness {
      AnswerFreshness(time: note.time, isEnded: note.isEnded, lifetime: answer.lifetime)
    }
  }

  /// The same exchange, with a handler of its progress.
  func heard(by progress: @escaping RequestProgressHandler) -> Self {
    var heard = self
    heard.exchange = exchange.heard(by: progress)
    return heard
  }

  @concurrent func run() async throws -> EntityResponse<E> {
    do {
      try Task.checkCancellation()
      let steps = policy.steps
      let known = try await known()
      if let known, steps.givesKnown.holds(known) {
        if steps.refreshes != .never, !steps.refreshes.holds(known) { refresh(known) }
        await exchange.meter?.finish()
        return response(known, .cache)
      }
      guard steps.asksServer else {
        throw RequestError(.notCached, "No answer to this request is known, and its policy asks no server.")
      }
      do {
        return try await asked(known)
      } catch var error as RequestError {
        guard let known else { throw error }
        let response = response(known, .cache)
        if steps.givesKnownOnFailure, error.isOfServerOrTransport {
          await exchange.meter?.finish()
          return response
        }
        error.known = response
        throw error
      }
    } catch {
      throw exchange.fetch.facts.told(error)
    }
  }

  /// The note of the answer; `nil` without one, and when the note is for a request with other values of the fields in
  /// `Vary`.
  func known() async throws -> Known? {
    guard exchange.reading.core.hasAnswers else { return nil }
    return known(try await exchange.reading.core.answer(key))
  }

  /// As ``known()``, but synchronous.
  ///
  /// - Parameter context: A context that can read the store now.
  func knownNote(in context: EntityContext) throws -> Known? {
    guard exchange.reading.core.hasAnswers else { return nil }
    return known(try context.answers.answer(key))
  }

  private func known(_ note: AnswerNote?) -> Known? {
    guard let note, let answer = KeptAnswer(note.text), answer.isAnswer(to: exchange.fetch.request) else { return nil }
    return Known(note: note, answer: answer)
  }

  /// The known objects, of any age; `nil` when no answer is known.
  @concurrent func knownResponse() async throws -> EntityResponse<E>? {
    try Task.checkCancellation()
    return try await known().map { response($0, .cache) }
  }

  // MARK: Asking the server

  /// Asks the server. Equal requests that run now share one request.
  private func asked(_ known: Known?) async throws -> EntityResponse<E> {
    guard isShared else { return try await sent(known, exchange) }
    let work: @Sendable (@escaping InFlightRequests.Report) async throws -> EntityResponse<E> = { report in
      try await sent(known, exchange.reporting(to: { report($0) }))
    }
    return try await exchange.reading.caching.inFlight.value(
      for: sharingKey(after: writes), progress: hearing, of: work)
  }

  /// The caller's handler, for the progress of a request that others share.
  private var hearing: InFlightRequests.Report? {
    guard let handler = exchange.progress else { return nil }
    return { progress in if let progress = progress as? RequestProgress { handler(progress) } }
  }

  /// True when others may share the request. They can't if it has an error model, which may be of any type, or a verdict,
  /// or deletes missing rows in a scope of the caller's.
  var isShared: Bool {
    let options = exchange.reading.options
    return !options.deletesMissing && options.errorModel == nil && options.verdict == nil
  }

  /// The writes of the entities until now. An answer from before a write is no answer to a request after it.
  var writes: String { exchange.reading.core.answerWrites(of: exchange.reading.options.entityNames) }

  /// Requests with equal keys are sent once. A key contains the header fields, and the way in which the answer is read.
  ///
  /// - Parameter writes: The writes that the answer must be newer than.
  func sharingKey(after writes: String = "") -> InFlightRequests.Key {
    var hash = SHA256()
    hash.add(key.text)
    for (name, value) in HTTPHeaders(exchange.fetch.request) {
      hash.add(name.lowercased())
      hash.add(value)
    }
    hash.add(writes)
    // The answer to a request on an object need not name the object.
    if case .object(let object) = exchange.reading.purpose { hash.add(String(object.id.pk)) }
    var options = exchange.reading.options
    options.cache = nil
    // The options' own description has all options, also those that are added later.
    hash.add("\(options)")
    return InFlightRequests.Key(store: ObjectIdentifier(exchange.reading.core), request: hash.digits())
  }

  /// The answer of the server. The request has validators when the whole answer is here.
  private func sent(_ known: Known?, _ exchange: EntityExchange<E>) async throws -> EntityResponse<E> {
    var exchange = exchange
    exchange.reading.noteKey = key
    guard let known, !needsBody, known.note.isWhole, !known.note.isEnded,
      exchange.fetch.addConditions(known.answer.conditions)
    else { return try await exchange.run().response }
    let response = try await exchange.run().response
    guard response.status == 304 else { return response }
    // Meanwhile the store may have been emptied, or lost a row.
    if let again = try await self.known(), again.note.isSame(as: known.note) {
      try await confirm(again, response)
      return self.response(again, .notModified, response)
    }
    exchange.fetch.request = self.exchange.fetch.request
    return try await exchange.run().response
  }

  private func confirm(_ known: Known, _ response: EntityResponse<E>) async throws {
    let (answer, now) = (known.answer.updated(by: response.headers), AnswerClock.now())
    let text = answer == known.answer ? nil : try answer.text
    try await exchange.reading.core.confirmAnswer(
      key, known.note, at: now, text: text,
      isWritten: !answer.mayBeNoted(as: known.answer, of: known.note.time, at: now))
    try await exchange.reading.core.confirmRows(known.note.rows)
  }

  /// A 304 has no objects, so it can neither overwrite an edit nor show which objects are missing.
  private var needsBody: Bool {
    if case .overwrite = exchange.reading.options.localEdits { return true }
    return exchange.reading.options.deletesMissing
  }

  /// Asks the server, and does not wait for it.
  private func refresh(_ known: Known) {
    let failed = exchange.reading.caching.onRefreshFailure
    var unheard = self
    // The caller has had its last progress already.
    unheard.exchange = exchange.unheard
    Task { [unheard] in
      do {
        _ = try await unheard.asked(known)
      } catch {
        if !(error is CancellationError) { failed?(exchange.fetch.facts.told(error)) }
      }
    }
  }

  // MARK: The response

  enum Origin { case cache, notModified }

  /// The known objects, as a response.
  ///
  /// - Parameter confirmation: The server's response that confirms them.
  func response(_ known: Known, _ origin: Origin, _ confirmation: EntityResponse<E>? = nil) -> EntityResponse<E> {
    let age = max(0, AnswerClock.now() - known.note.time)
    var parts = PartOutcomes()
    var types: [Int64: any ManagedEntity.Type] = [:]
    for type in exchange.reading.options.parts.flatMap(\.types) {
      let pks = known.note.parts[type.entityName] ?? []
      parts[type].pks = pks
      if !known.note.items.isEmpty { for pk in pks { types[pk] = type } }
    }
    parts.addItems(
      known.note.items.compactMap { pk in
        types[pk].map { .init(type: $0, id: AnyEntityID(entityName: $0.entityName, pk: pk)) }
      })
    return EntityResponse(
      ids: known.note.pks.map { EntityID(pk: $0) }, counts: EntityCounts(),
      details: ResponseDetails(
        origin: origin == .cache ? .cache(age: .seconds(age)) : .notModified, metrics: confirmation?.metrics),
      status: confirmation?.status ?? known.answer.status,
      headers: confirmation?.headers ?? known.answer.httpHeaders,
      url: confirmation?.url ?? exchange.fetch.request.url, value: nil, parts: parts,
      store: exchange.reading.core.store,
      decoder: exchange.fetch.bodies.decoder)
  }
}

extension CachePolicy.Steps.Known {
  fileprivate func holds<E: RemoteEntity>(_ known: CachedExchange<E>.Known) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .whileFresh(let maxAge): known.freshness.holds(for: maxAge, at: AnswerClock.now())
    }
  }
}

extension ResponseFetch {
  /// Adds the fields that ask whether an answer still holds.
  ///
  /// - Returns: True when they were added; false when there are none, or the caller has set some.
  fileprivate mutating func addConditions(_ conditions: HTTPHeaders) -> Bool {
    let own = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"]
    guard conditions.count > 0, own.allSatisfy({ request.value(forHTTPHeaderField: $0) == nil }) else { return false }
    return (try? request.setHeaders(conditions)) != nil
  }
}

extension RequestError {
  /// True when an earlier answer may stand in for the answer that did not come.
  fileprivate var isOfServerOrTransport: Bool {
    if kind == .status { return status.map { [500, 502, 503, 504].contains($0) } ?? false }
    guard kind == .transport else { return false }
    guard let error = transportError else { return true }
    return error.kind != .invalidRequest && error.kind != .unsupported && !error.isOfApp
  }

  /// The objects of the earlier answer to the same request. An app can show them together with the error. `nil` for a
  /// request without a ``CachePolicy``, and when no answer is known.
  ///
  /// ```swift
  /// do {
  ///   users = try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(60)))).objects
  /// } catch let error as RequestError {
  ///   users = try error.cached(as: User.self)?.objects ?? []
  /// }
  /// ```
  ///
  /// - Parameter type: The entity of the request.
  public func cached<E: RemoteEntity>(as type: E.Type) -> EntityResponse<E>? { known as? EntityResponse<E> }
}
