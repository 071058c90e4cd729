import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import Roundup

/// Testing has an `Issue` too.
private typealias Issue = Roundup.Issue

/// The example without a tracker: the tracker's answers are written down here, and each test has an empty store in
/// memory.
@MainActor @Suite(.client(entities: Tracker.entities, envelope: "data"))
struct IssueTests {
  private static let crash: JSONValue = [
    "id": "7", "title": "Crash", "activity": "2026-11-21.07:20:41", "keyword": ["4"], "priority": "1",
    "assignedto": nil,
  ]

  @Test func `a page of issues becomes objects`() async throws {
    let page: JSONValue = ["data": ["collection": [Self.crash], "@total_size": 1]]
    try StubAdapter.current.on(.get, "/issue", .json(page))
    #expect(try await Issue.sync().counts.inserted == 1)
    let issue = try #require(try Client.current.store.main.fetch(Issue.self, uid: "7"))
    #expect(issue.title == "Crash")
    #expect(issue.assignedTo == nil)
    #expect(issue.activity?.timeIntervalSince1970 == 1_795_245_641)
    #expect(issue.keywords.map(\.uid) == ["4"])  // known by its id until keywords are synced
    #expect(try await Issue.sync().counts.rowsWritten == 0)
  }

  @Test func `an edit survives a sync and is acknowledged`() async throws {
    let main = try Client.current.store.main
    try StubAdapter.current
      .on(.get, "/issue", .json(["data": ["collection": [Self.crash]]]))
      .on(.get, "/issue/7", .json(["data": ["id": "7", "attributes": ["title": "Crash"], "@etag": "\"v1\""]]))
      .on(.patch, "/issue/7", .json(["data": ["id": "7", "attribute": ["title": "Crash at start"]]]))
    try await Issue.sync()
    let issue = try #require(try main.fetch(Issue.self, uid: "7"))
    issue.title = "Crash at start"
    try await Issue.sync()
    #expect(issue.title == "Crash at start")
    #expect(issue.hasChanges)

    try await issue.save(\.title)
    #expect(!issue.hasChanges)
    #expect(issue.etag == nil)
    let sent = try #require(try StubAdapter.current.requests(.patch, "/issue/7").first)
    #expect(sent.headers["If-Match"] == "\"v1\"")
    #expect(sent.json == ["title": "Crash at start"])
  }

  @Test func `a comment that is refused leaves no message`() async throws {
    let main = try Client.current.store.main
    try StubAdapter.current.on(.post, "/msg", .json(["error": ["msg": "no"]], status: 403))
    let issue = try #require(try await Issue.upsert(from: ["data": [["id": "7", "title": "Crash"]]]).object)
    let author = try #require(try await User.upsert(from: ["data": [["id": "3", "username": "ada"]]]).object)
    let error = await #expect(throws: RequestError.self) { try await issue.comment("Me too.", by: author) }
    #expect(error?.status == 403)
    #expect(try main.fetch(Message.all).isEmpty)
    #expect(!main.hasChanges)
    #expect(try StubAdapter.current.requests.count == 1)
  }

  @Test func `a comment on an issue whose store is gone is an error`() async throws {
    var store: EntityStore? = try EntityStore(.inMemory, entities: Tracker.entities)
    let issue = try #require(try store?.main.insert(Issue.self))
    store = nil
    let author = try Client.current.store.main.insert(User.self)
    await #expect(throws: StoreError.self) { try await issue.comment("Anyone?", by: author) }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `the content of a file is its bytes or an error`() async throws {
    let attachment = try #require(try await Attachment.upsert(from: ["data": [["id": "9", "name": "a.bin"]]]).object)
    try StubAdapter.current.on(
      .get, "/file/9/binary_content",
      .respond { HTTPResponse(status: 200, headers: [:], url: $0.url, body: Data([0, 255, 10])) }, .status(404))
    #expect(try await attachment.content() == Data([0, 255, 10]))
    #expect(try StubAdapter.current.requests.first?.headers["Accept"] == "*/*")
    let error = await #expect(throws: RequestError.self) { try await attachment.content() }
    #expect(error?.status == 404)
  }

  @Test func `the tracker says that there is another page`() async throws {
    func page(_ uid: String, isLast: Bool) -> StubAnswer {
      let links: JSONValue = isLast ? [:] : ["next": [["rel": "next", "uri": "https://example.com/?title=R & D"]]]
      return .json(["data": ["collection": [["id": .init(uid), "name": "K"]], "@links": links]])
    }
    try StubAdapter.current
      .on(.get, "/keyword", query: ["@page_index": 1], page("1", isLast: false))
      .on(.get, "/keyword", query: ["@page_index": 2], page("2", isLast: true))
    #expect(try await Keyword.sync().pages == 2)
  }

  @Test func `a sync that begins in the middle deletes nothing`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/keyword", .json(["data": ["collection": [["id": "2", "name": "K"]]]]))
    func walk(_ query: QueryParameters) async throws {
      let all = Keyword.pages(
        query: query, by: TrackerPages(), options: [.envelope("data.collection"), .deleteMissing(in: Keyword.all)])
      _ = try await all.all()
    }
    await #expect(throws: RequestError.self) { try await walk(["@page_index": 2]) }
    #expect(stub.requests.isEmpty)
    try await walk(["@page_size": 10])
  }
}
