import EntityJSON
import EntityStore
import Foundation

/// Takes messages of a server into the store, as ``PushRules`` say. All messages go this way, whatever brought them.
struct PushReceiver: Sendable {
  let client: Client
  let rules: PushRules
  /// The store that the caller names, else the client's; `nil` where the client has none.
  let store: EntityStore?

  init(_ client: Client, _ rules: PushRules, _ store: EntityStore?) {
    self.client = client
    self.rules = rules
    self.store = store ?? (try? client.store)
  }

  /// Notes that messages have arrived.
  func arrival() -> HeldNumber { numbers.heldMessage() }

  /// Notes that something has changed: a request from now on shares none from before.
  func noteHint() { numbers.noteHint() }

  private var numbers: RequestSequence { store?.core.requests ?? .ofNoStore }

  /// Takes a message in.
  ///
  /// - Parameters:
  ///   - arrival: When the message arrived.
  ///   - position: The place in its stream, which is kept in the transaction of the message; `nil` where it is not kept.
  /// - Throws: ``RequestError`` for a message that the store can't take in, and the error of a refresh that may succeed
  ///   later. A message with a bad payload, or whose refresh would fail again, is refused, and throws nothing.
  @concurrent func take(
    _ message: PushedMessage, _ arrival: HeldNumber, keeping position: StreamPosition? = nil
  ) async throws -> ReceivedMessage {
    try Task.checkCancellation()
    let message = rules.named(message)
    var isRefresh = false
    do {
      let action: PushAction?
      do {
        action = try rules.action(for: message)
      } catch {
        throw RequestError(.mapping, "Its rule can't be chosen: \(RequestError.shown(error))", underlying: error)
      }
      switch action?.kind {
      case .upsert(let entity)?:
        let objects = try await upsert(entity, message, arrival, position)
        return ReceivedMessage(message: message, outcome: .upserted, objects: objects)
      case .delete(let entity, let keyPath)?:
        let objects = try await delete(entity, at: keyPath, message, arrival, position)
        return ReceivedMessage(message: message, outcome: .deleted, objects: objects)
      case .refresh(let refresh)?:
        isRefresh = true
        numbers.noteHint()
        try await refresh(message)
        isRefresh = false
        try await keep(position)
        return ReceivedMessage(message: message, outcome: .refreshed, objects: nil)
      case .ignore?, nil:
        // Whoever handles the message may read what it is about.
        numbers.noteHint()
        try await keep(position)
        return ReceivedMessage(message: message, outcome: .ignored, objects: nil)
      }
    } catch let error as RequestError where isRefresh ? error.isFinalOfRefresh : error.isOfPayload {
      // The message would come again and again.
      try await keep(position)
      return ReceivedMessage(message: message, outcome: .refused(error.of(message)), objects: nil)
    } catch let error as RequestError {
      throw error.of(message)
    }
  }

  private func keep(_ position: StreamPosition?) async throws {
    guard let position, let store else { return }
    do {
      try await store.core.unit { try $0.answerNotes.keep(position) }
    } catch let error where !(error is CancellationError) {
      throw RequestError(
        .upsert, "The place in the stream could not be kept: \(RequestError.shown(error))", underlying: error)
    }
  }

  private func core() throws -> StoreCore { try (store ?? client.store).core }

  /// - Throws: ``RequestError`` of kind `parsing`.
  private func body(_ message: PushedMessage, _ limits: JSONLimits) throws -> JSONValue {
    do {
      return try JSONValue(parsing: message.data, limits: limits)
    } catch {
      throw RequestError(.parsing, "The payload is not JSON: \(RequestError.shown(error))", underlying: error)
    }
  }

  private func upsert<R: RoutedEntity>(
    _ entity: R, _ message: PushedMessage, _ arrival: HeldNumber, _ position: StreamPosition?
  ) async throws -> any RoutedObjects {
    let body = try body(message, entity.options.limits)
    try entity.options.check(nil)
    return try await settle(entity.options, entity.options.envelope ?? .wholeBody, body, arrival, position)
  }

