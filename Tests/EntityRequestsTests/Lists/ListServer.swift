import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import HTTPFoundation

@testable import EntityRequests
@testable import EntityStore

/// A server with a list of users that changes: new users come first.
final class ListServer: RequestAdapter {
  enum Paging: CaseIterable {
    case cursor, link, offset, number

    /// Whether a page begins behind an object, and not behind a number of objects.
    var isBehindObject: Bool { self == .cursor || self == .link }
  }

  private struct State {
    var uids: [Int] = []
    /// The places in the order of users that moved; those of the others are their uids.
    var ranks: [Int: Int] = [:]
    var next = 1
    var requests: [URLRequest] = []
    var failures = 0
  }

  let paging: Paging
  let size: Int
  /// Whether pages that are counted say how many users there are.
  let hasTotal: Bool
  private let answers = HeldAnswers()
  private let state = Mutex(State())

  init(_ paging: Paging = .cursor, size: Int = 3, users: Int = 0, hasTotal: Bool = true) {
    (self.paging, self.size, self.hasTotal) = (paging, size, hasTotal)
    add(users)
  }

  /// The users, the newest first.
  var uids: [Int] { state.withLock(\.uids) }
  var requests: [URLRequest] { state.withLock(\.requests) }
  /// The requests that wait for their answers to be let out.
  var held: Int { answers.count }
  /// The users that were moved.
  var moved: Set<Int> { state.withLock { Set($0.ranks.keys) } }

  func add(_ count: Int) {
    state.withLock { state in
      for _ in 0..<count {
        state.uids.insert(state.next, at: 0)
        state.next += 1
      }
    }
  }

  /// Puts a user before all others, as a list does that has the latest change first.
  func move(_ uid: Int) {
    state.withLock { state in
      guard let index = state.uids.firstIndex(of: uid) else { return }
      state.uids.insert(state.uids.remove(at: index), at: 0)
      state.ranks[uid] = state.next
      state.next += 1
    }
  }

  func delete(_ uid: Int) { state.withLock { $0.uids.removeAll { $0 == uid } } }
  func set(_ uids: [Int]) { state.withLock { $0.uids = uids } }
  func heal() { state.withLock { $0.failures = 0 } }
  func failNext() { state.withLock { $0.failures += 1 } }
  func hold(_ isHeld: Bool) { answers.hold(isHeld) }

  /// Lets one answer out, by its number.
  func release(_ index: Int = 0) { answers.release(index) }

  /// Waits until so many answers are held.
  func held(_ count: Int) async { while held < count { await Task.yield() } }

  var list: StoredCollection<User> { list(of: User.self) }

  func list<E: RemoteEntity>(of type: E.Type) -> StoredCollection<E> {
    switch paging {
    case .cursor: StoredCollection(pages: .cursor("next"), options: .envelope("items"))
    case .link: StoredCollection(pages: .link, options: .envelope("items"))
    case .offset: StoredCollection(pages: .offsets(size: asked, total: total), options: .envelope("items"))
    case .number: StoredCollection(pages: .numbers(size: asked, total: total), options: .envelope("items"))
    }
  }

  private var total: PageTotal? { hasTotal ? .body("total") : nil }
  private var asked: Int? { hasTotal ? nil : size }

  func client(_ store: EntityStore, headers: HTTPHeaders = [:], identity: String? = nil) throws -> Client {
    let name: (@Sendable () -> String?)? = if let identity { { identity } } else { nil }
    return try Client(
      adapter: self, store: store, baseURL: "https://api.example.com/", headers: headers, identity: name)
  }

  // The answer is made when the request arrives, and may be let out later.
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let response = state.withLock { answer(to: request, &$0) }
    await answers.wait()
    return response
  }

  private func answer(to request: URLRequest, _ state: inout State) -> HTTPResponse {
    state.requests.append(request)
    if state.failures > 0 {
      state.failures -= 1
      return HTTPResponse(status: 503, url: request.url)
    }
    let query = request.url?.queryFields ?? [:]
    let rest: [Int]
    if let before = query["cursor"].flatMap({ Int($0) }) {
      rest = state.uids.filter { state.ranks[$0] ?? $0 < before }
    } else {
      let number = query["page"].flatMap { Int($0) } ?? 1
      rest = Array(state.uids.dropFirst(query["offset"].flatMap { Int($0) } ?? (number - 1) * size))
    }
    let (page, hasMore) = (Array(rest.prefix(size)), rest.count > size)
    let facts = page.map(String.init) + ["\(hasMore)"] + (paging.isBehindObject ? [] : ["\(state.uids.count)"])
    let tag = "\"\(facts.joined(separator: "-"))\""
    var headers: HTTPHeaders = ["ETag": tag, "Content-Type": "application/json"]
    if request.value(forHTTPHeaderField: "If-None-Match") == tag {
      return HTTPResponse(status: 304, headers: headers, url: request.url)
    }
    let cursor = hasMore ? "\(page.last.map { state.ranks[$0] ?? $0 } ?? 0)" : "null"
    if paging == .link, hasMore { headers["Link"] = "</users?cursor=\(cursor)>; rel=\"next\"" }
    let items = page.map { "{\"id\": \($0), \"email\": \"\($0)@x\"}" }.joined(separator: ", ")
    let body = "{\"items\": [\(items)], \"next\": \(cursor), \"total\": \(state.uids.count)}"
    return HTTPResponse(status: 200, headers: headers, url: request.url, body: Data(body.utf8))
  }
}

extension EntityStore {
  /// The uids of the members of a list, in its order.
  func uids(of list: StoredCollection<User>) async throws -> [Int] {
    let query = User.members(of: list)
    return try await read { try $0.fetch(query).map(\.uid) }
  }

  func uids(of list: StoredCollection<Headline>) async throws -> [Int] {
    let query = Headline.members(of: list)
    return try await read { try $0.fetch(query).map(\.uid) }
  }

  /// The texts of lists in the file.
  func listTexts() async throws -> [String] {
    try await core.read { context in
      try context.connection.rows("SELECT key || ' ' || note FROM \(CollectionTables.table)") { $0.text(0) ?? "" }
    }
  }
}
