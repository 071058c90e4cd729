import EntityStore
import HTTPFoundation

/// One step of a stored collection: a request for a page, and its way into the list.
struct CollectionExchange<E: RemoteEntity>: Sendable {
  let collection: StoredCollection<E>
  let client: Client
  let store: EntityStore
  private(set) var step: ListStep
  let key: AnswerKey
  /// The request of the first page, without the parameters of the pagination.
  private let request: URLRequest
  private let home: URL
  private var progress: RequestProgressHandler?
  /// The versions that the pages of a walk have had.
  private var versions: SeenVersions?

  /// - Throws: ``RequestError``; `StoreError` for an entity that the store does not have; the errors of the closure that
  ///   changes the requests.
  init(_ collection: StoredCollection<E>, _ client: Client, _ store: EntityStore, _ step: ListStep) throws {
    _ = try store.core.schema.model(E.self)
    try collection.check()
    let exchange = try EntityExchange<E>(
      ResourceRequest(.get, collection.resource, collection.query, collection.options), client, store,
      collection.modify)
    request = exchange.fetch.request
    guard let home = request.url, exchange.fetch.method == .get else {
      throw RequestError(.invalidRequest, "The pages of a stored collection come with GET.")
    }
    (self.collection, self.client, self.store, self.step, self.home) = (collection, client, store, step, home)
    key = try collection.key(client)
    guard try collection.key(client) == key else {
      throw RequestError(
        .invalidRequest,
        "The closure of the stored collection sets a header field to another value each time, and each value is another list. "
          + "Set such a field in the client's adapter.")
    }
    if let placing = collection.placing { try store.core.place(placing.query, in: key, first: placing.isFirst) }
  }

  var core: StoreCore { store.core }
  var entityNames: Set<String> { collection.options.entityNames }
  var members: EntityQuery<E>? { EntityQuery(membersOf: key.text) }

  func heard(by progress: @escaping RequestProgressHandler) -> Self {
    var heard = self
    heard.progress = progress
    return heard
  }

  // MARK: What is known

  struct Known: Sendable {
    var note: CollectionNote
    let list: KeptList

    init?(_ note: CollectionNote?) {
      guard let note, let list = KeptList(note) else { return nil }
      (self.note, self.list) = (note, list)
    }

    var extent: ListExtent {
      ListExtent(hasMore: list.next != nil, hasEarlier: list.earlier != nil, isComplete: note.isComplete)
    }
  }

  func known() async throws -> Known? { Known(try await core.collection(key)) }

  // MARK: Asking the server

  @concurrent func run() async throws -> EntityResponse<E> {
    try Task.checkCancellation()
    return switch step {
    case .refresh: try await collection.changes == nil ? refresh() : synchronize()
    case .more, .earlier, .changes, .whole: try await further()
    }
  }

  private func refresh() async throws -> EntityResponse<E> {
    let known = try await known()
    guard let known, let conditions = conditions(known) else { return try await page(nil, known) }
    let response = try await page(nil, known, conditions)
    guard response.status == 304 else { return response }
    // Meanwhile the store may have been emptied, or a member may have gone.
    if let again = try await self.known(), again.list == known.list, !again.note.isEnded {
      return try await notModified(again, response)
    }
    return try await page(nil, known)
  }

  // MARK: Changes

  /// The changes since the last load, or all pages. A list that goes while a walk is under way begins anew.
  private func synchronize() async throws -> EntityResponse<E> {
    // Another load may have begun the list anew meanwhile, and the walk is over then.
    if let note = try await core.collection(key), let response = try await walked(note),
      let known = try await self.known(), known.list.next == nil
    {
      return response
    }
    var exchange = self
    exchange.versions = SeenVersions()
    var response = try await exchange.page(nil, nil, beginsAnew: true)
    exchange.step = .more
    // A walk that can't go on ends with its error, and the next load begins anew: a server that never knows its second page
    // would be asked without end.
    while try await known()?.list.next != nil { response = try await exchange.further(beginsAnew: false) }
    return response
  }

