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
    var version = 1
  }

  enum Fault: String, CaseIterable {
    case notReached, lostRequest, lostAnswer, delayed, doubled, busy, unavailable, failed, failedAfter, unauthorized
    case nonsense

    /// Whether the server may act, and the client not learn what came of it.
    var hidesAnEffect: Bool {
      switch self {
      case .lostAnswer, .delayed, .doubled, .failedAfter, .nonsense: true
      default: false
      }
    }
  }

  struct Call {
    /// The number of the client.
    let client: Int
    /// The account whose token the request has; `nil` where the client names none.
    let account: String?
    let method: String
    let parts: [String]
    let query: [URLQueryItem]
    let body: Data
    let key: String?
    let condition: String?

    var name: String { "\(method) \(parts.joined(separator: "/"))" }
    var isRefresh: Bool { method == "GET" && parts.count == 1 && query.isEmpty }
    var isCommand: Bool { parts.count == 3 }
    /// The collection and the uid.
    var path: String { parts.prefix(2).joined(separator: "/") }
    var fields: [String: JSONValue] {
      guard let object = (try? JSONValue(parsing: body))?.object else { return [:] }
      return Dictionary(object.map { ($0.key, $0.value) }) { $1 }
    }
  }

  /// A value that was set, or a command.
  struct Applied: Equatable {
    /// The number of the client; -1 for the person at the server.
    let writer: Int
    let field: String
    let value: String
  }

  /// A list of many-to-many that a request has set, by the codes of its owner and its members.
  struct ListWrite {
    /// The number of the client.
    let writer: Int
    let owner: String
    let members: Set<String>
  }

  struct Answer {
    var status: Int
    var body = Data()
    var version: Int?
  }

  struct State {
    var random: SeededRandom
    var failsOneIn = 0
    var hasVersions = false
    var hasReplica = false
    /// The rows as the replica has them.
    var replica: [SimulatedTable: [String: Row]] = [:]
    /// The last versions of rows that are gone, by `table/uid`.
    var gone: [String: Int] = [:]
    var tables: [SimulatedTable: [String: Row]] = [:]
    var last = 0
    var now = 0.0
    var delayed: [Delayed] = []
    var keys: [String: Answer] = [:]
    /// The codes of all uids that ever were, by `table/uid`.
    var ever: [String: String] = [:]
    /// The uids that POSTs of each client gave, by the code of the object.
    var made: [String: [(client: Int, uid: String)]] = [:]
    /// All that was applied, in order, by the code of the object.
    var history: [String: [Applied]] = [:]
    /// All lists that were set, in order.
    var lists: [ListWrite] = []
    /// The sum of what persons at the server added to scores, and the objects whose scores can't be told: a client does
    /// not know whether an addition was taken, and another one adds.
    var added: [String: Int] = [:]
    var uncertain: Set<String> = []
    /// Requests and failures by the code of the object.
    var requests: [String: Int] = [:]
    var failures: [String: Int] = [:]
    var violations: [String] = []
    var log: [String] = []
  }

  let state: Mutex<State>

  init(_ seed: UInt64, _ service: SimulatedService) {
    state = Mutex(
      State(
        random: SeededRandom(seed &+ 0x5EED), hasVersions: service.hasVersions, hasReplica: service.hasReplica))
  }

  /// The server at another moment.
  init(_ state: State) { self.state = Mutex(state) }

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

  func set(_ table: SimulatedTable, _ id: String, _ field: String, _ value: String) {
    state.withLock { state in
      guard let code = state.tables[table]?[id]?.code else { return }
      state.tables[table]?[id]?.fields[field] = JSONValue(value)
      state.tables[table]?[id]?.version += 1
      state.history[code, default: []].append(Applied(writer: -1, field: field, value: value))
      state.log.append("there: \(table.rawValue)/\(id).\(field) = \(value)")
    }
  }

  func add(_ count: Int, _ id: String) {
    state.withLock { state in
      guard let row = state.tables[.workers]?[id] else { return }
      state.tables[.workers]?[id]?.fields["score"] = JSONValue((row.fields["score"]?.int ?? 0) + count)
      state.tables[.workers]?[id]?.version += 1
      state.added[row.code, default: 0] += count
      state.log.append("there: workers/\(id).score + \(count)")
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

  func take(_ call: Call, _ url: URL?) -> Result<HTTPResponse, TransportError> {
    state.withLock { state in
      Self.applyDelayed(&state)
      Self.checkAccount(of: call, &state)
      if state.hasReplica, !call.isRefresh, state.random.chance(4) { state.replica = state.tables }
      let code = Self.code(of: call, state)
      let fault = call.isRefresh ? nil : Self.draw(call, &state)
      let answer = Self.answer(call, fault, &state)
      if !call.isRefresh {
        state.requests[code, default: 0] += 1
        let end = answer.map { String($0.status) } ?? "no answer"
        state.log.append("  \(Self.shown(call)) → \(fault.map { "\($0.rawValue) " } ?? "")\(end)")
        if fault != nil || !(200..<300).contains(answer?.status ?? 0) { state.failures[code, default: 0] += 1 }
        if fault?.hidesAnEffect == true { Self.doubt(call, &state) }
      }
      guard let answer else {
        return .failure(TransportError(.timeout, "lost", mayHaveBeenProcessed: fault != .notReached))
      }
      var headers: HTTPHeaders = ["Content-Type": "application/json"]
      if answer.status == 429 { headers["Retry-After"] = String(state.random.below(50)) }
      if state.hasVersions, let version = answer.version { headers["ETag"] = "\"\(version)\"" }
      return .success(HTTPResponse(status: answer.status, headers: headers, url: url, body: answer.body))
    }
  }

  static func shown(_ call: Call) -> String {
    "\(call.client): \(call.name)\(call.query.isEmpty ? "" : "?\(call.query)") "
      + "\(String(decoding: call.body, as: UTF8.self))\(call.key.map { " key \($0.prefix(4))" } ?? "")"
      + "\(call.condition.map { " if \($0)" } ?? "")"
  }

  /// A client does not learn whether the server took an addition.
  static func doubt(_ call: Call, _ state: inout State) {
    if call.fields["score"] != nil { state.uncertain.insert(code(of: call, state)) }
  }

  private static func draw(_ call: Call, _ state: inout State) -> Fault? {
    guard state.failsOneIn > 0, state.random.chance(state.failsOneIn) else { return nil }
    guard let fault = state.random.element(Fault.allCases) else { return nil }
    // A request without a key that comes twice has an effect that no client can prevent.
    if fault == .doubled, call.method == "POST", call.key == nil { return nil }
    if fault == .delayed, call.method == "GET" { return .lostRequest }
    if fault == .nonsense, call.method == "GET" { return .failed }
    return fault
  }

  /// - Returns: `nil` where the client gets no answer.
  private static func answer(_ call: Call, _ fault: Fault?, _ state: inout State) -> Answer? {
    switch fault {
    case .notReached, .lostRequest: return nil
    case .lostAnswer:
      _ = act(call, &state)
      return nil
    case .delayed:
      delay(call, &state)
      return nil
    case .doubled:
      _ = act(call, &state)
      return act(call, &state)
    case .busy: return Answer(status: 429)
    case .unavailable: return Answer(status: 503)
    case .failed: return Answer(status: 500)
    case .failedAfter:
      _ = act(call, &state)
      return Answer(status: 500)
    case .unauthorized: return Answer(status: 401)
    case .nonsense:
      let answer = act(call, &state)
      guard (200..<300).contains(answer.status) else { return Answer(status: answer.status) }
      return Answer(status: 200, body: Data((state.random.chance(2) ? "nonsense" : #"{"id":["nonsense"]}"#).utf8))
    case nil: return act(call, &state)
    }
  }
}
