import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import EntityRequests
@testable import EntityStore

@Entity final class Memo: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  @Key("last_modified") var changed: Int
  var isMine: Bool

  static var basePath: String { "memos" }
  static var deletionKey: String? { "deleted" }
  static var deletedElements: DeletedElements? { DeletedElements { $0["left"] == true ? .left(.itself) : nil } }
}

/// Lists whose changes come by a token, and lists with objects that are made here.
@MainActor struct ListChangesTests {
  private let stub = StubAdapter()

  private func with(_ body: @MainActor (EntityStore) async throws -> Void) async throws {
    let store = try EntityStore(.inMemory, entities: [Memo.self])
    try await Client.withClient(Client(stub, store)) { try await body(store) }
  }

  private func uids(_ list: StoredCollection<Memo>, _ store: EntityStore) async throws -> [Int] {
    let query = Memo.members(of: list)
    return try await store.read { try $0.fetch(query).map(\.uid) }
  }

  /// The tokens of the requests so far, `-` for one without.
  private var tokens: [String] { stub.requests.map { $0.url.queryFields["_since"] ?? "-" } }

  private static func page(_ items: [JSONValue], next: String? = nil, token: String) -> StubAnswer {
    let value: JSONValue = ["data": JSONValue(items), "next": next.map { JSONValue($0) } ?? .null]
    return .json(value, headers: ["ETag": "\"\(token)\""])
  }