  private func delete<R: RoutedEntity>(
    _ entity: R, at keyPath: String?, _ message: PushedMessage, _ arrival: HeldNumber, _ position: StreamPosition?
  ) async throws -> any RoutedObjects {
    let body = try body(message, .standard)
    let core = try self.core()
    let model: EntityModel
    do { model = try core.schema.model(R.Entity.self) } catch {
      throw RequestError(.upsert, RequestError.shown(error), underlying: error)
    }
    var named = body
    if let keyPath {
      guard let value = body[keyPath] else {
        throw RequestError(.envelope, "The payload has nothing under '\(keyPath.prefix(200).escaped)'.")
      }
      named = value
    }
    let key = MappingPlan.uidKey(of: model)
    let objects = try (named.array.map { Array($0) } ?? [named]).map { value -> JSONValue in
      if value.object != nil { return value }
      guard let key, value.string != nil || value.lexeme != nil else {
        throw RequestError(
          .mapping, "A uid of '\(R.Entity.entityName)' was expected, and there is \(value.kindName).")
      }
      return JSONObject(fields: [(key, value)]).value
    }
    var options = entity.options
    options.upsert.saysDeleted = true
    return try await settle(options, .wholeBody, JSONValue(objects), arrival, position)
  }

  private func settle<E: RemoteEntity>(
    _ options: ResponseOptions<E>, _ envelope: Envelope, _ body: JSONValue, _ arrival: HeldNumber,
    _ position: StreamPosition?
  ) async throws -> EntityResponse<E> {
    var settling = ResponseSettling<E>(
      core: try core(), purpose: .collection, options: options, envelope: envelope, sequence: arrival.number,
      client: client, hasStatus: false, decoder: client.decoder)
    settling.position = position
    return try await settling.settle(HTTPResponse(status: 200), body).response
  }
}

extension RequestError {
  /// Whether the payload of a message is at fault, and the same message would fail again.
  fileprivate var isOfPayload: Bool {
    switch kind {
    case .parsing, .envelope, .mapping: return true
    case .upsert: return underlying is StoreError ? isOfRefusedValues : true
    default: return false
    }
  }

  /// Whether the store refuses the values.
  private var isOfRefusedValues: Bool {
    guard let error = underlying as? StoreError else { return false }
    return [.uniqueViolation, .deleteDenied, .brokenLink, .invalidValue, .invalidObject, .tooLarge].contains(error.kind)
  }

  /// Whether the refresh of a message would fail again, as that of an object that was deleted meanwhile. A response that can't
  /// be read may be one of another server, as of a network that wants a person to sign in.
  fileprivate var isFinalOfRefresh: Bool {
    switch kind {
    case .status: isFinalRefusal
    case .invalidRequest, .unsafeResource, .missingUID, .missingObject, .pagination, .unmatched: true
    // Without a status, the closure has taken in the payload itself.
    default: status == nil ? isOfPayload : isOfRefusedValues
    }
  }

  /// Whether the server itself refuses a request, and would refuse it again. With 403 and the like a page for a person may be
  /// that of a network, and a limit of requests says when to come again.
  private var isFinalRefusal: Bool {
    guard let response, let status else { return false }
    if [404, 405, 410, 451].contains(status) { return true }
    let type = response.headers["Content-Type"].map { ContentType($0).mediaType }
    guard type != "text/html", response.headers["Retry-After"] == nil else { return false }
    return [400, 403, 406, 414, 415, 422].contains(status)
  }

  /// The error with the message that it is about.
  fileprivate func of(_ message: PushedMessage) -> RequestError {
    // The error of a refresh is about a request.
    guard method == nil, url == nil else { return self }
    let id = message.id.map { ", id '\($0.prefix(60).escaped)'" } ?? ""
    var error = RequestError(
      kind, "The message '\(message.kind.prefix(60).escaped)'\(id): \(self.message)", underlying: underlying)
    error.hasStatus = false
    return error
  }
}