  /// - Returns: `nil` for a list that begins anew with its first page.
  private func walked(_ note: CollectionNote) async throws -> EntityResponse<E>? {
    let known = Known(note)
    if let known, let delta = collection.changes, let token = known.list.token, known.note.isComplete,
      known.note.end != .lacking, known.list.mapping == mapping, !delta.isLink || link(token) != nil
    {
      do {
        return try await walk(.changes, known, since: token, by: delta)
      } catch let error as RequestError where error.response?.status == 410 {
        // The server does not know the token any more.
      }
    }
    // The walk begins with the first page: it does not come to the pages before that one.
    guard known.map({ $0.list.next == nil }) ?? (note.end == .lacking), collection.earlier == nil else { return nil }
    return try await walk(.whole, known, ListWalk(mark: note.mark))
  }

  /// Asks for all pages of the changes, or of the list.
  private func walk(
    _ step: ListStep, _ known: Known?, _ whole: ListWalk? = nil, since token: String? = nil,
    by delta: CollectionDelta<E>? = nil
  ) async throws -> EntityResponse<E> {
    let heard = ListedPagination.Heard()
    var query = collection.query
    if let parameter = delta?.parameter { query.append(parameter, token) }
    var pages = E.pages(
      collection.resource, query: query, by: pagination(step, heard),
      from: delta?.isLink == true ? token.flatMap(link) : nil,
      allowing: collection.origins, in: store, options: collection.options, modify: collection.modify,
      progress: reported)
    pages.client = .success(client)
    pages.listing = listing(
      Asked(
        step: step, known: known,
        delta: token.map { DeltaWalk(since: $0, isOldestFirst: delta?.isOldestFirst == true) },
        whole: whole), heard)
    var iterator = pages.makeAsyncIterator()
    var last: EntityResponse<E>?
    while let response = try await iterator.next() { last = response }
    return last ?? nothing
  }

  /// The request for the changes behind a URL that the list has as its token; `nil` for a token of another kind, and for a URL
  /// at an origin that the program does not allow any more.
  private func link(_ token: String) -> PageToken? {
    KeptPlace(token)?.token(from: home).flatMap { isAllowed($0.url) ? $0 : nil }
  }

  /// The page behind the list, or before it. Where the list begins anew meanwhile, the page that fits it is asked for. The list
  /// begins anew with its first page where its place is of no use: something else has changed it, the program does not allow its
  /// origin any more, or the server has forgotten it.
  ///
  /// - Parameter beginsAnew: Whether a place that the server has forgotten is no error.
  private func further(beginsAnew: Bool = true) async throws -> EntityResponse<E> {
    for _ in 0..<3 {
      guard let known = try await known() else { return try await page(nil, nil, step: .refresh) }
      guard let place = step == .more ? known.list.next : known.list.earlier else { return nothing }
      guard let token = place.token(from: home), isAllowed(token.url) else { return try await anew(known) }
      let response: EntityResponse<E>
      do {
        response = try await page(token, known)
      } catch let error as RequestError where beginsAnew && error.response?.status == 410 {
        return try await anew(known)
      }
      if try await self.known()?.list.walk == known.list.walk { return response }
    }
    return nothing
  }

  private func anew(_ known: Known) async throws -> EntityResponse<E> {
    try await page(nil, known, step: .refresh, beginsAnew: true)
  }

  /// The answer where there are no more pages.
  private var nothing: EntityResponse<E> {
    EntityResponse(
      ids: [], counts: EntityCounts(), details: ResponseDetails(origin: .cache(age: .zero)), status: 200, headers: [:],
      url: nil, value: nil, parts: PartOutcomes(), store: store, decoder: client.decoder)
  }

  private func notModified(_ known: Known, _ response: EntityResponse<E>) async throws -> EntityResponse<E> {
    let pks = try await core.read { try $0.answers.members(key, of: E.entityName, limit: known.list.count) }
    let (old, now) = (known.list.answer, AnswerClock.now())
    let answer = old?.updated(by: response.headers)
    var (text, isChanged): (String?, Bool) = (nil, false)
    if let old, let answer, answer != old {
      text = try answer.text
      // The times of a cache on the way are others in each 304. They are news for the file where the list is fresh until another
      // moment.
      isChanged = !answer.endsTogether(with: old, of: known.note.time, at: now)
    }
    try await core.confirmCollection(key, known.note, at: now, pks, isChanged: isChanged, text: text) { writer in
      guard var note = try writer.note(key), var list = KeptList(note), list.answer == known.list.answer else { return }
      list.answer = answer
      (note.text, note.time) = (try list.text, now)
      try writer.keep(note, key)
    }
    return EntityResponse(
      ids: pks.map { EntityID(pk: $0) }, counts: EntityCounts(),
      details: ResponseDetails(origin: .notModified, metrics: response.metrics), status: 304,
      headers: response.headers, url: response.url, value: nil, parts: PartOutcomes(), store: store,
      decoder: client.decoder)
  }

