import EntityJSON
import EntityStore
import Foundation

/// Reads one response as the model that a route leads to.
///
/// In order: the route, ``Envelope``, the value or the upsert, ``RoutedResponse``.
struct RoutedReading: ResponseReading {
  let client: Client
  let routes: RequestRoutes?
  let numbers: RequestSequence
  /// The store that the request names, else the client's.
  let store: EntityStore?
  let envelope: Envelope?
  /// The models that routes name for the request, the most exact first.
  private let named: [(model: RouteModel, parameters: PathParameters)]

  /// - Throws: ``RequestError`` of kind `invalidRequest` for options that don't go with the method, and of kind
  ///   `noStore` when a route may lead to an entity and there is no store.
  init(
    _ client: Client, _ method: HTTPMethod?, _ routes: RequestRoutes?, _ store: EntityStore?, _ options: ValueOptions
  ) throws {
    self.client = client
    self.routes = routes
    self.store = store ?? (try? client.store)
    numbers = self.store?.core.requests ?? .ofNoStore
    envelope = options.envelope
    named = routes?.named ?? []
    for case .entities(let entity) in named.map({ $0.model.kind }) { try entity.check(method) }
    // With a more exact route the request may need no store, but only the response says so.
    if self.store == nil, method != .head, named.contains(where: \.model.needsStore) {
      _ = try client.store
    }
  }

  /// The model of a response.
  ///
  /// - Throws: ``RequestError`` of kind `unmatched` for a body that no route leads to; the error of a closure.
  func read(_ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest) async throws -> RoutedResponse {
    let reading = sent.facts.bodies
    let found = try kind(of: response, body, sent.facts.method)
    let content: RoutedResponse.Content =
      switch found.kind {
      case .none: .none
      case .json: try body.map { .json(try json(in: $0, reading)) } ?? .none
      case .value(let read):
        if let body { .value(try read(body, try keyPath(in: body, response), reading)) } else { .none }
      case .entities(let entity):
        .entities(try await objects(entity, found.parameters, response, body, to: sent))
      }
    return RoutedResponse(
      content: content, status: response.status, headers: response.headers, url: response.url, json: body,
      metrics: response.metrics,
      decoder: reading.decoder)
  }

  func note(_ result: RoutedResponse, in report: inout ExchangeReport) {
    guard case .entities(let objects) = result.content else { return }
    (objects as? any ReportedObjects)?.note(in: &report)
  }

  /// The kind of model of a response; `nil` when there is nothing to read.
  private func kind(
    of response: HTTPResponse, _ body: JSONValue?, _ method: HTTPMethod?
  ) throws -> (kind: RouteModel.Kind?, parameters: PathParameters) {
    let none: (RouteModel.Kind?, PathParameters) = (nil, [:])
    guard let routes, routes.hasModels else { return (.json, [:]) }
    // A row is deleted without a body, too.
    guard body != nil || method == .delete else { return none }
    // Here 404 and 410 mean the deletion of an object.
    if method == .delete, !(200...299).contains(response.status) {
      return named.first.map { ($0.model.kind, $0.parameters) } ?? none
    }
    let (found, trace) = try routes.model(of: response, body)
    if let found { return (found.model.kind, found.parameters) }
    // The server has deleted the object.
    if method == .delete { return none }
    var error = RequestError(.unmatched, "No route leads to a model for the response. \(trace)")
    error.trace = trace
    throw error
  }

  private func json(in body: JSONValue, _ reading: BodyReading) throws -> JSONValue {
    guard let keyPath = try envelope?.keyPath(in: body, expecting: .any, nil) else { return body }
    return try reading.value(JSONValue.self, in: body, at: keyPath)
  }

  private func keyPath(in body: JSONValue, _ response: HTTPResponse) throws -> String? {
    try EnvelopeChoice(request: envelope, routes, client).envelope(of: response, body)
      .keyPath(in: body, expecting: .any, nil)
  }

  private func objects<R: RoutedEntity>(
    _ entity: R, _ parameters: PathParameters, _ response: HTTPResponse, _ body: JSONValue?, to sent: SentRequest
  ) async throws -> any RoutedObjects {
    let (facts, method) = (sent.facts, sent.facts.method)
    try entity.check(method)
    if let verdict = entity.options.verdict ?? R.Entity.verdict {
      var bodies = facts.bodies
      bodies.refusal = verdict.refusal
      try ResponseStatus.judge(response, body, to: method ?? .get, bodies)
    }
    let core = try (store ?? client.store).core
    let choice = EnvelopeChoice(R.Entity.self, request: envelope ?? entity.options.envelope, routes, client)
    // The notes of entities that routes name have ended already.
    await endAnswers(of: entity.options.entityNames.subtracting(namedEntities), facts)
    let purpose: ExchangePurpose<R.Entity> =
      method == .delete ? .deletion(removal(entity, facts.url, core)) : .collection
    let settling = ResponseSettling<R.Entity>(
      core: core, purpose: purpose, options: entity.options,
      envelope: try choice.envelope(of: response, body, to: purpose), sequence: sent.sequence, client: client,
      requestURL: facts.url,
      isOfOneByQuery: RequestBuilder(client: client).isOwnByQuery(R.Entity.self, facts.url), parameters: parameters,
      nothing: client.nothing, decoder: facts.bodies.decoder,
      isOfWrite: method != nil && method != .get, progress: sent.progress)
    return try await settling.settle(response, body).response
  }
}

// MARK: Writes

extension RoutedReading {
  static var deletesRows: Bool { true }

  /// Ends the notes of answers with entities that the routes name, because the server has done a request.
  func endAnswers(_ facts: RequestFacts) async { await endAnswers(of: namedEntities, facts) }

  private func endAnswers(of entities: Set<String>, _ facts: RequestFacts) async {
    guard facts.method?.isSafe == false else { return }
    await store?.core.endAnswersAfterWrite(of: entities)
  }

  private var namedEntities: Set<String> { Set(named.flatMap { $0.model.entities }.map { $0.entityName }) }

  private func removal<R: RoutedEntity>(_ entity: R, _ url: URL?, _ core: StoreCore) -> RowRemoval<R.Entity>? {
    RowRemoval(of: url, on404: false, builder: RequestBuilder(client: client), core: core)
  }

  /// The statuses besides 2xx that mean success, for the DELETE of an object that a route names.
  func alsoSuccess(_ response: HTTPResponse, _ facts: RequestFacts) async throws -> Set<Int> {
    guard facts.method == .delete, [404, 410].contains(response.status), let core = store?.core else { return [] }
    guard case .entities(let entity)? = named.first?.model.kind else { return [] }
    return try await alsoSuccess(entity, response, facts.url, core)
  }

  private func alsoSuccess<R: RoutedEntity>(
    _ entity: R, _ response: HTTPResponse, _ url: URL?, _ core: StoreCore
  ) async throws -> Set<Int> {
    try await ExchangePurpose<R.Entity>.deletion(removal(entity, url, core)).alsoSuccess(response, core)
  }
}

/// The response of an entity, for a report on its exchange.
private protocol ReportedObjects {
  func note(in report: inout ExchangeReport)
}

extension EntityResponse: ReportedObjects {
  func note(in report: inout ExchangeReport) { report.take(self) }
}

extension RoutedEntity {
  /// - Throws: ``RequestError`` of kind `invalidRequest` for options that don't go with the method.
  fileprivate func check(_ method: HTTPMethod?) throws { try options.check(method) }
}
