import EntityClient
import EntityTesting
import HTTPFoundation
import Synchronization

/// A REST service in memory: POST to a collection makes an object, GET, PATCH, PUT and DELETE are at its URL. It works off
/// one request after the other.
final class ShopServer: RequestAdapter {
  struct State {
    var tables: [String: [String: [String: JSONValue]]] = [:]
    var last = 0
    var isOffline = false
    /// How many of the next answers are lost, after the server has acted.
    var lost = 0
    /// The answers of the next requests, by method and path: the server does not act.
    var answers: [String: [HTTPResponse]] = [:]
    /// The answers to requests with a key.
    var keys: [String: HTTPResponse] = [:]
    var log: [String] = []
    var bodies: [String] = []
    var sentKeys: [String?] = []
    var credentials: [String?] = []
    var gates: [String: StubGate] = [:]
    /// How the objects of a table show their versions.
    var versions: [String: Versions] = [:]
    var numbers: [String: Int] = [:]
    var conditions: [String?] = []
    /// Headers of each answer.
    var headers: HTTPHeaders = [:]
  }

  enum Versions {
    /// In `ETag` and `If-Match`.
    case header
    /// In the attribute `version` and `If-Match`.
    case attribute
    /// In the attribute `lock_version` of the body; 409.
    case body
  }

  let state = Mutex(State())

  var log: [String] { state.withLock(\.log) }
  var bodies: [String] { state.withLock(\.bodies) }
  var sentKeys: [String?] { state.withLock(\.sentKeys) }

