import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import SampleSchema
import Synchronization
import Testing

@testable import EntityRequests
@testable import EntityStore

/// A server that answers as a closure says.
private final class PageServer: RequestAdapter {
  /// The query, the header field `Range`, and the users of the server.
  typealias Answer = @Sendable (_ query: [String: String], _ range: String?, _ users: [Int]) -> HTTPResponse
  private let answer: Answer
  private struct State {
    var users: [Int]
    var requests = 0
  }

  private let state: Mutex<State>

  init(_ users: some Sequence<Int>, _ answer: @escaping Answer) {
    self.answer = answer
    state = Mutex(State(users: Array(users)))
  }

  var users: [Int] {
    get { state.withLock(\.users) }
    set { state.withLock { $0.users = newValue } }
  }
  var requests: Int { state.withLock(\.requests) }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var response = state.withLock { state in
      if request.httpMethod == "POST" {
        let uid = (state.users.max() ?? 0) + 1
        state.users.append(uid)
        return Self.json("{\"id\": \(uid)}", status: 201)
      }
      if request.httpMethod == "DELETE" {
        state.users.removeAll { "\($0)" == request.url?.lastPathComponent }
        return HTTPResponse(status: 204)
      }
      state.requests += 1
      return answer(request.url?.queryFields ?? [:], request.value(forHTTPHeaderField: "Range"), state.users)
    }
    response.url = request.url
    return response
  }

  static func json(_ text: String, _ headers: HTTPHeaders = [:], status: Int = 200) -> HTTPResponse {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return HTTPResponse(status: status, headers: headers, body: Data(text.utf8))
  }

  static func list(_ users: some Sequence<Int>) -> String {
    "[" + users.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]"
  }

  /// Pages of three behind a cursor, in the order of the server.
  static let cursor: Answer = { query, _, users in
    let start = query["cursor"].flatMap { Int($0) }.flatMap { users.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    let page = users.dropFirst(start).prefix(3)
    let next = users.count > start + 3 ? "\(page.last ?? 0)" : "null"
    return json("{\"items\": \(list(page)), \"next\": \(next)}")
  }

  /// Pages of three by number.
  static func numbers(_ headers: @escaping @Sendable (Int) -> HTTPHeaders) -> Answer {
    { query, _, users in
      let page = (query["page"].flatMap { Int($0) } ?? 1) - 1
      return json(list(users.dropFirst(page * 3).prefix(3)), headers(users.count))
    }
  }
}

