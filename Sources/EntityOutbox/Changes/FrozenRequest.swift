import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

/// A request as an entry of the outbox has it, without its body. It has no header but the ones that belong to the body
/// and to the condition: credentials are made at each sending.
struct FrozenRequest: Codable, Sendable {
  var method: String
  var url: String
  var contentType: String?
  /// Whether the body is read from files while it is sent, so that the entry does not have it; `nil` for no.
  var isStreamed: Bool?
  /// The condition of a create, which the object that an earlier try has made must not pass.
  var ifNoneMatch: String?
  /// The condition of an update: the version that its values were made on.
  var ifMatch: String?
  /// Whether the body has that version; `nil` for no.
  var hasVersion: Bool?

  init(_ request: URLRequest) {
    method = request.httpMethod ?? "GET"
    url = request.url?.absoluteString ?? ""
    contentType = request.value(forHTTPHeaderField: "Content-Type")
    isStreamed = request.httpBodyStream == nil ? nil : true
    ifNoneMatch = request.value(forHTTPHeaderField: "If-None-Match")
    ifMatch = request.value(forHTTPHeaderField: "If-Match")
  }

  init?(_ entry: OutboxEntry) {
    guard let text = entry.request, let request = try? JSONValueDecoder().decode(Self.self, from: Data(text.utf8))
    else {
      return nil
    }
    self = request
  }

  /// The request can't be made again as it was.
  static var unreadable: RequestError {
    RequestError(
      .invalidRequest,
      "The entry of the outbox has no request that can be read. Look whether the server has the change, and "
        + "drop it or retry.")
  }

  var text: String {
    get throws { String(decoding: try JSONValueEncoder(format: .sorted).encode(self), as: UTF8.self) }
  }

  /// The request, with the headers that requests have now.
  func request<E: RemoteEntity>(_ type: E.Type, _ body: Data?, _ client: Client) throws -> URLRequest {
    guard let url = URL(string: url), let method = HTTPMethod(rawValue: method) else {
      throw Self.unreadable
    }
    var request = try E.request(method, url, client)
    request.httpBody = body
    if let contentType { try request.setHeaders(["Content-Type": contentType]) }
    try setCondition(on: &request)
    return request
  }

  func setCondition(on request: inout URLRequest) throws {
    if let ifNoneMatch { try request.setHeaders(["If-None-Match": ifNoneMatch]) }
    if let ifMatch { try request.setHeaders(["If-Match": ifMatch]) }
  }
}

extension EntityChanges {
  /// The request of an entry whose body was read from files while it was sent: the rule names the files again.
  ///
  /// - Throws: ``NotReady`` where the files are gone and the server may have the first request of a create or a command. An
  ///   update is refused: a person has it made anew.
  func streamed(_ known: OutboxEntry, _ line: PlannedLine, in unit: ClaimingUnit) throws -> URLRequest {
    let mayHaveArrived = known.state == .sending || known.attempts > 0 && known.idempotencyKey != nil
    do {
      guard let object = try unit.context.object(EntityID<E>(pk: known.key.pk)) else {
        throw RequestError(.invalidRequest, "The object was deleted here, so that nothing makes its request again.")
      }
      if let command = known.name.flatMap({ settings.commands[$0] }) {
        return try Client.withClient(client) { try command.request(known.kept ?? "{}", object) }
      }
      let kind: OutboxChange.Kind = known.kind == .create ? .create : .update
      guard let make = settings.requests[kind] else {
        throw RequestError(
          .invalidRequest,
          "This version of the app has no rule that makes the request again. Declare it, or drop the change.")
      }
      let change = OutboxChange(
        kind: kind, properties: names(of: line, known), idempotencyKey: known.idempotencyKey)
      return try Client.withClient(client) { try make(object, change) }
    } catch let error as RequestError where mayHaveArrived && known.kind != .update {
      throw NotReady(reason: error.message)
    }
  }

  /// The properties that the first request had: the marks may have others by now.
  private func names(of line: PlannedLine, _ known: OutboxEntry) -> [String] {
    let sent = Set(OutboxEntry.properties(in: known.sent))
    guard sent.isEmpty else { return model.properties.map(\.name).filter(sent.contains) }
    return line.properties.indices.map { model.properties[$0].name }
  }
}
