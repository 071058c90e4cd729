import EntityClient
import EntityTesting
import HTTPFoundation
import Synchronization
import TestSupport

/// The hidden model: a REST service in memory that knows which request set each value, and that fails by a seed.
final class SimulatedServer: Sendable {
  struct Row {
    var code = ""
    var fields: [String: JSONValue] = [:]
  }

  enum Fault: String, CaseIterable {
    case notReached, lostRequest, lostAnswer, delayed, doubled, busy, unavailable, failed, failedAfter, unauthorized
    case nonsense
  }

  struct Call {
    let method: String
    let parts: [String]
    let query: [URLQueryItem]
    let body: Data
    let key: String?
    var name: String { "\(method) \(parts.joined(separator: "/"))" }
    var isRefresh: Bool { method == "GET" && parts.count == 1 && query.isEmpty }
  }

  struct State {
    var random: SeededRandom
    var failsOneIn = 0
    var tables: [SimulatedTable: [String: Row]] = [:]
    var last = 0
    var now = 0.0
    var delayed: [(due: Double, call: Call)] = []
    var keys: [String: (status: Int, body: Data)] = [:]
    /// All uids that ever were, as `table/uid`.
    var ever: [String: String] = [:]
    /// The uids that POSTs gave, by the code of the object.
    var made: [String: [String]] = [:]
    /// The values that were applied, in order, by the code of the object and the field.
    var history: [String: [String: [String]]] = [:]
    /// Requests and failures by the code of the object.
    var requests: [String: Int] = [:]
    var failures: [String: Int] = [:]
    var violations: [String] = []
    var log: [String] = []
  }

  let state: Mutex<State>

  init(_ seed: UInt64) { state = Mutex(State(random: SeededRandom(seed &+ 0x5EED))) }

  func log(_ line: String) { state.withLock { $0.log.append(line) } }

  // MARK: The person at the server

  func make(_ table: SimulatedTable, code: String, _ fields: [String: JSONValue]) -> String {
    state.withLock { state in
      state.last += 1
      let id = String(state.last)
      var row = Row(code: code, fields: fields)
      row.fields["id"] = JSONValue(state.last)
      row.fields["code"] = JSONValue(code)
      state.tables[table, default: [:]][id] = row
      state.ever["\(table.rawValue)/\(id)"] = code
      state.log.append("there: \(table.rawValue)/\(id) = \(code)")
      return id
    }
  }

  func set(_ table: SimulatedTable, _ id: String, _ field: String, _ value: JSONValue) {
    state.withLock { state in
      guard state.tables[table]?[id] != nil else { return }
      state.tables[table]?[id]?.fields[field] = value
      state.log.append("there: \(table.rawValue)/\(id).\(field) = \(value)")
    }
  }

  func delete(_ table: SimulatedTable, _ id: String) {
    state.withLock { state in
      state.log.append("there: delete \(table.rawValue)/\(id)")
      Self.remove(table, id, &state)
    }
  }

  func uids(_ table: SimulatedTable) -> [String] { state.withLock { ($0.tables[table] ?? [:]).keys.sorted() } }

  func advance(to now: Double) {
    state.withLock { state in
      state.now = now
      Self.applyDelayed(&state)
    }
  }

  // MARK: Requests

  /// - Returns: The response; `nil` for a refresh that is to be answered without a fault.
  func take(_ call: Call, _ url: URL?) -> Result<HTTPResponse, TransportError> {
    state.withLock { state in
      Self.applyDelayed(&state)
      let code = Self.code(of: call, state)
      let fault = call.isRefresh ? nil : Self.draw(call, &state)
      if !call.isRefresh { state.requests[code, default: 0] += 1 }
      let (status, body) = Self.answer(call, fault, &state)
      if !call.isRefresh {
        let end = status.map(String.init) ?? "no answer"
        state.log.append(
          "  \(call.name)\(call.query.isEmpty ? "" : "?\(call.query)") \(String(decoding: call.body, as: UTF8.self))"
            + "\(call.key.map { _ in " key" } ?? "") → \(fault.map { "\($0.rawValue) " } ?? "")\(end)")
        if fault != nil || !(200..<300).contains(status ?? 0) { state.failures[code, default: 0] += 1 }
      }
      guard let status else {
        return .failure(TransportError(.timeout, "lost", mayHaveBeenProcessed: fault != .notReached))
      }
      var headers: HTTPHeaders = ["Content-Type": "application/json"]
      if status == 429 { headers["Retry-After"] = String(state.random.below(50)) }
      return .success(HTTPResponse(status: status, headers: headers, url: url, body: body))
    }
  }