  func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }
  func loseAnswers(_ count: Int) { state.withLock { $0.lost = count } }

  /// The next request of a method and a path gets a status, without an effect.
  func answer(_ request: String, _ status: Int, _ body: JSONValue? = nil, headers: HTTPHeaders = [:]) {
    var headers = headers
    headers["Content-Type"] = "application/json"
    let response = HTTPResponse(status: status, headers: headers, url: nil, body: body?.rawBytes ?? Data())
    state.withLock { $0.answers[request, default: []].append(response) }
  }

  /// Requests of a method and a path wait for a gate, after the server has acted.
  func hold(_ request: String, at gate: StubGate) { state.withLock { $0.gates[request] = gate } }

  func object(_ table: String, _ id: some LosslessStringConvertible & Sendable) -> [String: JSONValue]? {
    state.withLock { $0.tables[table]?[String(id)] }
  }

  func count(_ table: String) -> Int { state.withLock { $0.tables[table]?.count ?? 0 } }

  /// A change by somebody else; `nil` deletes the object.
  func set(_ table: String, _ id: Int, _ fields: [String: JSONValue]?) {
    state.withLock { state in
      guard let fields else {
        state.tables[table]?[String(id)] = nil
        return
      }
      state.tables[table, default: [:]][String(id), default: ["id": JSONValue(id)]].merge(fields) { $1 }
      Self.touch(table, String(id), &state)
      state.last = max(state.last, id)
    }
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var data = Data()
    switch body {
    case .data(let sent): data = sent
    case .file(let file): data = try Data(contentsOf: file)
    case .stream(let stream):
      let read = try stream.open()
      while let piece = try await read() { data += piece }
    case .none: break
    }
    let (result, gate) = try state.withLock { state in try Self.take(request, data, &state) }
    if let gate { try await gate.wait() }
    return try result.get()
  }

  private static func take(
    _ request: URLRequest, _ body: Data, _ state: inout State
  ) throws -> (Result<HTTPResponse, TransportError>, StubGate?) {
    guard !state.isOffline else { throw TransportError(.connection, "offline", mayHaveBeenProcessed: false) }
    let parts = (request.url?.path(percentEncoded: false) ?? "").split(separator: "/").map(String.init)
    let name = "\(request.httpMethod ?? "GET") \(parts.joined(separator: "/"))"
    let key = request.value(forHTTPHeaderField: "Idempotency-Key")
    state.log.append(name)
    state.bodies.append(String(decoding: body, as: UTF8.self))
    state.sentKeys.append(key)
    state.conditions.append(request.value(forHTTPHeaderField: "If-Match"))
    state.credentials.append(request.value(forHTTPHeaderField: "Authorization"))
    let response: HTTPResponse
    if let answer = state.answers[name]?.first {
      state.answers[name]?.removeFirst()
      response = answer
    } else if let known = key.flatMap({ state.keys[$0] }) {
      response = known
    } else {
      response = act(request, parts, body, &state)
      if let key { state.keys[key] = response }
    }
    if state.lost > 0 {
      state.lost -= 1
      return (.failure(TransportError(.timeout, "lost", mayHaveBeenProcessed: true)), state.gates[name])
    }
    return (.success(response), state.gates[name])
  }

  /// An object has another version.
  private static func touch(_ table: String, _ id: String, _ state: inout State) {
    let number = state.numbers["\(table)/\(id)", default: 0] + 1
    state.numbers["\(table)/\(id)"] = number
    switch state.versions[table] {
    case .attribute: state.tables[table]?[id]?["version"] = JSONValue(number)
    case .body: state.tables[table]?[id]?["lock_version"] = JSONValue(number)
    case .header, nil: break
    }
  }

  private static func act(
    _ request: URLRequest, _ parts: [String], _ body: Data, _ state: inout State
  ) -> HTTPResponse {
    let table = parts[0]
    let tag = parts.count > 1 ? "\(table)/\(parts[1])" : ""
    func answer(_ status: Int, _ value: JSONValue?) -> HTTPResponse {
      var headers = state.headers
      headers["Content-Type"] = "application/json"
      if state.versions[table] == .header, let number = state.numbers[tag] { headers["ETag"] = "\"\(number)\"" }
      return HTTPResponse(status: status, headers: headers, url: request.url, body: value?.rawBytes ?? Data())
    }
    func object(_ fields: [String: JSONValue]?) -> JSONValue? { fields.map { JSONObject($0).value } }
    let sent = (try? JSONValue(parsing: body))?.object
    let fields = sent.map { Dictionary($0.map { ($0.key, $0.value) }) { $1 } } ?? [:]
    guard parts.count > 1 else {
      if request.httpMethod == "POST" {
        state.last += 1
        var made = fields
        made["id"] = JSONValue(state.last)
        state.tables[table, default: [:]][String(state.last)] = made
        touch(table, String(state.last), &state)
        return answer(201, object(state.tables[table]?[String(state.last)]))
      }
      let items =
        request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
      let found = (state.tables[table] ?? [:]).sorted { $0.key < $1.key }.map(\.value).filter { object in
        items.allSatisfy { object[$0.name]?.string == $0.value }
      }
      return answer(200, JSONValue(found.compactMap(object)))
    }
    let id = parts[1]
    let known = state.tables[table]?[id]
    if let known, request.httpMethod != "GET", let number = state.numbers[tag] {
      switch state.versions[table] {
      case .header, .attribute:
        if let condition = request.value(forHTTPHeaderField: "If-Match"), condition != "\"\(number)\"" {
          return answer(412, nil)
        }
      case .body: if let version = fields["lock_version"]?.int, version != number { return answer(409, object(known)) }
      case nil: break
      }
    }
    if parts.count == 3, request.httpMethod == "POST" {
      // An action on the object, such as a checkout.
      state.tables[table]?[id]?["status"] = "paid"
      return answer(known == nil ? 404 : 200, object(state.tables[table]?[id]))
    }
    switch request.httpMethod {
    case "PUT":
      var made = fields
      made["id"] = Int(id).map { JSONValue($0) } ?? JSONValue(id)
      state.tables[table, default: [:]][id] = made
      return answer(known == nil ? 201 : 200, object(made))
    case "PATCH":
      guard let known else { return answer(404, nil) }
      state.tables[table]?[id] = known.merging(fields) { $1 }
      touch(table, id, &state)
      return answer(200, object(state.tables[table]?[id]))
    case "DELETE":
      state.tables[table]?[id] = nil
      return answer(known == nil ? 404 : 204, nil)
    default: return answer(known == nil ? 404 : 200, object(known))
    }
  }
}
