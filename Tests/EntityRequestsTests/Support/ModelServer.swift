import EntityClient
import Synchronization
import HTTPFoundation

/// A server of tickets that works off one request after the other: a plain dictionary, and the history of each field.
struct ModelServer {
  struct Record: Equatable {
    var title = ""
    var note: String?
    var version = 1
    var parent: Int?
  }

  enum Field: CaseIterable { case title, note }

  private(set) var records: [Int: Record] = [:]
  /// Counts the server's steps.
  private(set) var time = 0
  /// The values that a field was set to, and when.
  private(set) var history: [Int: [Field: [(time: Int, text: String?)]]] = [:]
  private var lastID = 0

  /// The texts of a field that were the server's at `time` or later.
  func texts(_ id: Int, _ field: Field, since time: Int) -> [String?] {
    let all = history[id]?[field] ?? []
    let first = all.lastIndex { $0.time <= time } ?? 0
    return all[first...].map(\.text)
  }

  // MARK: Changes of other clients

  @discardableResult
  mutating func create(_ fields: JSONObject) -> Int {
    lastID += 1
    records[lastID] = Record()
    time += 1
    for field in Field.allCases { history[lastID, default: [:]][field] = [(time, self[lastID, field])] }
    set(lastID, fields)
    records[lastID]?.version = 1
    return lastID
  }

  mutating func set(_ id: Int, _ fields: JSONObject) {
    guard records[id] != nil else { return }
    time += 1
    // As servers do: the kept value is not just the sent one.
    if let title = fields["title"]?.string { self[id, .title] = title.lowercased() }
    if let note = fields["note"] { self[id, .note] = note.string?.lowercased() }
    if let parent = fields["parent"] {
      let known = records
      records[id]?.parent = parent.int64.map(Int.init).flatMap { known[$0] == nil ? nil : $0 }
    }
    records[id]?.version += 1
  }

  mutating func delete(_ id: Int) {
    time += 1
    records[id] = nil
    for (other, record) in records where record.parent == id { records[other]?.parent = nil }
  }

  private subscript(id: Int, field: Field) -> String? {
    get { field == .title ? records[id]?.title : records[id]?.note }
    set {
      if field == .title { records[id]?.title = newValue ?? "" } else { records[id]?.note = newValue }
      history[id, default: [:]][field, default: []].append((time, newValue))
    }
  }

  // MARK: Requests

  struct Answer {
    var status = 200
    var body: JSONValue?
    /// The object that the request was about.
    var id: Int?
    /// Whether the body is all of that object.
    var isWhole = false
  }

  /// - Parameter style: How the answer is written, where that is the server's choice.
  mutating func serve(_ method: HTTPMethod, _ id: Int?, _ body: JSONValue?, style: Int) -> Answer {
    switch (method, id) {
    case (.get, nil): return Answer(body: list(records.keys.sorted()))
    case (.get, let id?): return records[id] == nil ? Answer(status: 404) : answer(id, 0)
    case (.post, _):
      if let objects = body?.array {
        let ids = objects.compactMap(\.object).map { create($0) }
        // Some answer with all they have.
        return Answer(status: 201, body: list(style == 0 ? records.keys.sorted() : ids))
      }
      let id = create(body?.object ?? JSONObject(fields: []))
      return answer(id, style == 3 ? 1 : style, status: 201)
    case (.delete, let id?):
      guard records[id] != nil else { return Answer(status: 404) }
      delete(id)
      return Answer(status: 204, id: id)
    case (_, let id?):
      guard records[id] != nil, let fields = body?.object else { return Answer(status: 404) }
      set(id, fields)
      return answer(id, style)
    default: return Answer(status: 405)
    }
  }

  private func answer(_ id: Int, _ style: Int, status: Int = 200) -> Answer {
    switch style {
    case 1: Answer(status: status, body: ["id": JSONValue(id)], id: id)
    case 2:
      Answer(
        status: status, body: ["id": JSONValue(id), "version": JSONValue(records[id]?.version ?? 0)], id: id)
    case 3: Answer(status: 204, id: id)
    default: Answer(status: status, body: object(id), id: id, isWhole: true)
    }
  }

  private func list(_ ids: [Int]) -> JSONValue { JSONValue(ids.map(object)) }

  private func object(_ id: Int) -> JSONValue {
    let record = records[id] ?? Record()
    return [
      "id": JSONValue(id), "title": JSONValue(record.title),
      "note": record.note.map { JSONValue($0) } ?? nil, "version": JSONValue(record.version),
      "parent": record.parent.map { JSONValue($0) } ?? nil,
    ]
  }
}

/// Holds requests until the test lets the server work, and answers until the test hands them out.
final class ModelAdapter: RequestAdapter {
  struct Request: Sendable {
    let method: HTTPMethod
    /// The last part of the URL's path, where that is a number.
    let id: Int?
    let body: JSONValue?
  }

  private struct State {
    /// The last event, until somebody asks.
    var signal: Request??
    var answers: [Int: CheckedContinuation<HTTPResponse, any Error>] = [:]
    var arrived = 0
    var watcher: CheckedContinuation<Request?, Never>?

    mutating func tell(_ request: Request?) -> CheckedContinuation<Request?, Never>? {
      defer { watcher = nil }
      if watcher == nil { signal = .some(request) }
      return watcher
    }
  }

  private let state = Mutex(State())

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let value: JSONValue? = if case .data(let data) = body { try? JSONValue(parsing: data) } else { nil }
    let request = Request(
      method: request.httpMethod.flatMap(HTTPMethod.init) ?? .get,
      id: request.url.flatMap { Int($0.lastPathComponent) }, body: value)
    return try await withCheckedThrowingContinuation { continuation in
      let watcher = state.withLock { state in
        state.answers[state.arrived] = continuation
        state.arrived += 1
        return state.tell(request)
      }
      watcher?.resume(returning: request)
    }
  }

  /// The request that was started last; `nil` when it failed before it was sent.
  func arrival() async -> Request? {
    await withCheckedContinuation { continuation in
      let signal = state.withLock { state in
        defer { state.signal = nil }
        if state.signal == nil { state.watcher = continuation }
        return state.signal
      }
      if let signal { continuation.resume(returning: signal) }
    }
  }

  /// How many requests were sent.
  var arrived: Int { state.withLock(\.arrived) }

  /// A request failed. Where fewer than `count` were sent by then, it was not.
  func fail(_ count: Int) {
    state.withLock { $0.arrived < count ? $0.tell(nil) : nil }?.resume(returning: nil)
  }

  /// The connection breaks before the answer to the request that arrived as number `number` is here.
  func lose(_ number: Int) {
    let continuation = state.withLock { $0.answers.removeValue(forKey: number) }
    continuation?.resume(throwing: URLError(.networkConnectionLost))
  }

  /// Answers the request that arrived as number `number`, from 0.
  func answer(_ number: Int, _ answer: ModelServer.Answer) {
    let continuation = state.withLock { $0.answers.removeValue(forKey: number) }
    continuation?.resume(
      returning: HTTPResponse(
        status: answer.status, headers: ["Content-Type": "application/json"], body: answer.body?.rawBytes ?? Data()))
  }
}
