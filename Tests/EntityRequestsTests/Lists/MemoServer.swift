import EntityClient
import Foundation
import HTTPFoundation
import Synchronization

@testable import EntityRequests

/// A server with a list of memos, the newest first, and with a log of its changes.
final class MemoServer: RequestAdapter {
  /// How the changes are asked for, and in which order their pages come.
  enum Style: String, CaseIterable { case newestFirst, oldestFirst, link }

  enum Kind { case member, left, deleted }

  /// The latest change of a memo.
  struct Change {
    var version: Int
    var kind: Kind

    var text: String { "v\(version)" }
  }

  private struct State {
    /// The memos of the list, each with the version in which it came into the list.
    var members: [Int: Int] = [:]
    var log: [Int: Change] = [:]
    var version = 0
    /// The server does not know older tokens.
    var oldest = 0
    var failures = 0
    var posted: [Int] = []
    /// The number of requests for pages of the list.
    var listPages = 0
    /// Whether a walk over the list had its last page.
    var isWalked = false
    /// The tokens that the server did not know, until a walk over the list begins in their place.
    var unknown: [Int] = []
    var unnamed: [ClosedRange<Int>] = []
  }

  let style: Style
  let size: Int
  let answers = HeldAnswers()
  private let state = Mutex(State())

  init(_ style: Style, size: Int, memos: Int) {
    (self.style, self.size) = (style, size)
    for _ in 0..<memos { add() }
  }

  // MARK: What the server has

  var members: [Int: Int] { state.withLock(\.members) }
  var log: [Int: Change] { state.withLock(\.log) }
  var version: Int { state.withLock(\.version) }
  var posted: [Int] { state.withLock(\.posted) }
  var listPages: Int { state.withLock(\.listPages) }
  /// The versions whose changes no answer needs to name: a walk over the list began in place of their token. A walk has the members
  /// alone, and the next changes are those since the walk began.
  var unnamed: [ClosedRange<Int>] { state.withLock(\.unnamed) }

  func add() { state.withLock { _ = Self.add(&$0) } }
  func note(_ uid: Int, _ kind: Kind) { state.withLock { Self.note(uid, kind, &$0) } }
  func expire() { state.withLock { $0.oldest = $0.version } }
  func failNext() { state.withLock { $0.failures += 1 } }
  func heal() { state.withLock { $0.failures = 0 } }

  private static func add(_ state: inout State) -> Int {
    let uid = (state.log.keys.max() ?? 0) + 1
    note(uid, .member, &state)
    return uid
  }

  private static func note(_ uid: Int, _ kind: Kind, _ state: inout State) {
    state.version += 1
    state.log[uid] = Change(version: state.version, kind: kind)
    if kind != .member {
      state.members[uid] = nil
    } else if state.members[uid] == nil {
      state.members[uid] = state.version
    }
  }

  // MARK: Answers

  var list: StoredCollection<Memo> {
    let changes: CollectionDelta<Memo> =
      switch style {
      case .newestFirst: .delta("since", from: .body("token"))
      case .oldestFirst: .delta("since", from: .body("token"), isOldestFirst: true)
      case .link: .link(from: .body("delta"))
      }
    return StoredCollection(
      pages: .cursor("next"), changes: changes, placing: .first { $0.isMine == true }, options: .envelope("data"))
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
    if request.httpMethod == "POST" {
      let uid = Self.add(&state)
      state.posted.append(uid)
      return Self.json("{\"id\": \(uid)}", status: 201)
    }
    let query = request.url?.queryFields ?? [:]
    let cursor = (query["cursor"] ?? "").split(separator: ".").compactMap { Int($0) }
    guard let since = query["since"].flatMap({ Int($0) }) else { return listPage(cursor, &state) }
    guard since < state.oldest else { return changes(since, cursor.first, state) }
    state.unknown.append(since)
    return HTTPResponse(status: 410)
  }

  /// - Parameter cursor: The last memo of the page before, and the version of the server when the walk began.
  private func listPage(_ cursor: [Int], _ state: inout State) -> HTTPResponse {
    state.listPages += 1
    // A walk without need is no reason to miss changes.
    if cursor.isEmpty, let since = state.isWalked ? state.unknown.popLast() : 0, since < state.version {
      state.unnamed.append(since + 1...state.version)
    }
    let (last, begun) = cursor.count == 2 ? (cursor[0], cursor[1]) : (Int.max, state.version)
    let rest = state.members.keys.filter { $0 < last }.sorted(by: >)
    let page = rest.prefix(size)
    let next = rest.count > size ? page.last.map { "\($0).\(begun)" } : nil
    if next == nil { state.isWalked = true }
    return Self.page(
      page.map { ($0, state.log[$0]) }, next: next, token: state.version, delta: next == nil ? begun : nil)
  }

  /// - Parameter cursor: The version of the last change on the page before.
  private func changes(_ since: Int, _ cursor: Int?, _ state: State) -> HTTPResponse {
    let isNewestFirst = style == .newestFirst
    let bounds = isNewestFirst ? since + 1..<(cursor ?? .max) : (cursor ?? since) + 1..<Int.max
    let changes = state.log.filter { bounds.contains($0.value.version) }
    let rest = changes.sorted { isNewestFirst != ($0.value.version < $1.value.version) }
    let page = rest.prefix(size)
    let last = page.last?.value.version ?? state.version
    let hasMore = rest.count > size
    return Self.page(
      page.map { ($0.key, $0.value) }, next: hasMore ? "\(last)" : nil,
      token: hasMore && !isNewestFirst ? last : state.version, delta: hasMore ? nil : state.version)
  }

  private static func page(_ memos: [(Int, Change?)], next: String?, token: Int, delta: Int?) -> HTTPResponse {
    let items = memos.map { uid, change -> String in
      switch change?.kind {
      case .deleted: "{\"id\": \(uid), \"deleted\": true}"
      case .left: "{\"id\": \(uid), \"left\": true}"
      case .member, nil: "{\"id\": \(uid), \"text\": \"\(change?.text ?? "")\"}"
      }
    }
    let (next, delta) = (next.map { "\"\($0)\"" } ?? "null", delta.map { "\"memos?since=\($0)\"" } ?? "null")
    return json(
      "{\"data\": [\(items.joined(separator: ", "))], \"next\": \(next), \"token\": \(token), \"delta\": \(delta)}")
  }

  private static func json(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
  }
}
