import EntityClient
import EntityTesting
import HTTPFoundation
import Synchronization
import Testing

@testable import EntityOutbox

/// The batches of ``BatchServer``: a list of requests, and a list of responses.
struct ShopBatch: OutboxBatch {
  var limit = 3

  func request(for parts: [URLRequest]) throws -> URLRequest {
    var request = try Client.current.request(.post, "batch")
    let requests = try parts.map { part -> JSONValue in
      [
        "method": JSONValue(part.httpMethod ?? ""), "path": JSONValue(part.url?.path(percentEncoded: false) ?? ""),
        "body": try part.httpBody.map { try JSONValue(parsing: $0) } ?? nil,
      ]
    }
    try request.setJSON(JSONValue(requests))
    return request
  }

  func responses(to parts: [URLRequest], in response: HTTPResponse) throws -> [HTTPResponse?] {
    try JSONValue(parsing: response.body).array?.map { answer in
      guard let status = answer["status"]?.int else { return nil }
      return HTTPResponse(
        status: status, headers: ["Content-Type": "application/json"], body: answer["body"]?.rawBytes ?? Data())
    } ?? []
  }
}

@Entity final class Pallet: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Relationship(inverse: \Ticket.pallet) var tickets: [Ticket]

  static var basePath: String { "pallets" }
  static var outbox: OutboxRules<Pallet> { [.rest, .batch(ShopBatch())] }
}

/// Goes in the batches of pallets.
@Entity final class Ticket: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var pallet: Pallet?

  static var basePath: String { "tickets" }
  static var outbox: OutboxRules<Ticket> { [.rest, .batch(ShopBatch())] }
}

/// A shop that takes several requests in one.
final class BatchServer: RequestAdapter {
  struct State {
    /// The parts of each request: their methods and paths, by one for a request that came alone.
    var requests: [[String]] = []
    /// The statuses of the next batches, without an effect.
    var statuses: [Int] = []
    /// The places of parts that the responses say nothing of.
    var silent: Set<Int> = []
    var isNonsense = false
  }

  let shop = ShopServer()
  let state = Mutex(State())

  var requests: [[String]] { state.withLock(\.requests) }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let path = request.url?.path(percentEncoded: false) ?? ""
    guard path == "/batch", case .data(let data) = body else {
      state.withLock { $0.requests.append(["\(request.httpMethod ?? "") \(path)"]) }
      return try await shop.send(request, body: body, progress: nil)
    }
    let parts = try JSONValue(parsing: data).array ?? []
    let status = state.withLock { state in
      state.requests.append(parts.map { "\($0["method"]?.string ?? "") \($0["path"]?.string ?? "")" })
      return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
    }
    guard status == 200 else { return HTTPResponse(status: status, url: request.url) }
    var answers: [JSONValue] = []
    for part in parts {
      let url = request.url.flatMap { URL(string: part["path"]?.string ?? "", relativeTo: $0) }
      var own = URLRequest(url: try #require(url))
      own.httpMethod = part["method"]?.string
      let body = part["body"].flatMap { $0.isNull ? nil : RequestBody.data($0.rawBytes) }
      let answer = try await shop.send(own, body: body ?? .none, progress: nil)
      answers.append([
        "status": JSONValue(answer.status), "body": answer.body.isEmpty ? .null : try JSONValue(parsing: answer.body),
      ])
    }
    let (silent, isNonsense) = state.withLock { ($0.silent, $0.isNonsense) }
    for place in silent where answers.indices.contains(place) { answers[place] = .null }
    return HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"], url: request.url,
      body: isNonsense ? Data("<html>".utf8) : JSONValue(answers).rawBytes)
  }
}
