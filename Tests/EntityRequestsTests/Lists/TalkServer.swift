import EntityClient
import Foundation
import HTTPFoundation
import Synchronization

@testable import EntityRequests

/// A server with a conversation: its first page has the last messages, and the pages before it have earlier ones.
final class TalkServer: RequestAdapter {
  private struct State {
    var messages: [Int] = []
    var next = 1
    var posted: [Int] = []
    var failures = 0
  }

  let size: Int
  let answers = HeldAnswers()
  private let state = Mutex(State())

  init(size: Int, messages: Int) {
    self.size = size
    for _ in 0..<messages { add() }
  }

  var messages: [Int] { state.withLock(\.messages) }
  var posted: [Int] { state.withLock(\.posted) }

  func add() { state.withLock { _ = Self.add(&$0) } }
  func delete(_ message: Int) { state.withLock { $0.messages.removeAll { $0 == message } } }
  func failNext() { state.withLock { $0.failures += 1 } }
  func heal() { state.withLock { $0.failures = 0 } }

  private static func add(_ state: inout State) -> Int {
    let message = state.next
    state.messages.append(message)
    state.next += 1
    return message
  }

  var list: StoredCollection<Headline> {
    StoredCollection(
      pages: OnePage(), earlier: .cursor("prev", parameter: "before") as CursorPagination,
      placing: .last { $0.email == "mine" }, options: .envelope("items"))
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var response = state.withLock { answer(to: request, &$0) }
    response.url = request.url
    await answers.wait()
    return response
  }

  private func answer(to request: URLRequest, _ state: inout State) -> HTTPResponse {
    if state.failures > 0 {
      state.failures -= 1
      return HTTPResponse(status: 503)
    }
    var headers: HTTPHeaders = ["Content-Type": "application/json"]
    if request.httpMethod == "POST" {
      let message = Self.add(&state)
      state.posted.append(message)
      return HTTPResponse(status: 201, headers: headers, body: Data("{\"id\": \(message)}".utf8))
    }
    let query = request.url?.queryFields ?? [:]
    let before = query["before"].flatMap { Int($0) } ?? .max
    let rest = state.messages.filter { $0 < before }
    let page = rest.suffix(size)
    let earlier = rest.count > size ? page.first.map { "\"\($0)\"" } ?? "null" : "null"
    let tag = "\"\(page.map(String.init).joined(separator: "-"))-\(rest.count > size)\""
    headers["ETag"] = tag
    if request.value(forHTTPHeaderField: "If-None-Match") == tag {
      return HTTPResponse(status: 304, headers: headers)
    }
    let items = page.map { "{\"id\": \($0)}" }.joined(separator: ", ")
    return HTTPResponse(
      status: 200, headers: headers, body: Data("{\"items\": [\(items)], \"prev\": \(earlier)}".utf8))
  }
}