/// Lists that lost members, or that said of themselves what was not so.
@MainActor struct ListDefectTests {
  private func with(_ server: PageServer, _ body: @MainActor (EntityStore) async throws -> Void) async throws {
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(adapter: server, store: store, baseURL: "https://api.example.com/")) {
      try await body(store)
    }
  }

  private func walk(_ list: StoredCollection<User>) async throws {
    while try await list.status()?.hasMore != false { try await list.loadMore() }
  }

  // MARK: Members

  @Test func `an own object on the first page does not hide the objects behind it`() async throws {
    let server = PageServer((1...10).reversed(), PageServer.cursor)
    let list = StoredCollection<User>(
      pages: .cursor("next"), placing: .first { $0.firstName == "mine" }, options: .envelope("items"))
    try await with(server) { store in
      try await walk(list)
      server.users = [14, 13, 12, 11] + server.users
      let mine = try store.main.insert(User.self)
      mine.firstName = "mine"
      try await store.main.save()
      try await mine.post()
      server.users = [17, 16, 15] + server.users.filter { $0 != 15 }
      try await list.load()
      try await walk(list)
      #expect(try await store.uids(of: list) == server.users)
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `a member that is deleted here makes a counted list begin anew`() async throws {
    let server = PageServer(1...9) { query, _, users in
      PageServer.json(PageServer.list(users.dropFirst(query["offset"].flatMap { Int($0) } ?? 0).prefix(3)))
    }
    let list = StoredCollection<User>(pages: .offsets(size: 3))
    try await with(server) { store in
      try await list.load()
      try await list.loadMore()
      try await #require(try store.main.fetch(User.self, uid: 5)).delete()
      try await walk(list)
      #expect(try await list.status()?.isComplete == false)
      try await list.load()
      try await walk(list)
      #expect(try await store.uids(of: list) == [1, 2, 3, 4, 6, 7, 8, 9])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `the last message of a conversation leaves it`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 8], ["id": 9], ["id": 10]], "prev": "8"]),
      .json(["items": [["id": 5], ["id": 6], ["id": 7]], "prev": nil]),
      .json(["items": [["id": 7], ["id": 8], ["id": 9]], "prev": "7"]))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .cursor("prev", parameter: "before") as CursorPagination, options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      try await list.loadEarlier()
      try await list.load()
      #expect(try await store.uids(of: list) == [5, 6, 7, 8, 9])
    }
  }

  @Test func `objects that are made here stand at their end while pages come`() async throws {
    let server = PageServer(1...9, PageServer.cursor)
    let list = StoredCollection<User>(
      pages: .cursor("next"), placing: .last { $0.firstName == "mine" }, options: .envelope("items"))
    try await with(server) { store in
      try await list.load()
      let mine = try store.main.insert(User.self)
      mine.firstName = "mine"
      try await store.main.save()
      try await list.loadMore()
      let members = try store.main.fetch(User.members(of: list))
      #expect(members.last === mine && members.dropLast().map(\.uid) == [1, 2, 3, 4, 5, 6])
      try await walk(list)
      #expect(try store.main.fetch(User.members(of: list)).last === mine)
      try await mine.post()
      // The first page says nothing of the end of the list.
      try await list.load()
      #expect(try store.main.fetch(User.members(of: list)).map(\.uid) == Array(1...10))
    }
  }

  @Test func `a refused object that is a member stays where it is`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json([["id": 1], ["id": 2, "email": "b@x"], ["id": 3]]),
      .json([["id": 4], ["id": 1], ["id": 2, "email": ["no": "text"]], ["id": 3], ["id": 9, "email": []]]),
      .json([["id": 4], ["id": 3]]))
    let list = StoredCollection<User>(options: .skipping)
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      let response = try await list.load()
      #expect(response.ids.count == 3 && response.counts.refused == 2)
      #expect(try await store.uids(of: list) == [4, 1, 2, 3], "the store has no row of the other refused object")
      #expect(try await list.status()?.isComplete == false)
      try await list.load()
      #expect(try await store.uids(of: list) == [4, 3])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `each deletion far down the list is found`() async throws {
    let server = PageServer(1...10, PageServer.numbers { ["X-Total": "\($0)"] })
    let list = StoredCollection<User>(pages: .numbers(size: 3, total: .header("X-Total")))
    try await with(server) { store in
      try await list.load()
      try await walk(list)
      for gone in [8, 9, 5] {
        server.users.removeAll { $0 == gone }
        try await list.load()
        try await walk(list)
        #expect(try await store.uids(of: list) == server.users)
        #expect(try await list.status()?.isComplete == true)
      }
    }
  }

  @Test func `objects that are made here stand behind a list that grows, shrinks and changes its order`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    let list = StoredCollection<User>(pages: .link, placing: .last { $0.firstName == "mine" })
    try await with(server) { store in
      try await list.load()
      for _ in 1...2 { try store.main.insert(User.self).firstName = "mine" }
      try await store.main.save()
      for users in [[1, 2, 3, 4], [2, 3, 1, 4], [9, 2], [], [5, 6, 7, 8, 1]] {
        server.users = users
        try await list.load()
        let members = try store.main.fetch(User.members(of: list))
        #expect(members.dropLast(2).map(\.uid) == users)
        #expect(members.suffix(2).allSatisfy { $0.firstName == "mine" })
      }
    }
  }

  @Test func `many pages come before an object that is made here`() async throws {
    let server = PageServer(1...120, PageServer.cursor)
    let list = StoredCollection<User>(
      pages: .cursor("next"), placing: .last { $0.firstName == "mine" }, options: .envelope("items"))
    try await with(server) { store in
      try await list.load()
      try store.main.insert(User.self).firstName = "mine"
      try await store.main.save()
      try await walk(list)
      let members = try store.main.fetch(User.members(of: list))
      #expect(members.dropLast().map(\.uid) == server.users && members.last?.firstName == "mine")
      // The members were never numbered anew.
      let step = try await store.core.unit {
        try $0.connection.rows("SELECT min(place), max(place) FROM _entity_members") { $0.int64(1) / $0.int64(0) }
      }
      #expect(step == [121])
    }
  }

  @Test func `an object that was made here and is evicted takes no others along`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    let list = StoredCollection<User>(pages: .link, placing: .first { $0.firstName == "mine" })
    try await with(server) { store in
      try await list.load()
      try store.main.insert(User.self).firstName = "mine"
      try await store.main.save()
      try await store.core.unit { rows in
        try rows.collections.endLists(
          of: rows.connection.rows("SELECT pk FROM _entity_members WHERE is_placed = 1") { $0.int64(0) })
      }
      #expect(try await store.uids(of: list) == [1, 2, 3])
    }
  }

  @Test func `a list that a range behind its end has ended is complete`() async throws {
    let server = PageServer(1...6) { _, range, users in
      guard let range, let start = Int(range.prefix { $0 != "-" }), start < users.count else {
        return HTTPResponse(status: 416)
      }
      let page = users.dropFirst(start).prefix(3)
      return PageServer.json(
        PageServer.list(page), ["Content-Range": "\(start)-\(start + page.count - 1)/*"], status: 206)
    }
    let list = StoredCollection<User>(pages: .ranges(size: 3))
    try await with(server) { store in
      try await list.load()
      try await walk(list)
      #expect(try await store.uids(of: list) == Array(1...6))
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `earlier pages that run in a circle end`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .json(["items": [["id": 1], ["id": 2]], "prev": "x"]))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .cursor("prev", parameter: "before") as CursorPagination, options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      let error = await #expect(throws: RequestError.self) {
        for _ in 1...20 { try await list.loadEarlier() }
      }
      #expect(error?.kind == .pagination)
      #expect(try await store.uids(of: list) == [1, 2])
    }
  }

  @Test func `a header field that changes with each request is refused, as each value is another list`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    try await with(server) { _ in
      let list = StoredCollection<User>(modify: { $0.setValue("\(UUID())", forHTTPHeaderField: "X-Request-ID") })
      let error = await #expect(throws: RequestError.self) { try await list.load() }
      #expect(error?.kind == .invalidRequest && "\(error as Any)".contains("header field"))
      #expect(server.requests == 0)
    }
  }

  // MARK: Paginations

  @Test func `pages by ranges are asked for as ranges`() async throws {
    let server = PageServer(1...7) { _, range, users in
      guard let range, let start = Int(range.prefix { $0 != "-" }) else {
        return PageServer.json(PageServer.list(users))
      }
      let page = users.dropFirst(start).prefix(3)
      return PageServer.json(
        PageServer.list(page), ["Content-Range": "\(start)-\(start + page.count - 1)/\(users.count)"], status: 206)
    }
    let list = StoredCollection<User>(pages: .ranges(size: 3))
    try await with(server) { store in
      try await list.load()
      #expect(try await store.uids(of: list) == [1, 2, 3])
      try await walk(list)
      #expect(try await store.uids(of: list) == Array(1...7))
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `pages by posted parameters are refused`() async throws {
    let server = PageServer(1...7) { _, _, _ in PageServer.json("[]") }
    try await with(server) { _ in
      let list = StoredCollection<User>(pages: .numbers(size: 3).inBody)
      let error = await #expect(throws: RequestError.self) { try await list.load() }
      #expect(error?.kind == .invalidRequest)
      #expect(server.requests == 0)
    }
  }

  @Test(arguments: [true, false])
  func `a number of pages or of objects ends the walk, and an equal page keeps the list`(_ ofPages: Bool)
    async throws
  {
    let server = PageServer(1...7, PageServer.numbers { ["X-Pages": "\(($0 + 2) / 3)", "X-Total": "\($0)"] })
    let list = StoredCollection<User>(
      pages: ofPages ? .numbers(pages: .header("X-Pages")) : .numbers(size: 3, total: .header("X-Total")))
    try await with(server) { store in
      try await walk(list)
      #expect(server.requests == 3)
      #expect(try await list.status()?.isComplete == true)
      try await list.load()
      #expect(try await store.uids(of: list) == Array(1...7))
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `a total that counts an object which never comes makes the list begin anew once at most`() async throws {
    let server = PageServer(1...7, PageServer.numbers { ["X-Total": "\($0 + 1)"] })
    let list = StoredCollection<User>(pages: .numbers(size: 3, total: .header("X-Total")))
    try await with(server) { store in
      try await walk(list)
      try await list.load()
      try await walk(list)
      for _ in 0..<2 {
        try await list.load()
        #expect(try await store.uids(of: list) == Array(1...7))
        #expect(try await list.status()?.isComplete == false)
      }
    }
  }

  @Test func `an object that is deleted here and not yet there keeps the list`() async throws {
    let server = PageServer(1...7, PageServer.numbers { ["X-Total": "\($0)"] })
    let list = StoredCollection<User>(pages: .numbers(size: 3, total: .header("X-Total")))
    try await with(server) { store in
      try await walk(list)
      try store.main.delete(try #require(try store.main.fetch(User.self, uid: 6)))
      try await store.main.save()
      try await list.load()
      #expect(try await store.uids(of: list) == [1, 2, 3, 4, 5, 7])
    }
  }

  // MARK: Ends

  @Test func `pages that run in a circle end with an error`() async throws {
    let server = PageServer(1...6) { query, _, users in
      let isSecond = query["cursor"] == "b"
      let page = isSecond ? users.suffix(3) : users.prefix(3)
      return PageServer.json("{\"items\": \(PageServer.list(page)), \"next\": \"\(isSecond ? "a" : "b")\"}")
    }
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    try await with(server) { store in
      let error = await #expect(throws: RequestError.self) { try await walk(list) }
      let uids = try await store.uids(of: list)
      #expect(error?.kind == .pagination && server.requests < 10)
      #expect(uids.sorted() == Array(1...6))
    }
  }

  @Test func `a server that ignores the number of the page is noticed`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    let list = StoredCollection<User>(pages: .numbers())
    try await with(server) { store in
      let error = await #expect(throws: RequestError.self) { try await walk(list) }
      let uids = try await store.uids(of: list)
      #expect(error?.kind == .pagination && server.requests < 8)
      #expect(uids == [1, 2, 3])
    }
  }

  // MARK: Places that are of no use

  @Test func `a next page at an origin that is allowed no more makes the list begin anew`() async throws {
    let other = try #require(URL(string: "https://other.example.com/"))
    func list(allowing origins: [URL] = []) -> StoredCollection<User> {
      StoredCollection(pages: .body("next"), allowing: origins, options: .envelope("items"))
    }
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 1]], "next": "https://other.example.com/users?page=2"]),
      .json(["items": [["id": 1]], "next": "/users?page=2"]), .json(["items": [["id": 2]], "next": nil]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list(allowing: [other]).load()
      for uids in [[1], [1, 2]] {
        try await list().loadMore()
        #expect(try await store.uids(of: list()) == uids)
      }
      #expect(try await list().status()?.isComplete == true)
      #expect(stub.requests.allSatisfy { $0.url.host() == "api.example.com" })
    }
  }

  @Test func `a next page that the server has forgotten makes the list begin anew`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 2]], "next": "b"]), .json(["items": [["id": 1]], "next": "c"]),
      .status(410), .json(["items": [["id": 3]], "next": "d"]), .json(["items": [["id": 2]], "next": nil]))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      for uids in [[2, 1], [3], [3, 2]] {
        try await list.loadMore()
        #expect(try await store.uids(of: list) == uids)
      }
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `a page that does not say where the next one is does not cut the list`() async throws {
    let stub = StubAdapter()
    func page(_ uid: Int, _ end: String) -> StubAnswer {
      .respond { request in
        if request.headers["If-None-Match"] == "\"\(uid)\"" {
          return HTTPResponse(status: 304, url: request.url)
        }
        var response = PageServer.json("{\"items\": [{\"id\": \(uid)}], \(end)}", ["ETag": "\"\(uid)\""])
        response.url = request.url
        return response
      }
    }
    stub.on(
      .get, "/users", page(1, "\"nxt\": 1"), page(1, "\"next\": \"b\""), page(2, "\"next\": {}"),
      page(1, "\"next\": \"b\""), page(2, "\"next\": \"c\""), page(3, "\"next\": null"))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      await #expect(throws: RequestError.self) { try await list.load() }
      try await list.load()
      await #expect(throws: RequestError.self) { try await list.loadMore() }
      #expect(try await store.uids(of: list) == [1, 2])
      try await list.load()
      try await walk(list)
      #expect(try await store.uids(of: list) == [1, 2, 3])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  // MARK: Earlier pages

  @Test func `a list that does not know the page before its first one is not complete`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 3]]], headers: ["ETag": "1"]),
      .json(["items": [["id": 3]], "prev": "https://other.example.com/users?before=3"]),
      .json(["items": [["id": 3]], "prev": "http://api.example.com/users?before=3"]),
      .json(["items": [["id": 2]], "prev": nil]))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .body("prev") as BodyPagination, options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      for _ in 1...2 {
        let error = await #expect(throws: RequestError.self) { try await list.load() }
        #expect(error?.kind == .pagination)
        #expect(try await store.uids(of: list) == [3])
        #expect(try await list.status()?.isComplete == false)
      }
      // A server behind a proxy that ends TLS writes the scheme that it sees.
      try await list.load()
      try await list.loadEarlier()
      #expect(try await store.uids(of: list) == [2, 3])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `an earlier page that was asked for before the list began anew is not put into it`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    func page(_ uids: ClosedRange<Int>) -> StubAnswer {
      .json(["items": JSONValue(uids.map { ["id": JSONValue($0)] as JSONValue })])
    }
    stub.on(.get, "/users", page(7...9), page(4...6).waiting(for: gate), page(17...19), page(14...16))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .numbers() as NumberPagination, options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      let earlier = Task { try await list.loadEarlier() }
      await gate.arrival()
      try await list.load()
      gate.open()
      _ = try await earlier.value
      #expect(try await store.uids(of: list) == Array(14...19))
    }
  }

  // MARK: Responses without a body

  @Test(arguments: [200, 204])
  func `a response without a body empties no list`(_ status: Int) async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]]), .status(status))
    let list = StoredCollection<User>()
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      try await list.load()
      #expect(try await store.uids(of: list) == [1, 2])
    }
  }

  @Test(arguments: [200, 204])
  func `a response without a body empties no list that is walked anew`(_ status: Int) async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json([["id": 1], ["id": 2]], headers: ["ETag": "1"]), .status(410), .status(status),
      .status(410), .json([["id": 2]], headers: ["ETag": "2"]))
    let list = StoredCollection<User>(pages: OnePage(), changes: .delta("_since", from: .header("ETag")))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      try await list.load()
      #expect(try await store.uids(of: list) == [1, 2])
      #expect(try await list.status()?.isComplete == true)
      try await list.load()
      #expect(try await store.uids(of: list) == [2])
    }
  }

  @Test(arguments: [false, true])
  func `a server that forgets each second page is asked once, and the list is never complete without its members`(
    _ isNewestFirst: Bool
  ) async throws {
    let isForgetful = Mutex(true)
    let server = PageServer(1...4) { query, range, users in
      if query["cursor"] != nil, isForgetful.withLock({ $0 }) { return HTTPResponse(status: 410) }
      return PageServer.cursor(query, range, users)
    }
    let list = StoredCollection<User>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")),
      options: isNewestFirst ? [.envelope("items"), .newestFirst] : .envelope("items"))
    try await with(server) { store in
      for count in 1...2 {
        let error = await #expect(throws: RequestError.self) { try await list.load() }
        #expect(error?.response?.status == 410)
        #expect(server.requests == 2 * count)
        #expect(try await list.status()?.isComplete != true)
      }
      isForgetful.withLock { $0 = false }
      try await list.load()
      let uids = try await store.uids(of: list)
      #expect(uids == [1, 2, 3, 4])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `after 410 the pages before the first one can be loaded again`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 3], ["id": 4]], "prev": "3"], headers: ["ETag": "1"]),
      .json(["items": [["id": 1], ["id": 2]], "prev": nil]), .status(410),
      .json(["items": [["id": 3], ["id": 4]], "prev": "3"], headers: ["ETag": "2"]),
      .json(["items": [["id": 1], ["id": 2]], "prev": nil]))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .cursor("prev", parameter: "before") as CursorPagination,
      changes: .delta("_since", from: .header("ETag")), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      for _ in 1...2 {
        try await list.load()
        #expect(try await list.status()?.hasEarlier == true)
        #expect(try await list.status()?.isComplete == false)
        try await list.loadEarlier()
        #expect(try await store.uids(of: list) == [1, 2, 3, 4])
        #expect(try await list.status()?.isComplete == true)
      }
    }
  }

  @Test func `a list that is removed while its changes or its pages come begins anew`() async throws {
    let stub = StubAdapter()
    let list = StoredCollection<User>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")), options: .envelope("items"))
    func page(_ uids: [Int], removing: Bool = false) -> StubAnswer {
      .respond { request in
        if removing { try await list.remove() }
        var response = PageServer.json("{\"items\": \(PageServer.list(uids)), \"next\": null}", ["ETag": "1"])
        response.url = request.url
        return response
      }
    }
    stub.on(
      .get, "/users", page([1, 2]), page([], removing: true), page([1, 2]), .status(410),
      page([1, 2, 3], removing: true), page([1, 2, 3]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      for uids in [[1, 2], [1, 2], [1, 2, 3]] {
        try await list.load()
        #expect(try await store.uids(of: list) == uids)
        #expect(try await list.status()?.isComplete == true)
      }
    }
  }

  @Test(arguments: [false, true])
  func `an end that is only likely takes no object out that was made here`(_ hasChanges: Bool) async throws {
    let server = PageServer(1...5) { query, _, users in
      if query["_since"] != nil { return HTTPResponse(status: 410) }
      // The part of a page leaves the last object out.
      let isPart = users.count > 5
      return PageServer.json(PageServer.list(users.prefix(5)), ["ETag": "1"], status: isPart ? 206 : 200)
    }
    let list = StoredCollection<User>(
      pages: OnePage(), changes: hasChanges ? .delta("_since", from: .header("ETag")) : nil,
      placing: .last { $0.firstName == "mine" })
    try await with(server) { store in
      try await list.load()
      let mine = try store.main.insert(User.self)
      mine.firstName = "mine"
      try await store.main.save()
      try await mine.post()
      try await list.load()
      #expect(try await store.uids(of: list) == [1, 2, 3, 4, 5, 6])
    }
  }

  @Test func `a secret that the server writes in another way is not kept`() async throws {
    let server = PageServer(1...6) { query, _, users in
      PageServer.json(
        "{\"items\": \(PageServer.list(users.prefix(3))), \"next\": \"/users?api_key=s3cr%65t%2Fkey&cursor=b\"}")
    }
    let list = StoredCollection<User>(
      query: ["api_key": "s3cret/key"], pages: .body("next"), options: .envelope("items"))
    try await with(server) { store in
      try await list.load()
      let texts = try await store.listTexts().joined()
      #expect(texts.contains("cursor=b") && !texts.contains("s3cr"))
    }
  }

  @Test func `a header field that the collection sets makes another list, and a credential does not`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    func list(_ name: String, _ value: String) -> StoredCollection<User> {
      StoredCollection { try $0.setHeaders([name: value]) }
    }
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(
      adapter: server, store: store, baseURL: "https://api.example.com/", identity: { "ada" })
    try await Client.withClient(client) {
      try await list("X-Folder", "inbox").load()
      #expect(try await list("X-Folder", "inbox").status() != nil)
      #expect(try await list("X-Folder", "trash").status() == nil)
      try await list("X-Token", "a").load()
      #expect(try await list("X-Token", "b").status() != nil)
    }
  }

  @Test func `a list that is removed leaves its objects`() async throws {
    let server = PageServer(1...3) { _, _, users in PageServer.json(PageServer.list(users)) }
    let list = StoredCollection<User>()
    try await with(server) { store in
      let feed = try LiveResource(list)
      try await feed.load()
      try await list.remove()
      #expect(try await list.status() == nil)
      #expect(try await store.listTexts().isEmpty)
      #expect(feed.objects.isEmpty)
      await until { !feed.isComplete }
      #expect(feed.lastLoaded == nil && feed.isStale)
      #expect(try store.main.count(User.all) == 3)
      try await feed.load()
      #expect(feed.objects.count == 3)
    }
  }

  @Test func `the error is that of the newest load, of whichever page`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 1]], "next": "b"]), .status(503),
      .json(["items": [["id": 1]], "next": "b"]))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      let feed = try LiveResource(list)
      try await feed.load()
      await #expect(throws: RequestError.self) { try await feed.loadMore() }
      #expect(feed.error != nil)
      try await feed.load()
      #expect(feed.error == nil)
    }
  }
}