  private static let list = StoredCollection<Memo>(
    pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")), options: .envelope("data"))

  @Test func `the first load walks all pages, and later loads bring the changes`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2]], next: "b", token: "5"), Self.page([["id": 3]], token: "7"),
      Self.page([["id": 2, "text": "new"], ["id": 4], ["id": 1, "deleted": true]], token: "9"),
      Self.page([], token: "9"))
    try await with { store in
      let memos = try LiveResource(Self.list)
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [1, 2, 3] && memos.isComplete)
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [4, 2, 3] && memos.objects[1].text == "new")
      #expect(try store.main.fetch(Memo.self, uid: 1) == nil)
      let generation = try await store.generation()
      try await memos.load()
      #expect(try await store.generation() == generation && memos.isComplete && !memos.isStale)
      // The token of a walk is that of its first page: objects may change while the others come.
      #expect(tokens == ["-", "-", "5", "9"])
    }
  }

  @Test func `a walk over changes that ends early is asked for again`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1]], token: "5"), Self.page([["id": 2]], next: "b", token: "8"), .status(503),
      Self.page([["id": 2]], next: "b", token: "8"), Self.page([["id": 3]], token: "9"), Self.page([], token: "9"))
    try await with { store in
      try await Self.list.load()
      await #expect(throws: RequestError.self) { try await Self.list.load() }
      #expect(try await uids(Self.list, store) == [2, 1], "the page before the failure is here")
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [3, 2, 1])
      try await Self.list.load()
      #expect(tokens == ["-", "5", "5", "5", "5", "8"])
    }
  }

  @Test func `changes that come oldest first go on behind the last page`() async throws {
    let list = StoredCollection<Memo>(
      pages: .cursor("next"), changes: .delta("_since", from: .maximum(\.changed), isOldestFirst: true),
      options: .envelope("data"))
    func page(_ uid: Int, _ changed: Int, next: String? = nil) -> StubAnswer {
      Self.page([["id": JSONValue(uid), "last_modified": JSONValue(changed)]], next: next, token: "-")
    }
    stub.on(.get, "/memos", page(1, 9), page(2, 10, next: "b"), .status(503), page(3, 11), Self.page([], token: "-"))
    try await with { store in
      try await list.load()
      await #expect(throws: RequestError.self) { try await list.load() }
      try await list.load()
      try await list.load()
      #expect(try await uids(list, store) == [3, 2, 1])
      #expect(tokens == ["-", "9", "9", "10", "11"])
    }
  }

  @Test func `410 walks the list anew`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2]], token: "5"), .status(410), Self.page([["id": 2]], token: "7"),
      Self.page([], token: "7"))
    try await with { store in
      try await Self.list.load()
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [2])
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [2])
      #expect(tokens == ["-", "5", "-", "7"])
    }
  }

  @Test func `after 410 the list stays until the last page of the new walk is here`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2], ["id": 3]], token: "5"), .status(410),
      Self.page([["id": 4], ["id": 2]], next: "b", token: "7"), .status(503), .status(410),
      Self.page([["id": 4], ["id": 2]], next: "b", token: "7"), Self.page([["id": 2], ["id": 1]], token: "8"),
      Self.page([], token: "7"))
    try await with { store in
      try await Self.list.load()
      await #expect(throws: RequestError.self) { try await Self.list.load() }
      #expect(try await uids(Self.list, store) == [1, 2, 3], "a walk that ends early takes nothing away")
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [4, 2, 1], "an object that two pages have stands in the list once")
      #expect(try await Self.list.status()?.isComplete == true)
      try await Self.list.load()
      #expect(tokens == ["-", "5", "-", "-", "5", "-", "-", "7"])
    }
  }

  @Test func `an object that is deleted here during a walk does not come into the list`() async throws {
    try await with { store in
      stub.on(
        .get, "/memos", Self.page([["id": 1], ["id": 2]], token: "5"), .status(410),
        Self.page([["id": 1]], next: "b", token: "7"),
        .respond { request in
          try await store.background { context in
            if let memo = try context.fetch(Memo.self, uid: 1) { try context.delete(memo) }
          }
          return HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json"], url: request.url,
            body: Data(#"{"data": [{"id": 2}], "next": null}"#.utf8))
        })
      try await Self.list.load()
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [2])
    }
  }

  @Test func `a list that was not walked to its end is walked anew`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1]], next: "b", token: "5"), .status(503),
      Self.page([["id": 1]], next: "b", token: "6"), Self.page([["id": 2]], token: "7"))
    try await with { store in
      await #expect(throws: RequestError.self) { try await Self.list.load() }
      #expect(try await Self.list.status()?.isComplete == false)
      try await Self.list.load()
      #expect(try await uids(Self.list, store) == [1, 2] && tokens == ["-", "-", "-", "-"])
      #expect(try await Self.list.status()?.isComplete == true)
    }
  }

  // MARK: Deletions

  @Test(arguments: [true, false])
  func `a deletion that the server has is no reason to walk lists whole`(_ isSent: Bool) async throws {
    let other = StoredCollection<Memo>(
      query: ["kind": "b"], pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")),
      options: .envelope("data"))
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2]], token: "5"), Self.page([["id": 2]], token: "5"),
      Self.page([["id": 1, "deleted": true]], token: "6"), Self.page([], token: "6"), Self.page([], token: "6"))
    stub.on(.delete, "/memos/1", .status(204))
    try await with { store in
      try await Self.list.load()
      try await other.load()
      try store.main.delete(try #require(try store.main.fetch(Memo.self, uid: 1)))
      try await store.main.save()
      if isSent {
        try await Memo.delete("1")
      } else {
        try await store.pending.acknowledge(try #require(try await store.pending.changes().first))
      }
      #expect(try await store.pending.count() == 0)
      for list in [Self.list, other, Self.list] { try await list.load() }
      #expect(tokens.filter { $0 != "-" } == ["5", "5", "6"])
      #expect(try await uids(Self.list, store) == [2])
      #expect(try await uids(other, store) == [2])
    }
  }

  @Test func `a deletion that comes with the changes is no reason to walk the list whole`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2]], token: "5"),
      Self.page([["id": 1, "deleted": true]], token: "6"),
      Self.page([], token: "6"))
    try await with { store in
      try await Self.list.load()
      try store.main.delete(try #require(try store.main.fetch(Memo.self, uid: 1)))
      try await store.main.save()
      for _ in 1...2 { try await Self.list.load() }
      #expect(try await store.pending.count() == 0)
      #expect(tokens == ["-", "5", "6"])
    }
  }

  @Test(arguments: [true, false])
  func `the newest version of an object counts, on whatever page of the changes it is`(
    _ isNewestFirst: Bool
  ) async throws {
    let list = StoredCollection<Memo>(
      pages: .cursor("next"),
      changes: .delta("_since", from: .header("ETag"), isOldestFirst: !isNewestFirst),
      options: isNewestFirst ? [.envelope("data"), .newestFirst] : .envelope("data"))
    let newer: [JSONValue] = [["id": 1, "deleted": true], ["id": 2, "text": "back"], ["id": 3, "text": "c"]]
    let older: [JSONValue] = [["id": 1, "text": "a"], ["id": 2, "deleted": true], ["id": 3, "text": "b"]]
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2], ["id": 3]], token: "5"),
      Self.page(isNewestFirst ? newer : older, next: "b", token: "6"),
      Self.page(isNewestFirst ? older : newer, token: "6"))
    try await with { store in
      try await list.load()
      try await list.load()
      #expect(Set(try await uids(list, store)) == [2, 3])
      let texts = try store.main.fetch(Memo.all.sorted(by: \.uid)).map { "\($0.uid) \($0.text ?? "-")" }
      #expect(texts == ["2 back", "3 c"])
    }
  }

  @Test func `the newest version counts in the first walk over a list, too`() async throws {
    let list = StoredCollection<Memo>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")),
      options: [.envelope("data"), .newestFirst])
    stub.on(
      .get, "/memos", Self.page([["id": 1, "deleted": true], ["id": 2, "text": "b"]], next: "b", token: "5"),
      Self.page([["id": 1, "text": "a"], ["id": 2, "text": "a"], ["id": 3]], token: "5"))
    try await with { store in
      try await list.load()
      #expect(Set(try await uids(list, store)) == [2, 3])
      #expect(try store.main.fetch(Memo.self, uid: 2)?.text == "b")
    }
  }

  @Test(arguments: [true, false])
  func `an object that is refused on a page of changes comes again`(_ isOldestFirst: Bool) async throws {
    let list = StoredCollection<Memo>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag"), isOldestFirst: isOldestFirst),
      options: [.envelope("data"), .skipping])
    stub.on(
      .get, "/memos", Self.page([["id": 1]], token: "5"),
      Self.page([["id": 2, "text": ["no text"]]], next: "b", token: "6"), Self.page([["id": 3]], token: "7"),
      Self.page([["id": 2, "text": "mended"], ["id": 3]], token: "7"), Self.page([], token: "7"))
    try await with { store in
      for _ in 1...4 { try await list.load() }
      #expect(Set(try await uids(list, store)) == [1, 2, 3])
      #expect(tokens.suffix(2) == ["5", "7"])
    }
  }

  // MARK: Objects that left the list

  private static func left(_ uid: Int) -> JSONValue { ["id": JSONValue(uid), "left": true] }

  @Test func `an object that left the list is no member, unless it came back`() async throws {
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2], ["id": 3], ["id": 5]], token: "5"),
      Self.page([Self.left(1), Self.left(2), ["id": 4], Self.left(9)], next: "b", token: "6"),
      Self.page([["id": 2, "text": "back"], Self.left(4), ["id": 3, "text": "gone"], Self.left(3)], token: "6"),
      .status(410), Self.page([["id": 1], ["id": 2], Self.left(2)], next: "b", token: "7"),
      Self.page([Self.left(1), ["id": 3]], token: "7"))
    try await with { store in
      let memos = try LiveResource(Self.list)
      try await memos.load()
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [2, 5] && memos.isComplete)
      #expect(try store.main.fetch(Memo.self, uid: 3)?.text == "gone")
      #expect(try store.main.count(Memo.all) == 5)
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [3], "a walk over all pages heeds it, too")
      #expect(try store.main.count(Memo.all) == 5)
    }
  }

  @Test func `an object that left the list stays out of it where older versions follow`() async throws {
    let list = StoredCollection<Memo>(
      pages: .cursor("next"), changes: .delta("_since", from: .header("ETag")),
      options: [.envelope("data"), .newestFirst])
    stub.on(
      .get, "/memos", Self.page([["id": 1], ["id": 2], ["id": 3]], token: "5"),
      Self.page([Self.left(1), Self.left(2), ["id": 2, "text": "a"]], next: "b", token: "6"),
      Self.page([["id": 1, "text": "a"]], token: "6"))
    try await with { store in
      for _ in 1...2 { try await list.load() }
      #expect(try await uids(list, store) == [3])
    }
  }

  // MARK: A URL for the next changes

  private static let linked = StoredCollection<Memo>(
    query: ["key": "hush"], pages: .body("next", mayBeAbsent: true), changes: .link(from: .body("delta")),
    options: .envelope("data"))

  private static func page(_ uids: [Int], next: String? = nil, delta: String? = nil) -> StubAnswer {
    let items = JSONValue(uids.map { ["id": JSONValue($0)] as JSONValue })
    let (next, delta) = (next.map { JSONValue($0) } ?? .null, delta.map { JSONValue($0) } ?? .null)
    return .json(["data": items, "next": next, "delta": delta])
  }

  /// The queries of the requests so far.
  private var queries: [String] { stub.requests.map { $0.url.query(percentEncoded: false) ?? "" } }

  @Test func `a URL for the next changes is followed from page to page, and its secrets are in no file`() async throws {
    stub.on(
      .get, "/memos", Self.page([1, 2], next: "memos?key=hush&page=2"),
      Self.page([3], delta: "https://api.example.com/memos?key=hush&since=5"), Self.page([4], next: "/memos?page=9"),
      Self.page([5], delta: "memos?key=hush&since=6"), Self.page([]), .status(410),
      Self.page([7], delta: "memos?since=8"), Self.page([], delta: "memos?since=9"))
    try await with { store in
      try await Self.linked.load()
      #expect(try await Self.linked.status()?.isComplete == true)
      #expect(try await !store.listTexts().joined().contains("hush"))
      try await Self.linked.load()
      #expect(try await uids(Self.linked, store) == [4, 5, 1, 2, 3])
      // A last page without the URL leaves the one before.
      for _ in 1...2 { try await Self.linked.load() }
      #expect(try await uids(Self.linked, store) == [7], "410 walks all pages")
      try await Self.linked.load()
      #expect(
        queries == [
          "key=hush", "key=hush&page=2", "key=hush&since=5", "page=9", "key=hush&since=6", "key=hush&since=6",
          "key=hush",
          "since=8",
        ])
    }
  }

  @Test
  func `a URL for the next changes at another origin is not asked for, and the list is walked whole`() async throws {
    let (errors, continuation) = AsyncStream.makeStream(of: (any Error).self)
    stub.on(
      .get, "/memos", Self.page([1], delta: "https://other.example.com/memos?since=5"),
      Self.page([2], next: "memos?page=2"), Self.page([3], delta: "https://other.example.com/memos?since=6"),
      Self.page([2], delta: "http://api.example.com/memos?since=5"), Self.page([], delta: "memos?since=5"))
    let store = try EntityStore(.inMemory, entities: [Memo.self])
    let client = try Client(
      adapter: stub, store: store, baseURL: "https://api.example.com/", onRefreshFailure: { continuation.yield($0) })
    try await Client.withClient(client) {
      for members in [[1], [2, 3]] {
        try await Self.linked.load()
        #expect(try await uids(Self.linked, store) == members)
        #expect(try await Self.linked.status()?.isComplete == true)
      }
      // A server behind a proxy that ends TLS writes the scheme that it sees.
      for _ in 1...2 { try await Self.linked.load() }
      #expect(try await uids(Self.linked, store) == [2])
      #expect(queries == ["key=hush", "key=hush", "page=2", "key=hush", "since=5"])
      #expect(stub.requests.allSatisfy { $0.url.scheme == "https" && $0.url.host() == "api.example.com" })
    }
    continuation.finish()
    var heard: [RequestError] = []
    for await error in errors { heard.append(try #require(error as? RequestError)) }
    #expect(heard.map(\.kind) == [.pagination, .pagination])
    #expect(heard.allSatisfy { $0.message.contains("other.example.com") && $0.message.contains("allowing:") })
  }

  @Test func `a URL for the next changes at an origin that is allowed no more is not asked for`() async throws {
    let other = try #require(URL(string: "https://other.example.com/"))
    let allowing = StoredCollection<Memo>(
      query: ["key": "hush"], pages: .body("next", mayBeAbsent: true), changes: .link(from: .body("delta")),
      allowing: [other], options: .envelope("data"))
    stub.on(
      .get, "/memos", Self.page([1, 2], delta: "https://other.example.com/memos?since=5"),
      Self.page([2, 3], delta: "memos?since=6"), Self.page([4], delta: "memos?since=7"))
    try await with { store in
      try await allowing.load()
      #expect(try await allowing.status()?.isComplete == true)
      try await Self.linked.load()
      #expect(try await uids(Self.linked, store) == [2, 3])
      try await Self.linked.load()
      #expect(try await uids(Self.linked, store) == [4, 2, 3])
      #expect(queries == ["key=hush", "key=hush", "since=6"])
      #expect(stub.requests.allSatisfy { $0.url.host() == "api.example.com" })
    }
  }

  @Test func `a property's greatest value is no URL`() async throws {
    let list = StoredCollection<Memo>(pages: .cursor("next"), changes: .link(from: .maximum(\.changed)))
    try await with { _ in
      let error = await #expect(throws: RequestError.self) { try await list.load() }
      #expect(error?.kind == .invalidRequest && stub.requests.isEmpty)
    }
  }

  // MARK: Objects that are made here

  private static let placed = StoredCollection<Memo>(
    pages: .cursor("next"), placing: .first { $0.isMine == true }, options: .envelope("data"))

  @Test func `an object that is made here stands in the list until an answer has it`() async throws {
    stub.on(
      .get, "/memos", .json(["data": [["id": 1], ["id": 2]], "next": nil]),
      .json(["data": [["id": 3], ["id": 1], ["id": 2]], "next": nil]),
      .json(["data": [["id": 3], ["id": 9, "isMine": true], ["id": 1], ["id": 2]], "next": nil]),
      .json(["data": [["id": 1]], "next": nil]))
    stub.on(.post, "/memos", .json(["id": 9], status: 201))
    try await with { store in
      let memos = try LiveResource(Self.placed)
      try await memos.load()
      let mine = try store.main.insert(Memo.self)
      mine.isMine = true
      try store.main.insert(Memo.self).text = "not mine"
      try await store.main.save()
      #expect(memos.objects.first === mine && memos.objects.count == 3)
      try await memos.load()
      #expect(memos.objects.first === mine && memos.objects.map(\.uid).dropFirst() == [3, 1, 2])
      try await mine.post()
      #expect(memos.objects.first === mine, "the answer to the POST is none of the list")
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [3, 9, 1, 2])
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [1])
    }
  }

  @Test func `an object that the server's list does not have leaves it, and one that is deleted too`() async throws {
    let answer: JSONValue = ["data": [["id": 1]], "next": nil]
    stub.on(.get, "/memos", .json(answer))
    stub.on(.post, "/memos", .json(["id": 9], status: 201))
    try await with { store in
      let memos = try LiveResource(Self.placed)
      try await memos.load()
      let (mine, other) = (try store.main.insert(Memo.self), try store.main.insert(Memo.self))
      (mine.isMine, other.isMine) = (true, true)
      try await store.main.save()
      #expect(memos.objects.count == 3)
      try store.main.delete(other)
      try await store.main.save()
      #expect(memos.objects.count == 2)
      try await mine.post()
      try await memos.load()
      #expect(memos.objects.map(\.uid) == [1])
      #expect(mine.uid == 9 && !mine.isDeleted)
    }
  }
}
