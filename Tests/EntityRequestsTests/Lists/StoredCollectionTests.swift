import EntityClient
import EntityTesting
import Foundation
import HTTPFoundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Lists of the server that the store keeps.
@MainActor struct StoredCollectionTests {
  private func with(
    _ server: ListServer, _ store: EntityStore? = nil, identity: String? = nil,
    _ body: @MainActor (EntityStore) async throws -> Void
  ) async throws {
    let store = try store ?? EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(server.client(store, identity: identity)) { try await body(store) }
  }

  // MARK: Pages

  @Test(arguments: ListServer.Paging.allCases)
  func `pages come one behind the other, and the end makes the list complete`(_ paging: ListServer.Paging) async throws
  {
    let server = ListServer(paging, users: 7)
    try await with(server) { store in
      let feed = try LiveResource(server.list)
      #expect(feed.objects.isEmpty && !feed.hasMore && !feed.isComplete && feed.isStale && feed.lastLoaded == nil)
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [7, 6, 5] && feed.hasMore && !feed.isComplete && !feed.isStale)
      try await feed.loadMore()
      #expect(feed.objects.map(\.uid) == [7, 6, 5, 4, 3, 2] && feed.hasMore)
      let page = try #require(try await feed.loadMore())
      #expect(page.ids.count == 1 && feed.objects.map(\.uid) == [7, 6, 5, 4, 3, 2, 1])
      #expect(!feed.hasMore && feed.isComplete)
      let requests = server.requests.count
      #expect(try await feed.loadMore()?.ids == [])
      #expect(server.requests.count == requests, "nothing is sent where there are no more")
      #expect(try await server.list.status()?.isComplete == true)
    }
  }

  @Test func `the list is there at once after a restart, and goes on where it was`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lists-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "store.sqlite"))
    let server = ListServer(users: 7)
    try await with(server, EntityStore(file, entities: sampleEntities)) { _ in
      try await server.list.load()
      try await server.list.loadMore()
    }
    let count = server.requests.count
    try await with(server, EntityStore(file, entities: sampleEntities)) { _ in
      let feed = try LiveResource(server.list)
      #expect(feed.objects.map(\.uid) == [7, 6, 5, 4, 3, 2] && feed.hasMore && !feed.isStale)
      #expect(server.requests.count == count)
      try await feed.loadMore()
      #expect(feed.objects.count == 7 && feed.isComplete)
    }
  }

  @Test func `an equal answer and a 304 write nothing`() async throws {
    let server = ListServer(users: 5)
    try await with(server) { store in
      let feed = try LiveResource(server.list)
      try await feed.load()
      try await feed.loadMore()
      let generation = try await store.generation()
      let confirmed = try await feed.load()
      #expect(confirmed.status == 304 && confirmed.ids.count == 3)
      #expect(server.requests.last?.value(forHTTPHeaderField: "If-None-Match") != nil)
      // A write of the entity ends what a 304 proves.
      await store.core.endAnswersAfterWrite(of: ["User"])
      await until { feed.isStale }
      let whole = try await feed.load()
      #expect(whole.status == 200 && whole.counts.rowsWritten == 0 && !feed.isStale)
      #expect(try await store.generation() == generation)
      #expect(feed.objects.count == 5 && feed.isComplete)
    }
  }

  @Test func `a 304 renews a list for the time that it says itself, also for the next run of the app`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    func fields(_ age: Int?) -> HTTPHeaders {
      var fields: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=100"]
      if let age { fields["Age"] = "\(age)" }
      return fields
    }
    let page: JSONValue = ["items": [["id": 1]], "next": nil]
    stub.on(
      .get, "/users", .json(page, headers: fields(90)), .status(304, headers: fields(20)),
      .status(304, headers: fields(95)), .status(304, headers: fields(nil)), .json(page, headers: fields(40)))
    let folder = FileManager.default.temporaryDirectory.appending(path: "lists-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    func run(_ body: @MainActor (LiveResource<User>) async throws -> Void) async throws {
      let store = try EntityStore(.file(folder.appending(path: "store.sqlite")), entities: sampleEntities)
      try await Client.withClient(Client(stub, store)) { try await body(LiveResource(list, staleAfter: nil)) }
    }
    try await clock.run {
      for seconds in [10.0, 80, 5, 100, 60] {
        try await run { feed in
          try await feed.load()
          clock.advance(by: seconds - 1)
          #expect(!feed.isStale, "\(seconds)")
        }
        try await run { feed in
          #expect(!feed.isStale, "\(seconds)")
          clock.advance(by: 1)
          #expect(feed.isStale, "\(seconds)")
        }
      }
      #expect(stub.requests.count == 5)
    }
  }

  @Test func `a 304 of a cache on the way is not written while the list is fresh until the same moment`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    func fields(_ age: Int) -> HTTPHeaders {
      ["ETag": "\"1\"", "Cache-Control": "max-age=100", "Age": "\(age)"]
    }
    stub.on(
      .get, "/users", .json(["items": [["id": 1]], "next": 1], headers: fields(0)), .status(304, headers: fields(20)),
      .status(304, headers: fields(25)), .json(["items": [["id": 2]], "next": nil], headers: fields(0)))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    func times() async throws -> [Double] {
      try await store.core.read { context in
        try context.connection.rows("SELECT time FROM \(CollectionTables.table)") { $0.double(0) ?? 0 }
      }
    }
    try await clock.run {
      try await Client.withClient(Client(stub, store)) {
        let feed = try LiveResource(list, staleAfter: nil)
        let start = clock.now
        try await feed.load()
        for seconds in [20.0, 5] {
          clock.advance(by: seconds)
          try await feed.load()
          #expect(try await times() == [start])
        }
        clock.advance(by: 29)
        let asked = try LiveResource(list, staleAfter: .seconds(30))
        #expect(!asked.isStale, "the load of 29 seconds ago counts for an app that says how often it asks")
        // Another page writes the note, with the time of the 304 and what that said.
        try await feed.loadMore()
        #expect(try await times() == [start + 25])
        clock.advance(by: 45)
        let next = try LiveResource(list, staleAfter: nil)
        #expect(feed.objects.count == 2 && !feed.isStale && !next.isStale)
        clock.advance(by: 1)
        #expect(feed.isStale && next.isStale, "no response said more than 100 seconds from the first one on")
        #expect(stub.requests.count == 4)
      }
    }
  }

  @Test func `a 304 that can't be written does not make a list fresh for longer than it says`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    func fields(_ age: Int) -> HTTPHeaders {
      ["ETag": "\"1\"", "Cache-Control": "max-age=100", "Age": "\(age)"]
    }
    stub.on(
      .get, "/users", .json(["items": [["id": 1]], "next": nil], headers: fields(0)), .status(304, headers: fields(95)))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await clock.run {
      try await Client.withClient(Client(stub, store)) {
        let feed = try LiveResource(list, staleAfter: nil)
        try await feed.load()
        clock.advance(by: 50)
        try await store.core.unit { try $0.connection.execute("PRAGMA query_only = ON") }
        try await feed.load()
        clock.advance(by: 49)
        #expect(feed.objects.count == 1 && !feed.isStale)
        clock.advance(by: 1)
        #expect(feed.isStale, "no response said more than 100 seconds from the first one on")
      }
    }
  }

  // MARK: Refreshing

  @Test func `a refresh puts new objects before the list and keeps its rest`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { store in
      let feed = try LiveResource(server.list)
      for _ in 0..<3 { try await feed.loadMore() }
      #expect(feed.isComplete)
      server.add(2)
      server.delete(7)
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [9, 8, 6, 5, 4, 3, 2, 1])
      #expect(feed.isComplete && !feed.hasMore)
      #expect(try store.main.count(User.all) == 9, "leaving a list deletes nothing")
    }
  }

  @Test func `a refresh that meets no object of the list begins anew`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      for _ in 0..<3 { try await feed.loadMore() }
      server.add(5)
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [12, 11, 10] && feed.hasMore && !feed.isComplete)
      while feed.hasMore { try await feed.loadMore() }
      #expect(feed.objects.map(\.uid) == Array((1...12).reversed()) && feed.isComplete)
    }
  }

  @Test func `an object that moved to the beginning takes no others out of the list`() async throws {
    let server = ListServer(.offset, users: 9)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      for _ in 0..<3 { try await feed.loadMore() }
      server.set([2, 9, 8, 7, 6, 5, 4, 3, 1])
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [2, 9, 8, 7, 6, 5, 4, 3, 1] && feed.isComplete)
      // More are missing than met: they may have moved, so the list begins anew.
      server.set([1, 30, 31, 2, 9, 8, 7, 6, 5, 4, 3])
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [1, 30, 31] && !feed.isComplete && feed.hasMore)
    }
  }

  @Test func `with pages that are counted, a deletion on the server begins the list anew`() async throws {
    let server = ListServer(.offset, users: 9)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      try await feed.load()
      try await feed.loadMore()
      server.delete(8)
      try await feed.load()
      while feed.hasMore { try await feed.loadMore() }
      #expect(feed.objects.map(\.uid) == [9, 7, 6, 5, 4, 3, 2, 1] && feed.isComplete)
    }
  }

  @Test func `a walk over counted pages that lost an object is not complete`() async throws {
    let server = ListServer(.offset, users: 7)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      try await feed.load()
      server.delete(7)
      while feed.hasMore { try await feed.loadMore() }
      #expect(!feed.objects.map(\.uid).contains(4) && !feed.isComplete)
    }
  }

  @Test func `an empty list is complete`() async throws {
    let server = ListServer(users: 2)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      try await feed.load()
      #expect(feed.objects.count == 2 && feed.isComplete)
      server.set([])
      try await feed.load()
      #expect(feed.objects.isEmpty && feed.isComplete && !feed.hasMore)
    }
  }

  // MARK: At the same time

  @Test func `a page that was asked for before the list began anew is not put into it`() async throws {
    let server = ListServer(users: 9)
    try await with(server) { store in
      let feed = try LiveResource(server.list)
      try await feed.load()
      server.hold(true)
      let more = Task { try await server.list.loadMore() }
      await server.held(1)
      server.hold(false)
      server.add(5)
      try await feed.load()
      #expect(feed.objects.map(\.uid) == [14, 13, 12])
      server.release()
      _ = try await more.value
      // The old page is not in the list. The page that fits it was asked for in its place.
      #expect(feed.objects.map(\.uid) == [14, 13, 12, 11, 10, 9])
      #expect(try store.main.fetch(User.self, uid: 4) != nil, "its objects are in the store")
    }
  }

  @Test func `an older answer does not take the place of a newer one`() async throws {
    let server = ListServer(users: 3)
    try await with(server) { store in
      server.hold(true)
      let old = Task { try await server.list.load() }
      await server.held(1)
      server.add(2)
      let new = Task { try await server.list.load() }
      await server.held(2)
      server.release(1)
      _ = try await new.value
      #expect(try await store.uids(of: server.list) == [5, 4, 3])
      server.release()
      _ = try await old.value
      #expect(try await store.uids(of: server.list) == [5, 4, 3])
    }
  }

  @Test func `two tasks that ask for the next page put it into the list once`() async throws {
    let server = ListServer(users: 9)
    try await with(server) { store in
      try await server.list.load()
      server.hold(true)
      let tasks = (0..<2).map { _ in Task { try await server.list.loadMore() } }
      await server.held(2)
      server.hold(false)
      server.release()
      server.release()
      for task in tasks { _ = try await task.value }
      #expect(try await store.uids(of: server.list) == [9, 8, 7, 6, 5, 4])
      let screens = [try LiveResource(server.list), try LiveResource(server.list)]
      let count = server.requests.count
      async let first = screens[0].loadMore()
      async let second = screens[1].loadMore()
      _ = try await (first, second)
      #expect(server.requests.count == count + 1, "screens share the load")
      #expect(screens.allSatisfy { $0.objects.count == 9 && $0.isComplete })
    }
  }

  @Test func `a failure and a cancellation leave the list as it is`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { _ in
      let feed = try LiveResource(server.list)
      try await feed.load()
      server.failNext()
      await #expect(throws: RequestError.self) { try await feed.loadMore() }
      #expect(feed.objects.count == 3 && feed.hasMore && feed.error != nil)
      server.hold(true)
      let more = Task { try await feed.loadMore() }
      await server.held(1)
      #expect(feed.isLoading)
      more.cancel()
      await #expect(throws: CancellationError.self) { try await more.value }
      server.hold(false)
      server.release()
      try await feed.loadMore()
      #expect(feed.objects.count == 6 && feed.error == nil)
    }
  }

  @Test func `a page that can't be read leaves the list as it is`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 2], ["id": 1]], "next": "b"]),
      .json(["items": [["id": 3], ["id": "no number"]], "next": nil]), .json(["items": [["id": 3]]]))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      try await list.load()
      await #expect(throws: RequestError.self) { try await list.loadMore() }
      #expect(try await store.uids(of: list) == [2, 1])
      #expect(try await list.status()?.hasMore == true)
      try await list.loadMore()
      #expect(try await store.uids(of: list) == [2, 1, 3])
      #expect(try await list.status()?.isComplete == true)
    }
  }

  @Test func `where the next page can't be told, the page is in the list and the error says so`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .json(["items": [["id": 1]], "nxt": "b"]))
    let list = StoredCollection<User>(pages: .cursor("next"), options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      let error = await #expect(throws: RequestError.self) { try await list.load() }
      #expect(error?.kind == .pagination)
      let (uids, status) = try await (store.uids(of: list), list.status())
      #expect(uids == [1] && status?.isComplete == false)
    }
  }

  // MARK: Names

  @Test func `another account has another list, and the file has neither URL nor account`() async throws {
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let server = ListServer(users: 7)
    let list = StoredCollection<User>(
      query: ["access_token": "hush"], pages: .cursor("next"), options: .envelope("items"))
    try await with(server, store, identity: "ada") { _ in
      try await list.load()
      try await list.loadMore()
      #expect(server.requests.last?.url?.queryFields["access_token"] == "hush")
      #expect(try await store.uids(of: list).count == 6)
    }
    try await with(server, store, identity: "bob") { _ in
      let uids = try await store.uids(of: list)
      #expect(uids.isEmpty)
    }
    let texts = try await store.listTexts().joined()
    #expect(!texts.isEmpty && !["hush", "ada", "example.com", "access_token"].contains { texts.contains($0) })
  }

  @Test func `credentials of an account without a name are refused`() async throws {
    let server = ListServer(users: 1)
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(server.client(store, headers: ["Authorization": "Bearer x"])) {
      let error = await #expect(throws: RequestError.self) { try await server.list.load() }
      #expect(error?.kind == .invalidRequest)
      #expect(server.requests.isEmpty)
    }
    let query = User.members(of: server.list)
    await #expect(throws: StoreError.self) { try await store.read { try $0.fetch(query).count } }
  }

  @Test func `options that can't go with a list are refused`() async throws {
    let server = ListServer(users: 1)
    try await with(server) { _ in
      for options: ResponseOptions<User> in [.deleteMissing(in: User.all), .dryRun] {
        let list = StoredCollection<User>(pages: .cursor("next"), options: [.envelope("items"), options])
        let error = await #expect(throws: RequestError.self) { try await list.load() }
        #expect(error?.kind == .invalidRequest)
      }
    }
  }

  // MARK: Queries

  @Test func `a live query has the members that meet a condition`() async throws {
    let server = ListServer(users: 7)
    try await with(server) { store in
      try await server.list.load()
      let odd = LiveQuery(User.where { $0.uid != 6 && $0.isMember(of: server.list) }, in: store)
      #expect(odd.objects.map(\.uid).sorted() == [5, 7])
      try await server.list.loadMore()
      #expect(odd.objects.map(\.uid).sorted() == [2, 3, 4, 5, 7])
    }
  }

  // MARK: Earlier pages

  @Test func `earlier pages come before the list, and a refresh keeps them`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users", .json(["items": [["id": 5], ["id": 6]], "prev": "4"]),
      .json(["items": [["id": 3], ["id": 4]], "prev": "2"]),
      .json(["items": [["id": 6], ["id": 7]], "prev": "5"]),
      .json(["items": [["id": 1], ["id": 2]], "prev": nil]))
    let list = StoredCollection<User>(
      pages: OnePage(), earlier: .cursor("prev", parameter: "before") as CursorPagination, options: .envelope("items"))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      let talk = try LiveResource(list)
      try await talk.load()
      #expect(talk.objects.map(\.uid) == [5, 6] && talk.hasEarlier && !talk.hasMore && !talk.isComplete)
      try await talk.loadEarlier()
      #expect(talk.objects.map(\.uid) == [3, 4, 5, 6])
      try await talk.load()
      #expect(talk.objects.map(\.uid) == [3, 4, 5, 6, 7] && talk.hasEarlier)
      try await talk.loadEarlier()
      #expect(talk.objects.map(\.uid) == [1, 2, 3, 4, 5, 6, 7] && !talk.hasEarlier && talk.isComplete)
      #expect(stub.requests.map { $0.url.queryFields["before"] ?? "-" } == ["-", "4", "-", "2"])
    }
  }
}