  /// The fields that ask whether the first page still holds; `nil` where the whole page is needed.
  private func conditions(_ known: Known) -> HTTPHeaders? {
    guard !known.note.isEnded, known.list.mapping == mapping, let answer = known.list.answer,
      known.list.isShifted != true, answer.isAnswer(to: request), answer.conditions.count > 0
    else { return nil }
    if case .overwrite = collection.options.localEdits { return nil }
    return answer.conditions
  }

  private var mapping: String {
    core.mappingFingerprint { model in (model.type as? any RemoteEntity.Type)?.mappingDeclarations(model) ?? "" }
  }

  private func page(
    _ token: PageToken?, _ known: Known?, _ conditions: HTTPHeaders = [:], step: ListStep? = nil,
    beginsAnew: Bool = false
  ) async throws -> EntityResponse<E> {
    let step = step ?? self.step
    let heard = ListedPagination.Heard()
    var pages = E.pages(
      collection.resource, query: collection.query, by: pagination(step, heard, known), from: token, limit: 1,
      allowing: collection.origins, in: store, options: collection.options,
      modify: { [modify = collection.modify] request in
        try modify(&request)
        if conditions.count > 0 { try request.setHeaders(conditions) }
      },
      progress: reported)
    pages.client = .success(client)
    pages.versions = versions
    let place = token.flatMap { _ in step == .more ? known?.list.next : known?.list.earlier }
    pages.listing = listing(Asked(step: step, known: known, place: place, beginsAnew: beginsAnew), heard)
    var iterator = pages.makeAsyncIterator()
    guard let response = try await iterator.next() else { return nothing }
    // The page is in the list. Where the page after it, or the one before it, can't be told, the caller hears of it.
    _ = try await iterator.next()
    if case .failure(let error) = heard.value.earlier { throw RequestError.untold(error) }
    return response
  }

  private var reported: PageProgressHandler? {
    guard let progress else { return nil }
    return { page in progress(page.request) }
  }

  private func pagination(
    _ step: ListStep, _ heard: ListedPagination.Heard, _ known: Known? = nil
  ) -> ListedPagination {
    var base = step == .earlier ? collection.earlier ?? collection.pagination : collection.pagination
    if step == .more, var counted = base as? NumberPagination {
      counted.firstCount = known?.list.count
      base = counted
    }
    var pagination = ListedPagination(
      base: base, earlier: step == .refresh ? collection.earlier : nil, origins: origins, heard: heard)
    pagination.isLater = step == .more || step == .earlier
    if let delta = collection.changes, let model = try? core.schema.model(E.self) {
      pagination.token = { [home, origins, client] page in
        let token = delta.token(of: page, model)
        guard let token, delta.isLink else { return token }
        do {
          let url = try origins.resolved(token, from: page.response.url ?? page.url)
          return try KeptPlace(PageToken(url: url), from: home).text
        } catch {
          // The page is as good without the URL.
          client.caching.onRefreshFailure?(error)
          return nil
        }
      }
    }
    return pagination
  }

  /// The pages that are asked for, and the list as it is known at that time.
  private struct Asked: Sendable {
    let step: ListStep
    let known: Known?
    var place: KeptPlace?
    var delta: DeltaWalk?
    var whole: ListWalk?
    var beginsAnew = false
  }