  private static func draw(_ call: Call, _ state: inout State) -> Fault? {
    guard state.failsOneIn > 0, state.random.chance(state.failsOneIn) else { return nil }
    guard let fault = state.random.element(Fault.allCases) else { return nil }
    // A request without a key that comes twice has an effect that no client can prevent.
    if fault == .doubled, call.method == "POST", call.key == nil { return nil }
    if fault == .delayed, call.method == "GET" { return .lostRequest }
    return fault
  }

  private static func answer(_ call: Call, _ fault: Fault?, _ state: inout State) -> (Int?, Data) {
    switch fault {
    case .notReached, .lostRequest: return (nil, Data())
    case .lostAnswer:
      _ = act(call, &state)
      return (nil, Data())
    case .delayed:
      // The outbox waits 30 s before it asks or repeats.
      state.delayed.append((state.now + 1 + Double(state.random.below(27)), call))
      return (nil, Data())
    case .doubled:
      _ = act(call, &state)
      return act(call, &state)
    case .busy: return (429, Data())
    case .unavailable: return (503, Data())
    case .failed: return (500, Data())
    case .failedAfter:
      _ = act(call, &state)
      return (500, Data())
    case .unauthorized: return (401, Data())
    case .nonsense:
      let (status, _) = act(call, &state)
      guard (200..<300).contains(status ?? 0) else { return (status, Data()) }
      return (200, Data((state.random.chance(2) ? "nonsense" : #"{"id":["nonsense"]}"#).utf8))
    case nil: return act(call, &state)
    }
  }

  private static func applyDelayed(_ state: inout State) {
    while let index = state.delayed.indices.first(where: { state.delayed[$0].due <= state.now }) {
      let call = state.delayed.remove(at: index).call
      let (status, _) = act(call, &state)
      state.log.append("  late: \(call.name) \(String(decoding: call.body, as: UTF8.self)) → \(status ?? 0)")
    }
  }

  // MARK: Effects

  static func code(of call: Call, _ state: State) -> String {
    if call.parts.count > 1 { return state.ever[call.parts.joined(separator: "/")] ?? call.parts[1] }
    return fields(call)["code"]?.string ?? call.query.first?.value ?? ""
  }

  private static func fields(_ call: Call) -> [String: JSONValue] {
    guard let object = (try? JSONValue(parsing: call.body))?.object else { return [:] }
    return Dictionary(object.map { ($0.key, $0.value) }) { $1 }
  }

  private static func act(_ call: Call, _ state: inout State) -> (Int?, Data) {
    if let known = call.key.flatMap({ state.keys[$0] }) { return known }
    let (status, body) = work(call, &state)
    if let key = call.key { state.keys[key] = (status, body) }
    return (status, body)
  }

  private static func json(_ row: Row?) -> Data { row.map { JSONObject($0.fields).value.rawBytes } ?? Data() }

  private static func work(_ call: Call, _ state: inout State) -> (Int, Data) {
    guard let table = call.parts.first.flatMap({ SimulatedTable(rawValue: $0) }) else {
      state.violations.append("no such collection: \(call.name)")
      return (404, Data())
    }
    let fields = fields(call)
    guard call.parts.count > 1 else {
      guard call.method == "POST" else {
        let rows = (state.tables[table] ?? [:]).sorted { $0.key < $1.key }.map(\.value).filter { row in
          call.query.allSatisfy { row.fields[$0.name]?.string == $0.value }
        }
        return (200, JSONValue(rows.map { JSONObject($0.fields).value }).rawBytes)
      }
      guard let code = fields["code"]?.string, table != .skills else {
        state.violations.append("a POST that makes no object: \(call.name)")
        return (400, Data())
      }
      if let problem = problem(fields, table, nil, call, &state) { return (problem, Data()) }
      if table == .jobs, fields["firm"]?.int == nil {
        state.violations.append("a job without its firm: \(call.name) \(code)")
        return (400, Data())
      }
      state.last += 1
      let id = String(state.last)
      state.made[code, default: []].append(id)
      state.ever["\(table.rawValue)/\(id)"] = code
      var row = Row(code: code, fields: ["id": JSONValue(state.last)])
      for field in table.fields { row.fields[field] = field == "count" ? 0 : nil as JSONValue }
      for link in table.links.keys { row.fields[link] = nil as JSONValue }
      if table == .workers {
        row.fields["home"] = nil as JSONValue
        row.fields["skills"] = []
      }
      state.tables[table, default: [:]][id] = row
      apply(fields, table, id, &state)
      return (201, json(state.tables[table]?[id]))
    }
    let id = call.parts[1]
    let path = "\(table.rawValue)/\(id)"
    let known = state.tables[table]?[id]
    switch call.method {
    case "PUT":
      guard table == .skills, let code = fields["code"]?.string else {
        state.violations.append("a PUT that makes no object: \(call.name)")
        return (400, Data())
      }
      if let problem = problem(fields, table, id, call, &state) { return (problem, Data()) }
      state.ever[path] = code
      if known == nil { state.tables[table, default: [:]][id] = Row(code: code, fields: ["id": JSONValue(id)]) }
      for field in table.fields where fields[field] == nil {
        state.tables[table]?[id]?.fields[field] = nil as JSONValue
      }
      apply(fields, table, id, &state)
      return (known == nil ? 201 : 200, json(state.tables[table]?[id]))
    case "PATCH":
      if state.ever[path] == nil { state.violations.append("a PATCH of an unknown object: \(call.name)") }
      guard known != nil else { return (404, Data()) }
      if let problem = problem(fields, table, id, call, &state) { return (problem, Data()) }
      apply(fields, table, id, &state)
      return (200, json(state.tables[table]?[id]))
    case "DELETE":
      if state.ever[path] == nil { state.violations.append("a DELETE of an unknown object: \(call.name)") }
      remove(table, id, &state)
      return (known == nil ? 404 : 204, Data())
    default:
      return (known == nil ? 404 : 200, json(known))
    }
  }

  /// The status of a refusal; `nil` for a body that is taken.
  private static func problem(
    _ fields: [String: JSONValue], _ table: SimulatedTable, _ id: String?, _ call: Call, _ state: inout State
  ) -> Int? {
    var targets: [(SimulatedTable, String)] = []
    for (link, target) in table.links {
      guard let value = fields[link], !value.isNull else { continue }
      targets.append((target, value.int.map(String.init) ?? value.string ?? "\(value)"))
    }
    for skill in fields["skills"]?.array ?? [] { targets.append((.skills, skill.string ?? "\(skill)")) }
    for worker in fields["workers"]?.array ?? [] where table == .skills {
      targets.append((.workers, worker.int.map(String.init) ?? "\(worker)"))
    }
    for (target, uid) in targets where state.ever["\(target.rawValue)/\(uid)"] == nil {
      state.violations.append("\(call.name) names the unknown \(target.rawValue)/\(uid)")
      return 400
    }
    if targets.contains(where: { state.tables[$0.0]?[$0.1] == nil }) { return 422 }
    if fields.values.contains(where: { $0.string?.hasPrefix("bad") == true }) { return 400 }
    if let badge = fields["badge"]?.string,
      state.tables[table]?.contains(where: { $0.key != id && $0.value.fields["badge"]?.string == badge }) == true
    {
      return badge.hasSuffix("0") ? 409 : 422
    }
    return nil
  }

  private static func apply(
    _ fields: [String: JSONValue], _ table: SimulatedTable, _ id: String, _ state: inout State
  ) {
    guard let code = state.tables[table]?[id]?.code else { return }
    for (field, value) in fields where field != "id" && field != "workers" {
      state.tables[table]?[id]?.fields[field] = value
      if field == "home" {
        state.history[code, default: [:]]["home", default: []].append(value.object?.value["city"]?.string ?? "null")
      } else if table.fields.contains(field) {
        state.history[code, default: [:]][field, default: []].append(
          value.string ?? value.int.map(String.init) ?? "null")
      }
    }
    guard table == .skills, let workers = fields["workers"]?.array else { return }
    let members = Set(workers.compactMap { $0.int.map(String.init) })
    for worker in (state.tables[.workers] ?? [:]).keys {
      var skills = (state.tables[.workers]?[worker]?.fields["skills"]?.array ?? []).filter { $0.string != id }
      if members.contains(worker) { skills.append(JSONValue(id)) }
      state.tables[.workers]?[worker]?.fields["skills"] = JSONValue(skills)
    }
  }

  private static func remove(_ table: SimulatedTable, _ id: String, _ state: inout State) {
    state.tables[table]?[id] = nil
    func matches(_ value: JSONValue?) -> Bool { value?.int.map(String.init) == id }
    switch table {
    case .firms:
      for (job, row) in state.tables[.jobs] ?? [:] where matches(row.fields["firm"]) { state.tables[.jobs]?[job] = nil }
      for (worker, row) in state.tables[.workers] ?? [:] where matches(row.fields["firm"]) {
        state.tables[.workers]?[worker]?.fields["firm"] = nil as JSONValue
      }
    case .workers:
      for (firm, row) in state.tables[.firms] ?? [:] where matches(row.fields["head"]) {
        state.tables[.firms]?[firm]?.fields["head"] = nil as JSONValue
      }
    case .skills:
      for (worker, row) in state.tables[.workers] ?? [:] {
        let skills = (row.fields["skills"]?.array ?? []).filter { $0.string != id }
        state.tables[.workers]?[worker]?.fields["skills"] = JSONValue(skills)
      }
    case .jobs: break
    }
  }
}

/// The way of one client to the server. The client of a killed process gets no answers.
final class SimulatedLine: RequestAdapter {
  enum Moment { case before, after }

  private struct State {
    var isDead = false
    var hook: (@Sendable (Moment, String, [String]) async -> Void)?
  }

  private let server: SimulatedServer
  private let state = Mutex(State())

  init(_ server: SimulatedServer) { self.server = server }

  func end() { state.withLock { $0.isDead = true } }
  func onRequest(_ hook: (@Sendable (Moment, String, [String]) async -> Void)?) { state.withLock { $0.hook = hook } }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var data = Data()
    if case .data(let sent) = body { data = sent }
    let items = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
    let call = SimulatedServer.Call(
      method: request.httpMethod ?? "GET",
      parts: (request.url?.path(percentEncoded: false) ?? "").split(separator: "/").map(String.init), query: items,
      body: data, key: request.value(forHTTPHeaderField: "Idempotency-Key"))
    try checkAlive()
    let hook = call.isRefresh ? nil : state.withLock(\.hook)
    let keys = (try? JSONValue(parsing: data))?.object?.map(\.key) ?? []
    await hook?(.before, call.name, keys)
    try checkAlive()
    let result = server.take(call, request.url)
    await hook?(.after, call.name, keys)
    try checkAlive()
    return try result.get()
  }

  private func checkAlive() throws {
    guard !state.withLock(\.isDead) else { throw TransportError(.connection, "killed", mayHaveBeenProcessed: false) }
  }
}