  private func listing(_ asked: Asked, _ heard: ListedPagination.Heard) -> PageListing {
    { [self, mapping] response, outcome in
      // The list is as it was.
      guard response.status != 304 else { return nil }
      let content = heard.value
      let page = ListedPage(
        key: key, entity: E.entityName, entities: entityNames, step: asked.step, walk: asked.known?.list.walk ?? 0,
        place: asked.place,
        answer: KeptAnswer(response, to: request), mapping: mapping,
        next: try outcome.token.map { try KeptPlace($0, from: home) }, isLast: outcome.isLast,
        earlier: try content.earlierToken.map { try KeptPlace($0, from: home) }, heard: content,
        counts: collection.pagination.comparesPages, hasEarlier: collection.earlier != nil,
        beginsAnew: asked.beginsAnew, placesLast: collection.placing?.isFirst == false,
        tokenIsLast: collection.changes?.isLink == true, delta: asked.delta, whole: asked.whole,
        time: AnswerClock.now())
      return { try page.take($0, $1) }
    }
  }

  /// Whether a page may be at a URL: requests may hold secrets.
  private func isAllowed(_ url: URL) -> Bool { (try? origins.check(url)) != nil }

  private var origins: PageOrigins {
    PageOrigins(urls: [home] + collection.origins, takesAll: collection.options.allowed.contains(.otherOrigins))
  }
}

extension CollectionExchange: LoadedExchange {
  /// A page behind a list fits the list, whatever was written since it was asked for.
  var writes: String { step == .refresh ? core.answerWrites(of: entityNames) : "" }
  var isShared: Bool { collection.options.errorModel == nil }

  func sharingKey(after writes: String) -> InFlightRequests.Key {
    var hash = SHA256()
    hash.add(key.text)
    hash.add(step.rawValue)
    hash.add(writes)
    hash.add("\(collection.options)")
    return InFlightRequests.Key(store: ObjectIdentifier(core), request: hash.digits())
  }

  func known(in context: EntityContext) throws -> KnownObjects? {
    try Known(context.answers.collection(key)).map { known in
      KnownObjects(
        freshness: AnswerFreshness(
          time: known.note.time, isEnded: known.note.isEnded, lifetime: known.list.answer?.lifetime),
        extent: known.extent)
    }
  }
}

extension AnswerKey {
  /// The name of a stored collection: a hash of the first page's request, the entity, the envelope and the account.
  ///
  /// - Parameter plain: The request before the closure of the collection changed it. The header fields that the closure set
  ///   are in the name, but for credentials, which may change while the account stays.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a request with credentials of an account without a name.
  init<E: RemoteEntity>(
    listOf type: E.Type, _ request: URLRequest, changedFrom plain: URLRequest, _ envelope: Envelope, _ identity: String?
  ) throws {
    guard identity != nil || request.credentials.isEmpty else {
      throw RequestError(
        .invalidRequest,
        "The request of the stored collection has credentials, and the client does not say whose they are: give the client "
          + "an `identity:`, so that an account never gets the list of another one.")
    }
    var hash = SHA256()
    hash.add("list")
    hash.add(request.url?.absoluteString)
    hash.add(request.value(forHTTPHeaderField: "Accept"))
    let own = HTTPHeaders(request).filter {
      !URLRequest.isCredential($0.name) && plain.value(forHTTPHeaderField: $0.name) != $0.value
    }
    for field in own.map({ "\($0.name.lowercased()): \($0.value)" }).sorted() { hash.add(field) }
    hash.add(request.httpBody.map { String(decoding: $0, as: UTF8.self) })
    hash.add(E.entityName)
    hash.add("\(envelope.list ?? "-") \(envelope.item ?? "-") \(envelope.isOptional)")
    hash.add(identity)
    self.init(hash.digits())
  }
}

extension StoredCollection {
  /// - Throws: ``RequestError`` of kind `invalidRequest` for options that can't go with a list.
  func check() throws {
    let reason: String? =
      if options.streaming != nil {
        "streamed"
      } else if options.deletesMissing {
        "read with missing objects deleted, because a page lacks most objects"
      } else if options.upsert.isDryRun {
        "dry runs"
      } else if let changes, changes.isLink, case .greatest = changes.source.place {
        "followed by a property's greatest value, which is no URL"
      } else if !pagination.firstBody.isEmpty || earlier?.firstBody.isEmpty == false {
        "`inBody`, because they come with GET"
      } else {
        nil
      }
    if let reason {
      throw RequestError(.invalidRequest, "The pages of a stored collection can't be \(reason).")
    }
  }
}
